//! The end of a growing file, whose beginning is discarded.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The limits of the last lines that a report shows.
const MAX_LINES: usize = 20;
const MAX_LINES_BYTES: u64 = 8 << 10;

/// A growing file that keeps only its end.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    kept_bytes: u64,
    /// The offset up to which the content is discarded.
    discarded: u64,
}

impl Tail {
    /// The end of this file, which has to be open for reading and appending.
    pub(super) const fn new(file: File, kept_bytes: u64) -> Self {
        Self { file, kept_bytes, discarded: 0 }
    }

    /// The size of the file, including what was discarded; 0 if it is unknown.
    pub(super) fn written(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Frees the space of the beginning once the file is much larger than the kept end.
    pub(super) fn trim(&mut self) -> io::Result<()> {
        let written = self.written();
        if written.saturating_sub(self.discarded) > 4 * self.kept_bytes {
            let end = written - self.kept_bytes;
            if self.punch(end).is_ok() {
                self.discarded = end;
            } else {
                self.cut()?;
            }
        }
        Ok(())
    }

    /// Punches a hole in the discarded part. The end stays at its offset, so concurrent writes are
    /// not lost.
    #[cfg(target_os = "linux")]
    fn punch(&self, end: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};

        let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.file, hole, self.discarded, end - self.discarded)?)
    }

    #[cfg(not(target_os = "linux"))]
    fn punch(&self, _end: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Rewrites the file with its end, for file systems without holes. The process appends, so it
    /// continues after that, but what it writes at this very moment may be lost.
    fn cut(&mut self) -> io::Result<()> {
        let end = self.end(self.kept_bytes)?;
        self.file.set_len(0)?;
        self.discarded = 0;
        self.file.write_all(&end)
    }

    /// The last lines, as text.
    pub(super) fn last_lines(&mut self) -> String {
        let end = self.end(self.kept_bytes.min(MAX_LINES_BYTES)).unwrap_or_default();
        let text = String::from_utf8_lossy(&end);
        let lines: Vec<_> = text.trim().lines().collect();
        lines.get(lines.len().saturating_sub(MAX_LINES)..).unwrap_or_default().join("\n")
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
    use std::fs::OpenOptions;
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn file() -> (File, File) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("file");
        let open = || OpenOptions::new().read(true).append(true).create(true).open(&path).unwrap();
        (open(), open())
    }

    #[test]
    fn the_end_is_kept() {
        const KEPT_BYTES: u64 = 64 << 10;
        let (file, mut writer) = file();
        let mut tail = Tail::new(file, KEPT_BYTES);
        for number in 0..4000 {
            writeln!(writer, "{} {number:04}", "e".repeat(1018)).unwrap();
            tail.trim().unwrap();
        }
        let room = 512 * writer.metadata().unwrap().blocks();
        assert!(room <= 5 * KEPT_BYTES, "{room} bytes on disk");
        assert!(tail.last_lines().ends_with(" 3999") && tail.last_lines().contains(" 3998\n"));
        assert!(tail.last_lines().len() <= 8 << 10);
    }

    #[test]
    fn without_holes_the_file_is_rewritten() {
        let (file, mut writer) = file();
        let mut tail = Tail::new(file, 100);
        (0..200).for_each(|number| writeln!(writer, "line {number:04}").unwrap());
        tail.cut().unwrap();
        writeln!(writer, "the next").unwrap();
        assert_eq!(tail.written(), 109);
        assert!(tail.last_lines().ends_with("line 0199\nthe next"), "{}", tail.last_lines());
    }
}
