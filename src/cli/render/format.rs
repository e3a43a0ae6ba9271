//! Text for a terminal: without control characters, shortened, human-readable.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::recipe::is_bidi_control;

/// Untrusted text without control characters and without characters that change the writing
/// direction. Line breaks are kept.
pub(in crate::cli) fn visible(words: &str) -> String {
    let seen = |c: char| match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        c if c.is_control() || is_bidi_control(c) => None,
        c => Some(c),
    };
    words.chars().filter_map(seen).collect()
}

/// The same on one line. Each removed character becomes a space, so that words stay separate.
pub(in crate::cli) fn one_line(words: &str) -> String {
    words.chars().map(|c| if c.is_control() || is_bidi_control(c) { ' ' } else { c }).collect()
}

/// The text in at most `most` columns, cut with an ellipsis if it is wider.
pub(in crate::cli) fn shortened(text: &str, most: usize) -> String {
    let text = text.trim_end();
    if text.width() <= most {
        return text.to_owned();
    }
    let (room, mut used) = (most.saturating_sub(1), 0);
    let fits = |c: &char| {
        used += c.width().unwrap_or_default();
        used <= room
    };
    let mut kept: String = text.chars().take_while(fits).collect();
    // A combined character may be wider than its parts, and is removed as a whole.
    let mut inside = false;
    while inside || kept.width() > room {
        inside = kept.pop().is_some_and(|last| last.width() == Some(0));
    }
    format!("{}…", kept.trim_end())
}

/// A running time: `0:42`, `1:02:03`.
pub(in crate::cli) fn clock(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untrusted_text_cannot_move_the_cursor() {
        assert_eq!(visible("a\u{1b}[2Jb\tc\nd\u{202e}e\r\u{7}\u{9b}f\u{61c}"), "a[2Jb c\ndef");
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let table = [
            ("abc", 3, "abc"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("ab", 1, "…"),
            ("abcd", 3, "ab…"),
            ("ab cd", 4, "ab…"),
            ("日本", 4, "日本"),
            ("日本語", 4, "日…"),
            ("日本語", 2, "…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("ℹ\u{fe0f}ℹ\u{fe0f}ℹ\u{fe0f}", 4, "ℹ\u{fe0f}…"),
            ("abc", 0, "…"),
        ];
        for (text, most, short) in table {
            assert_eq!(shortened(text, most), short, "{text} in {most}");
        }
    }

    #[test]
    fn a_running_time_is_a_clock() {
        for (millis, running) in
            [(250, "0:00"), (1_999, "0:01"), (62_000, "1:02"), (3_723_000, "1:02:03")]
        {
            assert_eq!(clock(Duration::from_millis(millis)), running);
        }
    }
}
