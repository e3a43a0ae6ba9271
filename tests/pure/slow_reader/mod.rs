//! A second implementation of the reading rules, with `serde_json` and without regard for speed, to
//! compare the real reader with.

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::Value;
use surefire::outcome::{Finding, Reading, Repair};

/// What a reply is read as: an outcome, or the kind of the problem.
pub(crate) fn read<'n>(reply: &str, names: &[&'n str]) -> Result<Reading<&'n str>, &'static str> {
    let end = |text: &str| {
        text.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{feff}').to_owned()
    };
    let mut text = end(reply);
    let fence = text.ends_with("```") || text.ends_with("~~~");
    if fence {
        let mark = text.chars().next_back().expect("the text ends with a mark");
        text = end(text.trim_end_matches(mark));
    }
    let object = answer(&text)?;
    let (mut outcome, mut description, mut found) = (None, None, Vec::new());
    for (index, (key, value)) in object.members.iter().enumerate() {
        if object.members[..index].iter().any(|(other, _)| other == key) {
            return Err("not-json");
        }
        match key.as_str() {
            "outcome" => outcome = value.as_str(),
            "otherDescription" => description = value.as_str(),
            "findings" => found = findings(value),
            _ => {}
        }
    }
    let outcome = outcome.ok_or("no-outcome")?;
    let outcome = *names.iter().find(|name| **name == outcome).ok_or("unknown-outcome")?;
    let description = match outcome {
        "other" => Some(
            description
                .filter(|it| !it.trim().is_empty())
                .ok_or("other-without-description")?
                .to_owned(),
        ),
        _ => None,
    };
    let mut repaired = object.repaired;
    if fence && repaired.contains(&Repair::MissingBrace) {
        repaired.insert(0, Repair::Fence);
    }
    Ok(Reading { outcome, description, findings: found, repaired })
}

/// The findings in a value. No test text has a finding that is too long or has duplicate keys.
fn findings(value: &Value) -> Vec<Finding> {
    let words = |value: Option<&Value>| {
        let words = value.and_then(Value::as_str).map(str::trim).filter(|words| !words.is_empty());
        words.map(str::to_owned)
    };
    let finding = |value: &Value| {
        let text = ["text", "message", "description", "title"]
            .iter()
            .find_map(|key| words(value.get(key)));
        let line = value.get("line").and_then(|line| match line {
            Value::String(line) => line.trim().parse().ok(),
            line => line.as_u64(),
        });
        Some(Finding {
            text: words(Some(value)).or(text)?,
            file: ["file", "path"].iter().find_map(|key| words(value.get(key))),
            line: line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0),
            severity: words(value.get("severity")),
        })
    };
    match value {
        Value::Array(items) => items.iter().filter_map(finding).take(50).collect(),
        value => finding(value).into_iter().collect(),
    }
}

fn answer(text: &str) -> Result<Object, &'static str> {
    let mut limit = text.len();
    while let Some(mention) = mentions(text).into_iter().rfind(|mention| *mention < limit) {
        let mut is_key_inside = false;
        let mut around = (0..mention).rev().filter_map(|start| match object(text, start) {
            Fate::Whole(object) if object.end > mention => Some(object),
            _ => None,
        });
        let alone = around.find(|object| {
            let alone = stands_alone(&text[..object.start], &text[object.end..]);
            is_key_inside |= !alone && object.has_outcome();
            alone
        });
        match alone {
            Some(object) if object.has_outcome() => {
                return Ok(survey(text, object.end)?.0.unwrap_or(object));
            }
            Some(object) if !is_key_inside => limit = object.start,
            None if !is_key_inside => return Err("not-json"),
            Some(_) | None => return Err("no-outcome"),
        }
    }
    match survey(text, 0)? {
        (Some(object), _) => Ok(object),
        (None, kind) => Err(kind),
    }
}

