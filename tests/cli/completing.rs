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
        // The scripts for these two have no values of arguments without a name.
        if !["elvish", "powershell"].contains(&shell) {
            for recipe in BUNDLED.iter() {
                assert!(script.contains(recipe.outline().id), "{shell} knows `{}`", recipe.outline().id);
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
