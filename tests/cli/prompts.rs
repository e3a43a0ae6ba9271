//! `surefire prompts`, and what the operator's prompts change in other commands.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::command::{CommandOutput, Place};
use crate::snapshot;

const OURS: &str = "Implement it our way.";

/// The directory for prompts beside the platform's configuration file.
fn folder(place: &Place) -> PathBuf {
    let directory =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    place.home().join(directory).join("surefire/prompts")
}

/// Whether a run that rehearses uses a changed prompt, as its history says.
fn uses_a_change(place: &Place, options: &[&str]) -> bool {
    let run = ["run", "implement-and-review", "--rehearse", "no-tasks", "--pace-ms", "0"];
    let run = place.run(&[&run[..], options].concat());
    assert!(run.stdout.contains("no-tasks-available"), "{run:?}");
    place.run(&["why"]).ok().contains("changed by the operator: implement")
}

#[test]
fn prompts_are_ejected_edited_compared_and_reset() {
    let place = Place::new();
    let mut all = String::new();
    let mut say = |words: &[&str], status: i32| {
        let output = place.run(&[&["prompts", "implement-and-review"], words].concat());
        assert_eq!(output.status, status, "{output:?}");
        let line = format!("$ surefire prompts implement-and-review {}", words.join(" "));
        for part in [line.trim_end(), "\n", &output.stdout, &output.stderr, "\n"] {
            all.push_str(part);
        }
    };
    say(&[], 0);
    say(&["--diff"], 0);
    say(&["--reset"], 0);
    say(&["--eject"], 0);
    say(&["--eject"], 0);
    say(&[], 0);
    let file = folder(&place).join("implement-and-review/fix.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\nRun every test.\n")).unwrap();
    say(&[], 0);
    say(&["--diff"], 0);
    say(&["--eject"], 1);
    say(&["--eject", "--step", "commit"], 0);
    say(&["--reset", "--step", "fix"], 64);
    say(&["--reset", "--step", "fix", "--yes"], 0);
    fs::write(&file, "").unwrap();
    say(&[], 1);
    say(&["--eject", "--force"], 0);
    say(&["--step", "comit"], 64);
    say(&["--eject", "--reset"], 64);
    say(&["--reset"], 0);
    assert!(!folder(&place).join("implement-and-review").exists());
    let shown = folder(&place).display().to_string();
    let shown = shown.replace(&place.path().display().to_string(), "[PLACE]");
    snapshot::hold("prompts", &all.replace(&shown, "[PROMPTS]"));
}

