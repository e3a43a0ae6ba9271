//! Properties of reading: for any reply, the reader agrees with a slow and simple one, reads an
//! answer that is appended, and reads nothing from an answer that was cut off.

use proptest::collection::vec;
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use surefire::outcome::{Reading, Repair, Unread, read_among};

use crate::slow_reader;

const NAMES: [&str; 3] = ["complete", "blocked", "other"];

const ANSWER: &str = r#"{"outcome": "blocked"}"#;

/// What replies are assembled from, including what could mislead a reader.
const PIECES: [&str; 78] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    ":",
    ",",
    "/",
    "*",
    "`",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\u{feff}",
    "\u{a0}",
    "é",
    "//",
    "/*",
    "*/",
    "// why\n",
    "/* why */",
    "```",
    "```json\n",
    "~~~",
    "\n```\n",
    "outcome",
    "\"outcome\"",
    "'outcome'",
    "outcome:",
    "\"outcome\":",
    "'outcome':",
    "\\\"outcome\\\":",
    "\"\\u006futcome\":",
    "{outcome: ",
    "{\"outcome\": ",
    "{\"outcome\": \"",
    "{\"outcome\" /**/ : \"blocked\"}",
    "{\"outcome\": \"complete\"}",
    "{\"outcome\": \"complete\",}",
    "{\"outcome\": \"complete\"",
    "{\n  \"outcome\": \"blocked\"\n}",
    "{\"outcome\": 1}",
    "{\"outcome\": \"what\"}",
    "{\"outcome\": \"other\"}",
    "{\"outcome\": \"other\", \"otherDescription\": \"} { \\\" \\u00e9\"}",
    "{\"otherDescription\": \"x\", ",
    "\"otherDescription\": \"",
    "\"complete\"",
    "\"blocked\"}",
    "{\"a\": ",
    "\"a\": ",
    "\"a\": 1",
    "{\"a\": 1}",
    "{\"a\": [1, {",
    "{\"a\": \"",
    "{}",
    "[]",
    "true",
    "null",
    "12",
    "-1.5e-3",
    "01",
    ", ",
    ": ",
    "Done.\n",
    "it's",
    "see https://x.y ",
    "fn main() { run(\"{}\"); }",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\n",
    "\"findings\": [",
    "\"findings\": [\"a\", {\"text\": \"b\"}]",
    "{\"outcome\": \"blocked\", \"findings\": [{\"text\": \"x\", \"outcome\": \"complete\"}]}",
    "{\"outcome\": \"blocked\", \"findings\": ",
];

fn assembled() -> impl Strategy<Value = String> {
    vec(select(&PIECES[..]), 0..14).prop_map(|pieces| pieces.concat())
}

/// Objects that are nearly valid, with other text around them.
fn near_misses() -> impl Strategy<Value = String> {
    let blank = || select(&["", " ", "\n", "/* c */", "// c\n", "/* {\"outcome\": 1} */"][..]);
    let value = select(
        &[
            "\"complete\"",
            "\"other\"",
            "\"x",
            "1",
            "12",
            "[1,]",
            "{\"outcome\": \"blocked\"}",
            "[{\"a\": \"}\"}]",
            "",
            "{\"a\": \"{outcome: 1}\",}",
            "nul",
            "\"\\\"outcome\\\": \"",
            "[\"a\", \"\", 1, [\"b\"], {\"title\": \"c\", \"line\": \"7\"},]",
            "[{\"text\": \"} ] \\\"\", \"path\": \"a.rs\", \"line\": 3, \"severity\": \"low\"} /* ] */]",
            "[{\"text\": \"a\", \"outcome\": \"blocked\"}]",
            "{\"message\": \"alone\", \"line\": 1.5}",
        ][..],
    );
    let key = select(
        &[
            "\"outcome\"",
            "\"otherDescription\"",
            "\"findings\"",
            "\"a\"",
            "'outcome'",
            "outcome",
            "\"outcom\\u0065\"",
        ][..],
    );
    let member = (blank(), key, blank(), select(&[":", ""][..]), blank(), value, blank())
        .prop_map(|(a, key, b, colon, c, value, d)| [a, key, b, colon, c, value, d].concat());
    let object = (vec(member, 0..4), select(&["", ","][..]), select(&["}", "", "]"][..]))
        .prop_map(|(members, comma, end)| format!("{{{}{comma}{end}", members.join(",")));
    let around = || {
        prop_oneof![Just(String::new()), vec(select(&PIECES[..]), 0..3).prop_map(|it| it.concat())]
    };
    vec((around(), object, around()), 1..4)
        .prop_map(|parts| parts.into_iter().map(|(a, object, b)| a + &object + &b).collect())
}

