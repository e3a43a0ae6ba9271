//! Text that a program wrote, made fit to be shown in a terminal, a page and a prompt.

use crate::recipe::is_bidi_control;

/// The text without what directs a terminal: escape sequences, control characters, marks that turn
/// the direction of writing. Lines and tabs stay. Where a line was written over after a carriage
/// return, as progress bars do, the last writing stays.
pub(super) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut line_begin = 0;
    let mut rest = text.chars().peekable();
    while let Some(letter) = rest.next() {
        match letter {
            '\n' => {
                shown.push('\n');
                line_begin = shown.len();
            }
            '\t' => shown.push('\t'),
            // Before a line break it is the other half of it.
            '\r' if !matches!(rest.peek(), None | Some('\n' | '\r')) => shown.truncate(line_begin),
            '\u{1b}' => match rest.next_if(|next| *next != '\n') {
                Some('[') => skip_while(&mut rest, |letter| !('@'..='~').contains(&letter)),
                // A title, a link or the like; it ends with a bell or with `ESC \`.
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    skip_while(&mut rest, |letter| letter != '\u{7}' && letter != '\u{1b}');
                    rest.next_if_eq(&'\\');
                }
                Some(' '..='/') => skip_while(&mut rest, |letter| (' '..='/').contains(&letter)),
                _ => {}
            },
            '\u{9b}' => skip_while(&mut rest, |letter| !('@'..='~').contains(&letter)),
            letter if letter.is_control() || is_bidi_control(letter) => {}
            letter => shown.push(letter),
        }
    }
    shown
}

/// Skips what belongs to a sequence, and the letter that ends it. A line break always ends it: one
/// that was cut off must not take what follows with it.
fn skip_while(rest: &mut std::iter::Peekable<std::str::Chars<'_>>, belongs: impl Fn(char) -> bool) {
    while rest.next_if(|letter| *letter != '\n' && belongs(*letter)).is_some() {}
    rest.next_if(|letter| *letter != '\n');
}

/// One line of it, with at most this many characters.
pub(super) fn printable_line(text: &str, max_chars: usize) -> String {
    let text = printable(text);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(max_chars) {
        None => line.to_owned(),
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_directs_a_terminal_is_left_out() {
        let table = [
            ("plain\ttext\nüber 日本\n", "plain\ttext\nüber 日本\n"),
            ("\u{1b}[1;31merror\u{1b}[0m: no", "error: no"),
            ("\u{1b}]0;title\u{7}after", "after"),
            ("\u{1b}]8;;http://x\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}(Bset", "set"),
            ("\u{9b}31mred", "red"),
            ("a\u{8}b\u{0}c\u{7f}", "abc"),
            ("10%\r50%\r100%\ndone\r\n", "100%\ndone\n"),
            ("kept\r", "kept"),
            ("cut \u{1b}]0;never ended\nnext", "cut \nnext"),
            ("cut \u{1b}", "cut "),
            ("\u{1b}\nnext", "\nnext"),
            ("left\u{202e}right", "leftright"),
            ("left\u{61c}right", "leftright"),
        ];
        for (text, shown) in table {
            assert_eq!(printable(text), shown, "{text:?}");
        }
    }

    #[test]
    fn one_line_of_it() {
        assert_eq!(printable_line("\n  \u{1b}[1mtwo\u{1b}[0m words \nmore", 100), "two words");
        assert_eq!(printable_line("äöüß", 3), "äöü…");
        assert_eq!(printable_line("äöü", 3), "äöü");
        assert_eq!(printable_line("\n", 3), "");
    }
}
