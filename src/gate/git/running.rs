//! A git process with bounded output, which is killed with its children when it is dropped.

use std::io;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

/// How much of standard error is kept.
const MAX_STDERR_BYTES: usize = 16 << 10;

/// A git process. Dropping it kills it and its children, such as a filter.
pub(super) struct Running {
    /// `None` once the process is reaped: its id may belong to another group then.
    group: Option<Pid>,
    child: Child,
}

impl Running {
    pub(super) fn new(child: Child) -> Self {
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        Self { group: pid.and_then(Pid::from_raw), child }
    }

    /// Writes and reads concurrently, so that no pipe fills up, and waits for the process to exit.
    pub(super) async fn communicate(
        mut self,
        input: Vec<u8>,
        max_bytes: usize,
    ) -> io::Result<ProcessResult> {
        let (stdin, stdout, stderr) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // If the process has exited meanwhile, its status and standard error say why.
                let _ = stdin.write_all(&input).await;
            }
        };
        let words = async {
            match stderr {
                Some(stderr) => read_stderr(stderr).await,
                None => Vec::new(),
            }
        };
        let read = async {
            let read = match stdout {
                Some(stdout) => read_up_to(stdout, max_bytes).await,
                None => Ok((Vec::new(), false)),
            };
            // The rest of the output is not needed, and the process would block on its pipe.
            if !matches!(read, Ok((_, false))) {
                self.kill();
            }
            read
        };
        let ((), stderr, read) = tokio::join!(write, words, read);
        let (stdout, cut) = read?;
        let status = self.child.wait().await?;
        self.group = None;
        Ok(ProcessResult { code: status.code(), stdout, cut, stderr })
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            // The group may already be empty.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The result of a git process.
pub(super) struct ProcessResult {
    /// Its exit status; `None` if it was killed.
    pub(super) code: Option<i32>,
    /// Its standard output, up to the limit.
    pub(super) stdout: Vec<u8>,
    /// Whether it wrote more than that.
    pub(super) cut: bool,
    /// The end of its standard error.
    pub(super) stderr: Vec<u8>,
}

async fn read_up_to(from: impl AsyncRead + Unpin, max_bytes: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    from.take(max_bytes as u64 + 1).read_to_end(&mut bytes).await?;
    let cut = bytes.len() > max_bytes;
    bytes.truncate(max_bytes);
    Ok((bytes, cut))
}

/// Keeps only the end, but reads everything, because git would block on a full pipe.
async fn read_stderr(mut from: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut words = Vec::new();
    let mut chunk = vec![0; MAX_STDERR_BYTES];
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        words.extend_from_slice(chunk.get(..count).unwrap_or_default());
        words.drain(..words.len().saturating_sub(MAX_STDERR_BYTES));
    }
    words
}
