//! Which subcommand the arguments lead to, even if they cannot be parsed.

use std::ffi::OsString;

/// A subcommand.
pub(in crate::cli) struct CommandPath<'a> {
    pub(in crate::cli) command: &'a clap::Command,
}

impl<'a> CommandPath<'a> {
    pub(in crate::cli) fn by(top: &'a clap::Command, words: &[OsString]) -> Self {
        let mut command = top;
        let words = words.iter().skip(1).map(|word| word.to_string_lossy());
        let mut words = words.take_while(|word| word != "--");
        while let Some(word) = words.next() {
            if word.starts_with('-') {
                let mut known = command.get_arguments().chain(top.get_arguments());
                if known.any(|option| option.get_action().takes_values() && is_spelt(option, &word))
                {
                    words.next();
                }
            } else if let Some(next) = command.find_subcommand(&*word) {
                command = next;
            } else {
                break;
            }
        }
        Self { command }
    }

    /// The commands below it.
    pub(in crate::cli) fn names(&self) -> Vec<String> {
        self.command.get_subcommands().map(|command| command.get_name().to_owned()).collect()
    }
}

fn is_spelt(option: &clap::Arg, word: &str) -> bool {
    let short = option.get_short().map(|short| format!("-{short}"));
    let long = option.get_long().map(|long| format!("--{long}"));
    short.is_some_and(|short| short == word) || long.is_some_and(|long| long == word)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, ArgAction, Command};

    use super::*;

    #[test]
    fn a_value_of_an_option_is_not_a_command() {
        let flag = Arg::new("flag").short('f').long("flag").action(ArgAction::SetTrue);
        let value = Arg::new("value").short('x').long("value").global(true);
        let key = Command::new("key").subcommand(Command::new("renew"));
        let top =
            Command::new("top").args([flag, value]).subcommand(key).subcommand(Command::new("run"));
        let table: [(&[&str], &str); 10] = [
            (&[], "top"),
            (&["run"], "run"),
            (&["--flag", "run", "key"], "run"),
            (&["--value", "run", "key"], "key"),
            (&["-x", "run", "key"], "key"),
            (&["--value=run", "key"], "key"),
            (&["key", "--value", "x", "renew"], "renew"),
            (&["key", "rnew"], "key"),
            (&["--bogus", "run"], "run"),
            (&["--", "run"], "top"),
        ];
        for (words, meant) in table {
            let given: Vec<OsString> =
                ["surefire"].iter().chain(words).map(OsString::from).collect();
            assert_eq!(CommandPath::by(&top, &given).command.get_name(), meant, "{words:?}");
        }
    }
}
