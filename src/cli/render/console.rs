//! Where a command writes, and what that place can show.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

/// The narrowest terminal that lines are still made to fit.
const NARROWEST: usize = 20;

/// Standard output and standard error.
///
/// Nobody has to read what is written: a pipe that is closed is no reason to stop.
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

    /// Writes to standard output just this, at once.
    pub(in crate::cli) fn put(self, text: impl Display) {
        let mut out = AutoStream::new(std::io::stdout(), self.colour);
        let _ = write!(out, "{text}");
        let _ = out.flush();
    }

    /// Writes a line, or several, to standard output just as they are, for programs.
    // It is asked of a console as everything else is.
    #[allow(clippy::unused_self)]
    pub(in crate::cli) fn plain(self, text: impl Display) {
        let _ = writeln!(std::io::stdout(), "{text}");
    }

    /// Writes a line of JSON to standard output.
    pub(in crate::cli) fn json(self, value: &impl Serialize) {
        // It fails only for maps whose keys are no text, and nothing of ours has any.
        self.plain(serde_json::to_string(value).unwrap_or_default());
    }

    /// Writes a line, or several, to standard error.
    pub(in crate::cli) fn warn(self, text: impl Display) {
        let _ = writeln!(AutoStream::new(std::io::stderr(), self.colour), "{text}");
    }

    /// Moves the cursor and erases as `control` says, and then writes; all at once, so that nothing flickers.
    pub(in crate::cli) fn redraw(self, control: &str, text: &str) {
        let mut frame = control.to_owned().into_bytes();
        // Only the text: without colours, the rest is still meant.
        let _ = write!(AutoStream::new(&mut frame as &mut dyn Write, self.of_terminal()), "{text}");
        let mut out = std::io::stdout();
        let _ = out.write_all(&frame);
        let _ = out.flush();
    }

    /// Whether colours are wanted, for something that is written to a terminal by way of a buffer.
    fn of_terminal(self) -> ColorChoice {
        match self.colour {
            ColorChoice::Auto => AutoStream::choice(&std::io::stdout()),
            settled => settled,
        }
    }

    /// Whether lines can be drawn over.
    pub(in crate::cli) fn can_redraw(self) -> bool {
        self.terminal && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    }

    /// Whether somebody looks at standard output as it is written.
    pub(in crate::cli) fn is_terminal(self) -> bool {
        self.terminal
    }

    /// How many columns and lines can be seen at once; `None` where it is no terminal, or nobody knows.
    pub(in crate::cli) fn size(self) -> Option<(usize, usize)> {
        let size = self.terminal.then(|| terminal_size::terminal_size_of(std::io::stdout()));
        size.flatten().map(|(width, height)| (width.0.into(), height.0.into()))
    }

    /// How many columns lines may have; `None` where nobody minds, because it is no terminal.
    pub(in crate::cli) fn width(self) -> Option<usize> {
        if !self.terminal {
            return None;
        }
        let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
        Some(usize::from(width.0).max(NARROWEST))
    }
}
