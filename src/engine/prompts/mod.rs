//! The operator's own prompts: text files that replace compiled ones.
//!
//! `<directory>/<recipe>/<step>.md` replaces one prompt. The directory is the operator's; nothing
//! here looks into the repository that a run works in. Start with [`PromptFiles`].

mod edit;
mod error;
mod files;
mod recipe_prompts;
mod text;

pub use edit::{CannotEject, Ejected};
pub use error::{MAX_PROMPT_BYTES, PromptDefect, PromptFileError};
pub use files::PromptFiles;
pub use recipe_prompts::{PromptSource, RecipePrompts, StepPrompt};
