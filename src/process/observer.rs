//! Interpreting the output lines of a process.

/// Interprets the lines of a process, and turns them into events for its caller.
///
/// An adopted process gets a new observer, which reads its output from the first line.
///
/// ```
/// use surefire::process::Observer;
///
/// /// Counts lines, and has its answer after three of them.
/// #[derive(Default)]
/// struct Three(u32);
///
/// impl Observer for Three {
///     type Event = u32;
///
///     fn line(&mut self, _line: &[u8]) -> Vec<u32> {
///         self.0 += 1;
///         vec![self.0]
///     }
///
///     fn has_answer(&self) -> bool {
///         self.0 >= 3
///     }
/// }
///
/// assert_eq!(Three::default().line(b"one"), [1]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot observe a process",
    note = "use `TextLines`, or implement `Observer` to say what the lines of the process mean"
)]
pub trait Observer: Send + 'static {
    /// An event for the caller. It should be small, since only the number of queued events is
    /// bounded.
    type Event: Send + 'static;

    /// Reads one line of standard output, without its line break. May block: it is called on a
    /// blocking thread.
    fn line(&mut self, line: &[u8]) -> Vec<Self::Event>;

    /// Whether the process has written everything that is needed. It then has some time to exit by
    /// itself.
    fn has_answer(&self) -> bool {
        false
    }

    /// Whether the process is doing something that may produce no output for long. While it is,
    /// silence limits do not apply, before and after its answer; the total time limit does.
    fn is_busy(&self) -> bool {
        false
    }
}

/// Forwards every line as text, for a command whose output is shown live.
///
/// Bytes that are not UTF-8 become replacement characters.
#[derive(Debug, Clone, Copy, Default)]
pub struct TextLines;

impl Observer for TextLines {
    type Event = String;

    fn line(&mut self, line: &[u8]) -> Vec<String> {
        vec![String::from_utf8_lossy(line).into_owned()]
    }
}
