//! Handing a process its standard input.

use std::io::{ErrorKind, Write};
use std::process::ChildStdin;

/// The size of a pipe on Linux, unless another one is asked for, and the largest that an ordinary user may ask for
/// (`/proc/sys/fs/pipe-max-size`).
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 64 << 10;
#[cfg(target_os = "linux")]
const MAX_PIPE_BYTES: usize = 1 << 20;

/// Bytes on their way into a process.
///
/// It never blocks, so a process that does not read costs nothing; and on Linux the pipe is made as large as the bytes
/// where it can be, so that one write puts them in whole and no crash of the supervisor leaves half of them behind.
#[derive(Debug)]
pub(super) struct Handover {
    pipe: Option<ChildStdin>,
    bytes: Vec<u8>,
    given: usize,
}

impl Handover {
    /// Prepares the pipe. Nothing is written yet.
    pub(super) fn new(pipe: ChildStdin, bytes: Vec<u8>) -> Self {
        // Where this fails, writing would block, and no limit could be kept: so the process gets nothing at all.
        let pipe = rustix::io::ioctl_fionbio(&pipe, true).is_ok().then_some(pipe);
        #[cfg(target_os = "linux")]
        if let Some(pipe) = pipe.as_ref().filter(|_| bytes.len() > PIPE_BYTES) {
            // It may be refused, where the system is short of pipes. Then it takes several writes.
            let _ = rustix::pipe::fcntl_setpipe_size(pipe, bytes.len().min(MAX_PIPE_BYTES));
        }
        Self { pipe, bytes, given: 0 }
    }

    /// Hands over as much as the pipe takes. At the end the pipe is closed: that is what the process waits for.
    pub(super) fn push(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            let rest = self.bytes.get(self.given..).unwrap_or_default();
            if rest.is_empty() {
                self.close();
                return;
            }
            match pipe.write(rest) {
                Ok(count) => self.given += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The process does not want them, or is gone. What it writes instead is looked at elsewhere.
                Err(_) => self.close(),
            }
        }
    }

    /// Whether there is nothing left to hand over.
    pub(super) fn is_done(&self) -> bool {
        self.pipe.is_none()
    }

    fn close(&mut self) {
        self.pipe = None;
        self.bytes = Vec::new();
        self.given = 0;
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn reader() -> (std::process::Child, ChildStdin) {
        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        (child, stdin)
    }

    #[test]
    fn everything_arrives_however_long_it_takes() {
        let (child, stdin) = reader();
        let bytes = b"three megabytes of bytes".repeat(3 << 20 >> 5);
        let mut handover = Handover::new(stdin, bytes.clone());
        let reading = std::thread::spawn(move || child.wait_with_output().unwrap().stdout);
        while !handover.is_done() {
            handover.push();
        }
        assert_eq!(reading.join().unwrap().len(), bytes.len());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn one_push_puts_in_what_a_pipe_can_hold() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut handover = Handover::new(stdin, b"x".repeat(900 << 10));
        handover.push();
        assert!(handover.is_done());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_does_not_read_does_not_block() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut handover = Handover::new(stdin, b"x".repeat(8 << 20));
        handover.push();
        assert!(!handover.is_done());
        child.kill().unwrap();
        child.wait().unwrap();
        handover.push();
        assert!(handover.is_done(), "no reader is left");
    }
}