/// The last answer from an offset on, or the kind of problem if there is none.
fn survey(text: &str, mut at: usize) -> Result<(Option<Object>, &'static str), &'static str> {
    let (mut last, mut has_object, mut has_attempt) = (None, false, false);
    while at < text.len() {
        match object(text, at) {
            Fate::Whole(object) if object.has_outcome() => {
                if !stands_alone(&text[..object.start], &text[object.end..]) {
                    return Err("no-outcome");
                }
                (at, has_object) = (object.end, true);
                last = Some(object);
            }
            Fate::Whole(object) if !object.repaired.contains(&Repair::MissingBrace) => {
                (at, has_object) = (object.end, true);
            }
            Fate::Whole(_) | Fate::Unfinished => return Err("not-json"),
            Fate::Malformed => {
                has_attempt |= text[at + 1..].trim_start().starts_with('"');
                at += 1;
            }
            Fate::None => at += 1,
        }
    }
    let kind = match (has_object, has_attempt) {
        (true, _) => "no-outcome",
        (false, true) => "not-json",
        (false, false) => "no-json",
    };
    Ok((last, kind))
}

/// The colons after the key `outcome`.
fn mentions(text: &str) -> Vec<usize> {
    let blank = [' ', '\t', '\n', '\r'];
    let mention = |(at, word): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let quoted = ["\\\"", "\"", "'"]
            .into_iter()
            .find(|quote| before.ends_with(quote) && after.starts_with(quote));
        let bare = before.trim_end_matches([' ', '\t']);
        let is_key = bare.is_empty()
            || ["{", ",", "\n", "\r", "\u{feff}"].iter().any(|end| bare.ends_with(end));
        let rest = match quoted {
            Some(quote) => &after[quote.len()..],
            None if is_key => after,
            None => return None,
        };
        let colon = rest.trim_start_matches(blank);
        colon.starts_with(':').then(|| text.len() - colon.len())
    };
    text.match_indices("outcome").filter_map(mention).collect()
}

struct Object {
    start: usize,
    end: usize,
    members: Vec<(String, Value)>,
    repaired: Vec<Repair>,
}

impl Object {
    fn has_outcome(&self) -> bool {
        self.members.iter().any(|(key, _)| key == "outcome")
    }
}

enum Fate {
    Whole(Object),
    Unfinished,
    Malformed,
    /// There is no brace at this offset.
    None,
}

fn object(text: &str, start: usize) -> Fate {
    if text.as_bytes()[start] != b'{' {
        return Fate::None;
    }
    let plain = Plain::new(&text.as_bytes()[start..]);
    let mut values = serde_json::Deserializer::from_slice(&plain.json).into_iter::<Value>();
    let (length, json, missing) = match values.next() {
        Some(Ok(_)) => (values.byte_offset(), plain.json.clone(), false),
        Some(Err(problem)) if problem.is_eof() => {
            let closed = [&plain.json[..], b"}"].concat();
            // A lone brace has no member yet, and a number may continue.
            let is_empty = plain.json.trim_ascii_end() == b"{";
            let may_be_cut =
                is_empty || plain.is_open || plain.json.last().is_some_and(u8::is_ascii_digit);
            if may_be_cut || serde_json::from_slice::<Value>(&closed).is_err() {
                return Fate::Unfinished;
            }
            (plain.json.len(), closed, true)
        }
        Some(Err(_)) | None => return Fate::Malformed,
    };
    let mut deserializer = serde_json::Deserializer::from_slice(&json);
    let members = deserializer.deserialize_map(Members).expect("the same bytes were just parsed");
    let noted = [
        (Repair::Comment, plain.comments.iter().any(|at| *at < length)),
        (Repair::TrailingComma, plain.commas.iter().any(|at| *at < length)),
        (Repair::MissingBrace, missing),
    ];
    let repaired = noted.into_iter().filter(|(_, is)| *is).map(|(repair, _)| repair).collect();
    Fate::Whole(Object { start, end: start + length, members, repaired })
}

/// All members of an object, including those with the same key.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        std::iter::from_fn(|| map.next_entry().transpose()).collect()
    }
}

/// A text with spaces in place of its comments and trailing commas.
struct Plain {
    json: Vec<u8>,
    comments: Vec<usize>,
    commas: Vec<usize>,
    /// Whether it ends inside a comment.
    is_open: bool,
}

