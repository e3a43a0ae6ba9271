//! Every step has something to say to the agent.
//!
//! A text in the source is looked at here, and so is a file, where the compiler tells where the source lies. What
//! cannot be seen from here (a constant, say) is checked by an assertion in the generated code.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use syn::{Expr, ExprLit, ExprMacro, Lit, LitStr};

use crate::diagnostic::Diagnostics;
use crate::resolve::Resolved;
use crate::spelling;
use crate::syntax::Step;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for step in &recipe.steps {
        check_step(&step.written, diagnostics);
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    let name = &step.name;
    if !step.has_prompt() {
        let file = spelling::wire(name);
        let message =
            format!("step `{name}` has no prompt: add `prompt: include_str!(\"{file}.md\")` or a text");
        diagnostics.error(name, message);
    }
    match step.prompt.value().map(judge) {
        Some(Judgement::Empty(at)) => {
            diagnostics
                .error(at, format!("the prompt of step `{name}` is empty: say what the agent is to do"));
        }
        Some(Judgement::Missing(file, path, why)) => diagnostics.error(&file, missing(&file, &path, why)),
        Some(Judgement::Good | Judgement::Unknown) | None => {}
    }
}

/// What can be said about a prompt from here.
pub(crate) enum Judgement {
    Good,
    Empty(LitStr),
    Missing(LitStr, PathBuf, ErrorKind),
    Unknown,
}

pub(crate) fn judge(prompt: &Expr) -> Judgement {
    let (at, text) = match prompt {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => (text.clone(), text.value()),
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("include_str") => {
            let Ok(file) = mac.parse_body::<LitStr>() else {
                return Judgement::Unknown;
            };
            let Some(path) = beside(&file) else {
                return Judgement::Unknown;
            };
            match std::fs::read_to_string(&path) {
                Ok(text) => (file, text),
                Err(error) => return Judgement::Missing(file, path, error.kind()),
            }
        }
        _ => return Judgement::Unknown,
    };
    if text.trim().is_empty() { Judgement::Empty(at) } else { Judgement::Good }
}

/// The file beside the source that names it.
fn beside(file: &LitStr) -> Option<PathBuf> {
    let source = file.span().local_file()?;
    Some(source.parent()?.join(file.value()))
}

fn missing(file: &LitStr, path: &Path, why: ErrorKind) -> String {
    if why != ErrorKind::NotFound {
        let why =
            if why == ErrorKind::InvalidData { "it is not UTF-8 text".to_owned() } else { why.to_string() };
        return format!("the file `{}` cannot be read as a prompt: {why}", file.value());
    }
    let folder = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut neighbours: Vec<_> =
        folder.into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    // The order of a directory is not defined, and an error must read the same every time.
    neighbours.sort();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let advice = match spelling::closest(&name, neighbours.iter().map(String::as_str)) {
        Some(close) => format!("did you mean `{close}`?"),
        None => "create it, as seen from this source file".to_owned(),
    };
    format!("there is no file `{}` to read the prompt from; {advice}", file.value())
}
