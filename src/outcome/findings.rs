//! The value of an answer's key `findings`. A malformed finding never makes the answer unreadable.
//!
//! The object around the value was read already, so the value is known to be complete. It is parsed
//! once more, without recursion.

use std::borrow::Cow;

use super::blank::blank;
use super::finding::Finding;
use super::object::object_at;
use super::string::{closing_quote, content, unescape};

/// The most findings that are read; further ones are ignored.
const MAX_FINDINGS: usize = 50;

/// The possible keys of each part of a finding, in order of preference.
const TEXT_KEYS: [&str; 4] = ["text", "message", "description", "title"];
const FILE_KEYS: [&str; 2] = ["file", "path"];
const LINE_KEYS: [&str; 1] = ["line"];
const SEVERITY_KEYS: [&str; 1] = ["severity"];

/// The findings in this value, which is a list of findings or a single one. Findings without text
/// are ignored.
pub(super) fn findings(value: &str) -> Vec<Finding> {
    if value.starts_with('[') {
        let items = Items { array: value, at: 1 };
        items.filter_map(finding).take(MAX_FINDINGS).collect()
    } else {
        finding(value).into_iter().collect()
    }
}

/// The finding in a string or an object.
fn finding(item: &str) -> Option<Finding> {
    if !item.starts_with('{') {
        return Finding::new(&content(item)?, None, None, None);
    }
    let object = object_at(item, 0).ok()?;
    // If a key occurs twice, the first one counts.
    let value = |key: &str| {
        let member =
            object.members.iter().find(|member| unescape(&item[member.key.clone()]) == key)?;
        Some(&item[member.value.clone()])
    };
    let words = |keys: &[&str]| -> Option<Cow<'_, str>> {
        keys.iter().find_map(|key| content(value(key)?).filter(|words| !words.trim().is_empty()))
    };
    let line = LINE_KEYS.iter().find_map(|key| {
        let line = value(key)?;
        content(line).unwrap_or(Cow::Borrowed(line)).trim().parse().ok()
    });
    Finding::new(
        &words(&TEXT_KEYS)?,
        words(&FILE_KEYS).as_deref(),
        line,
        words(&SEVERITY_KEYS).as_deref(),
    )
}

/// The items of an array that is known to be complete, as they are written.
struct Items<'t> {
    array: &'t str,
    at: usize,
}

impl<'t> Iterator for Items<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.array.as_bytes();
        loop {
            self.at = blank(text, self.at).end;
            match text.get(self.at)? {
                b',' => self.at += 1,
                b']' => return None,
                _ => break,
            }
        }
        let start = self.at;
        self.at = value_end(text, start)?;
        Some(&self.array[start..self.at])
    }
}

/// Just after the value that begins here.
fn value_end(text: &[u8], start: usize) -> Option<usize> {
    match text.get(start)? {
        b'"' => Some(closing_quote(text, start + 1).ok()? + 1),
        b'{' | b'[' => bracket_end(text, start),
        _ => {
            let is_end = |byte: &u8| {
                matches!(byte, b',' | b']' | b'}' | b'/' | b' ' | b'\t' | b'\n' | b'\r')
            };
            // Returning an empty value would make the iterator loop forever.
            let length = text[start..].iter().position(is_end).filter(|length| *length > 0)?;
            Some(start + length)
        }
    }
}

/// Just after the bracket that closes this one. The kinds are known to match.
fn bracket_end(text: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match text.get(at)? {
            b'"' => at = closing_quote(text, at + 1).ok()?,
            b'/' => at = blank(text, at).end.max(at + 1) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(value: &str) -> Vec<String> {
        findings(value).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn findings_come_in_many_forms() {
        let table: [(&str, &[&str]); 22] = [
            ("[]", &[]),
            ("null", &[]),
            ("true", &[]),
            ("3", &[]),
            (r#""""#, &[]),
            (r#""totals differ""#, &["totals differ"]),
            (r#"{"text": "totals differ"}"#, &["totals differ"]),
            (r#"["a", "b" , "c",]"#, &["a", "b", "c"]),
            (
                r#"["a", "", " \n", null, 1, -1.5e3, true, [], {}, ["x"], {"file": "a.rs"}, "b"]"#,
                &["a", "b"],
            ),
            ("[ // why\n \"a\" /* , \"x\" */ , {\"text\": /* ] */ \"b\"} // \"y\"\n]", &["a", "b"]),
            (
                r#"[{"text": "a", "file": "x.rs", "line": 12, "severity": "high"}]"#,
                &["x.rs:12: a (high)"],
            ),
            (r#"[{"line": " 12 ", "path": "x.rs", "message": "a"}]"#, &["x.rs:12: a"]),
            (r#"[{"description": "a"}, {"title": "b"}]"#, &["a", "b"]),
            (r#"[{"title": "t", "description": "d", "message": "m", "text": "x"}]"#, &["x"]),
            (r#"[{"text": " ", "title": "t"}, {"text": 1, "title": "u"}]"#, &["t", "u"]),
            (r#"[{"text": "first", "text": "second", "line": 1, "line": 2}]"#, &["line 1: first"]),
            (r#"[{"t\u0065xt": "a \"b\" \u00e9"}]"#, &["a \"b\" é"]),
            (r#"[{"text": "a", "line": 1.5}, {"text": "b", "line": -1}]"#, &["a", "b"]),
            (r#"[{"text": "a", "line": 99999999999}, {"text": "b", "line": [1]}]"#, &["a", "b"]),
            (r#"[{"text": "a", "file": null, "severity": 3}]"#, &["a"]),
            (
                r#"[{"more": {"text": "in", "x": ["]", {"}": "["}]}, "text": "out"}, "b"]"#,
                &["out", "b"],
            ),
            (r#"[{"text": {"text": "in"}}, [{"text": "in"}], "b"]"#, &["b"]),
        ];
        for (value, expected) in table {
            assert_eq!(texts(value), expected, "{value}");
        }
    }

    #[test]
    fn the_number_of_findings_and_the_depth_are_bounded() {
        let items = |item: &str, number: usize| format!("[{}]", vec![item; number].join(","));
        assert_eq!(findings(&items(r#""a""#, 50)).len(), 50);
        assert_eq!(findings(&items(r#""a""#, 100_000)).len(), 50);
        assert_eq!(findings(&(items("null", 100_000) + "]")).len(), 0);
        let deep = format!("[{}{}, \"a\"]", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(texts(&deep), ["a"]);
    }

    #[test]
    fn an_incomplete_value_does_not_panic() {
        let whole = r#"[{"text": "a \" b", "n": [1, {"x": /* c */ null}]}, "b", 12]"#;
        for length in 0..whole.len() {
            findings(&whole[..length]);
        }
        for text in ["[}", "[/", "[1/", "{", "\"", "[]]", "[{]}"] {
            findings(text);
        }
    }
}