impl Plain {
    fn new(text: &[u8]) -> Self {
        let mut plain =
            Self { json: text.to_vec(), comments: vec![], commas: vec![], is_open: false };
        let mut outside = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let length = if rest.starts_with(b"//") {
                rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
            } else if rest.starts_with(b"/*") {
                let end = (2..rest.len()).find(|end| rest[*end..].starts_with(b"*/"));
                plain.is_open |= end.is_none();
                end.map_or(rest.len(), |end| end + 2)
            } else if rest == b"/" {
                plain.is_open = true;
                1
            } else if rest[0] == b'"' {
                let mut end = 1;
                while end < rest.len() && rest[end] != b'"' {
                    end += if rest[end] == b'\\' { 2 } else { 1 };
                }
                at += (end + 1).min(rest.len());
                continue;
            } else {
                outside.push(at);
                at += 1;
                continue;
            };
            plain.comments.push(at);
            plain.json[at..at + length].fill(b' ');
            at += length;
        }
        for at in outside.into_iter().filter(|at| text[*at] == b',') {
            let is_token = |byte: &&u8| !byte.is_ascii_whitespace();
            let (before, after) = (
                plain.json[..at].iter().rfind(is_token),
                plain.json[at + 1..].iter().find(is_token),
            );
            if !matches!(before, Some(b'{' | b'[' | b',' | b':'))
                && matches!(after, Some(b'}' | b']'))
            {
                plain.json[at] = b' ';
                plain.commas.push(at);
            }
        }
        plain
    }
}

fn stands_alone(before: &str, after: &str) -> bool {
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    let is_opened = before.rfind("/*").is_some_and(|open| !before[open..].contains("*/"));
    let in_comment = slashes(line).is_some() || is_opened && after.contains("*/");
    let next = after_blank(after);
    let closes = |text: &str| text.starts_with('}') || text.starts_with(']');
    let quotes: Vec<usize> = line
        .match_indices('"')
        .map(|(at, _)| at)
        .filter(|at| !line[..*at].ends_with('\\'))
        .collect();
    let opens = |at: &usize| {
        let key = line[..*at].trim_end();
        key.ends_with(':') && key[..key.len() - 1].trim_end().ends_with('"')
    };
    let since_value = quotes.iter().skip_while(|at| !opens(at)).count();
    let in_string =
        since_value % 2 == 1 || next.starts_with('"') && closes(after_blank(&next[1..]));
    let previous = before_blank(before);
    let earlier = previous.get(..previous.len().saturating_sub(1)).unwrap_or_default().trim_end();
    let ends_value = |ends: &[&str]| ends.iter().any(|end| earlier.ends_with(end));
    let in_value = match previous.chars().next_back() {
        Some('[') => true,
        Some(':') => closes(next) || ends_value(&["\"", "'"]),
        Some(',') => {
            closes(next)
                || ends_value(&["\"", "}", "]", "true", "false", "null"])
                || earlier.ends_with(|last: char| last.is_ascii_digit())
        }
        Some(_) | None => false,
    };
    !in_comment && !in_string && !in_value
}

/// The offset of a comment on this line. The slashes of an address do not begin one (`file:///` has
/// only one pair).
fn slashes(line: &str) -> Option<usize> {
    let mut at = 0;
    while at < line.len() {
        match line.as_bytes()[at..].starts_with(b"//") {
            true if !line[..at].ends_with(':') => return Some(at),
            true => at += 2,
            false => at += 1,
        }
    }
    None
}

fn after_blank(text: &str) -> &str {
    let mut rest = text.trim_start_matches([' ', '\t', '\n', '\r']);
    if rest.starts_with("//") {
        rest = after_blank(rest.find('\n').map_or("", |at| &rest[at..]));
    } else if rest.starts_with("/*") {
        rest = rest[2..].find("*/").map_or("", |at| after_blank(&rest[at + 4..]));
    }
    // A slash at the very end may begin a comment.
    if rest == "/" { "" } else { rest }
}

fn before_blank(text: &str) -> &str {
    let rest = text.trim_end();
    if rest.ends_with("*/") {
        return rest.rfind("/*").map_or(rest, |at| before_blank(&rest[..at]));
    }
    let line = rest.rfind('\n').map_or(0, |at| at + 1);
    match slashes(&rest[line..]) {
        Some(at) if text[rest.len()..].contains('\n') => before_blank(&rest[..line + at]),
        Some(_) | None => rest,
    }
}
