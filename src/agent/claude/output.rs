//! What a process writes, read back from the files it writes to.
//!
//! They are files and not pipes, so that the process outlives its server and its answer can be found afterwards; and so
//! that no grandchild that holds a pipe open can keep anybody waiting.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

const STDOUT: &str = "stdout.jsonl";
const STDERR: &str = "stderr.log";

/// How much is read at once.
const CHUNK: usize = 256 << 10;

/// Empty files for a process to write to, which only the owner may read. What an earlier try left is gone.
pub(super) fn fresh(scratch: &Path) -> io::Result<(File, File)> {
    DirBuilder::new().recursive(true).mode(0o700).create(scratch)?;
    let create = |name| {
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true).mode(0o600).open(scratch.join(name))?;
        file.set_len(0)?;
        io::Result::Ok(file)
    };
    Ok((create(STDOUT)?, create(STDERR)?))
}

/// The lines of a growing file, one after the other.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    read: u64,
    line: Vec<u8>,
    cap: usize,
}

/// A line with more bytes than it may have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong;

impl Lines {
    pub(super) fn open(scratch: &Path, cap: usize) -> io::Result<Self> {
        Ok(Self { file: File::open(scratch.join(STDOUT))?, read: 0, line: Vec::new(), cap })
    }

    /// How many bytes there are by now.
    pub(super) fn written(&self) -> u64 {
        self.file.metadata().map_or(self.read, |metadata| metadata.len())
    }

    pub(super) fn has_more(&self) -> bool {
        self.written() > self.read
    }

    /// Reads one chunk and hands over each line that is complete.
    pub(super) fn read(&mut self, mut each: impl FnMut(&[u8])) -> Result<(), LineTooLong> {
        let mut chunk = vec![0; CHUNK];
        // A file that cannot be read shows nothing new; the watchdogs deal with a process that says nothing.
        let count = self.file.read(&mut chunk).unwrap_or(0);
        self.read += count as u64;
        let mut rest = chunk.get(..count).unwrap_or_default();
        while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
            let (part, more) = rest.split_at(end);
            self.take(part)?;
            each(&self.line);
            self.line.clear();
            rest = more.get(1..).unwrap_or_default();
        }
        // One long line must not hold its memory until the end of the turn.
        self.line.shrink_to(CHUNK);
        self.take(rest)
    }

    /// What stands behind the last line break, once nothing more will come.
    pub(super) fn last(&mut self, each: impl FnOnce(&[u8])) {
        if !self.line.is_empty() {
            each(&self.line);
            self.line = Vec::new();
        }
    }

    fn take(&mut self, part: &[u8]) -> Result<(), LineTooLong> {
        if self.line.len() + part.len() > self.cap {
            self.line = Vec::new();
            return Err(LineTooLong);
        }
        self.line.extend_from_slice(part);
        Ok(())
    }
}

/// Standard error: only its end is ever wanted, and only its end is kept.
#[derive(Debug)]
pub(super) struct Stderr {
    file: File,
    kept: u64,
    /// Up to here it is forgotten.
    forgotten: u64,
}

