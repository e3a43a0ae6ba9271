//! Tables for lists. On a terminal, lines are shortened to its width; in a pipe, nothing is
//! shortened.

use unicode_width::UnicodeWidthStr;

use super::format::{one_line, shortened};
use super::paint;

/// The gap between two columns.
const GAP: &str = "  ";

/// If fewer columns than this remain for the last cell, each row's cells are stacked.
const MIN_LAST_WIDTH: usize = 16;

/// Rows of `N` cells below a header.
pub(in crate::cli) struct Table<const N: usize> {
    header: [&'static str; N],
    rows: Vec<[Cell; N]>,
}

type Paint = Box<dyn Fn(&str) -> String>;

/// A text and its colour. The colour is applied last, so that it does not count as width.
pub(in crate::cli) struct Cell {
    text: String,
    paint: Option<Paint>,
}

impl Cell {
    /// Removes control characters: the text may be untrusted.
    pub(in crate::cli) fn new(text: impl Into<String>) -> Self {
        Self { text: one_line(&text.into()), paint: None }
    }

    pub(in crate::cli) fn painted(
        text: impl Into<String>,
        paint: impl Fn(&str) -> String + 'static,
    ) -> Self {
        Self { paint: Some(Box::new(paint)), ..Self::new(text) }
    }

    /// The cell's text, shortened to `most` columns if given.
    fn shown(&self, most: Option<usize>) -> String {
        let text = most
            .map_or_else(|| self.text.trim_end().to_owned(), |most| shortened(&self.text, most));
        match &self.paint {
            Some(paint) if !text.is_empty() => paint(&text),
            Some(_) | None => text,
        }
    }

    fn width(&self) -> usize {
        self.text.trim_end().width()
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl<const N: usize> Table<N> {
    pub(in crate::cli) fn new(header: [&'static str; N]) -> Self {
        Self { header, rows: Vec::new() }
    }

    pub(in crate::cli) fn row(&mut self, cells: [Cell; N]) {
        self.rows.push(cells);
    }

    /// The table as text, for a terminal of this width or without a limit.
    pub(in crate::cli) fn text(&self, width: Option<usize>) -> String {
        let of_rows = |column: usize| {
            self.rows.iter().map(move |row| row[column].width()).max().unwrap_or_default()
        };
        let widths: Vec<usize> =
            (0..N).map(|column| of_rows(column).max(self.header[column].width())).collect();
        let before: usize =
            widths.iter().take(N.saturating_sub(1)).map(|width| width + GAP.len()).sum();
        let needed = widths.last().copied().unwrap_or_default();
        match width {
            Some(width) if width < before + needed.min(MIN_LAST_WIDTH) => self.stacked(width),
            _ => self.side_by_side(&widths, width.map(|width| width - before)),
        }
    }

    fn side_by_side(&self, widths: &[usize], last: Option<usize>) -> String {
        let header = std::array::from_fn(|column| {
            Cell::painted(self.header[column], |name| paint::bold(name))
        });
        let lines = std::iter::once(&header).chain(&self.rows).map(|row| line(row, widths, last));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Each cell on a line of its own. Only the last one is shortened: the others are names to be
    /// copied.
    fn stacked(&self, width: usize) -> String {
        let label = self.header.iter().map(|name| name.width()).max().unwrap_or_default();
        let room = width.saturating_sub(label + GAP.len()).max(1);
        let row = |row: &[Cell; N]| {
            let lines =
                row.iter().zip(self.header).enumerate().filter(|(_, (cell, _))| cell.width() > 0);
            let line = |(column, (cell, name)): (usize, (&Cell, &str))| {
                let pad = " ".repeat(label - name.width());
                let most = (column + 1 == N).then_some(room);
                format!("{}{pad}{GAP}{}", paint::bold(name), cell.shown(most))
            };
            lines.map(line).collect::<Vec<_>>().join("\n")
        };
        self.rows.iter().map(row).collect::<Vec<_>>().join("\n\n")
    }
}

/// A row with aligned cells and without trailing blanks.
fn line<const N: usize>(row: &[Cell; N], widths: &[usize], last: Option<usize>) -> String {
    let mut line = String::new();
    let mut blank = 0;
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        if cell.width() > 0 {
            line.push_str(&" ".repeat(blank));
            blank = 0;
            line.push_str(&cell.shown(last.filter(|_| column + 1 == N)));
        }
        blank += width.saturating_sub(cell.width()) + GAP.len();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(table: &Table<3>, width: Option<usize>) -> String {
        anstream::adapter::strip_str(&table.text(width)).to_string()
    }

    fn table(rows: &[[&str; 3]]) -> Table<3> {
        let mut table = Table::new(["ID", "LABEL", "WHAT"]);
        for [id, label, what] in rows {
            table.row([
                (*id).into(),
                (*label).into(),
                Cell::painted(*what, |what| paint::dim(what)),
            ]);
        }
        table
    }

    const ROWS: [[&str; 3]; 3] = [
        ["a", "Ä", "one two three four five six"],
        ["long-id", "日本語", "日本語日本語日本語日本語"],
        ["b", "", ""],
    ];

    #[test]
    fn nothing_is_shortened_in_a_pipe() {
        let text = plain(&table(&ROWS), None);
        let lines = [
            "ID       LABEL   WHAT",
            "a        Ä       one two three four five six",
            "long-id  日本語  日本語日本語日本語日本語",
            "b",
        ];
        assert_eq!(text, lines.join("\n"));
    }

    #[test]
    fn on_a_terminal_the_last_column_gets_the_remaining_width() {
        let lines = [
            "ID       LABEL   WHAT",
            "a        Ä       one two three f…",
            "long-id  日本語  日本語日本語日…",
            "b",
        ];
        assert_eq!(plain(&table(&ROWS), Some(33)), lines.join("\n"));
    }

    #[test]
    fn a_narrow_terminal_gets_a_line_for_each_cell() {
        let lines = [
            "ID     a",
            "LABEL  Ä",
            "WHAT   one two three four five…",
            "",
            "ID     long-id",
            "LABEL  日本語",
            "WHAT   日本語日本語日本語日本語",
            "",
            "ID     b",
        ];
        assert_eq!(plain(&table(&ROWS), Some(31)), lines.join("\n"));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_none_ends_in_space() {
        for width in 20..60 {
            for line in plain(&table(&ROWS), Some(width)).lines() {
                assert!(line.width() <= width, "{width}: {line}");
                assert_eq!(line.trim_end(), line);
            }
        }
    }

    #[test]
    fn a_short_last_column_needs_only_its_own_width() {
        let table = table(&[["abc", "abcdefghijkl", "x"]]);
        assert_eq!(plain(&table, Some(23)), "ID   LABEL         WHAT\nabc  abcdefghijkl  x");
        assert!(plain(&table, Some(22)).starts_with("ID     abc\n"));
    }

    #[test]
    fn a_cell_is_always_one_line() {
        let table = table(&[["a\u{1b}[2J", "b\nc", "d\te"]]);
        assert_eq!(plain(&table, None), "ID     LABEL  WHAT\na [2J  b c    d e");
    }
}
