//! Making a message as small as a client wants it.

use serde_json::Value;

/// A text that takes up no more than this is never cut: ids, names of steps and times stay what they are.
const UNCUT: usize = 48;

/// The same message in less than this many bytes, or `None` where that cannot be done.
///
/// Lists lose what is at their end, and then the longest texts lose their middle.
///
/// ```
/// use surefire::wire::fit;
///
/// let message = format!(r#"{{"type":"error","message":"{}"}}"#, "so ".repeat(1000));
/// let small = fit(&message, 512).unwrap();
/// assert!(small.len() < 512 && small.contains("left out"));
/// ```
#[must_use]
pub fn fit(json: &str, limit: usize) -> Option<String> {
    let mut value: Value = serde_json::from_str(json).ok()?;
    let size = |value: &Value| value.to_string().len();
    while size(&value) >= limit
        && let Some(list) = longest_list(&mut value)
    {
        list.pop();
    }
    loop {
        let now = size(&value);
        if now < limit {
            return Some(value.to_string());
        }
        let text = longest_text(&mut value)?;
        let wanted = escaped(text).saturating_sub(now - limit + 1);
        let shorter = cut(text, wanted.max(UNCUT));
        if escaped(&shorter) >= escaped(text) {
            return None;
        }
        *text = shorter;
    }
}

/// The longest list that has more than one entry.
fn longest_list(value: &mut Value) -> Option<&mut Vec<Value>> {
    let lists = value.as_object_mut()?.values_mut().filter_map(Value::as_array_mut);
    lists.filter(|list| list.len() > 1).max_by_key(|list| list.len())
}

/// The longest text that may be cut, wherever it is.
fn longest_text(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => (escaped(text) > UNCUT).then_some(text),
        Value::Array(values) => values.iter_mut().filter_map(longest_text).max_by_key(|text| escaped(text)),
        Value::Object(values) => {
            values.values_mut().filter_map(longest_text).max_by_key(|text| escaped(text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The beginning and the end of a text, in at most this many bytes of JSON, with a note in between of how much is missing.
pub(crate) fn cut(text: &str, room: usize) -> String {
    if escaped(text) <= room {
        return text.to_owned();
    }
    let note = |characters: usize| format!("\n[… {characters} characters left out …]\n");
    let for_note = escaped(&note(text.len()));
    let half = room.saturating_sub(for_note) / 2;
    let head = prefix(text.chars(), half);
    let tail = prefix(text[head..].chars().rev(), half);
    let middle = &text[head..text.len() - tail];
    let cut = format!("{}{}{}", &text[..head], note(middle.chars().count()), &text[text.len() - tail..]);
    // Where there is not even room for the note, what fits of the beginning is more useful.
    if for_note <= room { cut } else { text[..prefix(text.chars(), room)].to_owned() }
}

/// How many bytes of the text, from where the characters begin, take up at most this many bytes of JSON.
fn prefix(characters: impl Iterator<Item = char>, room: usize) -> usize {
    let (mut used, mut bytes) = (0, 0);
    for character in characters {
        used += escaped_char(character);
        if used > room {
            break;
        }
        bytes += character.len_utf8();
    }
    bytes
}

/// The bytes of a text in JSON, without its quotes.
fn escaped(text: &str) -> usize {
    text.chars().map(escaped_char).sum()
}

fn escaped_char(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\u{0}'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_measured_as_json_writes_them() {
        for text in ["plain", "quo\"te\\", "\n\r\t\u{8}\u{c}", "\u{0}\u{1f}\u{7f}", "ä€😀", ""] {
            assert_eq!(escaped(text) + 2, json!(text).to_string().len(), "{text:?}");
        }
    }

    #[test]
    fn lists_lose_their_end_and_keep_their_beginning() {
        let entry = |id: u32| json!({ "id": id, "name": "n".repeat(20) });
        let list = json!({ "type": "session_list", "sessions": (0..50).map(entry).collect::<Vec<_>>() });
        let small: Value = serde_json::from_str(&fit(&list.to_string(), 1024).unwrap()).unwrap();
        let sessions = small["sessions"].as_array().unwrap();
        assert!(sessions.len() > 10 && sessions[0]["id"] == 0, "{small}");
    }

    #[test]
    fn texts_are_cut_by_what_they_take_up_and_not_by_their_length() {
        let bells = "\u{7}".repeat(40);
        let message = json!({ "a": bells, "b": bells, "c": bells });
        assert!(fit(&message.to_string(), 200).is_some_and(|small| small.len() < 200));
    }

    #[test]
    fn every_size_is_kept_or_refused() {
        let message = json!({
            "type": "recipe_exited", "session_id": "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c",
            "diagnosis": "d\"".repeat(3000), "error": "ä\n".repeat(2000), "n": 5,
        });
        for limit in (200..8000).step_by(37) {
            if let Some(small) = fit(&message.to_string(), limit) {
                assert!(small.len() < limit, "{} of {limit}", small.len());
                assert!(small.contains("3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c"));
            } else {
                assert!(limit < 400, "{limit}");
            }
        }
    }
}
