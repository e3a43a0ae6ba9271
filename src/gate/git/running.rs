//! A process of git: written to, read from and bounded, and killed with what it started when it is dropped.

use std::io;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;

/// How much of what git writes for people is kept.
const MAX_WORDS_BYTES: usize = 16 << 10;

/// A process of git. Dropping it kills it and what it started: a filter, say.
pub(super) struct Running {
    /// `None` once the process is collected: its number may belong to another group then.
    group: Option<Pid>,
    child: Child,
}

impl Running {
    pub(super) fn new(child: Child) -> Self {
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        Self { group: pid.and_then(Pid::from_raw), child }
    }

    /// Writes and reads at the same time, so that no pipe fills up, and waits for the end.
    pub(super) async fn converse(mut self, input: Vec<u8>, max_bytes: usize) -> io::Result<Heard> {
        let (stdin, stdout, stderr) =
            (self.child.stdin.take(), self.child.stdout.take(), self.child.stderr.take());
        let write = async {
            if let Some(mut stdin) = stdin {
                // A call that ended meanwhile says why.
                let _ = stdin.write_all(&input).await;
            }
        };
        let words = async {
            match stderr {
                Some(stderr) => read_words(stderr).await,
                None => Vec::new(),
            }
        };
        let read = async {
            let read = match stdout {
                Some(stdout) => read_up_to(stdout, max_bytes).await,
                None => Ok((Vec::new(), false)),
            };
            // Nothing after that is wanted, and the process would wait for a reader.
            if !matches!(read, Ok((_, false))) {
                self.kill();
            }
            read
        };
        let ((), stderr, read) = tokio::join!(write, words, read);
        let (stdout, cut) = read?;
        let status = self.child.wait().await?;
        self.group = None;
        Ok(Heard { code: status.code(), stdout, cut, stderr })
    }

    fn kill(&self) {
        if let Some(group) = self.group {
            // The group may be empty by now, which is what is wanted.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a process of git left.
pub(super) struct Heard {
    /// Its exit status; `None` if it was killed.
    pub(super) code: Option<i32>,
    /// What it wrote, up to what it may write.
    pub(super) stdout: Vec<u8>,
    /// Whether it wrote more than that.
    pub(super) cut: bool,
    /// The end of what it wrote for people.
    pub(super) stderr: Vec<u8>,
}

async fn read_up_to(from: impl AsyncRead + Unpin, max_bytes: usize) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    from.take(max_bytes as u64 + 1).read_to_end(&mut bytes).await?;
    let cut = bytes.len() > max_bytes;
    bytes.truncate(max_bytes);
    Ok((bytes, cut))
}

/// Keeps the end of it, and reads all of it: git would wait for its pipe otherwise.
async fn read_words(mut from: impl AsyncRead + Unpin) -> Vec<u8> {
    let mut words = Vec::new();
    let mut chunk = vec![0; MAX_WORDS_BYTES];
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        words.extend_from_slice(chunk.get(..count).unwrap_or_default());
        words.drain(..words.len().saturating_sub(MAX_WORDS_BYTES));
    }
    words
}
