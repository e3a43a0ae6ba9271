//! Words as a terminal can take them: harmless, short enough, and for people.

use std::time::Duration;

use unicode_width::UnicodeWidthChar;

use crate::run::in_words;

/// Somebody else's words without anything that moves the cursor or turns the direction of writing; lines stay lines.
pub(super) fn visible(words: &str) -> String {
    let seen = |c: char| match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        c if c.is_control() || turns(c) => None,
        c => Some(c),
    };
    words.chars().filter_map(seen).collect()
}

/// The same on one line.
pub(super) fn one_line(words: &str) -> String {
    visible(words).replace('\n', " ")
}

/// Whether a character is not seen itself, but changes the direction of what is.
pub(super) const fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// As much of a line as fits into so many columns, with `…` where something is missing.
pub(super) fn shortened(line: &str, columns: usize) -> String {
    let width = |c: char| c.width().unwrap_or(0);
    if line.chars().map(width).sum::<usize>() <= columns {
        return line.to_owned();
    }
    let mut used = 1;
    let fits = |c: &char| {
        used += width(*c);
        used <= columns
    };
    line.chars().take_while(fits).chain(['…']).collect()
}

/// How long something took: nobody minds milliseconds beside seconds.
pub(super) fn took(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        return in_words(Duration::from_millis(u64::from(duration.subsec_millis())));
    }
    in_words(Duration::from_secs(duration.as_secs()))
}

/// So many of something.
pub(super) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A time that runs: `0:42`, `1:02:03`.
pub(super) fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_somebody_elses_moves_the_cursor() {
        assert_eq!(visible("a\u{1b}[2Jb\tc\nd\u{202e}e\r\u{7}\u{9b}f\u{61c}"), "a[2Jb c\ndef");
    }

    #[test]
    fn a_line_is_shortened_to_the_columns_it_has() {
        for (line, columns, shown) in [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("ab", 1, "…"),
        ] {
            assert_eq!(shortened(line, columns), shown);
        }
    }

    #[test]
    fn times_are_told_as_people_tell_them() {
        for (millis, told, running) in [
            (250, "250 ms", "0:00"),
            (1_999, "1 s", "0:01"),
            (62_000, "1 min 2 s", "1:02"),
            (3_723_000, "1 h 2 min", "1:02:03"),
        ] {
            let duration = Duration::from_millis(millis);
            assert_eq!((took(duration).as_str(), clock(duration).as_str()), (told, running));
        }
    }
}
