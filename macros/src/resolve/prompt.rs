//! The prompt of a step, examined once.
//!
//! A text in the source is read here, and so is a file, if the compiler reveals where the source
//! is. Anything else (e.g. a constant) is left to an assertion in the generated code. The rule
//! about prompts and the generated items both use the result.

use std::io::ErrorKind;
use std::path::PathBuf;

use syn::{Expr, ExprLit, ExprMacro, Lit, LitStr};

use crate::syntax::Step;

/// What is known about the prompt of a step.
#[cfg_attr(test, derive(Debug))]
pub(crate) enum Prompt {
    /// It is not blank.
    Good(Expr),
    /// Only the compiler can see whether it is blank.
    Unseen(Expr),
    /// It is blank; the span of the text or of the file's name.
    Empty { prompt: Expr, at: LitStr },
    /// The file that it names cannot be read.
    NoFile { file: LitStr, path: PathBuf, why: ErrorKind },
    /// None was written.
    Missing,
    /// One was written that could not be parsed, which was already reported.
    Unread,
    /// None is needed: the step is a command.
    Command,
}

impl Prompt {
    pub(crate) fn new(step: &Step) -> Self {
        match step.prompt.value() {
            _ if step.is_command() => Self::Command,
            // `steps!` has judged it where it was written; here it is one of that macro's
            // constants.
            Some(prompt) if step.shared => Self::Good(prompt.clone()),
            Some(prompt) => Self::judge(prompt),
            None if step.has_prompt() || step.shared => Self::Unread,
            None => Self::Missing,
        }
    }

    fn judge(prompt: &Expr) -> Self {
        let (at, text) = match prompt {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => (text.clone(), text.value()),
            Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("include_str") => {
                let file = mac.parse_body::<LitStr>().ok();
                let Some((file, path)) = file.and_then(|file| Some((file.clone(), beside(&file)?)))
                else {
                    return Self::Unseen(prompt.clone());
                };
                match std::fs::read_to_string(&path) {
                    Ok(text) => (file, text),
                    Err(error) => return Self::NoFile { file, path, why: error.kind() },
                }
            }
            _ => return Self::Unseen(prompt.clone()),
        };
        let prompt = prompt.clone();
        if text.trim().is_empty() { Self::Empty { prompt, at } } else { Self::Good(prompt) }
    }
}

/// The path of the file, relative to the source file that names it.
fn beside(file: &LitStr) -> Option<PathBuf> {
    let source = file.span().local_file()?;
    Some(source.parent()?.join(file.value()))
}

#[cfg(test)]
mod tests {
    use proc_macro2::TokenStream;
    use quote::quote;

    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::syntax::Fragment;

    fn of(step: &TokenStream) -> Prompt {
        let written =
            quote!(steps example { step Work { #step outcomes: [Complete], Complete => Work } });
        let fragment =
            Fragment::parse(written, &mut Diagnostics::default()).expect("the name can be read");
        Prompt::new(&fragment.steps[0])
    }

    #[test]
    fn each_kind_is_recognized() {
        assert!(matches!(of(&quote!(prompt: "Work.",)), Prompt::Good(_)));
        assert!(matches!(of(&quote!(prompt: " \n",)), Prompt::Empty { .. }));
        assert!(matches!(of(&quote!(prompt: WORK,)), Prompt::Unseen(_)));
        assert!(matches!(
            of(&quote!(prompt: include_str!(concat!("a", ".md")),)),
            Prompt::Unseen(_)
        ));
        assert!(matches!(of(&quote!(prompt: ,)), Prompt::Unread));
        assert!(matches!(of(&quote!(promt: "Work.",)), Prompt::Unread));
        assert!(matches!(of(&quote!()), Prompt::Missing));
        assert!(matches!(of(&quote!(run: "make",)), Prompt::Command));
        assert!(matches!(of(&quote!(run: "make", prompt: "Work.",)), Prompt::Good(_)));
    }
}
