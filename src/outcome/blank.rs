//! Whitespace and comments between the tokens of an object.

/// Whitespace and comments at an offset.
pub(super) struct Blank {
    pub(super) end: usize,
    pub(super) has_comment: bool,
    /// Whether the text ends inside a comment, or where one may begin.
    pub(super) is_open: bool,
}

/// The whitespace and the comments from this offset on.
pub(super) fn blank(text: &[u8], mut at: usize) -> Blank {
    let mut has_comment = false;
    loop {
        let rest = &text[at..];
        let length = match rest {
            [b' ' | b'\t' | b'\n' | b'\r', ..] => Some(1),
            [b'/', b'/', ..] => {
                Some(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()))
            }
            [b'/', b'*', inside @ ..] => {
                inside.windows(2).position(|pair| pair == b"*/").map(|length| length + 4)
            }
            [b'/'] => None,
            _ => return Blank { end: at, has_comment, is_open: false },
        };
        let Some(length) = length else {
            return Blank { end: text.len(), has_comment: true, is_open: true };
        };
        has_comment |= rest[0] == b'/';
        at += length;
    }
}
