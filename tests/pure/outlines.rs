//! The outline in each of its output formats.

#![cfg(feature = "recipes")]

use surefire::recipes::{ImplementAndReview, ImplementAndReviewAll};

#[test]
fn mermaid() {
    let expected = r#"flowchart TD
    begin((start)) --> s0
    s0["implement"]
    s1["code-review"]
    s2["fix"]
    s3["commit"]
    s0 -- "complete" --> s1
    s0 -- "no-tasks" --> e0(["no-tasks-available"]):::completed
    s0 -- "blocked" --> e1(["implementation-blocked"]):::completed
    s1 -- "no-issues" --> s3
    s1 -- "issues-found" --> s2
    s2 -- "complete" --> s1
    s3 -- "committed if commit" --> e2[["↻ implement-and-review-all"]]
    s3 -- "nothing-to-commit if no_commit and clean" --> e3[["↻ implement-and-review-all"]]
    classDef completed stroke:#2da44e
    classDef guardrail stroke:#bf8700
    classDef error stroke:#cf222e
"#;
    assert_eq!(ImplementAndReviewAll::OUTLINE.to_mermaid(), expected);
}

#[test]
fn dot() {
    let expected = r##"digraph "implement-and-review" {
    rankdir=TB;
    node [shape=box];
    begin [shape=circle, label=""];
    begin -> "implement";
    "implement";
    "code-review";
    "fix";
    "commit";
    "implement" -> "code-review" [label="complete"];
    "end 1" [shape=oval, color="#2da44e", label="no-tasks-available"];
    "implement" -> "end 1" [label="no-tasks"];
    "end 2" [shape=oval, color="#2da44e", label="implementation-blocked"];
    "implement" -> "end 2" [label="blocked"];
    "code-review" -> "commit" [label="no-issues"];
    "code-review" -> "fix" [label="issues-found"];
    "fix" -> "code-review" [label="complete"];
    "end 3" [shape=oval, color="#2da44e", label="task-committed"];
    "commit" -> "end 3" [label="committed if commit"];
    "end 4" [shape=oval, color="#2da44e", label="no-changes-to-commit"];
    "commit" -> "end 4" [label="nothing-to-commit if no_commit and clean"];
}
"##;
    assert_eq!(ImplementAndReview::OUTLINE.to_dot(), expected);
}

#[test]
fn json() {
    let json = serde_json::to_value(ImplementAndReviewAll::OUTLINE).expect("an outline serializes");
    assert_eq!(json["id"], "implement-and-review-all");
    assert_eq!(json["initial"], "implement");
    assert_eq!(json["guardrails"]["max_restarts"], 50);
    assert_eq!(json["max_steps"], 7);
    assert_eq!(json["max_steps_is_exact"], true);
    assert_eq!(json["heaviest_path"][1], serde_json::json!({ "step": "code-review", "visits": 3 }));
    assert_eq!(json["never_trips"], serde_json::json!(["max_total_steps"]));
    let implement = &json["steps"][0];
    assert_eq!(
        implement["outcomes"][0],
        serde_json::json!({ "name": "complete", "next": { "step": "code-review" } })
    );
    assert_eq!(implement["outcomes"][1]["next"]["exit"]["code"], "no-tasks-available");
    assert_eq!(implement["tools"][0], "edit");
    assert!(implement.get("run").is_none() && implement.get("verify").is_none());
    let commit = &json["steps"][3];
    assert!(implement["outcomes"][0].get("evidence").is_none());
    assert_eq!(commit["outcomes"][0]["evidence"], serde_json::json!(["commit"]));
    assert_eq!(commit["outcomes"][1]["evidence"], serde_json::json!(["no_commit", "clean"]));
    assert_eq!(
        commit["outcomes"][0]["next"],
        serde_json::json!({ "restart": "implement-and-review-all" })
    );
}

surefire::recipe! {
    recipe Checked {
        scope: { allow: ["src/**"], deny: ["**/.env*", "/docs/"] },
        allow_lockfiles: true,
        needs: { clean_tree, task },
        isolate: true,
        initial: First,
        guardrails: { max_step_visits: 3, max_verify_time_per_milestone: 90s, max_review_rounds: 2 },
        step Work {
            prompt: "Work.",
            tools: [edit, "cargo *"],
            verify: ["test \"$(wc -l < log)\" -gt 0", ["cargo", "test"]],
            outcomes: [
                /// It works, and a test shows it.
                Complete,
            ],
            Complete(findings) => Test if changed && exists "a/b" && "grep -q '<a & b>' log # or `c`",
        }
        step Test {
            run: "cargo test --workspace --all-targets --all-features --no-fail-fast",
            time: 10m,
            Passed => exit TaskCommitted,
            Failed => Work,
        }
        step Bare { run: ["make", "a \"b\""], Passed => Test, Failed => exit ImplementationBlocked }
        step First { prompt: "Begin.", outcomes: [Complete], Complete => Bare }
    }
}

