//! What the lines of a process mean.

/// Reads the lines of a process, and says what in them is an event for its caller.
///
/// It is what the supervisor does not know: a process that is adopted is read by a new observer, from the first line.
///
/// ```
/// use surefire::process::Observer;
///
/// /// Counts lines, and is content with three.
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
    /// Something that the caller wants to hear of. It should be small: only their number is bounded.
    type Event: Send + 'static;

    /// Takes in one line of standard output, without its line break. It may take its time: it is called on a thread of
    /// its own.
    fn line(&mut self, line: &[u8]) -> Vec<Self::Event>;

    /// Whether the process has written all that is wanted of it. It is given a while to end by itself then.
    fn has_answer(&self) -> bool {
        false
    }

    /// Whether the process is known to do something that may take long without a word. Its silence does not count
    /// meanwhile, before its answer and after it; its time in all does.
    fn is_busy(&self) -> bool {
        false
    }
}

/// Passes every line on as text, for a command whose output is shown live.
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
