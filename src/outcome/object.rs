//! One JSON object, read forward from its brace: where it ends, what its own keys are, and what had
//! to be repaired.
//!
//! The syntax is JSON with three relaxations, each of which is recorded when used: comments between
//! tokens, a comma before a closing bracket, and a missing last brace at the end of the text.

use super::repair::Repair;
use super::scanner::{Member, Scanner};
use super::string::unescape;
use super::unread::Flaw;

/// A complete object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) start: usize,
    /// Just after its closing brace, or the end of the text if that is missing.
    pub(super) end: usize,
    /// Its own members, not those of objects inside it.
    pub(super) members: Vec<Member>,
    /// What was repaired, each kind once, in the order of the enum.
    pub(super) repaired: Vec<Repair>,
}

impl Object {
    /// Whether one of its own keys is this.
    pub(super) fn has(&self, text: &str, key: &str) -> bool {
        self.members.iter().any(|member| {
            let written = &text[member.key.clone()];
            // Escapes only make a key longer.
            written == key || written.len() > key.len() && unescape(written) == key
        })
    }
}

/// Why there is no complete object, and the offset at which that became clear.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) flaw: Flaw,
    pub(super) reached: usize,
}

/// Reads the object that begins with the brace at `start`.
pub(super) fn object_at(text: &str, start: usize) -> Result<Object, Broken> {
    let mut scanner = Scanner::new(text, start);
    match scanner.run() {
        Ok(()) => {
            let (members, mut repaired) = (scanner.members, scanner.repaired);
            repaired.sort_unstable();
            Ok(Object { start, end: scanner.at, members, repaired })
        }
        Err(flaw) => Err(Broken { flaw, reached: scanner.at }),
    }
}

/// Whether an object may begin with the brace at `start`: a key, the closing brace, space or a
/// comment follows. Most braces in prose and code are followed by something else, so this is a
/// cheap first check.
pub(super) fn may_begin(text: &str, start: usize) -> bool {
    let second = text.as_bytes().get(start + 1);
    matches!(second, None | Some(b'"' | b'}' | b'/' | b' ' | b'\t' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_byte_rules_out_most_objects() {
        for second in (0..=u8::MAX).map(char::from) {
            let text = format!("{{{second}");
            let malformed = Err(Broken { flaw: Flaw::Malformed, reached: 1 });
            assert_eq!(may_begin(&text, 0), object_at(&text, 0) != malformed, "{text:?}");
        }
        assert!(may_begin("{", 0));
    }

    /// The members of the object that a text begins with, and what follows it.
    fn read(text: &str) -> (Vec<(&str, &str)>, &str) {
        let object = object_at(text, 0).expect(text);
        let members =
            object.members.iter().map(|m| (&text[m.key.clone()], &text[m.value.clone()])).collect();
        (members, &text[object.end..])
    }

    #[test]
    fn members_of_nested_objects_are_not_listed() {
        let text = r#"{"a": 1, "b" : [true, {"c": null}] , "d":{"e":"}"},"f":"\"}" } rest"#;
        let members =
            [("a", "1"), ("b", r#"[true, {"c": null}]"#), ("d", r#"{"e":"}"}"#), ("f", r#""\"}""#)];
        assert_eq!(read(text), (members.to_vec(), " rest"));
        assert_eq!(read("{}{"), (vec![], "{"));
    }

    #[test]
    fn repairs_are_noted_once_each() {
        use Repair::{Comment, MissingBrace, TrailingComma};
        let cases: [(&str, &[Repair]); 10] = [
            (r#"{"a": 1}"#, &[]),
            (r#"{"a": "// no comment /* */ ,}"}"#, &[]),
            (r#"{"a": 1,}"#, &[TrailingComma]),
            (r#"{"a": [1,2 , ] , }"#, &[TrailingComma]),
            ("{ // one\n /* two */ \"a\" /**/ : /***/ 1 // three\r\n}", &[Comment]),
            (r#"{"a": "x""#, &[MissingBrace]),
            (r#"{"a": {"b": 1}"#, &[MissingBrace]),
            ("{\"a\": [1,] // why\n", &[Comment, TrailingComma, MissingBrace]),
            (r#"{"a": null // cut }"#, &[Comment, MissingBrace]),
            (r#"{"a": true"#, &[MissingBrace]),
        ];
        for (text, repaired) in cases {
            assert_eq!(
                object_at(text, 0).map(|object| object.repaired),
                Ok(repaired.to_vec()),
                "{text}"
            );
        }
    }

    #[test]
    fn a_truncated_object_is_unfinished() {
        let whole =
            r#"{"a": "x\n\u00e9", "b": [true, null, -1.5e+3, {"c": "d"}], "e": /* why */ "f"}"#;
        let repairable = whole.len() - 1;
        // After these, the object is complete except for its closing brace.
        let complete =
            [r#""x\n\u00e9""#, r#""d"}]"#].map(|value| whole.find(value).unwrap() + value.len());
        for length in 1..whole.len() {
            let flaw = object_at(&whole[..length], 0).err().map(|broken| broken.flaw);
            let expected = if length == repairable || complete.contains(&length) {
                None
            } else {
                Some(Flaw::Unfinished)
            };
            assert_eq!(flaw, expected, "{}", &whole[..length]);
        }
    }

    #[test]
    fn invalid_json_is_malformed() {
        let cases = [
            "{a: 1}",
            "{'a': 1}",
            "{,}",
            "{\"a\"}",
            "{\"a\" 1}",
            "{\"a\": }",
            "{\"a\": 1,, }",
            "{\"a\": [,]}",
            "{\"a\": [1}",
            "{\"a\": 1]",
            "{\"a\": 01}",
            "{\"a\": 1.}",
            "{\"a\": -}",
            "{\"a\": 1e}",
            "{\"a\": +1}",
            "{\"a\": nul}",
            "{\"a\": None}",
            "{\"a\": 1 / 2}",
            "{\"a\": \"\n\"}",
            "{{}}",
            "{\"a\": \"b\" \"c\": 1}",
            "{\u{a0}\"a\": 1}",
            "{\"a\": ]",
            "{]",
            "{\"a\" = 1}",
        ];
        for text in cases {
            assert_eq!(
                object_at(text, 0).err().map(|broken| broken.flaw),
                Some(Flaw::Malformed),
                "{text}"
            );
        }
    }

    #[test]
    fn nesting_has_a_limit() {
        let nested =
            |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(object_at(&nested(128), 0).is_ok());
        assert_eq!(object_at(&nested(129), 0).map_err(|broken| broken.flaw), Err(Flaw::TooDeep));
    }
}