#[test]
fn commands_and_evidence_in_diagrams() {
    let mermaid = Checked::OUTLINE.to_mermaid();
    let steps: Vec<_> =
        mermaid.lines().map(str::trim).filter(|line| line.starts_with('s')).collect();
    let expected = [
        r#"s0["work<br/>✓ test #quot;$(wc -l #lt; log)#quot; -gt 0<br/>✓ cargo test"]"#,
        r#"s1{{"test<br/>$ cargo test --workspace --all-targets --all-feat…"}}"#,
        r#"s2{{"bare<br/>$ make a #quot;b#quot;"}}"#,
        r#"s3["first"]"#,
        r#"s0 -- "complete if changed and exists #quot;a/b#quot; and #quot;grep -q '#lt;a #amp; b#gt;' log #35; or #96;c#96;#quot;" --> s1"#,
        r#"s1 -- "passed" --> e0(["task-committed"]):::completed"#,
        r#"s1 -- "failed" --> s0"#,
        r#"s2 -- "passed" --> s1"#,
        r#"s2 -- "failed" --> e1(["implementation-blocked"]):::completed"#,
        r#"s3 -- "complete" --> s2"#,
    ];
    assert_eq!(steps, expected);

    let dot = Checked::OUTLINE.to_dot();
    let nodes: Vec<_> = dot.lines().map(str::trim).skip(5).take(4).collect();
    let expected = [
        r#""work" [label="work\n✓ test \"$(wc -l < log)\" -gt 0\n✓ cargo test"];"#,
        r#""test" [shape=hexagon, label="test\n$ cargo test --workspace --all-targets --all-feat…"];"#,
        r#""bare" [shape=hexagon, label="bare\n$ make a \"b\""];"#,
        r#""first";"#,
    ];
    assert_eq!(nodes, expected);
    assert!(dot.contains(r#"[label="complete if changed and exists \"a/b\" and"#), "{dot}");
}

#[test]
fn commands_and_evidence_in_json() {
    let json = serde_json::to_value(Checked::OUTLINE).expect("an outline serializes");
    assert_eq!(json["guardrails"]["max_verify_time_per_milestone_s"], 90);
    let (work, test, bare) = (&json["steps"][0], &json["steps"][1], &json["steps"][2]);
    assert_eq!(work["tools"], serde_json::json!(["edit", "cargo *"]));
    assert_eq!(
        work["verify"],
        serde_json::json!(["test \"$(wc -l < log)\" -gt 0", ["cargo", "test"]])
    );
    assert_eq!(work["outcomes"][0]["evidence"][1], "exists \"a/b\"");
    assert_eq!(test["run"]["time_s"], 600);
    assert_eq!(bare["run"], serde_json::json!({ "command": ["make", "a \"b\""] }));
    assert_eq!(
        (&bare["prompt"], &bare["tools"]),
        (&serde_json::json!(""), &serde_json::Value::Null)
    );
}

#[test]
fn files_and_findings_in_json() {
    let json = serde_json::to_value(Checked::OUTLINE).expect("an outline serializes");
    assert_eq!(
        json["scope"],
        serde_json::json!({ "allow": ["src/**"], "deny": ["**/.env*", "/docs/"] })
    );
    assert_eq!(json["allow_lockfiles"], true);
    assert_eq!(json["needs"], serde_json::json!({ "clean_tree": true, "task": true }));
    assert_eq!(json["isolate"], true);
    assert_eq!(json["guardrails"]["max_review_rounds"], 2);
    let (work, test) = (&json["steps"][0], &json["steps"][1]);
    assert_eq!(work["outcomes"][0]["findings"], true);
    assert_eq!(work["outcomes"][0]["description"], "It works, and a test shows it.");
    assert!(work["outcomes"][1].get("description").is_none());
    assert!(test["outcomes"][0].get("findings").is_none());
}
