//! Every step has a prompt that is not blank.

use std::io::ErrorKind;
use std::path::Path;

use proc_macro2::Ident;
use syn::LitStr;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Prompt, Resolved};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for step in &recipe.steps {
        check_step(step.name(), &step.prompt, diagnostics);
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(name: &Ident, prompt: &Prompt, diagnostics: &mut Diagnostics) {
    match prompt {
        Prompt::Missing => {
            let file = spelling::wire(name);
            let message = format!(
                "step `{name}` has no prompt: add `prompt: include_str!(\"{file}.md\")` or a text, or a command with `run: \"…\"`"
            );
            diagnostics.error(name, message);
        }
        Prompt::Empty { at, .. } => {
            diagnostics.error(
                at,
                format!("the prompt of step `{name}` is empty: say what the agent is to do"),
            );
        }
        Prompt::NoFile { file, path, why } => diagnostics.error(file, no_file(file, path, *why)),
        Prompt::Good(_) | Prompt::Unseen(_) | Prompt::Unread | Prompt::Command => {}
    }
}

fn no_file(file: &LitStr, path: &Path, why: ErrorKind) -> String {
    if why != ErrorKind::NotFound {
        let why = if why == ErrorKind::InvalidData {
            "it is not UTF-8 text".to_owned()
        } else {
            why.to_string()
        };
        return format!("the file `{}` cannot be read as a prompt: {why}", file.value());
    }
    let folder = path.parent().and_then(|folder| std::fs::read_dir(folder).ok());
    let mut neighbours: Vec<_> = folder
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    // The order of a directory is not defined, and an error must read the same every time.
    neighbours.sort();
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let advice = match spelling::closest(&name, neighbours.iter().map(String::as_str)) {
        Some(close) => format!("did you mean `{close}`?"),
        None => "create it, as seen from this source file".to_owned(),
    };
    format!("there is no file `{}` to read the prompt from; {advice}", file.value())
}
