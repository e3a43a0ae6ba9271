//! A command line that cannot be parsed: clap's own message, with hints that only this program
//! knows.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::cli_error::CliError;
use super::command_path::CommandPath;
use super::program::program_name;
use crate::Catalog;
use crate::cli::render::format::one_line;
use crate::cli::settings::Layers;
use crate::recipe::closest;

/// The most characters of an argument that the message repeats.
const MAX_REPEATED_CHARS: usize = 60;

/// A command line that clap rejected.
pub(in crate::cli) struct UsageError<'a> {
    /// The whole command.
    pub(in crate::cli) top: &'a clap::Command,
    /// The subcommand that the arguments lead to.
    pub(in crate::cli) path: CommandPath<'a>,
    pub(in crate::cli) catalog: Catalog,
    pub(in crate::cli) words: &'a [OsString],
    pub(in crate::cli) error: clap::Error,
    /// The settings from the environment and the configuration file.
    pub(in crate::cli) layers: &'a Layers,
}

impl UsageError<'_> {
    /// clap's message and tips, then our hints as further tips.
    pub(in crate::cli) fn into_cli_error(mut self) -> CliError {
        let hints = self.hints();
        let is_altered = self.sanitize();
        let tips = match self.error.remove(ContextKind::Suggested) {
            // clap's tips repeat the argument as it was given.
            Some(ContextValue::StyledStrs(tips)) if !is_altered => tips,
            _ => Vec::new(),
        };
        let tips: Vec<StyledStr> =
            tips.into_iter().chain(hints.into_iter().map(StyledStr::from)).collect();
        if !tips.is_empty() {
            self.error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        }
        CliError::clap(&self.error.render().to_string())
    }

    fn hints(&mut self) -> Vec<String> {
        match self.error.kind() {
            ErrorKind::UnknownArgument => {
                let word = self.one(ContextKind::InvalidArg);
                if word.starts_with('-') {
                    self.option_of_other_commands(&word)
                } else {
                    self.recipe_or_command(&word)
                }
            }
            ErrorKind::InvalidSubcommand => {
                let word = self.one(ContextKind::InvalidSubcommand);
                self.recipe_or_command(&word)
            }
            ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
                let argument = self.one(ContextKind::InvalidArg);
                let origin =
                    self.origin(&argument).map(|origin| format!("the value is set in {origin}"));
                let list = (option(&argument) == "--rehearse").then(|| {
                    "a list of outcomes has a comma, even after a single one: \"complete,\""
                        .to_owned()
                });
                origin.into_iter().chain(list).collect()
            }
            ErrorKind::ArgumentConflict => {
                let mut all = self.many(ContextKind::InvalidArg);
                all.extend(self.many(ContextKind::PriorArg));
                let set = |argument: &String| {
                    let origin = self.origin(argument)?;
                    Some(format!("`{}` is set in {origin}", option(argument)))
                };
                all.iter().filter_map(set).collect()
            }
            _ => Vec::new(),
        }
    }

    fn option_of_other_commands(&self, word: &str) -> Vec<String> {
        let Some(word) = word.strip_prefix("--") else {
            return Vec::new();
        };
        let has_it = |command: &&clap::Command| {
            command.get_arguments().any(|known| known.get_long() == Some(word))
        };
        let program = program_name();
        let elsewhere = self.top.get_subcommands().filter(has_it);
        let elsewhere: Vec<_> =
            elsewhere.map(|command| format!("`{program} {}`", command.get_name())).collect();
        match &elsewhere[..] {
            [] => Vec::new(),
            elsewhere => vec![format!("`--{word}` is an option of {}", elsewhere.join(", "))],
        }
    }

    fn recipe_or_command(&mut self, word: &str) -> Vec<String> {
        if self.catalog.get(word).is_some() {
            // The name of a recipe may resemble that of a command; the user meant the recipe.
            self.error.remove(ContextKind::SuggestedSubcommand);
            return vec![format!("to run it: `{} run {word}`", program_name())];
        }
        if self.path.command.get_positionals().any(|known| known.get_id() == "task") {
            return vec!["put the task into quotes".to_owned()];
        }
        if self.path.command.has_subcommands() && self.words.iter().all(|word| word != "--") {
            let names = self.path.names();
            if let Some(near) = closest(word, names.iter().map(String::as_str)) {
                let near = ContextValue::String(near.to_owned());
                self.error.insert(ContextKind::SuggestedSubcommand, near);
            }
        }
        Vec::new()
    }

    /// Shortens what the message repeats, and takes control characters out of it. Returns whether
    /// that changed anything.
    fn sanitize(&mut self) -> bool {
        let kinds =
            [ContextKind::InvalidArg, ContextKind::InvalidSubcommand, ContextKind::InvalidValue];
        let mut is_altered = false;
        for kind in kinds {
            let Some(ContextValue::String(given)) = self.error.get(kind) else {
                continue;
            };
            let shown = repeated(given);
            if shown != *given {
                is_altered = true;
                self.error.insert(kind, ContextValue::String(shown));
            }
        }
        is_altered
    }

    /// Where an option is set that is not on the command line.
    fn origin(&self, argument: &str) -> Option<String> {
        let long = option(argument).strip_prefix("--")?;
        let given = self.words.iter().any(|word| {
            let word = word.to_string_lossy();
            word.strip_prefix("--").is_some_and(|word| word.split('=').next() == Some(long))
        });
        if given { None } else { self.layers.origin(long) }
    }

    fn one(&self, kind: ContextKind) -> String {
        self.many(kind).join(", ")
    }

    fn many(&self, kind: ContextKind) -> Vec<String> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            _ => Vec::new(),
        }
    }
}

/// `--data` of `--data <FOLDER>`.
fn option(argument: &str) -> &str {
    let option = argument.split(' ').next().unwrap_or(argument);
    option.strip_suffix("...").unwrap_or(option)
}

fn repeated(word: &str) -> String {
    let more = if word.chars().nth(MAX_REPEATED_CHARS).is_some() { "…" } else { "" };
    let start: String = word.chars().take(MAX_REPEATED_CHARS).collect();
    format!("{}{more}", one_line(&start))
}
