//! Formats times, amounts and numbers for people.

use std::time::Duration;

/// How long something took, in its two largest units: `250 ms`, `42 s`, `3 min 2 s`, `1 h 5 min`,
/// `2 d`.
///
/// ```
/// use std::time::Duration;
/// use surefire::view::took;
///
/// assert_eq!(took(Duration::from_secs(182)), "3 min 2 s");
/// ```
#[must_use]
pub fn took(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds == 0 {
        return format!("{} ms", duration.subsec_millis());
    }
    let parts = [
        (seconds / 86_400, "d"),
        (seconds / 3600 % 24, "h"),
        (seconds / 60 % 60, "min"),
        (seconds % 60, "s"),
    ];
    let from_first = parts.into_iter().skip_while(|(number, _)| *number == 0).take(2);
    let words: Vec<_> = from_first
        .filter(|(number, _)| *number > 0)
        .map(|(number, unit)| format!("{number} {unit}"))
        .collect();
    words.join(" ")
}

/// A number of things: `1 step`, `3 steps`.
#[must_use]
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// An amount of money: `$2.40`.
#[must_use]
pub fn dollars(amount: f64) -> String {
    format!("${amount:.2}")
}

/// The first line of a text that is not blank, truncated to `max_chars`.
pub(super) fn brief(text: &str, max_chars: usize) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    match line.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

/// The last `max_chars` characters of a text.
pub(super) fn end_of(text: &str, max_chars: usize) -> String {
    let text = text.trim();
    match text.char_indices().rev().nth(max_chars) {
        Some((cut, left_out)) => format!("…{}", &text[cut + left_out.len_utf8()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_their_two_largest_units() {
        let table = [
            (0, "0 ms"),
            (250, "250 ms"),
            (1_999, "1 s"),
            (62_000, "1 min 2 s"),
            (3_605_000, "1 h"),
            (3_723_000, "1 h 2 min"),
            (93_600_000, "1 d 2 h"),
        ];
        for (millis, words) in table {
            assert_eq!(took(Duration::from_millis(millis)), words);
        }
    }

    #[test]
    fn long_texts_are_truncated_at_character_boundaries() {
        let table = [
            ("", 3, "", ""),
            ("abc", 3, "abc", "abc"),
            ("abcd", 3, "abc…", "…bcd"),
            ("\n  \nab\ncdé", 2, "ab", "…dé"),
            ("日本語です", 3, "日本語…", "…語です"),
        ];
        for (text, max, first, last) in table {
            assert_eq!(
                (brief(text, max).as_str(), end_of(text, max).as_str()),
                (first, last),
                "{text:?}"
            );
        }
    }
}
