//! The lists: recipes and exit reasons, for people, terminals and programs.

use std::fmt::Write as _;

use serde_json::{Value, json};
use surefire::recipes::BUNDLED;
use surefire::{ExitReason, Registry};

use crate::command::Place;
use crate::snapshot::hold;
use crate::terminal::in_terminal;

#[test]
fn recipes_are_listed() {
    let place = Place::new();
    hold("recipes", &place.run(&["recipes"]).ok());
    let json: Value = serde_json::from_str(&place.run(&["recipes", "--json"]).ok()).unwrap();
    hold("recipes-json", &(serde_json::to_string_pretty(&json).unwrap() + "\n"));
}

#[test]
fn a_recipe_is_shown_in_every_form() {
    let place = Place::new();
    for id in ["implement-and-review-all", "rebase"] {
        hold(&format!("show-{id}"), &place.run(&["show", id]).ok());
        for format in ["mermaid", "dot"] {
            hold(
                &format!("show-{id}-{format}"),
                &place.run(&["show", id, "--format", format]).ok(),
            );
        }
    }
    for recipe in BUNDLED.iter() {
        let outline = recipe.outline();
        let shown = place.run(&["show", outline.id, "--format", "json"]).ok();
        assert_eq!(shown, serde_json::to_string(outline).unwrap() + "\n");
        let text = place.run(&["show", outline.id]).ok();
        assert!(
            outline.steps.iter().all(|step| text.contains(&format!("\n  {}", step.name))),
            "{text}"
        );
        assert!(
            text.contains(&format!("A run takes at most {} step", outline.max_steps)),
            "{text}"
        );
    }
}

#[test]
fn exit_reasons_are_listed() {
    let place = Place::new();
    let list = place.run(&["reasons"]).ok();
    // The docs list all of them, so this checks only the first lines and the length.
    let first: String = list.lines().take(4).map(|line| format!("{line}\n")).collect();
    hold("reasons", &first);
    assert_eq!(list.lines().count(), 1 + ExitReason::DEFINITIONS.len());
    let json: Value = serde_json::from_str(&place.run(&["reasons", "--json"]).ok()).unwrap();
    let all = json.as_array().unwrap();
    let codes: Vec<_> = all.iter().map(|reason| reason["code"].as_str().unwrap()).collect();
    let known: Vec<_> = ExitReason::DEFINITIONS.iter().map(|definition| definition.code).collect();
    assert_eq!(codes, known, "in the registry's order");
    for reason in all {
        let columns: Vec<_> = reason.as_object().unwrap().keys().map(String::as_str).collect();
        let expected = [
            "auto_resumable",
            "category",
            "code",
            "diagnosis",
            "exit_code",
            "family",
            "goal_met",
            "hint",
            "message",
            "remedy",
            "status",
            "title",
        ];
        let mut sorted = columns;
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
    }
}

#[test]
fn one_reason_is_shown_under_any_of_its_names() {
    let place = Place::new();
    hold("reason-timeout", &place.run(&["reasons", "timeout"]).ok());
    hold("reason-task-committed", &place.run(&["reasons", "task-committed"]).ok());
    for (name, code) in [
        ("rate_limited", "rate_limited"),
        ("max-step-visits-exceeded:fix", "max-step-visits-exceeded"),
        ("max-iterations", "max-total-steps"),
        ("other", "user-provided-other"),
    ] {
        let shown: Value =
            serde_json::from_str(&place.run(&["reasons", name, "--json"]).ok()).unwrap();
        let known = json!(ExitReason::from_code(code).unwrap().definition());
        assert_eq!(shown, known, "{name}");
    }
}

#[test]
fn a_list_fits_the_terminal() {
    let place = Place::new();
    let mut all = String::new();
    for (list, columns) in
        [("recipes", 40), ("recipes", 80), ("recipes", 200), ("reasons", 60), ("reasons", 80)]
    {
        let (status, text) = in_terminal(place.surefire(&[list]).env("NO_COLOR", "1"), columns, "");
        assert_eq!(status, 0, "{text}");
        let wide = text.lines().find(|line| line.chars().count() > usize::from(columns));
        assert_eq!(wide, None, "{list} in {columns} columns");
        let first: String = text.lines().take(9).map(|line| format!("{line}\n")).collect();
        writeln!(all, "$ surefire {list} in {columns} columns\n{first}").unwrap();
    }
    hold("lists-in-terminals", &all);
    let (_, coloured) = in_terminal(&mut place.surefire(&["reasons"]), 80, "");
    assert!(coloured.contains("\u{1b}[32mtask-committed\u{1b}[0m"), "{coloured:?}");
    assert!(coloured.contains("\u{1b}[33mtimeout\u{1b}[0m"), "{coloured:?}");
}

/// They work with an invalid configuration and without a home directory.
#[test]
fn lists_need_nothing_but_the_command() {
    let place = Place::new();
    let plain = place.run(&["recipes"]).ok();
    let mut command = place.surefire(&["recipes", "--config", "nowhere.toml"]);
    command.env_remove("HOME").env("SUREFIRE_LISTEN", "nonsense").env_remove("SUREFIRE_DATA");
    assert_eq!(crate::command::CommandOutput::of(&mut command, &place).ok(), plain);
    assert!(!place.data().exists());
}
