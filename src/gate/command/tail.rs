//! The end of what a command wrote, as text.

use crate::gate::printable::printable;
use crate::process::Files;
use crate::process::run_blocking;

/// How much of the end of its output is kept as text.
pub const MAX_TAIL_BYTES: usize = 8 << 10;

/// How much is read for that: stripping colours and progress bars removes most of it.
const MAX_READ_BYTES: u64 = 8 * MAX_TAIL_BYTES as u64;

/// The end of the output, in whole lines if it has some.
pub(super) async fn tail(files: Files) -> String {
    let read = run_blocking(move || files.stdout_end(MAX_READ_BYTES)).await;
    match read {
        Ok((bytes, cut)) => text(&bytes, cut),
        Err(error) => {
            tracing::warn!(%error, "failed to read the output of a command");
            String::new()
        }
    }
}

fn text(bytes: &[u8], cut: bool) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown = printable(if cut { whole_lines(&text) } else { &text });
    let shown = shown.trim_matches('\n');
    let mut begin = shown.len().saturating_sub(MAX_TAIL_BYTES);
    if begin == 0 {
        return shown.trim_end().to_owned();
    }
    while !shown.is_char_boundary(begin) {
        begin += 1;
    }
    whole_lines(shown.get(begin..).unwrap_or_default()).trim_end().to_owned()
}

/// Drops the first line, whose beginning is missing, unless it is the only one.
fn whole_lines(text: &str) -> &str {
    match text.split_once('\n') {
        Some((_, rest)) if !rest.trim().is_empty() => rest,
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_consists_of_whole_lines() {
        let table: [(&str, bool, &str); 6] = [
            ("", false, ""),
            ("one\ntwo\n", false, "one\ntwo"),
            ("\n\n  one\n", false, "  one"),
            ("ne\ntwo\n", true, "two"),
            ("no line break at all", true, "no line break at all"),
            ("31m\nerror: \u{1b}[31mred\u{1b}[0m\n", true, "error: red"),
        ];
        for (bytes, cut, expected) in table {
            assert_eq!(text(bytes.as_bytes(), cut), expected, "{bytes:?}");
        }
        assert_eq!(text(b"a\xff\n", false), "a\u{fffd}");
    }

    #[test]
    fn the_tail_never_exceeds_its_limit() {
        for line in ["0123456789\n", "ééééé\n", "日本語", "\u{1b}[31mred\u{1b}[0m "] {
            let tail = text(line.repeat(5000).as_bytes(), true);
            assert!(
                tail.len() <= MAX_TAIL_BYTES && tail.len() > MAX_TAIL_BYTES / 2,
                "{} bytes",
                tail.len()
            );
            assert!(!tail.contains('\u{1b}') && !tail.contains('\u{fffd}'));
        }
    }
}