#[test]
fn a_changed_prompt_is_used_and_shown_wherever_the_recipe_is_shown() {
    let place = Place::new();
    let (config, file) = (place.path().join("other.toml"), "implement-and-review/implement.md");
    fs::write(&config, "").unwrap();
    let named = ["--config", config.to_str().unwrap()];
    for (folder, options) in [(folder(&place), &[][..]), (place.path().join("prompts"), &named)] {
        assert!(!uses_a_change(&place, options));
        fs::create_dir_all(folder.join("implement-and-review")).unwrap();
        fs::write(folder.join(file), OURS).unwrap();
        assert!(uses_a_change(&place, options));

        let ask = |words: &[&str]| place.run(&[words, options].concat()).stdout;
        let why = ask(&["why"]);
        assert!(why.contains("changed by the operator: implement"), "{why}");
        let show = ask(&["show", "implement-and-review"]);
        assert!(show.contains("    prompt: changed, from `[PLACE]/"), "{show}");
        let json = ask(&["show", "implement-and-review", "--format", "json"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["changed_prompts"], serde_json::json!({ "implement": OURS }));
        let list = ask(&["recipes"]);
        let line = "\nPrompts changed in implement-and-review: implement\n";
        assert!(list.ends_with(line), "{list}");
        let json: Value = serde_json::from_str(&ask(&["recipes", "--json"])).unwrap();
        let changed: Vec<_> = json["recipes"].as_array().unwrap().iter().collect();
        let changed = changed.iter().filter(|recipe| !recipe["changed_prompts"].is_null());
        let changed: Vec<_> = changed.map(|recipe| &recipe["id"]).collect();
        assert_eq!(changed, ["implement-and-review"]);
        let doctor = ask(&["doctor"]);
        assert!(doctor.contains("changed: implement-and-review (implement)"), "{doctor}");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn the_doctor_reports_what_is_wrong_with_prompt_files() {
    let place = Place::new();
    let folder = folder(&place);
    for (file, text) in [
        ("rebase/rebase.md", "Edited."),
        ("rebase/.ejected/rebase.md", "The prompt of old."),
        ("implement-and-review/implemnt.md", OURS),
        ("retrospectiv/retrospect.md", OURS),
        ("somebody-elses/step.md", OURS),
    ] {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), text).unwrap();
    }
    let output = place.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let found = report["checks"].as_array().unwrap();
    let found = found.iter().filter(|row| row["name"] == "prompts");
    let found: Vec<_> = found.map(ToString::to_string).collect();
    for words in [
        "did you mean `implement.md`?",
        "newer compiled prompts",
        "did you mean `retrospective`?",
        "unless another program has this recipe",
    ] {
        assert!(found.iter().any(|row| row.contains(words)), "{words}: {found:#?}");
    }
    assert_eq!(output.status, 1);
}

#[test]
fn a_server_uses_a_changed_prompt_without_a_restart() {
    let place = Place::new();
    let (_server, _) = place.serve(&["--rehearse", "no-tasks"]);
    let run = ["run", "implement-and-review", "--agent", "rehearsal", "--json"];
    let changed = "changed by the operator: implement";
    place.run(&run);
    assert!(!place.run(&["why"]).ok().contains(changed));
    let file = folder(&place).join("implement-and-review/implement.md");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, OURS).unwrap();
    place.run(&run);
    assert!(place.run(&["why"]).ok().contains(changed));
    fs::write(&file, " ").unwrap();
    let refused = place.run(&run);
    assert!(refused.stderr.contains("implement.md` is blank"), "{refused:?}");
    assert!(refused.stderr.contains("--reset --step implement"), "{refused:?}");
}

/// Whatever a repository holds, and wherever it is named, its prompts are not used.
#[test]
fn a_repository_cannot_change_a_prompt() {
    let place = Place::new();
    let project = place.project();
    fs::create_dir_all(project.join(".git")).unwrap();
    for folder in
        ["prompts", "surefire/prompts", ".config/surefire/prompts", ".surefire/prompts", ""]
    {
        let file = project.join(folder).join("implement-and-review/implement.md");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, OURS).unwrap();
    }
    fs::write(project.join("config.toml"), "").unwrap();
    fs::write(project.join("surefire.toml"), "").unwrap();
    for options in [&[][..], &["--config", "config.toml"], &["--config", "surefire.toml"]] {
        assert!(!uses_a_change(&place, options), "{options:?}");
    }
    let run = ["run", "implement-and-review", "--rehearse", "no-tasks", "--pace-ms", "0"];
    for (name, value) in [("SUREFIRE_CONFIG", "config.toml"), ("XDG_CONFIG_HOME", ".config")] {
        let output = CommandOutput::of(place.surefire(&run).env(name, value), &place);
        assert!(output.stdout.contains("no-tasks-available"), "{name}: {output:?}");
        let why = place.run(&["why"]).ok();
        assert!(!why.contains("changed by the operator"), "{name}: {why}");
    }
    let eject = ["prompts", "implement-and-review", "--eject", "--config", "config.toml"];
    let error = place.run(&eject).failure(64);
    assert!(error.contains("a repository cannot change prompts"), "{error}");
    let doctor = place.run(&["doctor", "--config", "config.toml"]).stdout;
    assert!(doctor.contains("is not read, because it is in the repository"), "{doctor}");
}
