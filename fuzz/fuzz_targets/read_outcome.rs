//! Reads any text as an agent's reply; the README says what must hold.

#![no_main]

use libfuzzer_sys::fuzz_target;
use surefire::outcome::{Reading, Unread, read_among};

const NAMES: [&str; 3] = ["complete", "blocked", "other"];
const ANSWER: &str = r#"{"outcome": "blocked"}"#;

fuzz_target!(|text: &str| {
    let first = read_among(text, &NAMES);
    assert_eq!(first, read_among(text, &NAMES));
    match first {
        Ok(reading) => {
            assert!(NAMES.contains(&reading.outcome));
            assert_eq!(reading.outcome == "other", reading.description.is_some());
            assert!(reading.findings.len() <= 50);
            for finding in &reading.findings {
                let words = finding.to_string();
                assert!(!finding.text.is_empty() && !words.contains(char::is_control));
                assert!(words.chars().count() < 500 + 300 + 40 + 20);
            }
        }
        Err(unread) => {
            let message = unread.to_string();
            assert!(!message.contains(char::is_control));
            assert!(message.chars().count() < 200 * 10 + 300);
        }
    }

    // A line of words separates the text from the answer, whatever the text left open.
    let reading =
        Reading { outcome: "blocked", description: None, findings: vec![], repaired: vec![] };
    assert_eq!(read_among(&format!("{text}\nDone.\n{ANSWER}"), &NAMES), Ok(reading.clone()));
    assert_eq!(
        read_among(&format!("{text}\r\nDone.\r\n```json\r\n{ANSWER}\r\n```\r\nBye."), &NAMES),
        Ok(reading.clone())
    );

    // Text after the answer can hide it only with a brace or a key.
    if !text.contains(['{', ':', '"']) && !text.trim_start().starts_with(['/', '`', '~']) {
        assert_eq!(read_among(&format!("{ANSWER}\nBye.\n{text}"), &NAMES), Ok(reading));
    }

    // If the last line was cut off, an earlier answer must not be used instead.
    for length in 1..ANSWER.len() - 1 {
        let cut_off =
            format!("{text}\nDone.\n{{\"outcome\": \"complete\"}}\n{}", &ANSWER[..length]);
        assert!(matches!(read_among(&cut_off, &NAMES), Err(Unread::NotJson { .. })), "{length}");
    }
});
