//! What is read as an outcome, and what must never be.

use super::{Flaw, Reading, Repair, Unread, read_among};

const NAMES: [&str; 4] = ["complete", "no-tasks", "blocked", "other"];

fn read(reply: &str) -> Result<Reading<&'static str>, Unread> {
    read_among(reply, &NAMES)
}

fn outcome(reply: &str) -> &'static str {
    match read(reply) {
        Ok(reading) => reading.outcome,
        Err(unread) => unread.kind(),
    }
}

/// Asserts that each reply is read as the word beside it: an outcome, or the kind of the problem.
fn check(cases: &[(&str, &str)]) {
    for (reply, expected) in cases {
        assert_eq!(outcome(reply), *expected, "{reply}");
    }
}

#[test]
fn an_answer_is_read_in_every_form_it_comes_in() {
    let forms = [
        r#"{"outcome": "complete"}"#,
        r#"{"outcome":"complete"}"#,
        "{\n  \"outcome\": \"complete\"\n}",
        "{\r\n\t\"outcome\" : \"complete\"\r\n}\r\n",
        "\u{feff}{\"outcome\": \"complete\"}",
        "{\"outcome\": \"complete\"}\u{feff} \n\t\r\n\u{a0}",
        "Done.\n```json\n{\"outcome\": \"complete\"}\n```\nThat is all.",
        "```\n{\"outcome\": \"complete\"}\n```",
        "```json {\"outcome\": \"complete\"} ```",
        "~~~\n{\"outcome\": \"complete\"}\n~~~",
        "```json\n{\"outcome\": \"complete\"}",
        "My answer is `{\"outcome\": \"complete\"}`.",
        "Answer: {\"outcome\": \"complete\"}, as you asked. It's a \"fine\" day.",
        r#"{"summary": "braces } and { here", "files": [1, {"a": []}], "outcome": "complete", "ok": true}"#,
        r#"{"outcome": "complete", "note": "say \"outcome\": {outcome: 1} or {'outcome': 2}"}"#,
        r#"{"outcome": "complete", "note": {"outcome": "blocked"}}"#,
        r#"{"note": {"outcome": "blocked"}, "outcome": "complete"}"#,
        r#"{"outcome": "comp\u006cete"}"#,
        r#"{"\u006futcome": "complete"}"#,
        r#"{"outcome": "complete", "otherDescription": "not needed"}"#,
        r#"{"outcome": "complete", "otherDescription": 5}"#,
    ];
    for reply in forms {
        let reading =
            Reading { outcome: "complete", description: None, findings: vec![], repaired: vec![] };
        assert_eq!(read(reply), Ok(reading), "{reply}");
    }
}

#[test]
fn what_was_repaired_is_reported() {
    use Repair::{Comment, Fence, MissingBrace, TrailingComma};
    let cases: [(&str, &[Repair]); 7] = [
        ("{\"outcome\": \"complete\",}", &[TrailingComma]),
        ("{\"outcome\": \"complete\" // not \"outcome\": \"blocked\"\n}", &[Comment]),
        ("{ /* {\"outcome\": \"blocked\"} */ \"outcome\": \"complete\"}", &[Comment]),
        ("{\"outcome\": \"complete\"", &[MissingBrace]),
        ("{\n  \"outcome\": \"complete\"\n\n", &[MissingBrace]),
        ("```json\n{\n  \"outcome\": \"complete\"\n```\n", &[Fence, MissingBrace]),
        (
            "{\"outcome\": /* x */ \"complete\", \"a\": [1,]",
            &[Comment, TrailingComma, MissingBrace],
        ),
    ];
    for (reply, repaired) in cases {
        let reading = Reading {
            outcome: "complete",
            description: None,
            findings: vec![],
            repaired: repaired.to_vec(),
        };
        assert_eq!(read(reply), Ok(reading), "{reply}");
    }
}

