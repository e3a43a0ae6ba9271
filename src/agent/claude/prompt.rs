//! Handing over the prompt.

use std::io::{ErrorKind, Write};
use std::process::ChildStdin;

/// The largest pipe that Linux gives to anybody (`/proc/sys/fs/pipe-max-size`).
#[cfg(target_os = "linux")]
const LARGEST_PIPE: usize = 1 << 20;

/// A prompt on its way into a process.
///
/// It never blocks, so a process that does not read costs nothing; and on Linux the pipe is made as large as the prompt
/// where it can be, so that one write puts it in whole and no crash of ours leaves half a prompt behind.
#[derive(Debug)]
pub(super) struct Handing {
    pipe: Option<ChildStdin>,
    prompt: Vec<u8>,
    given: usize,
}

impl Handing {
    /// Prepares the pipe. Nothing is written yet.
    pub(super) fn new(pipe: ChildStdin, prompt: String) -> Self {
        // Where this fails, writing would block: the watchdogs could not bite, so the process gets no prompt at all
        // and says so.
        let pipe = rustix::io::ioctl_fionbio(&pipe, true).is_ok().then_some(pipe);
        #[cfg(target_os = "linux")]
        if let Some(pipe) = pipe.as_ref().filter(|_| prompt.len() > 64 << 10) {
            // A wish: the system may be short of pipes. Then it takes several writes.
            let _ = rustix::pipe::fcntl_setpipe_size(pipe, prompt.len().min(LARGEST_PIPE));
        }
        Self { pipe, prompt: prompt.into_bytes(), given: 0 }
    }

    /// Hands over as much as the pipe takes. At the end the pipe is closed: that is what the process waits for.
    pub(super) fn push(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            let rest = self.prompt.get(self.given..).unwrap_or_default();
            if rest.is_empty() {
                self.close();
                return;
            }
            match pipe.write(rest) {
                Ok(count) => self.given += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The process does not want it, or is gone. What it says instead is looked at elsewhere.
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
        self.prompt = Vec::new();
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
    fn the_whole_prompt_arrives_however_long_it_takes() {
        let (child, stdin) = reader();
        let prompt = "a prompt of three megabytes ".repeat(3 << 20 >> 5);
        let mut handing = Handing::new(stdin, prompt.clone());
        let reading = std::thread::spawn(move || child.wait_with_output().unwrap().stdout);
        while !handing.is_done() {
            handing.push();
        }
        assert_eq!(reading.join().unwrap().len(), prompt.len());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn one_push_puts_in_what_a_pipe_can_hold() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut handing = Handing::new(stdin, "x".repeat(900 << 10));
        handing.push();
        assert!(handing.is_done());
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_that_does_not_read_blocks_nobody() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut handing = Handing::new(stdin, "x".repeat(8 << 20));
        handing.push();
        assert!(!handing.is_done());
        child.kill().unwrap();
        child.wait().unwrap();
        handing.push();
        assert!(handing.is_done(), "nobody is left to read it");
    }
}
