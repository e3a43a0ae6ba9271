//! How commands that the engine runs appear in the output.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use surefire_testkit::commit;

use crate::command::Place;
use crate::example;
use crate::process::begin;
use crate::terminal::in_terminal;

/// The example `proof_of_work`, with the fake CLI and a `check` that prints for a while.
fn polishing(place: &Place, words: &[&str]) -> Command {
    let mut command = place.program(&example("proof_of_work"), words);
    let write = json!({ "write": { "path": "polished.txt", "content": "polished" } });
    place.add_agent(&mut command, &json!({ "tries": [write] }));
    command
}

fn put_check(project: &Path, script: &str) {
    std::fs::write(project.join("check"), script).unwrap();
    std::fs::set_permissions(project.join("check"), PermissionsExt::from_mode(0o755)).unwrap();
    commit(project, "A check");
}

const SLOW: &str =
    "#!/bin/sh\nfor n in 1 2 3 4 5 6 7 8; do echo \"halfway there: $n\"; sleep 0.1; done\n";

#[test]
fn a_commands_output_is_shown_while_it_runs_even_at_a_server() {
    for at_a_server in [false, true] {
        let place = Place::new();
        let mut run = polishing(&place, &["run", "polish-a-file"]);
        put_check(&place.project(), SLOW);
        let project = place.project().display().to_string();
        let words =
            ["serve", "--json", "--listen", "127.0.0.1:0", "--stop-agents", "--root", &project];
        let mut server = at_a_server.then(|| begin(&mut polishing(&place, &words)));
        if let Some(server) = &mut server {
            server.line();
        }
        let (status, shown) = in_terminal(&mut run, 80, "");
        assert_eq!(status, 0, "{shown}");
        assert_eq!(shown.contains("Another surefire process is running"), at_a_server, "{shown}");
        assert!(shown.contains("halfway there: "), "{shown}");
        assert!(shown.contains("checked: 4 of 4 checks passed"), "{shown}");
    }
}

#[test]
fn a_command_that_keeps_failing_ends_the_run_with_its_last_output() {
    let place = Place::new();
    let mut run = polishing(&place, &["run", "polish-a-file"]);
    put_check(&place.project(), "#!/bin/sh\necho 'the roof leaks' >&2\nexit 3\n");
    let output = crate::command::CommandOutput::of(&mut run, &place);
    assert_eq!((output.status, output.stderr.as_str()), (10, ""), "{}", output.stdout);
    assert!(
        output.stdout.contains("`./check quick` failed with exit status 3: the roof leaks"),
        "{}",
        output.stdout
    );
    assert_eq!(output.stdout.matches("asked again (").count(), 3, "{}", output.stdout);
    assert!(output.stdout.contains("verification_failed"), "{}", output.stdout);
}
