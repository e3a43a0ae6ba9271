//! The log of a test process, kept in memory for assertions.

use std::io;
use std::sync::{Arc, Mutex, OnceLock};

use tracing_subscriber::fmt::MakeWriter;

/// What the process has logged since a test first asked for the log: the lines of all tests, at
/// every level.
///
/// ```
/// let log = surefire_testkit::LogBuffer::of_this_process();
/// assert!(log.lines_with("c8065b70-893a-48be-9ae9-b03b5dd4f4bf").is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct LogBuffer(Arc<Mutex<Vec<u8>>>);

impl LogBuffer {
    /// The one buffer of this process. A process has one log, so tests that run concurrently share
    /// it, and each looks for its own lines.
    ///
    /// # Panics
    /// If the process already has another log subscriber.
    pub fn of_this_process() -> Self {
        static BUFFER: OnceLock<LogBuffer> = OnceLock::new();
        let install = || {
            let buffer = Self::default();
            let subscriber = tracing_subscriber::fmt()
                .with_max_level(tracing::Level::TRACE)
                .with_ansi(false)
                .with_writer(buffer.clone())
                .finish();
            tracing::subscriber::set_global_default(subscriber)
                .expect("the process has no other log");
            buffer
        };
        BUFFER.get_or_init(install).clone()
    }

    /// Everything that was logged so far.
    ///
    /// # Panics
    /// If the log is not UTF-8.
    #[must_use]
    pub fn text(&self) -> String {
        let bytes = self.0.lock().expect("no writer panics").clone();
        String::from_utf8(bytes).expect("a log is text")
    }

    /// The lines that contain these words, such as an id.
    #[must_use]
    pub fn lines_with(&self, words: &str) -> Vec<String> {
        self.text().lines().filter(|line| line.contains(words)).map(str::to_owned).collect()
    }
}

impl io::Write for LogBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no writer panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for LogBuffer {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
