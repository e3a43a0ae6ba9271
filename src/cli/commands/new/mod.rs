//! `surefire new`: creates a crate with a recipe.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;

const EXAMPLES: &str = "\
Examples:
  surefire new my-recipes          create the directory `my-recipes`
  cd my-recipes && cargo test      test its recipe
  cargo run -- run tidy-up --rehearse happy
                                   rehearse it";

/// The first line of every error of this command.
const WHAT: &str = "the crate cannot be created";

/// The files and their contents.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.template")),
    (".gitignore", include_str!("template/gitignore.template")),
    ("src/main.rs", include_str!("template/main.rs.template")),
    ("src/improve.md", include_str!("template/improve.md")),
    ("src/review.md", include_str!("template/review.md")),
    ("src/commit.md", include_str!("template/commit.md")),
];

/// Names that Cargo refuses for a program, and the name of this library.
const RESERVED: [&str; 12] = [
    "surefire",
    "test",
    "core",
    "std",
    "alloc",
    "proc-macro",
    "proc_macro",
    "build",
    "deps",
    "examples",
    "incremental",
    "self",
];

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct New {
    /// Directory to create; its name is the name of the crate
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

impl New {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let dir = std::path::absolute(&self.dir)
            .map_err(|error| CliError::usage(WHAT, error.to_string(), "give a directory"))?;
        let name = dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        check_name(&name)?;
        check_empty(&dir, &self.dir)?;
        let dependency = dependency(checkout());
        for (file, text) in FILES {
            let text = text.replace("{{name}}", &name).replace("{{surefire}}", &dependency);
            write(&dir.join(file), &text)?;
        }
        let shown = self.dir.display().to_string();
        let quoted = if shown.contains([' ', '\'', '"']) { format!("{shown:?}") } else { shown };
        context.console.say(format!(
            "Created the crate `{name}` with the recipe `tidy-up`.\n\n\
             Next:\n  cd {quoted}\n  cargo test\n  \
             cargo run -- run tidy-up --rehearse happy\n  \
             cargo run -- serve"
        ));
        Ok(ExitCode::SUCCESS)
    }
}

fn check_name(name: &str) -> Result<(), CliError> {
    let wrong = |why: &str, fix: String| {
        Err(CliError::usage(format!("`{name}` is not a valid crate name"), why, fix))
    };
    let is_allowed =
        |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    let begins_well = name.starts_with(|first: char| first.is_ascii_alphabetic());
    if !begins_well || !name.chars().all(is_allowed) {
        let why = "it must start with a letter and contain only letters, digits, `-` and `_`";
        return wrong(why, format!("for example: `{} new {}`", program_name(), suggestion(name)));
    }
    if RESERVED.contains(&name) || syntax_word(name) {
        return wrong("it is reserved", format!("for example: `{} new my-{name}`", program_name()));
    }
    Ok(())
}

/// A valid name that is close to this one.
fn suggestion(name: &str) -> String {
    let letters = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' });
    let name: String = letters.collect();
    let name = name.trim_matches('-').to_ascii_lowercase();
    match name.chars().next() {
        None => "my-recipes".to_owned(),
        Some(first) if first.is_ascii_alphabetic() => name,
        Some(_) => format!("my-{name}"),
    }
}

/// Whether it is a Rust keyword.
fn syntax_word(name: &str) -> bool {
    const WORDS: &str = "abstract as async await become box break const continue crate do dyn else \
        enum extern false final fn for gen if impl in let loop macro match mod move mut override \
        priv pub ref return static struct super trait true try type typeof unsafe unsized use \
        virtual where while yield";
    WORDS.split(' ').any(|word| word == name)
}

fn check_empty(dir: &Path, asked: &Path) -> Result<(), CliError> {
    let shown = asked.display();
    match std::fs::read_dir(dir).map(Iterator::count) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(CliError::usage(
            WHAT,
            format!("`{shown}` cannot be read: {error}"),
            "choose another directory",
        )),
        Ok(0) => Ok(()),
        Ok(_) => Err(CliError::usage(
            WHAT,
            format!("`{shown}` exists and is not empty"),
            "choose a directory that does not exist yet",
        )),
    }
}

fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let folder = file.parent().unwrap_or(file);
    let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(file, text));
    written.map_err(|error| {
        let why = format!("`{}` cannot be written: {error}", file.display());
        CliError::new(WHAT, why, "choose a writable directory")
    })
}

/// The checkout that this program was built from, if it still exists.
fn checkout() -> Option<&'static Path> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    is_checkout(folder).then_some(folder)
}

/// A package from a registry has no `macros` directory, and Cargo may delete it at any time.
fn is_checkout(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == "name = \"surefire\"")
        && folder.join("macros/Cargo.toml").is_file()
}

/// The value of the dependency in `Cargo.toml`.
fn dependency(checkout: Option<&Path>) -> String {
    match checkout {
        // TOML's basic strings have the escapes of JSON.
        Some(folder) => {
            format!("{{ path = {} }}", serde_json::json!(folder.display().to_string()))
        }
        None => format!("\"{}\"", env!("CARGO_PKG_VERSION")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_cargo_refuses_gets_a_suggestion() {
        for (name, suggested) in [
            ("9lives", "my-9lives"),
            ("my recipes", "my-recipes"),
            ("Über", "ber"),
            ("", "my-recipes"),
            ("surefire", "my-surefire"),
            ("match", "my-match"),
        ] {
            let problem = check_name(name).expect_err(name);
            assert!(problem.parts()[2].ends_with(&format!(" new {suggested}`")), "{problem}");
            assert_eq!(check_name(suggested), Ok(()));
        }
        assert_eq!(check_name("my-recipes_2"), Ok(()));
    }

    #[test]
    fn without_a_checkout_the_version_is_the_dependency() {
        assert_eq!(dependency(None), format!("\"{}\"", env!("CARGO_PKG_VERSION")));
        let quoted = dependency(Some(Path::new("/a \"b\"")));
        assert_eq!(quoted, r#"{ path = "/a \"b\"" }"#);
    }

    #[test]
    fn a_package_from_a_registry_is_not_a_checkout() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"surefire\"").unwrap();
        assert!(!is_checkout(folder.path()), "no macros beside it");
        assert!(!is_checkout(&folder.path().join("gone")));
        assert!(checkout().is_some(), "the tests run from one");
    }
}
