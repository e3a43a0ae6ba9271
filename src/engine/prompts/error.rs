//! Why a prompt file cannot be used.

use std::path::PathBuf;

use crate::recipe::advice;
use crate::{Advise, Remedy};

/// The largest prompt file. The bundled prompts have less than 4 KiB. A run records what it uses in
/// its first event, so each of its readers pays for the size.
pub const MAX_PROMPT_BYTES: u64 = 64 << 10;

/// Why a prompt file cannot be used. No run of its recipe begins while that is so: a run that
/// ignored the file would do something else than the operator wrote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptFileError {
    /// The file of a step has a defect.
    #[error("the prompt `{}` {defect}{}", .path.display(), advice(self))]
    Defective {
        /// The recipe's id.
        recipe: &'static str,
        /// The step.
        step: &'static str,
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        defect: PromptDefect,
    },
    /// A file is named after no step that has a prompt.
    #[error("`{}` is named after no step of `{recipe}` that has a prompt{}", .path.display(), advice(self))]
    NoStep {
        /// The recipe's id.
        recipe: &'static str,
        /// The file.
        path: PathBuf,
        /// The name that was probably meant.
        closest: Option<String>,
        /// The names that a file may have.
        names: Vec<String>,
    },
    /// The recipe's directory cannot be listed.
    #[error("the prompts in `{}` cannot be listed: {why}", .path.display())]
    Unlisted {
        /// The directory.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// What is wrong with a prompt file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptDefect {
    /// It has no text.
    #[error("is blank")]
    Blank,
    /// It is not a text.
    #[error("is not a text: it has to be UTF-8, without NUL characters")]
    NotText,
    /// It is too large.
    #[error("is larger than {} KiB", MAX_PROMPT_BYTES >> 10)]
    TooLarge,
    /// It is a directory, a device or the like.
    #[error("is not a regular file")]
    NotAFile,
    /// It leads out of the directory with the prompts, maybe into a repository.
    #[error("leads out of the directory for prompts, to `{}`", .target.display())]
    Outside {
        /// Where it leads.
        target: PathBuf,
    },
    /// It cannot be read.
    #[error("cannot be read: {why}")]
    Unreadable {
        /// Why.
        why: String,
    },
}

impl Advise for PromptFileError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Defective { recipe, step, .. } => {
                let (recipe, step) = ((*recipe).to_owned(), (*step).to_owned());
                Some(Remedy::CorrectPrompt { recipe, step })
            }
            Self::NoStep { closest: Some(name), .. } => {
                Some(Remedy::DidYouMean { name: name.clone() })
            }
            Self::NoStep { closest: None, names, .. } => {
                Some(Remedy::RenameOrRemove { names: names.clone() })
            }
            Self::Unlisted { .. } => None,
        }
    }
}
