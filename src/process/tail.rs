//! The end of a growing file: only that is ever wanted, and only that is kept.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// The last lines for people: a handful, however long they are.
const MAX_LINES: usize = 20;
const MAX_LINES_BYTES: u64 = 8 << 10;

/// A file of which the end is kept.
#[derive(Debug)]
pub(super) struct Tail {
    file: File,
    kept_bytes: u64,
    /// Up to here it is forgotten.
    forgotten: u64,
}

impl Tail {
    /// The end of this file, which has to be open for reading and appending.
    pub(super) const fn new(file: File, kept_bytes: u64) -> Self {
        Self { file, kept_bytes, forgotten: 0 }
    }

    /// How many bytes there were in all, as far as is known.
    pub(super) fn written(&self) -> u64 {
        self.file.metadata().map_or(0, |metadata| metadata.len())
    }

    /// Gives back the room of the beginning once there is far more than is kept.
    pub(super) fn trim(&mut self) -> io::Result<()> {
        let written = self.written();
        if written.saturating_sub(self.forgotten) > 4 * self.kept_bytes {
            let end = written - self.kept_bytes;
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
        let end = self.end(self.kept_bytes)?;
        self.file.set_len(0)?;
        self.forgotten = 0;
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
    fn without_holes_it_is_written_anew() {
        let (file, mut writer) = file();
        let mut tail = Tail::new(file, 100);
        (0..200).for_each(|number| writeln!(writer, "line {number:04}").unwrap());
        tail.cut().unwrap();
        writeln!(writer, "and on").unwrap();
        assert_eq!(tail.written(), 107);
        assert!(tail.last_lines().ends_with("line 0199\nand on"), "{}", tail.last_lines());
    }
}