fn assert_read_as_by_the_slow_reader(reply: &str) {
    let fast = read_among(reply, &NAMES);
    let slow = slow_reader::read(reply, &NAMES);
    assert_eq!(fast.map_err(|unread| unread.kind()), slow, "{reply:?}");
}

proptest! {
    // The same replies every time, so that the test is not flaky.
    #![proptest_config(ProptestConfig {
        cases: 4096, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default()
    })]

    #[test]
    fn any_text_is_read_as_the_slow_reader_reads_it(reply in any::<String>()) {
        assert_read_as_by_the_slow_reader(&reply);
    }

    #[test]
    fn assembled_replies_are_read_as_the_slow_reader_reads_them(reply in assembled()) {
        assert_read_as_by_the_slow_reader(&reply);
    }

    #[test]
    fn near_misses_are_read_as_the_slow_reader_reads_them(reply in near_misses()) {
        assert_read_as_by_the_slow_reader(&reply);
    }

    #[test]
    fn an_answer_is_read_whatever_comes_before_it(before in assembled()) {
        let reading = Reading { outcome: "blocked", description: None, findings: vec![], repaired: vec![] };
        for reply in [format!("{before}\nDone.\n{ANSWER}"), format!("{before}\nDone.\n```json\n{ANSWER}\n```\nBye.\n")] {
            prop_assert_eq!(read_among(&reply, &NAMES), Ok(reading.clone()), "{}", reply);
        }
    }

    #[test]
    fn an_answer_that_is_cut_off_does_not_revive_an_earlier_one(before in assembled(), length in 1..ANSWER.len()) {
        let cut_off = &ANSWER[..length];
        let reply = format!("{before}\nDone.\n{{\"outcome\": \"complete\"}}\n{cut_off}");
        let read = read_among(&reply, &NAMES);
        if length == ANSWER.len() - 1 {
            let reading = Reading { outcome: "blocked", description: None, findings: vec![], repaired: vec![Repair::MissingBrace] };
            prop_assert_eq!(read, Ok(reading));
        } else {
            prop_assert!(matches!(read, Err(Unread::NotJson { .. })), "{}: {:?}", reply, read);
        }
    }
}

#[test]
fn findings_are_read_beside_every_outcome_and_never_make_a_reply_unreadable() {
    let read = |findings: &str| {
        let reply = format!(r#"So: {{"outcome": "blocked", "findings": {findings}, "more": 1}}."#);
        let reading = read_among(&reply, &NAMES).expect(findings);
        assert_eq!(
            (reading.outcome, reading.description, reading.repaired),
            ("blocked", None, vec![])
        );
        reading.findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let table: [(&str, &[&str]); 7] = [
        ("[]", &[]),
        ("{}", &[]),
        ("12", &[]),
        (r#""one""#, &["one"]),
        (
            r#"["one", {"file": "a.rs", "line": 3, "text": "two", "severity": "low"}]"#,
            &["one", "a.rs:3: two (low)"],
        ),
        (r#"[{"text": "one", "outcome": "complete"}]"#, &["one"]),
        (r#"[[[["deep"]]], null, {"text": {"text": "in"}}, "\u001b[2J"]"#, &[r"\u{1b}[2J"]),
    ];
    for (findings, expected) in table {
        assert_eq!(read(findings), expected, "{findings}");
    }
    let long = format!("[{}]", vec![format!("\"{}\"", "é".repeat(10_000)); 1000].join(","));
    let kept = read(&long);
    assert_eq!((kept.len(), kept[0].chars().count()), (50, 500));
    assert!(kept[0].ends_with("é…"));
}

#[test]
fn the_table_in_the_docs_is_correct() {
    let page = include_str!("../../docs/OUTCOMES.md");
    let (_, table) = page.split_once("| reply | read as |").expect("the page has the table");
    let rows = table
        .lines()
        .skip(2)
        .map_while(|row| row.strip_prefix("| `")?.strip_suffix(" |")?.rsplit_once("` | "));
    let mut count = 0;
    for (reply, expected) in rows {
        let read = read_among(&reply.replace('⏎', "\n"), &NAMES);
        assert_eq!(
            read.map_or_else(|unread| unread.kind(), |reading| reading.outcome),
            expected,
            "{reply}"
        );
        count += 1;
    }
    assert_eq!(count, 18);
}
