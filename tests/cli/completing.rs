//! `surefire completions`: scripts for shells.

use surefire::recipes::BUNDLED;

use crate::command::Place;

#[test]
fn every_shell_gets_a_script_that_knows_commands_and_recipes() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = place.run(&["completions", shell]).ok();
        for command in ["recipes", "show", "run", "reasons", "completions"] {
            assert!(script.contains(command), "{shell} knows `{command}`");
        }
        // The scripts for these two shells do not list values of positional arguments.
        if !["elvish", "powershell"].contains(&shell) {
            for recipe in BUNDLED.iter() {
                assert!(
                    script.contains(recipe.outline().id),
                    "{shell} knows `{}`",
                    recipe.outline().id
                );
            }
        }
    }
}

#[test]
fn recipes_are_completed_where_one_is_named() {
    let script = Place::new().run(&["completions", "bash"]).ok();
    let show = script.split("surefire__subcmd__show)").nth(1).expect("`show` is completed");
    let show = show.split(";;").next().unwrap_or(show);
    assert!(show.contains("implement-and-review") && show.contains("rebase"), "{show}");
    let runs = script.split("surefire__subcmd__runs)").nth(1).expect("`runs` is completed");
    let reasons = runs.split("--reason)").nth(1).and_then(|runs| runs.split(";;").next());
    assert!(reasons.is_some_and(|reasons| reasons.contains("max-total-steps")), "{runs}");
}

/// What bash would offer for the last of these words.
fn bash_offers(place: &Place, words: &[&str]) -> String {
    let script = place.path().join("surefire.bash");
    std::fs::write(&script, place.run(&["completions", "bash"]).ok()).unwrap();
    let last = words.len() - 1;
    let line = format!(
        "source {}; COMP_WORDS=({}); COMP_CWORD={last}; _surefire surefire '{}' '{}'; \
         echo \"${{COMPREPLY[*]}}\"",
        script.display(),
        words.join(" "),
        words[last],
        words[last - 1],
    );
    let output = std::process::Command::new("bash").args(["--norc", "-c", &line]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn bash_completes_recipes_commands_and_scripts() {
    let place = Place::new();
    assert_eq!(bash_offers(&place, &["surefire", "run", "reb"]), "rebase");
    assert_eq!(bash_offers(&place, &["surefire", "show", "reb"]), "rebase");
    assert_eq!(bash_offers(&place, &["surefire", "compl"]), "completions");
    assert_eq!(bash_offers(&place, &["surefire", "run", "rebase", "--rehearse", "hap"]), "happy");
}

#[test]
fn fish_completes_recipes_with_their_labels() {
    let script = Place::new().run(&["completions", "fish"]).ok();
    for command in ["run", "show"] {
        let start = format!(
            "complete -c surefire -n \"__fish_surefire_using_subcommand {command}; and not \
             __fish_seen_subcommand_from "
        );
        for recipe in BUNDLED.iter() {
            let end = format!(" -a \"{}\" -d '{}'", recipe.outline().id, recipe.outline().label);
            let is_offered = |line: &str| line.starts_with(&start) && line.ends_with(&end);
            assert!(script.lines().any(is_offered), "{command} {}", recipe.outline().id);
        }
    }
}
