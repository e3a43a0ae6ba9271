//! The lines of a file that a process still writes to.

use std::fs::File;
use std::io::Read;

/// How much is read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// The lines of a growing file, one after the other.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    read: u64,
    line: Vec<u8>,
    max_line_bytes: usize,
    truncates: bool,
}

/// A line is longer than the limit.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong;

impl Lines {
    pub(super) const fn new(file: File, max_line_bytes: usize) -> Self {
        Self { file, read: 0, line: Vec::new(), max_line_bytes, truncates: false }
    }

    /// Truncates a line that is too long, instead of failing.
    pub(super) fn truncate_long_lines(self, truncates: bool) -> Self {
        Self { truncates, ..self }
    }

    /// How many bytes the process has written so far.
    pub(super) fn written(&self) -> u64 {
        self.file.metadata().map_or(self.read, |metadata| metadata.len())
    }

    pub(super) fn has_more(&self) -> bool {
        self.written() > self.read
    }

    /// Reads one chunk and passes on each complete line.
    pub(super) fn read(&mut self, mut each: impl FnMut(&[u8])) -> Result<(), LineTooLong> {
        let mut chunk = vec![0; CHUNK_BYTES];
        // A file that cannot be read counts as unchanged; the watchdog stops a silent process.
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
        // Free the memory of a long line before the process ends.
        self.line.shrink_to(CHUNK_BYTES);
        self.take(rest)
    }

    /// Passes on the text after the last line break, once the process has ended.
    pub(super) fn last(&mut self, each: impl FnOnce(&[u8])) {
        if !self.line.is_empty() {
            each(&self.line);
            self.line = Vec::new();
        }
    }

    fn take(&mut self, part: &[u8]) -> Result<(), LineTooLong> {
        let room = self.max_line_bytes.saturating_sub(self.line.len());
        if part.len() > room && !self.truncates {
            self.line = Vec::new();
            return Err(LineTooLong);
        }
        self.line.extend_from_slice(part.get(..room).unwrap_or(part));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// One file, opened for writing and for reading.
    fn file() -> (File, File) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let reader = file.reopen().unwrap();
        (file.into_file(), reader)
    }

    fn all(lines: &mut Lines) -> Result<Vec<String>, LineTooLong> {
        let mut seen = Vec::new();
        while lines.has_more() {
            lines.read(|line| seen.push(String::from_utf8_lossy(line).into_owned()))?;
        }
        Ok(seen)
    }

    #[test]
    fn lines_are_assembled_from_chunks() {
        let (mut writer, file) = file();
        let mut lines = Lines::new(file, 10);
        writer.write_all(b"one\ntw").unwrap();
        assert_eq!(all(&mut lines).unwrap(), ["one"]);
        writer.write_all(b"o\n\nthree").unwrap();
        assert_eq!(all(&mut lines).unwrap(), ["two", ""]);
        let mut last = None;
        lines.last(|line| last = Some(line.to_vec()));
        assert_eq!(last.unwrap(), b"three");
    }

    #[test]
    fn a_line_over_the_limit_is_an_error() {
        for (text, fits) in
            [("0123456789\n", true), ("0123456789a\n", false), ("0123456789a", false)]
        {
            let (mut writer, file) = file();
            writer.write_all(text.as_bytes()).unwrap();
            assert_eq!(all(&mut Lines::new(file, 10)).is_ok(), fits, "{text}");
        }
    }

    #[test]
    fn a_long_line_is_truncated_on_request() {
        let (mut writer, file) = file();
        let mut lines = Lines::new(file, 10).truncate_long_lines(true);
        writer.write_all(b"0123456789abc\nnext\n0123456").unwrap();
        assert_eq!(all(&mut lines).unwrap(), ["0123456789", "next"]);
        // A line that is read in several chunks is truncated as well.
        writer.write_all(b"789abc").unwrap();
        assert_eq!(all(&mut lines).unwrap(), [""; 0]);
        writer.write_all(b"def\n").unwrap();
        assert_eq!(all(&mut lines).unwrap(), ["0123456789"]);
    }
}
