//! Compares what the command prints with stored snapshots.

use expect_test::expect_file;

/// Compares a text with `snapshots/<name>.txt`. `UPDATE_EXPECT=1` rewrites that file; read the diff
/// before you commit it.
pub(crate) fn hold(name: &str, found: &str) {
    expect_file![format!("{}/tests/cli/snapshots/{name}.txt", env!("CARGO_MANIFEST_DIR"))]
        .assert_eq(found);
}

/// What differs from run to run, and what replaces it. `x` is a hexadecimal digit and `d` a decimal
/// one; of two shapes with the same prefix the longer one comes first.
const SHAPES: [(&str, &str); 6] = [
    ("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "[id]"),
    ("xxxxxxxx", "[short]"),
    ("dddd-dd-ddTdd:dd:dd", "[time]"),
    ("dddd-dd-dd dd:dd", "[time]"),
    ("dd:dd:dd", "[time]"),
    ("dd:dd", "[time]"),
];

/// The units of a duration.
const UNITS: [&str; 6] = [" ms", " min", " µs", " s", " h", " d"];

/// The text with every UUID, short id, time of day and duration replaced.
pub(crate) fn steady(text: &str) -> String {
    let (mut steady, mut rest, mut alone) = (String::new(), text, true);
    while let Some(next) = rest.chars().next() {
        let found = if alone { varying(rest) } else { None };
        let (length, replacement) = found.unwrap_or((next.len_utf8(), &rest[..next.len_utf8()]));
        steady.push_str(replacement);
        rest = &rest[length..];
        alone = !(next.is_alphanumeric() || matches!(next, '-' | '.' | ':' | '_'));
    }
    steady
}

/// The length of the varying part that a text begins with, and what replaces it.
fn varying(text: &str) -> Option<(usize, &'static str)> {
    let shaped = SHAPES.into_iter().filter(|(shape, _)| has_shape(text, shape));
    let mut shaped =
        shaped.map(|(shape, name)| (shape.len() + time_zone(&text[shape.len()..], name), name));
    shaped
        .find(|(length, _)| is_over(&text[*length..]))
        .or_else(|| Some((duration(text)?, "[took]")))
}

fn has_shape(text: &str, shape: &str) -> bool {
    let is = |(found, wanted): (u8, u8)| match wanted {
        b'x' => found.is_ascii_digit() || (b'a'..=b'f').contains(&found),
        b'd' => found.is_ascii_digit(),
        literal => found == literal,
    };
    text.len() >= shape.len() && text.bytes().zip(shape.bytes()).all(is)
}

/// The length of the rest of a time: fractions of its second, and its zone.
fn time_zone(rest: &str, name: &str) -> usize {
    if name != "[time]" {
        return 0;
    }
    let fraction = rest.strip_prefix('.').map_or(0, |digits| 1 + count(digits));
    let zone = &rest[fraction..];
    let zone = if zone.starts_with('Z') {
        1
    } else if has_shape(zone, "+dd:dd") || has_shape(zone, "-dd:dd") {
        6
    } else {
        0
    };
    fraction + zone
}

/// The length of a duration: numbers with units, such as `3 min 2 s`.
fn duration(text: &str) -> Option<usize> {
    let whole = count(text);
    let fraction = text[whole..].strip_prefix('.').map_or(0, |digits| 1 + count(digits));
    let number = whole + if fraction > 1 { fraction } else { 0 };
    let unit = UNITS.iter().find(|unit| {
        text[number..].strip_prefix(**unit).is_some_and(|rest| whole > 0 && is_over(rest))
    })?;
    let length = number + unit.len();
    let more = text[length..].strip_prefix(' ').and_then(duration).map_or(0, |more| 1 + more);
    Some(length + more)
}

fn count(digits: &str) -> usize {
    digits.bytes().take_while(u8::is_ascii_digit).count()
}

/// Whether a word ends here.
fn is_over(rest: &str) -> bool {
    !rest.starts_with(|next: char| next.is_alphanumeric() || matches!(next, '-' | '_' | ':'))
}

#[test]
fn what_differs_from_run_to_run_is_replaced() {
    let table = [
        ("run 0190a3f2-7b1c-7def-8a90-0123456789ab.", "run [id]."),
        ("0190a3f2  rebase", "[short]  rebase"),
        ("(0190a3f2)", "([short])"),
        ("0190a3f2x and x0190a3f2, 0190a3f21", "0190a3f2x and x0190a3f2, 0190a3f21"),
        ("at 2026-01-31T23:59:59.123Z", "at [time]"),
        ("at 2026-01-31T23:59:59+01:00!", "at [time]!"),
        ("2026-01-31 23:59 and 23:59:01, 09:15", "[time] and [time], [time]"),
        ("127.0.0.1:8080 and 1:23", "127.0.0.1:8080 and 1:23"),
        ("1.5 s, 250 ms; 3 min 2 s (2 h 5 min)", "[took], [took]; [took] ([took])"),
        ("4 steps, 2 sevens, 5. s", "4 steps, 2 sevens, 5. s"),
        ("1.5 s", "[took]"),
        ("日本 12:30 日本", "日本 [time] 日本"),
        ("deadbeef-1 a-deadbeef", "deadbeef-1 a-deadbeef"),
        ("", ""),
    ];
    for (text, replacement) in table {
        assert_eq!(steady(text), replacement);
    }
}
