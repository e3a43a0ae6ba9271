//! Whether an object stands alone, or is part of a larger JSON value, a string or a comment.
//!
//! Only the surrounding text is examined, so that the answer at the end of a long reply is found
//! without reading the rest. Prose may have a comma or a colon before an answer too; they belong
//! to JSON if a JSON value or a quoted key precedes them.

use super::blank::blank;

/// How far before and after the object a comment or a string may begin or end, in bytes.
const MAX_NEARBY_BYTES: usize = 1024;

/// Whether the object at `start..end` is not part of a larger value, a string or a comment.
pub(super) fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let (before, after) = (&text[..start], &text[end..]);
    !is_in_comment(before, after) && !is_in_string(before, after) && !is_in_value(before, after)
}

/// The end of this text, within the limit.
fn nearby(before: &str) -> &str {
    // `ceil_char_boundary` is newer than the oldest compiler that Surefire supports.
    let earliest = before.len().saturating_sub(MAX_NEARBY_BYTES);
    let start = (earliest..=before.len()).find(|at| before.is_char_boundary(*at));
    &before[start.unwrap_or(before.len())..]
}

/// The last line of this text, within the limit.
fn line(before: &str) -> &str {
    nearby(before).rsplit('\n').next().unwrap_or_default()
}

/// The offset of a comment that extends to the end of this line.
fn line_comment(line: &str) -> Option<usize> {
    // The slashes of `https://` do not begin a comment.
    line.match_indices("//").map(|(at, _)| at).find(|at| !line[..*at].ends_with(':'))
}

fn is_in_comment(before: &str, after: &str) -> bool {
    let opens = |text: &str| text.rfind("/*").is_some_and(|at| !text[at..].contains("*/"));
    let latest = after.len().min(MAX_NEARBY_BYTES);
    let end = (0..=latest).rev().find(|at| after.is_char_boundary(*at));
    let after = &after[..end.unwrap_or(0)];
    line_comment(line(before)).is_some() || opens(nearby(before)) && after.contains("*/")
}

/// Whether a quoted value was opened on this line and not closed (`"otherDescription": "it said `),
/// or one is closed right after it.
fn is_in_string(before: &str, after: &str) -> bool {
    let line = line(before);
    let quotes: Vec<usize> = line
        .match_indices('"')
        .map(|(at, _)| at)
        .filter(|at| !line[..*at].ends_with('\\'))
        .collect();
    let is_value = |at: &usize| {
        let key = line[..*at].trim_end().strip_suffix(':');
        key.is_some_and(|key| key.trim_end().ends_with('"'))
    };
    let first = quotes.iter().position(is_value);
    first.is_some_and(|first| (quotes.len() - first) % 2 == 1)
        || without_blank(after).strip_prefix('"').is_some_and(is_closing)
}

/// Whether the text before and after it makes it a value of an object or an item of an array.
fn is_in_value(before: &str, after: &str) -> bool {
    let before = without_comments(before);
    if let Some(key) = before.strip_suffix(':') {
        return key.trim_end().ends_with(['"', '\'']) || is_closing(after);
    }
    if let Some(value) = before.strip_suffix(',') {
        let value = value.trim_end();
        return value.ends_with(|last: char| matches!(last, '"' | '}' | ']' | '0'..='9'))
            || ["true", "false", "null"].iter().any(|word| value.ends_with(word))
            || is_closing(after);
    }
    before.ends_with('[')
}

/// The text without the space and the comments it ends with.
fn without_comments(mut before: &str) -> &str {
    loop {
        let text = before.trim_end();
        let comment = if text.ends_with("*/") {
            nearby(text).rfind("/*").map(|at| text.len() - nearby(text).len() + at)
        } else if before[text.len()..].contains('\n') {
            line_comment(line(text)).map(|at| text.len() - line(text).len() + at)
        } else {
            None
        };
        match comment {
            Some(start) => before = &text[..start],
            None => return text,
        }
    }
}

fn is_closing(after: &str) -> bool {
    without_blank(after).starts_with(['}', ']'])
}

/// The text without the space and the comments it begins with.
fn without_blank(after: &str) -> &str {
    &after[blank(after.as_bytes(), 0).end..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `@` stands for the object.
    fn alone(text: &str) -> bool {
        let start = text.find('@').expect("each case has an object");
        stands_alone(text, start, start + 1)
    }

    #[test]
    fn an_object_in_prose_stands_alone() {
        let cases = [
            "@",
            "Done.\n@",
            "Done. @ That is all.",
            "Answer: @",
            "**Answer**: @.",
            "Here you are,\n@",
            "(@)",
            "`@`",
            "```json\n@\n```",
            "He said \"yes. @",
            "it's done @ isn't it",
            "}\n@",
            "@ {",
            "see https://example.com @",
            "see https://example.com\n@",
            "src/*.rs @",
            "src/*.rs @ and */5",
            "@\n@ // end",
            "a // b\n@",
            "/* c */\n@",
            "\u{feff}@",
            "{\"a\": 1}\n@\n{\"b\": 2}",
            "\"a\": \"b\" @",
            "@, as asked",
            "@}",
            "@\n}\n",
            "{{@}}",
            "{ @ }",
            "say \"@\"",
        ];
        for text in cases {
            // This glob and this crontab entry look like a comment together. The agent is asked
            // again then, which costs less than a wrong reading.
            assert_eq!(alone(text), text != "src/*.rs @ and */5", "{text}");
        }
    }

    #[test]
    fn an_object_in_a_value_a_string_or_a_comment_does_not_stand_alone() {
        let cases = [
            "{\"a\": @}",
            "{\"a\": @",
            "{\"a\" :\n @ ,",
            "{'a': @}",
            "{a: @}",
            "{a: b, @}",
            "[@]",
            "[@",
            "[ @, 1]",
            "[1, @",
            "[\"a\",\n@",
            "[null, @",
            "[true,@",
            "[{}, @",
            "[[], @",
            "{\"a\": // why\n // why\n @",
            "{\"a\": /* why */ @",
            "{\"a\": @ /* x */ }",
            "{\"a\": \"b\", // why\n@",
            "{\"u\": \"http://x\", // why\n@",
            "{\"a\": \"it said @ there\"}",
            "{\"a\": \"it said \\\"@",
            "{\"a\":\"\n@\n\"}",
            "{\"a\":\"b\",\"c\": \"a \"b\" @ c\"}",
            "// @",
            "{\"a\": 1 // or @\n}",
            "/* @ */",
            "/*\n@\n*/",
        ];
        for text in cases {
            assert!(!alone(text), "{text}");
        }
    }
}
