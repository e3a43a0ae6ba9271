//! JSON strings: finding their end, and unescaping them.

use std::borrow::Cow;

use super::unread::Flaw;

/// The offset of the closing quote of a string whose opening quote is just before `at`.
///
/// # Errors
/// What is wrong, and where.
pub(super) fn closing_quote(text: &[u8], mut at: usize) -> Result<usize, (Flaw, usize)> {
    loop {
        match text.get(at) {
            None => return Err((Flaw::Unfinished, at)),
            Some(b'"') => return Ok(at),
            Some(b'\\') => at = escape(text, at)?,
            Some(0..0x20) => return Err((Flaw::Malformed, at)),
            Some(_) => at += 1,
        }
    }
}

/// The offset after the escape at this backslash; a surrogate pair is one escape.
fn escape(text: &[u8], at: usize) -> Result<usize, (Flaw, usize)> {
    match text.get(at + 1) {
        None => Err((Flaw::Unfinished, at)),
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
        Some(b'u') => match unit(text, at)? {
            0xD800..=0xDBFF => match (text.get(at + 6), text.get(at + 7)) {
                (None, _) | (Some(b'\\'), None) => Err((Flaw::Unfinished, text.len())),
                (Some(b'\\'), Some(b'u')) if matches!(unit(text, at + 6)?, 0xDC00..=0xDFFF) => {
                    Ok(at + 12)
                }
                (Some(_), _) => Err((Flaw::Malformed, at)),
            },
            0xDC00..=0xDFFF => Err((Flaw::Malformed, at)),
            _ => Ok(at + 6),
        },
        Some(_) => Err((Flaw::Malformed, at)),
    }
}

/// The number in the `\uXXXX` at this offset.
fn unit(text: &[u8], at: usize) -> Result<u16, (Flaw, usize)> {
    let Some(digits) = text.get(at + 2..at + 6) else { return Err((Flaw::Unfinished, text.len())) };
    digits.iter().try_fold(0, |unit: u16, digit| match char::from(*digit).to_digit(16) {
        // Four hexadecimal digits are sixteen bits.
        Some(value) => Ok(unit << 4 | u16::try_from(value).unwrap_or_default()),
        None => Err((Flaw::Malformed, at)),
    })
}

/// The content of this value, if it is a string.
pub(super) fn content(value: &str) -> Option<Cow<'_, str>> {
    value.strip_prefix('"')?.strip_suffix('"').map(unescape)
}

/// Unescapes the content of a string that [`closing_quote`] accepted.
pub(super) fn unescape(raw: &str) -> Cow<'_, str> {
    let Some((plain, _)) = raw.split_once('\\') else { return Cow::Borrowed(raw) };
    let mut text = String::with_capacity(raw.len());
    text.push_str(plain);
    let mut units: Vec<u16> = Vec::new();
    let mut rest = &raw[plain.len()..];
    while let Some(letter) = rest.chars().next() {
        let escaped = rest.as_bytes().get(1).copied().filter(|_| letter == '\\');
        if escaped == Some(b'u') {
            units.extend(unit(rest.as_bytes(), 0));
            rest = rest.get(6..).unwrap_or_default();
            continue;
        }
        text.extend(char::decode_utf16(units.drain(..)).flatten());
        text.push(match escaped {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(itself) => char::from(itself),
            None => letter,
        });
        rest =
            rest.get(if escaped.is_some() { 2 } else { letter.len_utf8() }..).unwrap_or_default();
    }
    text.extend(char::decode_utf16(units).flatten());
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_read_as_serde_json_reads_them() {
        let strings = [
            r#""""#,
            r#""plain""#,
            r#""a \"quote\", a \\, a \/""#,
            r#""\b\f\n\r\t""#,
            r#""\u006futcome \u00e9\u20AC""#,
            r#""\ud83d\ude00 and \ud83d\ude00\ud83d\ude01""#,
            r#""é€😀""#,
            // Broken ones.
            r#""\x""#,
            r#""\u12g4""#,
            r#""\ud83d""#,
            r#""\ud83d\u0041""#,
            r#""\ude00""#,
            "\"line\nbreak\"",
            "\"tab\t\"",
            // Unfinished ones.
            r#"""#,
            r#""abc"#,
            r#""\"#,
            r#""\""#,
            r#""\u12"#,
        ];
        for json in strings {
            let actual = closing_quote(json.as_bytes(), 1).map(|end| {
                assert_eq!(end, json.len() - 1, "{json}");
                unescape(&json[1..end]).into_owned()
            });
            match (actual, serde_json::from_str::<String>(json)) {
                (Ok(actual), Ok(expected)) => assert_eq!(actual, expected, "{json}"),
                (Err((flaw, _)), Err(error)) => {
                    assert_eq!(flaw == Flaw::Unfinished, error.is_eof(), "{json}: {error}");
                }
                (actual, expected) => panic!("{json}: {actual:?}, but {expected:?}"),
            }
        }
    }
}
