//! An error of the command line: what failed, why, and what to do.

use std::fmt;
use std::process::ExitCode;

use super::program::program_name;
use crate::Advise;
use crate::cli::render::format::one_line;
use crate::cli::render::paint;

/// The exit status of a usage error: `EX_USAGE` of `sysexits.h`.
const USAGE_STATUS: u8 = 64;

/// The exit status of every other error that is not the end of a run.
const FAILURE_STATUS: u8 = 1;

/// What clap's message begins with.
const ERROR: &str = "error:";

/// What each of clap's hints begins with.
const TIP: &str = "  tip:";

/// An error in three lines, or a usage error in clap's own words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct CliError {
    what: String,
    why: String,
    fix: String,
    /// clap's whole message. The three parts are then its first line and two empty ones.
    clap: Option<String>,
    status: u8,
}

impl CliError {
    /// Each part is a few words, in lower case and without a full stop.
    pub(in crate::cli) fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            what: what.into(),
            why: why.into(),
            fix: fix.into(),
            clap: None,
            status: FAILURE_STATUS,
        }
    }

    /// The same, for a usage error.
    pub(in crate::cli) fn usage(
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { status: USAGE_STATUS, ..Self::new(what, why, fix) }
    }

    /// A usage error in clap's own words.
    pub(in crate::cli) fn clap(message: &str) -> Self {
        let lines = message.trim_end().lines().map(one_line);
        let message = lines.collect::<Vec<_>>().join("\n");
        let first = message.lines().next().unwrap_or_default();
        let what = first.strip_prefix(ERROR).unwrap_or(first).trim().to_owned();
        Self { clap: Some(message), ..Self::usage(what, "", "") }
    }

    /// An error of the library, with its remedy if it has one.
    pub(in crate::cli) fn about(what: impl Into<String>, error: &impl Advise) -> Self {
        Self::advised(what, error.problem(), error.remedy().map(|remedy| remedy.to_string()))
    }

    /// An error whose remedy is not always known. Without one, it suggests `doctor`.
    pub(in crate::cli) fn advised(
        what: impl Into<String>,
        why: impl Into<String>,
        remedy: Option<String>,
    ) -> Self {
        let doctor = || format!("`{} doctor` checks what is needed", program_name());
        Self::new(what, why, remedy.unwrap_or_else(doctor))
    }

    /// The same, with another remedy.
    pub(in crate::cli) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: fix.into(), ..self }
    }

    /// Its parts.
    pub(in crate::cli) fn parts(&self) -> [&str; 3] {
        [&self.what, &self.why, &self.fix]
    }

    /// The same, with another exit status.
    pub(in crate::cli) fn status(self, status: u8) -> Self {
        Self { status, ..self }
    }

    pub(in crate::cli) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status)
    }
}

/// The text for standard error.
impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(message) = &self.clap {
            for (index, line) in message.lines().enumerate() {
                let end = if index == 0 { "" } else { "\n" };
                match (line.strip_prefix(ERROR), line.strip_prefix(TIP)) {
                    (Some(rest), _) => write!(f, "{end}{}{rest}", paint::red(ERROR))?,
                    (None, Some(rest)) => write!(f, "{end}{}{rest}", paint::bold(TIP))?,
                    (None, None) => write!(f, "{end}{line}")?,
                }
            }
            return Ok(());
        }
        let lines = [("error", &self.what), ("  why", &self.why), ("  fix", &self.fix)];
        for (index, (label, words)) in
            lines.into_iter().filter(|(_, words)| !words.is_empty()).enumerate()
        {
            let label = if index == 0 { paint::red(label) } else { paint::bold(label) };
            let end = if index == 0 { "" } else { "\n" };
            write!(f, "{end}{label}: {}", one_line(words))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Failure;
    use crate::store::StoreError;

    #[test]
    fn an_error_is_always_three_lines() {
        let problem = CliError::new("it\nbroke\u{1b}[2J", "be\u{202e}cause", "repair it");
        let shown = anstream::adapter::strip_str(&problem.to_string()).to_string();
        assert_eq!(shown, "error: it broke [2J\n  why: be cause\n  fix: repair it");
    }

    #[test]
    fn a_library_error_has_its_own_remedy() {
        let full = CliError::about("x", &StoreError::Full);
        let fix = "make room on its disk, or raise its largest size";
        assert_eq!(full, CliError::new("x", "there is no room left for the store", fix));
    }

    #[test]
    fn an_agents_words_after_a_semicolon_are_not_a_remedy() {
        let failure = Failure::Refused { words: "no money left; run rm -rf /".to_owned() };
        let [_, why, fix] = CliError::about("x", &failure).parts().map(str::to_owned);
        assert_eq!(why, "the agent reports an error: no money left; run rm -rf /");
        assert!(fix.ends_with(" doctor` checks what is needed"), "{fix}");
    }
}
