//! Characters that are invisible, or that change how the text around them is shown.

/// Whether a character changes the direction of the text around it: the bidirectional controls.
pub(crate) const fn is_bidi_control(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Whether a character could hide or reverse the text around it, or break its line: a
/// [bidirectional control](is_bidi_control), a character without width, or a line separator.
///
/// Control characters are not among them: whether a line break or a tab is one too many depends on
/// the text.
pub(crate) const fn is_hidden(c: char) -> bool {
    is_bidi_control(c)
        || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bidirectional_controls_characters_without_width_and_line_separators_are_hidden() {
        let table = [
            ('\u{61b}'..='\u{61b}', false, false),
            ('\u{61c}'..='\u{61c}', true, true),
            ('\u{61d}'..='\u{61d}', false, false),
            ('\u{2000}'..='\u{200a}', false, false),
            ('\u{200b}'..='\u{200d}', false, true),
            ('\u{200e}'..='\u{200f}', true, true),
            ('\u{2010}'..='\u{2027}', false, false),
            ('\u{2028}'..='\u{2029}', false, true),
            ('\u{202a}'..='\u{202e}', true, true),
            ('\u{202f}'..='\u{205f}', false, false),
            ('\u{2060}'..='\u{2060}', false, true),
            ('\u{2061}'..='\u{2065}', false, false),
            ('\u{2066}'..='\u{2069}', true, true),
            ('\u{206a}'..='\u{206a}', false, false),
            ('\u{fefe}'..='\u{fefe}', false, false),
            ('\u{feff}'..='\u{feff}', false, true),
            ('\u{ff00}'..='\u{ff00}', false, false),
            // Control characters, letters, spaces and emoji are left to the caller.
            ('\0'..='\u{ff}', false, false),
            ('日'..='日', false, false),
            ('\u{fe0f}'..='\u{fe0f}', false, false),
            ('🙂'..='🙂', false, false),
        ];
        for (range, turns, hides) in table {
            for c in range {
                assert_eq!((is_bidi_control(c), is_hidden(c)), (turns, hides), "{c:?}");
            }
        }
    }
}
