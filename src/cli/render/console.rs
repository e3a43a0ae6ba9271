//! Standard output and standard error, and what they can display.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

/// Lines are not shortened below this width.
const MIN_WIDTH: usize = 20;

/// Standard output and standard error.
///
/// Write errors are ignored: a run continues even if the reader closes the pipe.
#[derive(Debug, Clone, Copy)]
pub(in crate::cli) struct Console {
    colour: ColorChoice,
    terminal: bool,
}

impl Console {
    pub(in crate::cli) fn new(colour: clap::ColorChoice) -> Self {
        let colour = match colour {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self { colour, terminal: std::io::stdout().is_terminal() }
    }

    /// Writes a line, or several, to standard output.
    pub(in crate::cli) fn say(self, text: impl Display) {
        let _ = writeln!(AutoStream::new(std::io::stdout(), self.colour), "{text}");
    }

    /// Writes to standard output without a line break, and flushes.
    pub(in crate::cli) fn put(self, text: impl Display) {
        let mut out = AutoStream::new(std::io::stdout(), self.colour);
        let _ = write!(out, "{text}");
        let _ = out.flush();
    }

    /// Writes a line, or several, to standard output without processing colours, for programs.
    // A method like the others, so that all output goes through a console.
    #[allow(clippy::unused_self)]
    pub(in crate::cli) fn plain(self, text: impl Display) {
        let _ = writeln!(std::io::stdout(), "{text}");
    }

    /// Writes a line of JSON to standard output.
    pub(in crate::cli) fn json(self, value: &impl Serialize) {
        // Serialization fails only for maps with keys that are not strings; ours have none.
        self.plain(serde_json::to_string(value).unwrap_or_default());
    }

    /// Writes a line, or several, to standard error.
    pub(in crate::cli) fn warn(self, text: impl Display) {
        let _ = writeln!(AutoStream::new(std::io::stderr(), self.colour), "{text}");
    }

    /// Writes the control sequences and then the text in a single write, to avoid flicker.
    pub(in crate::cli) fn redraw(self, control: &str, text: &str) {
        let mut frame = control.to_owned().into_bytes();
        // Only the text is stripped of colours; the control sequences always apply.
        let _ = write!(AutoStream::new(&mut frame as &mut dyn Write, self.of_terminal()), "{text}");
        let mut out = std::io::stdout();
        let _ = out.write_all(&frame);
        let _ = out.flush();
    }

    /// The colour choice of standard output, for text that is buffered first.
    fn of_terminal(self) -> ColorChoice {
        match self.colour {
            ColorChoice::Auto => AutoStream::choice(&std::io::stdout()),
            chosen => chosen,
        }
    }

    /// Whether lines can be redrawn.
    pub(in crate::cli) fn can_redraw(self) -> bool {
        self.terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Whether standard output is a terminal.
    pub(in crate::cli) fn is_terminal(self) -> bool {
        self.terminal
    }

    /// The columns and lines of the terminal; `None` if it is not a terminal or has no known size.
    pub(in crate::cli) fn size(self) -> Option<(usize, usize)> {
        let size = self.terminal.then(|| terminal_size::terminal_size_of(std::io::stdout()));
        size.flatten().map(|(width, height)| (width.0.into(), height.0.into()))
    }

    /// The maximum line width; `None` if output is not a terminal.
    pub(in crate::cli) fn width(self) -> Option<usize> {
        if !self.terminal {
            return None;
        }
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width.0).max(MIN_WIDTH))
    }
}