impl Stderr {
    pub(super) fn open(scratch: &Path, kept: u64) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).append(true).open(scratch.join(STDERR))?;
        Ok(Self { file, kept, forgotten: 0 })
    }

    /// How many bytes there were in all, as far as is known.
    pub(super) fn written(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Gives back the room of the beginning once there is far more than is kept.
    pub(super) fn trim(&mut self) -> io::Result<()> {
        let written = self.written();
        if written.saturating_sub(self.forgotten) > 4 * self.kept {
            let end = written - self.kept;
            if self.punch(end).is_ok() {
                self.forgotten = end;
            } else {
                self.cut()?;
            }
        }
        Ok(())
    }

    /// Makes a hole of what is to be forgotten. The end stays where it is, so nothing that is being written gets lost.
    #[cfg(target_os = "linux")]
    fn punch(&self, end: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};

        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.file, hole, self.forgotten, end - self.forgotten)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn punch(&self, _end: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Where there are no holes, the file is written anew with its end. The process appends, so it goes on behind that;
    /// what it writes in this very moment may get lost.
    fn cut(&mut self) -> io::Result<()> {
        let end = self.end(self.kept)?;
        self.file.set_len(0)?;
        self.forgotten = 0;
        self.file.write_all(&end)
    }

    /// The last lines, for people: a handful, however long they are.
    pub(super) fn last_lines(&mut self) -> String {
        const LINES: usize = 20;
        const BYTES: u64 = 8 << 10;
        let end = self.end(self.kept.min(BYTES)).unwrap_or_default();
        let text = String::from_utf8_lossy(&end);
        let lines: Vec<_> = text.trim().lines().collect();
        lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
    }

    fn end(&mut self, bytes: u64) -> io::Result<Vec<u8>> {
        self.file.seek(SeekFrom::Start(self.written().saturating_sub(bytes)))?;
        let mut end = Vec::new();
        (&self.file).take(bytes).read_to_end(&mut end)?;
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut Lines) -> Result<Vec<String>, LineTooLong> {
        let mut seen = Vec::new();
        while lines.has_more() {
            lines.read(|line| seen.push(String::from_utf8_lossy(line).into_owned()))?;
        }
        Ok(seen)
    }

    #[test]
    fn lines_are_put_together_as_they_grow() {
        let scratch = tempfile::tempdir().unwrap();
        let (mut out, _) = fresh(scratch.path()).unwrap();
        let mut lines = Lines::open(scratch.path(), 10).unwrap();
        out.write_all(b"one\ntw").unwrap();
        assert_eq!(all(&mut lines).unwrap(), ["one"]);
        out.write_all(b"o\n\nthree").unwrap();
        assert_eq!(all(&mut lines).unwrap(), ["two", ""]);
        let mut last = None;
        lines.last(|line| last = Some(line.to_vec()));
        assert_eq!(last.unwrap(), b"three");
    }

    #[test]
    fn a_line_has_a_largest_size() {
        for (text, fits) in [("0123456789\n", true), ("0123456789a\n", false), ("0123456789a", false)] {
            let scratch = tempfile::tempdir().unwrap();
            let (mut out, _) = fresh(scratch.path()).unwrap();
            out.write_all(text.as_bytes()).unwrap();
            assert_eq!(all(&mut Lines::open(scratch.path(), 10).unwrap()).is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn of_standard_error_the_end_is_kept() {
        use std::os::unix::fs::MetadataExt;
        const KEPT: u64 = 64 << 10;
        let scratch = tempfile::tempdir().unwrap();
        let (_, mut out) = fresh(scratch.path()).unwrap();
        let mut stderr = Stderr::open(scratch.path(), KEPT).unwrap();
        for number in 0..4000 {
            writeln!(out, "{} {number:04}", "e".repeat(1018)).unwrap();
            stderr.trim().unwrap();
        }
        let room = 512 * out.metadata().unwrap().blocks();
        assert!(room <= 5 * KEPT, "{room} bytes on disk");
        assert!(stderr.last_lines().ends_with(" 3999") && stderr.last_lines().contains(" 3998\n"));
        assert!(stderr.last_lines().len() <= 8 << 10);
    }

    #[test]
    fn without_holes_it_is_written_anew() {
        let scratch = tempfile::tempdir().unwrap();
        let (_, mut out) = fresh(scratch.path()).unwrap();
        let mut stderr = Stderr::open(scratch.path(), 100).unwrap();
        (0..200).for_each(|number| writeln!(out, "line {number:04}").unwrap());
        stderr.cut().unwrap();
        writeln!(out, "and on").unwrap();
        assert_eq!(stderr.written(), 107);
        assert!(stderr.last_lines().ends_with("line 0199\nand on"), "{}", stderr.last_lines());
    }

    #[test]
    fn only_the_owner_may_read_it_and_a_second_try_starts_empty() {
        use std::os::unix::fs::PermissionsExt;
        let scratch = tempfile::tempdir().unwrap();
        let (mut out, _) = fresh(scratch.path()).unwrap();
        out.write_all(b"old\n").unwrap();
        let (out, _) = fresh(scratch.path()).unwrap();
        let metadata = out.metadata().unwrap();
        assert_eq!((metadata.len(), metadata.permissions().mode() & 0o777), (0, 0o600));
    }
}
