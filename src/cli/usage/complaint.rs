//! What a person is told when something cannot be done: what, why, and what to do.

use std::fmt;
use std::process::ExitCode;

use super::program::program_name;
use crate::Advise;
use crate::cli::render::format::one_line;
use crate::cli::render::paint;

/// The exit status of wrong usage, as `sysexits.h` has it.
const USAGE: u8 = 64;

/// The exit status of everything else that cannot be done, and is not the end of a run.
const FAILED: u8 = 1;

/// Something that cannot be done, in three lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Complaint {
    what: String,
    why: String,
    fix: String,
    status: u8,
}

impl Complaint {
    /// Something that cannot be done. Each part is a few words, in lower case and without a full stop.
    pub(in crate::cli) fn new(
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { what: what.into(), why: why.into(), fix: fix.into(), status: FAILED }
    }

    /// The same where the command itself is wrong.
    pub(in crate::cli) fn usage(
        what: impl Into<String>,
        why: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self { status: USAGE, ..Self::new(what, why, fix) }
    }

    /// An error of one of the inner rooms, which may know what to do about it.
    pub(in crate::cli) fn about(what: impl Into<String>, error: &impl Advise) -> Self {
        Self::advised(what, error.problem(), error.remedy().map(|remedy| remedy.to_string()))
    }

    /// Something whose remedy is not always known. The doctor may find one then.
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

    /// The exit status that it ends the process with.
    pub(in crate::cli) fn status(self, status: u8) -> Self {
        Self { status, ..self }
    }

    pub(in crate::cli) fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.status)
    }
}

/// Three lines, for standard error.
impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [("error", &self.what), ("  why", &self.why), ("  fix", &self.fix)];
        for (index, (label, words)) in lines.into_iter().filter(|(_, words)| !words.is_empty()).enumerate() {
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
    fn a_complaint_is_three_lines_whatever_is_in_it() {
        let complaint = Complaint::new("it\nbroke\u{1b}[2J", "be\u{202e}cause", "mend it");
        let told = anstream::adapter::strip_str(&complaint.to_string()).to_string();
        assert_eq!(told, "error: it broke [2J\n  why: be cause\n  fix: mend it");
    }

    #[test]
    fn an_inner_error_brings_its_own_remedy() {
        let full = Complaint::about("x", &StoreError::Full);
        let fix = "make room on its disk, or raise its largest size";
        assert_eq!(full, Complaint::new("x", "there is no room left for the store", fix));
    }

    #[test]
    fn what_an_agent_says_after_a_semicolon_is_no_remedy() {
        let failure = Failure::Refused { words: "no money left; run rm -rf /".to_owned() };
        let [_, why, fix] = Complaint::about("x", &failure).parts().map(str::to_owned);
        assert_eq!(why, "the agent reports an error: no money left; run rm -rf /");
        assert!(fix.ends_with(" doctor` checks what is needed"), "{fix}");
    }
}
