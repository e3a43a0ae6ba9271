//! Where a text mentions the key `outcome`, even if it is not valid JSON.
//!
//! This accepts more than JSON on purpose: an agent that writes `{outcome: …` or `'outcome': …`
//! means to report an outcome, and an object before such an attempt must not be taken for the
//! answer.

use super::OUTCOME;

/// The offset of the colon after the last mention.
pub(super) fn last_mention(text: &str) -> Option<usize> {
    text.rmatch_indices(':').map(|(colon, _)| colon).find(|colon| ends_with_key(&text[..*colon]))
}

fn ends_with_key(text: &str) -> bool {
    let text = text.trim_end_matches([' ', '\t', '\n', '\r']);
    let key = |text: &str, quote: &str| {
        text.strip_suffix(quote)
            .and_then(|text| text.strip_suffix(OUTCOME))
            .is_some_and(|text| text.ends_with(quote))
    };
    if text.ends_with('"') {
        // JSON in a JSON string has its quotes behind backslashes.
        return key(text, "\"") || key(text, "\\\"");
    }
    if text.ends_with('\'') {
        return key(text, "'");
    }
    // A sentence may contain the word: without quotes, it must also be at the position of a key.
    text.strip_suffix(OUTCOME).is_some_and(|before| {
        let before = before.trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with(['{', ',', '\n', '\r', '\u{feff}'])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_mentions_and_words_are_not() {
        let mentions = [
            r#"{"outcome": "complete"}"#,
            r#"{"outcome" : "#,
            "{ \"outcome\"\r\n\t: 1",
            r#""outcome":"#,
            r#"say "outcome": "complete""#,
            r#"{\"outcome\": \"complete\"}"#,
            "{'outcome': 'complete'}",
            "{outcome: 1",
            "{ outcome : 1",
            "{a: 1, outcome: 2",
            "outcome: complete",
            "so\n  outcome: complete",
        ];
        for text in mentions {
            assert!(
                last_mention(text).is_some_and(|colon| text.as_bytes()[colon] == b':'),
                "{text}"
            );
        }
        let words = [
            "",
            ":",
            "outcome",
            "the outcome: complete",
            "**outcome**: complete",
            "`outcome`: what came out",
            r#"{"outcome"}"#,
            r#"{"outcomes": 1}"#,
            r#"{"an-outcome": 1}"#,
            "{my_outcome: 1}",
            r#"{"Outcome": 1}"#,
            "{\"\u{43e}utcome\": 1}",
            r#"{"outcome\": 1}"#,
            "{'outcome\": 1}",
            r#""outcome" is the key: so"#,
            r#"{"otherDescription": "outcome"}"#,
        ];
        for text in words {
            assert_eq!(last_mention(text), None, "{text}");
        }
        assert_eq!(last_mention(r#"{"outcome": {"outcome": 1}, "a": 2}"#), Some(22));
    }
}
