//! Running another program for its output.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::process::Command;

use crate::cli::render::format::one_line;

/// How long a program may take to answer.
const PROGRAM_TIMEOUT: Duration = Duration::from_secs(10);

/// The rest of a longer output is not read.
const MAX_OUTPUT_BYTES: u64 = 64 << 10;

/// The first line is cut to this length.
const MAX_LINE_CHARS: usize = 80;

/// A program's output.
pub(in crate::cli) struct Output {
    pub(in crate::cli) out: String,
    pub(in crate::cli) success: bool,
}

impl Output {
    /// Its first line, shortened and without control characters.
    pub(in crate::cli) fn first_line(&self) -> String {
        one_line(self.out.lines().next().unwrap_or_default().trim())
            .chars()
            .take(MAX_LINE_CHARS)
            .collect()
    }
}

/// Why a program has no output.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum NoOutput {
    /// It cannot be started.
    #[error(transparent)]
    NotRun(#[from] io::Error),
    /// It does not exit in time.
    #[error("it does not answer within {} s", PROGRAM_TIMEOUT.as_secs())]
    TimedOut,
}

/// Runs a program until it exits or its output reaches the limit.
pub(in crate::cli) async fn output_of(
    program: impl AsRef<OsStr>,
    words: &[&str],
) -> Result<Output, NoOutput> {
    let mut command = Command::new(program);
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let mut child = command.spawn()?;
    let listening = async {
        let mut out = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            // A program that writes more gets SIGPIPE.
            stdout.take(MAX_OUTPUT_BYTES).read_to_end(&mut out).await?;
        }
        let success = child.wait().await?.success();
        Ok::<_, io::Error>(Output { out: String::from_utf8_lossy(&out).into_owned(), success })
    };
    match tokio::time::timeout(PROGRAM_TIMEOUT, listening).await {
        Ok(output) => Ok(output?),
        Err(_) => Err(NoOutput::TimedOut),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_program_that_does_not_exit_times_out() {
        let answer = output_of("sleep", &["1000"]).await;
        assert_eq!(answer.err().unwrap().to_string(), "it does not answer within 10 s");
    }

    #[tokio::test]
    async fn endless_output_is_cut_off() {
        let output = output_of("yes", &[]).await.ok().unwrap();
        assert_eq!((output.out.len() as u64, output.success), (MAX_OUTPUT_BYTES, false));
    }

    #[test]
    fn output_is_shown_as_one_short_line() {
        let output = Output { out: format!("\u{1b}[2J{}\nmore", "x".repeat(200)), success: true };
        assert_eq!(output.first_line(), format!(" [2J{}", "x".repeat(76)));
    }
}
