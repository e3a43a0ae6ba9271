//! Which tools a list names. The rule about tools reports the flaws, and the generated items have
//! the rest.

use quote::ToTokens as _;
use syn::LitStr;

use crate::syntax::{self, Group};
use crate::tool_pattern;

/// The tools that have their own word.
pub(crate) const TOOLS: [&str; 3] = ["read", "edit", "web"];

/// A tool that an agent may be allowed.
#[derive(Clone)]
pub(crate) enum Tool {
    Read,
    Edit,
    Web,
    Command(LitStr),
    Group(Group),
}

/// A parsed list.
#[derive(Clone, Default)]
pub(crate) struct Tools {
    /// The tools without a flaw.
    pub(crate) known: Vec<Tool>,
    pub(crate) flaws: Vec<ToolFlaw>,
}

/// What is wrong with an entry, by its index in the list.
#[derive(Clone)]
pub(crate) struct ToolFlaw {
    pub(crate) index: usize,
    pub(crate) kind: ToolFlawKind,
}

#[derive(Clone)]
pub(crate) enum ToolFlawKind {
    /// There is no such word.
    Unknown,
    /// It is one of the words, in quotes.
    Quoted,
    /// Nothing, or everything, would match the pattern.
    Pattern(&'static str),
    /// It is already listed at that earlier index.
    Twice { first: usize },
}

impl Tools {
    pub(crate) fn new(written: &[syntax::Tool]) -> Self {
        let mut tools = Self::default();
        let texts: Vec<_> = written.iter().map(text).collect();
        for (index, tool) in written.iter().enumerate() {
            let judged = match texts[..index].iter().position(|earlier| *earlier == texts[index]) {
                Some(first) => Err(ToolFlawKind::Twice { first }),
                None => judge(tool),
            };
            match judged {
                Ok(tool) => tools.known.push(tool),
                Err(kind) => tools.flaws.push(ToolFlaw { index, kind }),
            }
        }
        tools
    }
}

fn judge(tool: &syntax::Tool) -> Result<Tool, ToolFlawKind> {
    match tool {
        syntax::Tool::Word(word) if word == "read" => Ok(Tool::Read),
        syntax::Tool::Word(word) if word == "edit" => Ok(Tool::Edit),
        syntax::Tool::Word(word) if word == "web" => Ok(Tool::Web),
        syntax::Tool::Word(_) => Err(ToolFlawKind::Unknown),
        syntax::Tool::Pattern(pattern) => {
            let text = pattern.value();
            if TOOLS.contains(&text.as_str()) {
                return Err(ToolFlawKind::Quoted);
            }
            match tool_pattern::flaw(&text) {
                None => Ok(Tool::Command(pattern.clone())),
                Some(why) => Err(ToolFlawKind::Pattern(why)),
            }
        }
        syntax::Tool::Group(group) => Ok(Tool::Group(group.clone())),
    }
}

/// The text that two entries are compared by.
fn text(tool: &syntax::Tool) -> String {
    match tool {
        syntax::Tool::Word(word) => word.to_string(),
        // Two ways to write one text are one pattern.
        syntax::Tool::Pattern(pattern) => format!("{:?}", pattern.value()),
        syntax::Tool::Group(group) => format!("..{}", group.path.to_token_stream()),
    }
}
