//! The outline in each of its written forms.

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
    s3 -- "committed" --> e2[["↻ implement-and-review-all"]]
    s3 -- "nothing-to-commit" --> e3[["↻ implement-and-review-all"]]
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
    "commit" -> "end 3" [label="committed"];
    "end 4" [shape=oval, color="#2da44e", label="no-changes-to-commit"];
    "commit" -> "end 4" [label="nothing-to-commit"];
}
"##;
    assert_eq!(ImplementAndReview::OUTLINE.to_dot(), expected);
}

#[test]
fn json() {
    let json = serde_json::to_value(ImplementAndReviewAll::OUTLINE).expect("it is plain data");
    assert_eq!(json["id"], "implement-and-review-all");
    assert_eq!(json["initial"], "implement");
    assert_eq!(json["guardrails"]["max_restarts"], 50);
    assert_eq!(json["max_steps"], 8);
    assert_eq!(json["heaviest_path"][1], serde_json::json!({ "step": "code-review", "visits": 3 }));
    assert_eq!(json["never_trips"], serde_json::json!(["max_total_steps"]));
    let implement = &json["steps"][0];
    assert_eq!(
        implement["outcomes"][0],
        serde_json::json!({ "name": "complete", "next": { "step": "code-review" } })
    );
    assert_eq!(implement["outcomes"][1]["next"]["exit"]["code"], "no-tasks-available");
    let commit = &json["steps"][3];
    assert_eq!(commit["outcomes"][0]["next"], serde_json::json!({ "restart": "implement-and-review-all" }));
}
