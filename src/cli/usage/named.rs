//! Checks that the options, commands, recipes, guardrail fields and files that a text names exist.
//! For tests of printed advice.

use std::collections::BTreeSet;
use std::path::Path;

use clap::CommandFactory;

use super::arguments::Arguments;
use crate::cli::settings::SETTINGS;
use crate::{Catalog, Remedy};

/// Other programs that advice names.
const OTHER_PROGRAMS: [&str; 4] = ["bd", "claude", "chmod", "sqlite3"];

/// Commands that a user types into another program.
const TYPED_ELSEWHERE: [&str; 1] = ["/login"];

/// Features of other tools, which this program does not have.
const FEATURES_OF_OTHERS: [&str; 6] =
    ["memo", "logs", "allowlist", "denylist", "worker", "supervisor"];

/// The names that exist.
pub(in crate::cli) struct Named {
    options: BTreeSet<String>,
    fields: BTreeSet<String>,
    catalog: Catalog,
}

impl Named {
    pub(in crate::cli) fn new(catalog: Catalog) -> Self {
        let root = Arguments::command();
        let all = std::iter::once(&root).chain(root.get_subcommands());
        let options = all.flat_map(clap::Command::get_arguments).filter_map(clap::Arg::get_long);
        let guardrails = catalog.iter().map(|recipe| &recipe.outline().guardrails);
        let fields = guardrails.flat_map(|it| {
            let json = serde_json::to_value(it).expect("guardrails are plain data");
            let names = json.as_object().expect("guardrails have named fields").keys();
            // In JSON, the name of a time ends with its unit; an author writes the unit after the
            // number.
            names.map(|name| name.trim_end_matches("_s").to_owned()).collect::<Vec<_>>()
        });
        let settings = SETTINGS.iter().map(|setting| setting.name.replace('-', "_"));
        Self {
            options: options.map(str::to_owned).collect(),
            fields: fields.chain(settings).collect(),
            catalog,
        }
    }

    /// Checks everything that a text names.
    pub(in crate::cli) fn text(&self, text: &str) {
        for word in text.split([' ', '`', '(', ')', ';', ',']) {
            self.word(word.trim_end_matches(['.', ':', '?']), text);
        }
        for quoted in text.split('`').skip(1).step_by(2) {
            let program = quoted.split_whitespace().next().unwrap_or_default();
            match program {
                "surefire" => self.command(quoted),
                // Its options were checked with the words above.
                _ if program.starts_with("--") => {}
                _ if self.catalog.get(quoted).is_some() || TYPED_ELSEWHERE.contains(&quoted) => {}
                _ => assert!(
                    OTHER_PROGRAMS.contains(&program),
                    "`{quoted}` does not exist, in: {text}"
                ),
            }
        }
    }

    /// Checks only the options and fields that a text names: its other words may belong to other
    /// tools.
    pub(in crate::cli) fn options_and_fields(&self, text: &str) {
        for word in text.split([' ', '`', '(', ')', ';', ',']) {
            let word = word.trim_end_matches(['.', ':', '?']);
            if word.starts_with("--") || is_field(word) {
                self.word(word, text);
            }
        }
    }

    /// Checks a command that the user is advised to run.
    pub(in crate::cli) fn command(&self, command: &str) {
        let parsed = Arguments::command().try_get_matches_from(words(command));
        assert!(parsed.is_ok(), "{command}: {}", parsed.unwrap_err());
        assert!(!self.options.is_empty());
    }

    fn word(&self, word: &str, text: &str) {
        if let Some(option) = word.strip_prefix("--") {
            let option = option.split('=').next().unwrap_or_default();
            assert!(self.options.contains(option), "there is no option `--{option}`, in: {text}");
            return;
        }
        assert!(
            !FEATURES_OF_OTHERS.contains(&word.to_lowercase().as_str()),
            "`{word}` belongs to another tool, in: {text}"
        );
        if is_field(word) {
            assert!(self.fields.contains(word), "there is no field `{word}`, in: {text}");
        } else if is_lower(word) && word.contains('-') {
            assert!(self.catalog.get(word).is_some(), "there is no recipe `{word}`, in: {text}");
        } else if looks_like_a_file(word) {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(word.trim_start_matches('/'));
            assert!(path.exists(), "there is no file `{word}`, in: {text}");
        }
    }
}

fn is_lower(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
}

/// Whether it looks like the name of a guardrail or a setting.
fn is_field(word: &str) -> bool {
    is_lower(word) && word.contains('_')
}

/// Whether it is a name with an extension, or a path.
fn looks_like_a_file(word: &str) -> bool {
    if TYPED_ELSEWHERE.contains(&word) || word.starts_with(['$', '\'']) {
        return false;
    }
    let has_ending = word.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty() && !ending.is_empty() && ending.chars().all(|c| c.is_ascii_alphabetic())
    });
    has_ending || (word.contains('/') && word.len() > 1)
}

/// The words of a command, as a shell would split it.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('\'').enumerate();
    let quoted = parts.flat_map(|(index, part)| match index % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    quoted.collect()
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;
    use crate::recipes::BUNDLED;
    use crate::{ExitReason, Registry};

    #[test]
    fn a_name_that_does_not_exist_is_found() {
        let named = Named::new(BUNDLED);
        for text in [
            "Commit or use --allow-filthy.",
            "Increase max_verify_time_per_mile.",
            "Check review memo for details.",
            "Run `surefire docter`.",
            "Run `surefire resume --louder`.",
            "Start break-down-task again.",
            "Read `handoff.md`.",
            "Look into docs/nowhere.md.",
        ] {
            let looked_up =
                std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| named.text(text)));
            assert!(looked_up.is_err(), "{text}");
        }
        named.text(
            "Increase time budget with --time, or run `surefire doctor`; break-down-tasks is in README.md.",
        );
        named.text("Increase max_verify_time_per_milestone, or set auto_resume.");
    }

    /// Some diagnoses are worded for other tools, too; the options and settings that they name must
    /// still exist here.
    #[test]
    fn the_options_and_settings_that_stop_reasons_name_exist() {
        let named = Named::new(BUNDLED);
        for reason in ExitReason::ALL.iter().copied() {
            let definition = reason.definition();
            for text in [definition.diagnosis, definition.hint] {
                named.options_and_fields(text);
            }
        }
    }

    #[test]
    fn an_option_that_does_not_exist_is_found_among_the_words_of_other_tools() {
        let named = Named::new(BUNDLED);
        for text in ["Check worker logs, or use --louder.", "Check the memo. Raise max_memos."] {
            let looked_up = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                named.options_and_fields(text);
            }));
            assert!(looked_up.is_err(), "{text}");
        }
        named.options_and_fields("Check worker logs, or use --time and max_total_steps.");
    }

    #[test]
    fn the_options_that_remedies_name_exist() {
        let named = Named::new(BUNDLED);
        for remedy in Remedy::iter() {
            let words = remedy.to_string();
            let options = words.split([' ', '`', ',']).filter(|word| word.starts_with("--"));
            options.for_each(|option| named.word(option, &words));
        }
    }
}
