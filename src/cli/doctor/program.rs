//! Asking another program.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::cli::render::format::one_line;

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much it may say, in bytes. Nobody listens to the rest.
const MOST: u64 = 64 << 10;

/// The longest line that is shown of what it said.
const LONGEST: usize = 80;

/// What a program said.
pub(in crate::cli) struct Said {
    pub(in crate::cli) out: String,
    pub(in crate::cli) success: bool,
}

impl Said {
    /// Its first line, which may be anything.
    pub(in crate::cli) fn first_line(&self) -> String {
        one_line(self.out.lines().next().unwrap_or_default().trim()).chars().take(LONGEST).collect()
    }
}

/// Why a program said nothing.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Mute {
    /// It cannot be run at all.
    #[error(transparent)]
    NotRun(#[from] io::Error),
    /// It runs, and says nothing.
    #[error("it does not answer within {} s", PATIENCE.as_secs())]
    NoAnswer,
}

/// Runs a program to its end, or until it has said enough.
pub(in crate::cli) async fn said(program: impl AsRef<OsStr>, words: &[&str]) -> Result<Said, Mute> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
    let mut child = command.spawn()?;
    let listening = async {
        let mut out = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            // Whoever goes on talking finds that the pipe is closed.
            stdout.take(MOST).read_to_end(&mut out).await?;
        }
        let success = child.wait().await?.success();
        Ok::<_, io::Error>(Said { out: String::from_utf8_lossy(&out).into_owned(), success })
    };
    match tokio::time::timeout(PATIENCE, listening).await {
        Ok(said) => Ok(said?),
        Err(_) => Err(Mute::NoAnswer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_program_that_never_answers_is_not_waited_for() {
        let answer = said("sleep", &["1000"]).await;
        assert_eq!(answer.err().unwrap().to_string(), "it does not answer within 10 s");
    }

    #[tokio::test]
    async fn a_program_that_never_stops_talking_is_not_heard_out() {
        let said = said("yes", &[]).await.ok().unwrap();
        assert_eq!((said.out.len() as u64, said.success), (MOST, false));
    }

    #[test]
    fn whatever_a_program_says_is_shown_as_one_short_line() {
        let said = Said { out: format!("\u{1b}[2J{}\nmore", "x".repeat(200)), success: true };
        assert_eq!(said.first_line(), format!(" [2J{}", "x".repeat(76)));
    }
}
