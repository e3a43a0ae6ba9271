//! What is wrong with the words of a command, told as every other complaint: what, why, and what to do.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::bad_value::BadValue;
use super::command_path::Meant;
use super::complaint::Complaint;
use super::program::program_name;
use crate::Catalog;
use crate::cli::settings::Layers;
use crate::recipe::closest;

/// The most characters of somebody's word that are worth repeating.
const REPEATED: usize = 60;

/// The longest list of names that is still read.
const LISTED: usize = 12;

/// A command that cannot be understood.
pub(in crate::cli) struct Misuse<'a> {
    /// The whole command, and the part of it that was meant.
    pub(in crate::cli) top: &'a clap::Command,
    pub(in crate::cli) meant: Meant<'a>,
    pub(in crate::cli) catalog: Catalog,
    pub(in crate::cli) words: &'a [OsString],
    pub(in crate::cli) error: &'a clap::Error,
    pub(in crate::cli) layers: &'a Layers,
}

impl Misuse<'_> {
    pub(in crate::cli) fn complaint(&self) -> Complaint {
        match self.error.kind() {
            ErrorKind::UnknownArgument => self.unknown_argument(),
            ErrorKind::InvalidSubcommand => self.unknown_command(&self.one(ContextKind::InvalidSubcommand)),
            ErrorKind::InvalidValue => self.wrong_value(),
            ErrorKind::ValueValidation => self.refused_value(),
            ErrorKind::TooManyValues => self.one_value_too_many(),
            ErrorKind::ArgumentConflict => self.conflict(),
            ErrorKind::MissingRequiredArgument => self.missing(),
            ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                let why = format!("its commands are {}", listed(&self.meant.names()));
                self.tell(format!("`{}` needs another word", self.meant.called), why, "")
            }
            ErrorKind::InvalidUtf8 => {
                self.tell("a word cannot be read", "it is no text in UTF-8", "write it in other letters")
            }
            ErrorKind::NoEquals | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
                let argument = self.one(ContextKind::InvalidArg);
                self.tell(format!("`{}` has not the values it needs", option(&argument)), self.kind(), "")
            }
            // clap may learn of more, and has words of its own for them.
            _ => self.tell("the command cannot be understood", self.kind(), ""),
        }
    }

    fn unknown_argument(&self) -> Complaint {
        let word = self.one(ContextKind::InvalidArg);
        if !word.starts_with('-') {
            if self.words.iter().any(|word| word == "--")
                && self.meant.command.find_subcommand(&word).is_some()
            {
                let fix = "leave out the `--` before it";
                return self.tell(format!("{} is no argument", quoted(&word)), "it is a command", fix);
            }
            if self.meant.command.has_subcommands() && self.meant.command.get_positionals().next().is_none() {
                return self.unknown_command(&word);
            }
            let why = format!("`{}` has no place for it", self.meant.called);
            return self.tell(format!("{} is a word too many", quoted(&word)), why, "leave it out");
        }
        let elsewhere = self.top.get_subcommands().filter(|command| {
            command
                .get_arguments()
                .any(|known| word.strip_prefix("--").is_some_and(|word| known.get_long() == Some(word)))
        });
        let elsewhere: Vec<_> = elsewhere.map(|command| command.get_name().to_owned()).collect();
        let fix = match (self.one(ContextKind::SuggestedArg), &elsewhere[..]) {
            (near, []) => near_one(&near),
            (_, elsewhere) => format!("it is an option of {}", listed(elsewhere)),
        };
        self.tell(
            format!("there is no option {}", quoted(&word)),
            format!("`{}` does not have it", self.meant.called),
            fix,
        )
    }

    fn unknown_command(&self, word: &str) -> Complaint {
        let what = format!("there is no command {}", quoted(word));
        if self.catalog.get(word).is_some() {
            let fix = format!("`{} run {word}` runs it", program_name());
            return self.tell(what, "it is a recipe", fix);
        }
        let names = self.meant.names();
        let guessed = self.many(ContextKind::SuggestedSubcommand);
        // clap's nearest is its last.
        let near = closest(word, names.iter().map(String::as_str)).or(guessed.last().map(String::as_str));
        let why = match near {
            Some(_) => format!("`{}` has none of that name", self.meant.called),
            None => format!("the commands are {}", listed(&names)),
        };
        self.tell(what, why, near_one(near.unwrap_or_default()))
    }

    fn wrong_value(&self) -> Complaint {
        let (given, argument) = (self.one(ContextKind::InvalidValue), self.one(ContextKind::InvalidArg));
        let known = self.many(ContextKind::ValidValue);
        let why = match &known[..] {
            [] => "there is none".to_owned(),
            known => format!("it is one of {}", listed(known)),
        };
        let what = match given.as_str() {
            "" => format!("`{}` needs a value", option(&argument)),
            given => format!("`{}` cannot be {}", option(&argument), quoted(given)),
        };
        self.about_value(&argument, what, &why, near_one(&self.one(ContextKind::SuggestedValue)))
    }

    /// A parser has its own words, and may know what to write instead.
    fn refused_value(&self) -> Complaint {
        let (given, argument) = (self.one(ContextKind::InvalidValue), self.one(ContextKind::InvalidArg));
        let (why, fix) = BadValue::told(self.error).unwrap_or_default();
        let what = match given.as_str() {
            "" => format!("`{}` has an empty value", option(&argument)),
            given => format!("`{}` cannot be {}", option(&argument), quoted(given)),
        };
        self.about_value(&argument, what, &why, fix.unwrap_or_default().to_owned())
    }

    fn one_value_too_many(&self) -> Complaint {
        let option = option(&self.one(ContextKind::InvalidArg)).to_owned();
        let given = self.one(ContextKind::InvalidValue);
        let takes_any =
            self.meant.command.get_arguments().chain(self.top.get_arguments()).any(|known| {
                known.get_long() == option.strip_prefix("--") && known.get_action().takes_values()
            });
        let what = if takes_any { "takes no more values" } else { "takes no value" };
        let why = format!("it was given {}", quoted(&given));
        self.tell(format!("`{option}` {what}"), why, "leave that out")
    }

    fn conflict(&self) -> Complaint {
        let mut all = self.many(ContextKind::InvalidArg);
        all.extend(self.many(ContextKind::InvalidSubcommand));
        all.extend(self.many(ContextKind::PriorArg));
        let origins: Vec<String> = all.iter().filter_map(|argument| self.settled(argument)).collect();
        let mut all: Vec<String> = all.iter().map(|argument| option(argument).to_owned()).collect();
        all.dedup();
        if let [once] = &all[..] {
            return self.tell(format!("`{once}` is there twice"), "it can count only once", "leave one out");
        }
        let why = match origins.first() {
            Some(origin) => format!("it is one or the other, and one stands in {origin}"),
            None => "it is one or the other".to_owned(),
        };
        let (first, others) =
            all.split_first().map_or(("", &all[..]), |(first, others)| (first.as_str(), others));
        self.tell(format!("`{first}` does not go with `{}`", others.join("` and `")), why, "leave one out")
    }

    fn missing(&self) -> Complaint {
        let missing = self.many(ContextKind::InvalidArg);
        let usage = self.one(ContextKind::Usage);
        let usage = usage.trim().trim_start_matches("Usage:").trim();
        let fix = if usage.is_empty() { String::new() } else { format!("write `{usage}`") };
        let verb = if missing.len() == 1 { "is" } else { "are" };
        let what = format!("{} {verb} missing", listed(&missing));
        self.tell(what, format!("`{}` cannot do without", self.meant.called), fix)
    }

    /// A value may stand elsewhere than in the command: that is then where to correct it.
    fn about_value(&self, argument: &str, what: String, why: &str, fix: String) -> Complaint {
        match self.settled(argument) {
            Some(origin) => {
                let fix = if fix.is_empty() { "correct it there".to_owned() } else { fix };
                self.tell(what, format!("{why}; the value stands in {origin}"), fix)
            }
            None => self.tell(what, why, fix),
        }
    }

    /// Where an option is settled that the command itself does not have.
    fn settled(&self, argument: &str) -> Option<String> {
        let long = option(argument).strip_prefix("--")?;
        let given = self.words.iter().any(|word| {
            let word = word.to_string_lossy();
            word.strip_prefix("--").is_some_and(|word| word.split('=').next() == Some(long))
        });
        if given { None } else { self.layers.origin(long) }
    }

    fn tell(&self, what: impl Into<String>, why: impl Into<String>, fix: impl Into<String>) -> Complaint {
        let fix = fix.into();
        let join = match fix.chars().last() {
            None => "",
            Some('?') => " ",
            Some(_) => "; ",
        };
        Complaint::usage(what, why, format!("{fix}{join}`{} --help` lists what there is", self.meant.called))
    }

    fn kind(&self) -> String {
        self.error.kind().to_string()
    }

    fn one(&self, kind: ContextKind) -> String {
        self.many(kind).join(", ")
    }

    fn many(&self, kind: ContextKind) -> Vec<String> {
        match self.error.get(kind) {
            Some(ContextValue::String(text)) => vec![text.clone()],
            Some(ContextValue::Strings(texts)) => texts.clone(),
            Some(ContextValue::StyledStr(text)) => vec![text.to_string()],
            _ => Vec::new(),
        }
    }
}

/// `--data` of `--data <FOLDER>`.
fn option(argument: &str) -> &str {
    let option = argument.split(' ').next().unwrap_or(argument);
    option.strip_suffix("...").unwrap_or(option)
}

/// The names in backticks, as many as are still read.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    format!("{}{}", shown.join(", "), if names.len() > LISTED { ", …" } else { "" })
}

fn near_one(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!("did you mean `{name}`?") }
}

fn quoted(word: &str) -> String {
    let more = if word.chars().nth(REPEATED).is_some() { "…" } else { "" };
    format!("`{}{more}`", word.chars().take(REPEATED).collect::<String>())
}
