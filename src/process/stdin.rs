//! Writing the standard input of a process.

use std::io::{ErrorKind, Write};
use std::process::ChildStdin;

/// The size of a pipe on Linux, unless another one is asked for, and the largest that an ordinary
/// user may ask for (`/proc/sys/fs/pipe-max-size`).
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 64 << 10;
#[cfg(target_os = "linux")]
const MAX_PIPE_BYTES: usize = 1 << 20;

/// Writes bytes to a process.
///
/// It never blocks, even if the process does not read. On Linux the pipe is enlarged to fit all
/// bytes if possible, so that one write is enough, and a crash of the supervisor cannot leave the
/// process with half of its input.
#[derive(Debug)]
pub(super) struct StdinWriter {
    pipe: Option<ChildStdin>,
    bytes: Vec<u8>,
    given: usize,
}

impl StdinWriter {
    /// Prepares the pipe. Nothing is written yet.
    pub(super) fn new(pipe: ChildStdin, bytes: Vec<u8>) -> Self {
        // If this fails, a write could block and defeat every timeout, so the process gets no input
        // at all.
        let pipe = rustix::io::ioctl_fionbio(&pipe, true).is_ok().then_some(pipe);
        #[cfg(target_os = "linux")]
        if let Some(pipe) = pipe.as_ref().filter(|_| bytes.len() > PIPE_BYTES) {
            // If the system refuses, several writes are needed.
            let _ = rustix::pipe::fcntl_setpipe_size(pipe, bytes.len().min(MAX_PIPE_BYTES));
        }
        Self { pipe, bytes, given: 0 }
    }

    /// Writes as much as the pipe accepts. After the last byte, closes the pipe, so that the
    /// process sees the end of its input.
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
                // The process has closed its input or has ended. The supervisor notices that
                // elsewhere.
                Err(_) => self.close(),
            }
        }
    }

    /// Whether everything was written.
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
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        (child, stdin)
    }

    #[test]
    fn all_bytes_arrive_over_several_writes() {
        let (child, stdin) = reader();
        let bytes = b"three megabytes of bytes".repeat(3 << 20 >> 5);
        let mut stdin_writer = StdinWriter::new(stdin, bytes.clone());
        let reading = std::thread::spawn(move || child.wait_with_output().unwrap().stdout);
        while !stdin_writer.is_done() {
            stdin_writer.push();
        }
        assert_eq!(reading.join().unwrap().len(), bytes.len());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn one_push_writes_all_that_an_enlarged_pipe_can_hold() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut stdin_writer = StdinWriter::new(stdin, b"x".repeat(900 << 10));
        stdin_writer.push();
        assert!(stdin_writer.is_done());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_does_not_read_does_not_block() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut stdin_writer = StdinWriter::new(stdin, b"x".repeat(8 << 20));
        stdin_writer.push();
        assert!(!stdin_writer.is_done());
        child.kill().unwrap();
        child.wait().unwrap();
        stdin_writer.push();
        assert!(stdin_writer.is_done(), "the pipe is closed, because no process reads it");
    }
}