#[test]
fn other_comes_with_its_description() {
    let other = |reply: &str| read(reply).map(|reading| (reading.outcome, reading.description));
    let reply = r#"{"outcome":"other","otherDescription":"use } and { and \" here, \u00e9"}"#;
    assert_eq!(other(reply), Ok(("other", Some("use } and { and \" here, é".to_owned()))));
    check(&[
        (r#"{"outcome": "other"}"#, "other-without-description"),
        (r#"{"outcome": "other", "otherDescription": " \n\u00a0"}"#, "other-without-description"),
        (r#"{"outcome": "other", "otherDescription": null}"#, "other-without-description"),
        (r#"{"outcome": "other", "otherDescription": ["x"]}"#, "other-without-description"),
        (r#"{"outcome": "other", "OtherDescription": "x"}"#, "other-without-description"),
    ]);
    assert_eq!(
        read_among(r#"{"outcome": "other", "otherDescription": "x"}"#, &["complete"])
            .unwrap_err()
            .kind(),
        "unknown-outcome"
    );
}

#[test]
fn an_example_quoted_earlier_is_not_read() {
    check(&[
        ("{\"outcome\": \"complete\"}\n{\"outcome\": \"blocked\"}", "blocked"),
        ("{\"outcome\": \"complete\"}{\"outcome\":\"blocked\"}", "blocked"),
        (
            "You asked for {\"outcome\": \"complete\"} or {\"outcome\": \"no-tasks\"}: {\"outcome\": \"blocked\"}",
            "blocked",
        ),
        ("```json\n{\"outcome\": \"complete\"}\n```\n{\"outcome\": \"what\"}", "unknown-outcome"),
        ("{\"outcome\": \"complete\"} {\"\\u006futcome\": \"blocked\"}", "blocked"),
        ("{\"outcome\": \"complete\"} {\"outcome\" /* ! */ : \"blocked\"}", "blocked"),
        ("{\"outcome\": \"complete\"}\n{\"outcome\": null}", "no-outcome"),
    ]);
}

#[test]
fn an_object_without_an_outcome_is_not_read() {
    check(&[
        ("", "no-json"),
        ("complete", "no-json"),
        ("The outcome: complete", "no-json"),
        ("fn main() { let x = 1; }", "no-json"),
        ("[\"complete\"]", "no-json"),
        ("{}", "no-outcome"),
        ("{\"status\": \"complete\"}", "no-outcome"),
        ("{\"status\": \"complete\" \"a\": 1}", "not-json"),
        ("{\"outcomes\": \"complete\"}", "no-outcome"),
        ("{\"outcome\": 1}", "no-outcome"),
        ("{\"outcome\": {\"outcome\": \"complete\"}}", "no-outcome"),
        ("{\"outcome\": [\"complete\"]}", "no-outcome"),
    ]);
}

#[test]
fn what_follows_the_answer_does_not_hide_it() {
    let after = [
        "Let me know!",
        "{\"config\": {\"a\": [1, 2]}}",
        "fn main() { run(\"{}\", 1); }",
        "It's {weird} \"here",
        "} } ] )",
        "{\"note\": \"{outcome: x} and {'outcome': y}\"}",
        "{\"note\": \"say \\\"outcome\\\": it\"}",
        "{ \"a\": b }",
        "```\n```",
        "{\"a\": \"{\"}",
        "{\"a\": 1 // \"outcome\": no\n}",
        "The outcome: fine.",
        "/* */",
        ",",
        "\"",
        "\\",
        "{}",
        "{ }",
        "[",
        "{\"Outcome\": \"blocked\"}",
    ];
    for after in after {
        check(&[(&format!("{{\"outcome\": \"complete\"}}\n\n{after}"), "complete")]);
    }
}

#[test]
fn a_truncated_object_is_not_read() {
    let whole = r#"{"outcome": "other", "otherDescription": "x", "n": [1, {"a": 2}]}"#;
    for length in 1..whole.len() - 1 {
        let reply = &whole[..length];
        // At these lengths every member is complete, and only the brace is missing.
        let expected = match reply.len() {
            19 => "other-without-description",
            44 => "other",
            _ => "not-json",
        };
        assert_eq!(outcome(reply), expected, "{reply}");
    }
    check(&[
        (&whole[..whole.len() - 1], "other"),
        ("{\"outcome\": \"complete\"\n\nThat is all.", "not-json"),
        ("{\"outcome\": \"complete\",", "not-json"),
        ("{\"outcome\": \"complete\", \"n\": 12", "not-json"),
        ("{\"outcome\": \"complete\", \"n\": {\"a\": \"b\"", "not-json"),
        ("{\"outcome\": \"complete\" /* so", "not-json"),
        ("\"outcome\": \"complete\"}", "not-json"),
    ]);
}

#[test]
fn an_outcome_of_another_step_is_not_read() {
    let unread = Unread::unknown("no-issues", &NAMES);
    assert_eq!(read(r#"{"outcome": "no-issues"}"#), Err(unread));
}

#[test]
fn homoglyphs_and_other_case_are_not_read() {
    for name in [
        "Complete",
        "COMPLETE",
        "\u{43e}ther",
        "complete ",
        " complete",
        "no_tasks",
        "no\u{2010}tasks",
        "comple\u{200b}te",
        "",
        "complete\\u0000",
    ] {
        check(&[(
            &format!("{{\"outcome\": \"{name}\", \"otherDescription\": \"x\"}}"),
            "unknown-outcome",
        )]);
    }
    check(&[
        ("{\"Outcome\": \"complete\"}", "no-outcome"),
        ("{\"\u{43e}utcome\": \"complete\"}", "no-outcome"),
    ]);
}

#[test]
fn duplicate_keys_are_not_read() {
    let duplicate = Err(Unread::NotJson { flaw: Flaw::DuplicateKey });
    for reply in [
        r#"{"outcome": "complete", "outcome": "complete"}"#,
        r#"{"outcome": "complete", "\u006futcome": "blocked"}"#,
        r#"{"outcom\u0065": "complete", "outcome": "blocked"}"#,
        r#"{"outcome": "other", "otherDescription": "a", "otherDescription": "b"}"#,
        r#"{"outcome": "complete", "note": 1, "note": 2}"#,
        "{\"outcome\": \"blocked\"}\n{\"outcome\": \"complete\", \"outcome\": \"complete\"}",
    ] {
        assert_eq!(read(reply), duplicate, "{reply}");
    }
}

#[test]
fn nested_objects_are_not_read() {
    check(&[
        ("{\"result\": {\"outcome\": \"complete\"}}", "no-outcome"),
        ("{\"result\": {\"outcome\": \"complete\"}", "no-outcome"),
        ("{\"result\": // why\n{\"outcome\": \"complete\"}", "no-outcome"),
        ("{result: {\"outcome\": \"complete\"}}", "no-outcome"),
        ("[{\"outcome\": \"complete\"}]", "no-outcome"),
        ("[{\"outcome\": \"complete\"}", "no-outcome"),
        ("[1, {\"outcome\": \"complete\"}", "no-outcome"),
        ("{\"outcome\": \"complete\"}, {\"outcome\": \"blocked\"}", "no-outcome"),
        ("{\"outcome\": \"complete\"}\n{\"result\": {\"outcome\": \"blocked\"}}", "no-outcome"),
        ("{\"outcome\": \"complete\"}\n[{\"\\u006futcome\": \"blocked\"}]", "no-outcome"),
        (
            "{\"outcome\":\"other\",\"otherDescription\":\"not {\"outcome\": \"complete\"} here\"}",
            "no-outcome",
        ),
        (
            "{\"outcome\":\"other\",\"otherDescription\":\"{\\\"outcome\\\": \\\"complete\\\"}\"}",
            "other",
        ),
        ("{\"log\": \"{\\\"outcome\\\": \\\"complete\\\"}\"}", "no-outcome"),
        ("{\\\"outcome\\\": \\\"complete\\\"}", "not-json"),
        ("// {\"outcome\": \"complete\"}", "no-outcome"),
        ("{\"outcome\": \"blocked\" // or {\"outcome\": \"complete\"}\n}", "blocked"),
    ]);
}

#[test]
fn an_outcome_inside_a_finding_is_not_read() {
    check(&[
        (
            r#"{"outcome": "blocked", "findings": [{"outcome": "complete", "text": "x"}]}"#,
            "blocked",
        ),
        (
            r#"{"findings": [{"outcome": "complete", "text": "x"}], "outcome": "blocked"}"#,
            "blocked",
        ),
        (r#"{"outcome": "blocked", "findings": ["{\"outcome\": \"complete\"}"]}"#, "blocked"),
        (r#"{"findings": [{"outcome": "complete", "text": "x"}]}"#, "no-outcome"),
        (r#"{"findings": [{"outcome": "complete", "text": "x"}]"#, "no-outcome"),
        (r#"{"outcome": "blocked", "findings": [{"outcome": "complete"}"#, "no-outcome"),
        (r#"{"outcome": "blocked", "findings": ["x""#, "not-json"),
        (r#"{"outcome": "blocked", "findings": ["x"], "findings": []}"#, "not-json"),
        (r#"{"outcome": ["x"], "findings": ["x"]}"#, "no-outcome"),
    ]);
}

#[test]
fn findings_are_read_only_from_the_answers_own_key() {
    let found = |reply: &str| {
        let findings = read(reply).expect(reply).findings;
        findings.into_iter().map(|finding| finding.text).collect::<Vec<_>>()
    };
    let cases: [(&str, &[&str]); 6] = [
        (r#"{"outcome": "blocked", "findings": ["x"]}"#, &["x"]),
        (r#"{"outcome": "blocked", "findings": ["x",] // so"#, &["x"]),
        (r#"{"outcome": "blocked", "f\u0069ndings": ["x"]}"#, &["x"]),
        (r#"{"findings": ["x"]} {"outcome": "blocked"}"#, &[]),
        (r#"{"outcome": "blocked", "more": {"findings": ["x"]}}"#, &[]),
        (r#"{"outcome": "blocked", "Findings": ["x"]}"#, &[]),
    ];
    for (reply, texts) in cases {
        assert_eq!(found(reply), texts, "{reply}");
    }
}

#[test]
fn an_earlier_object_does_not_count_when_a_broken_attempt_follows() {
    let attempts = [
        "{",
        "{\"",
        "{\"outc",
        "{\"outcome",
        "{\"outcome\"",
        "{\"outcome\":",
        "{\"outcome\": \"no-iss",
        "{\"otherDescription\": \"x",
        "{\"otherDescription\": \"x\"",
        "{\"outcome\": blocked}",
        "{outcome: \"blocked\"}",
        "{'outcome': 'blocked'}",
        "\"outcome\": \"blocked\"",
        "{\"outcome\": \"blocked\" \"a\": 1}",
        "{\"outcome\": \"line\nbreak\"}",
        "{\\\"outcome\\\": \\\"blocked\\\"}",
        "outcome: blocked",
        "{\"a\": 1, \"outcome\": \"blo",
        "```json\n{\"outcome\": \"blo\n```",
        "{status: ok, outcome: blocked}",
        "{\"a\": [{\"outcome\": \"blocked\"}, ",
        "type Step = { outcome: string }",
    ];
    for attempt in attempts {
        let reply = format!("For example:\n{{\"outcome\": \"complete\"}}\n\n{attempt}");
        assert!(
            matches!(outcome(&reply), "not-json" | "no-outcome"),
            "{reply}: {}",
            outcome(&reply)
        );
    }
}

#[test]
fn prose_before_the_answer_does_not_derail_it() {
    for before in [
        "It's",
        "5\" disk",
        "He said \"no",
        "{",
        "{\"a",
        "{{{",
        "\\",
        "\\\"",
        "```",
        "` ' \" {",
        "/* ",
        "{\"a\": \"",
        "a: b",
        "}]",
    ] {
        check(&[
            (&format!("{before}\n{{\"outcome\": \"complete\"}}"), "complete"),
            (
                &format!("{before} and so {{\"outcome\": \"complete\"}}"),
                if before == "{\"a\": \"" { "no-outcome" } else { "complete" },
            ),
        ]);
    }
}
