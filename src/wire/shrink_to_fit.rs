//! Shrinks a message to the size limit of a client.

use serde_json::Value;

/// A text up to this size is never cut, so that ids, names of steps and times stay whole.
const UNCUT_BYTES: usize = 48;

/// The same message in less than this many bytes, or `None` if it cannot be shrunk that far.
///
/// Lists lose their last entries, and then the longest texts lose their middle.
///
/// ```
/// use surefire::wire::shrink_to_fit;
///
/// let message = format!(r#"{{"type":"error","message":"{}"}}"#, "so ".repeat(1000));
/// let small = shrink_to_fit(&message, 512).unwrap();
/// assert!(small.len() < 512 && small.contains("left out"));
/// ```
#[must_use]
pub fn shrink_to_fit(json: &str, limit: usize) -> Option<String> {
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
        let shorter = cut(text, wanted.max(UNCUT_BYTES));
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

/// The longest text that may be cut, at any depth.
fn longest_text(value: &mut Value) -> Option<&mut String> {
    match value {
        Value::String(text) => (escaped(text) > UNCUT_BYTES).then_some(text),
        Value::Array(values) => {
            values.iter_mut().filter_map(longest_text).max_by_key(|text| escaped(text))
        }
        Value::Object(values) => {
            values.values_mut().filter_map(longest_text).max_by_key(|text| escaped(text))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The beginning and the end of a text, in at most this many bytes of JSON, with a note between
/// them of how much is missing.
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
    let cut =
        format!("{}{}{}", &text[..head], note(middle.chars().count()), &text[text.len() - tail..]);
    // If there is not even room for the note, as much of the beginning as fits is more useful.
    if for_note <= room { cut } else { text[..prefix(text.chars(), room)].to_owned() }
}

/// How many bytes of the text, counted along these characters, fit into this many bytes of JSON.
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
        for text in ["plain", "quo\"te\\", "\n\r\t\u{8}\u{c}", "\u{0}\u{1f}\u{7f}", "ä€😀", ""]
        {
            assert_eq!(escaped(text) + 2, json!(text).to_string().len(), "{text:?}");
        }
    }

    #[test]
    fn lists_lose_their_end_and_keep_their_beginning() {
        let entry = |id: u32| json!({ "id": id, "name": "n".repeat(20) });
        let list =
            json!({ "type": "session_list", "sessions": (0..50).map(entry).collect::<Vec<_>>() });
        let small: Value =
            serde_json::from_str(&shrink_to_fit(&list.to_string(), 1024).unwrap()).unwrap();
        let sessions = small["sessions"].as_array().unwrap();
        assert!(sessions.len() > 10 && sessions[0]["id"] == 0, "{small}");
    }

    #[test]
    fn texts_are_cut_by_their_size_in_json_and_not_by_their_length() {
        let bells = "\u{7}".repeat(40);
        let message = json!({ "a": bells, "b": bells, "c": bells });
        assert!(shrink_to_fit(&message.to_string(), 200).is_some_and(|small| small.len() < 200));
    }

    #[test]
    fn a_message_stays_below_every_limit_or_is_refused() {
        let message = json!({
            "type": "recipe_exited", "session_id": "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c",
            "diagnosis": "d\"".repeat(3000), "error": "ä\n".repeat(2000), "n": 5,
        });
        for limit in (200..8000).step_by(37) {
            if let Some(small) = shrink_to_fit(&message.to_string(), limit) {
                assert!(small.len() < limit, "{} of {limit}", small.len());
                assert!(small.contains("3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c"));
            } else {
                assert!(limit < 400, "{limit}");
            }
        }
    }
}
