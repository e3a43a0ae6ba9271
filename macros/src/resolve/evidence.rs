//! The evidence of an outcome, word by word.

use syn::LitStr;

use super::commands::{self, CommandFlaw};
use crate::syntax::{Command, Term};

/// The known words.
pub(crate) const EVIDENCE: [&str; 7] =
    ["commit", "no_commit", "clean", "clean_tree", "changed", "rebased_on_main", "exists"];

/// One thing that the engine must find.
#[derive(Clone)]
pub(crate) enum Evidence {
    Commit,
    NoCommit,
    Clean,
    CleanTree,
    Changed,
    RebasedOnMain,
    Exists(LitStr),
    Command(Command),
}

/// What is wrong with a term.
pub(crate) enum EvidenceFlaw {
    /// There is no such word.
    Unknown,
    /// `exists` needs a path.
    NoPath,
    /// The path is empty, absolute, or leads out of the working directory.
    Path {
        path: LitStr,
        why: &'static str,
    },
    /// Only `exists` takes a text.
    Text(LitStr),
    Command(CommandFlaw),
}

/// The meaning of a term.
pub(crate) fn judge(term: &Term) -> Result<Evidence, EvidenceFlaw> {
    let (word, text) = match term {
        Term::Word { word, text } => (word.to_string(), text.as_ref()),
        Term::Command(command) => {
            let command = commands::judge(command).map_err(EvidenceFlaw::Command)?;
            return Ok(Evidence::Command(command.clone()));
        }
    };
    if word == "exists" {
        let path = text.ok_or(EvidenceFlaw::NoPath)?;
        return match path_flaw(&path.value()) {
            None => Ok(Evidence::Exists(path.clone())),
            Some(why) => Err(EvidenceFlaw::Path { path: path.clone(), why }),
        };
    }
    let evidence = match word.as_str() {
        "commit" => Evidence::Commit,
        "no_commit" => Evidence::NoCommit,
        "clean" => Evidence::Clean,
        "clean_tree" => Evidence::CleanTree,
        "changed" => Evidence::Changed,
        "rebased_on_main" => Evidence::RebasedOnMain,
        _ => return Err(EvidenceFlaw::Unknown),
    };
    match text {
        None => Ok(evidence),
        Some(text) => Err(EvidenceFlaw::Text(text.clone())),
    }
}

/// Why a path cannot be looked for in the working directory.
fn path_flaw(path: &str) -> Option<&'static str> {
    if path.trim().is_empty() {
        return Some("it is empty");
    }
    if path.contains('\0') {
        return Some("it has a zero byte");
    }
    if path.starts_with('/') || path.starts_with('~') {
        return Some("it does not begin in the working directory");
    }
    path.split('/').any(|part| part == "..").then_some("`..` leads out of the working directory")
}

impl Evidence {
    /// As the author writes it, with every text in the same notation.
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Commit => "commit".to_owned(),
            Self::NoCommit => "no_commit".to_owned(),
            Self::Clean => "clean".to_owned(),
            Self::CleanTree => "clean_tree".to_owned(),
            Self::Changed => "changed".to_owned(),
            Self::RebasedOnMain => "rebased_on_main".to_owned(),
            Self::Exists(path) => format!("exists {:?}", path.value()),
            Self::Command(command) => match commands::texts(command) {
                (true, line) => format!("{:?}", line.concat()),
                (false, words) => format!("{words:?}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_stays_in_the_working_directory() {
        let table = [
            ("", true),
            (" ", true),
            ("/etc/passwd", true),
            ("~/notes", true),
            ("../other", true),
            ("docs/../../x", true),
            ("docs/..", true),
            ("docs/design.md", false),
            ("docs/..hidden", false),
            (".", false),
            ("a..b/c", false),
        ];
        for (path, refused) in table {
            assert_eq!(path_flaw(path).is_some(), refused, "{path:?}");
        }
    }
}
