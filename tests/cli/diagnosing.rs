//! `surefire doctor`.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::command::{CommandOutput, Place};
use crate::serving::Serving;
use crate::snapshot;

/// Puts a program on the path that runs this script.
fn install(place: &Place, name: &str, script: &str) -> PathBuf {
    let path = place.path().join("empty").join(name);
    // A shell writes the file: if this process did, a child that another test starts at the same
    // moment would inherit the open file, and it could not be executed.
    let words = ["-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\""];
    let status = Command::new("/bin/sh").args(words).arg(&path).arg(script).status();
    assert!(status.expect("there is a shell").success());
    path
}

/// The report of `doctor`, with a port that is always free unless the words choose one.
fn diagnosed(place: &Place, words: &[&str]) -> Value {
    let port: &[_] = if words.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
    let output = place.run(&[&["doctor", "--json"], port, words].concat());
    assert_eq!(output.stderr, "", "{}", output.stdout);
    let report: Value = serde_json::from_str(&output.stdout).expect("it is one object");
    let failed = checks(&report).iter().any(|check| check["status"] == "failed");
    assert_eq!(output.status, i32::from(failed), "{report:#}");
    report
}

fn checks(report: &Value) -> &[Value] {
    report["checks"].as_array().expect("there are checks")
}

/// The first finding of a check that is not `ok`, or else its first finding.
fn check<'a>(report: &'a Value, name: &str) -> (&'a str, &'a str, &'a str) {
    let mut own = checks(report).iter().filter(|check| check["name"] == name);
    let worst = own.clone().find(|check| check["status"] != "ok").or_else(|| own.next());
    let worst = worst.unwrap_or_else(|| panic!("{name} is checked: {report:#}"));
    let text = |key: &str| worst[key].as_str().unwrap_or_default();
    (text("status"), text("finding"), text("fix"))
}

/// Every file below a folder, with metadata that would show a change.
fn contents(folder: &Path) -> BTreeMap<PathBuf, (u32, u64, Option<SystemTime>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = std::fs::symlink_metadata(&path).unwrap();
            found.insert(path.clone(), (metadata.mode(), metadata.len(), metadata.modified().ok()));
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

#[test]
fn a_bare_environment_can_rehearse_and_the_doctor_creates_nothing() {
    let place = Place::new();
    let before = contents(place.path());
    let output = place.run(&["doctor", "--listen", "127.0.0.1:0"]).ok();
    assert_eq!(contents(place.path()), before);
    // The width of the columns depends on the length of the place's path, which the snapshot
    // replaces.
    let lines =
        output.lines().map(|line| line.split("  ").filter(|part| !part.is_empty()).map(str::trim));
    let steady: String = lines.map(|parts| parts.collect::<Vec<_>>().join("  ") + "\n").collect();
    snapshot::hold("doctor_bare", &steady.replace("Library/Application Support", ".config"));
}

#[test]
fn an_agent_says_for_itself_whether_it_is_logged_in() {
    let place = Place::new();
    let script = |status: &str| {
        format!("case $1 in --version) echo '2.1.0 (Claude Code)';; *) {status};; esac")
    };
    for (status, expected, words) in [
        ("echo '{\"loggedIn\": true, \"authMethod\": \"x\"}'", "ok", "is logged in"),
        ("echo '{\"loggedIn\": false}'; exit 1", "failed", "not logged in"),
        ("echo 'error: unknown command'; exit 1", "warning", "unknown: "),
        ("echo '{\"loggedIn\": \"perhaps\"}'", "warning", "unknown: "),
    ] {
        let path = install(&place, "claude", &script(status));
        let report = diagnosed(&place, &[]);
        let (_, found, _) = check(&report, "agent");
        assert_eq!(
            found,
            format!("2.1.0 (Claude Code), `{}`", path.display())
                .replace(place.path().to_str().unwrap(), "[PLACE]")
        );
        let (status, found, _) = check(&report, "login");
        assert!(status == expected && found.contains(words), "{status}: {found}");
    }
    let fix = "run `[PLACE]/empty/claude auth login`";
    install(&place, "claude", &script("echo '{\"loggedIn\": false}'; exit 1"));
    assert_eq!(check(&diagnosed(&place, &[]), "login").2, fix);
    let rehearsing = diagnosed(&place, &["--agent", "rehearsal"]);
    assert!(
        !checks(&rehearsing).iter().any(|check| check["name"] == "login"),
        "a rehearsal needs no login"
    );
}

#[test]
fn a_requested_agent_has_to_be_installed() {
    let place = Place::new();
    assert_eq!(check(&diagnosed(&place, &[]), "agent").0, "warning");
    assert_eq!(check(&diagnosed(&place, &["--agent", "claude"]), "agent").0, "failed");
    assert_eq!(check(&diagnosed(&place, &["--agent-path", "/nowhere"]), "agent").0, "failed");
    install(&place, "claude", "exit 3");
    let report = diagnosed(&place, &[]);
    assert!(check(&report, "agent").1.contains("--version` failed"), "{report:#}");
    // The login of an agent that cannot be executed is not checked.
    let broken = place.path().join("broken");
    std::fs::write(&broken, "#!/nowhere/at/all\n").unwrap();
    std::fs::set_permissions(&broken, PermissionsExt::from_mode(0o755)).unwrap();
    let report = diagnosed(&place, &["--agent-path", broken.to_str().unwrap()]);
    assert_eq!(check(&report, "agent").0, "failed", "{report:#}");
    assert!(!checks(&report).iter().any(|check| check["name"] == "login"), "{report:#}");
}

#[test]
fn allowed_and_denied_tools_are_listed() {
    let place = Place::new();
    let report = diagnosed(&place, &[]);
    let (status, words, _) = check(&report, "tools");
    assert_eq!((status, words), ("ok", "each step lists its own: `surefire show <recipe>`"));
    install(&place, "claude", "exit 0");
    std::fs::create_dir(place.home().join(".claude")).unwrap();
    let settings =
        |text: &str| std::fs::write(place.home().join(".claude/settings.json"), text).unwrap();
    settings(
        r#"{ "permissions": { "allow": ["Bash(npm test *)"], "deny": ["Bash(git push *)"] }, "model": "opus" }"#,
    );
    let allowed = ["--allow-tool", "edit", "--allow-tool", "make *"];
    let report = diagnosed(&place, &allowed);
    let (status, words, _) = check(&report, "tools");
    assert_eq!(status, "ok", "{report:#}");
    assert!(words.contains("; allowed by your settings: `edit`, `make *`; "), "{words}");
    assert!(
        words.contains("; allowed by your Claude Code settings: `Bash(npm test *)`; "),
        "{words}"
    );
    assert!(
        words.ends_with("; denied by your Claude Code settings: `Bash(git push *)`"),
        "{words}"
    );
    settings(r#"{ "permissions": { "allow": ["Bash"] } }"#);
    let report = diagnosed(&place, &[]);
    let (status, _, fix) = check(&report, "tools");
    assert_eq!(status, "warning");
    assert!(
        fix.starts_with("while `Bash` is allowed, even steps that may not edit can write files"),
        "{fix}"
    );
    settings("{");
    let report = diagnosed(&place, &[]);
    assert!(
        check(&report, "tools").1.contains("settings.json` cannot be understood"),
        "{report:#}"
    );
}

#[test]
fn git_is_checked() {
    let place = Place::new();
    let bare = diagnosed(&place, &[]);
    assert_eq!(check(&bare, "git").0, "warning");
    assert!(check(&bare, "git").1.starts_with("not found on the `PATH`"), "{bare:#}");
    std::fs::create_dir(place.path().join("empty/git")).unwrap();
    let report = diagnosed(&place, &[]);
    assert!(check(&report, "git").1.starts_with("cannot run `git --version`"), "{report:#}");
    std::fs::remove_dir(place.path().join("empty/git")).unwrap();
    let script =
        |inside: &str| format!("case $1 in --version) echo git version 9;; *) {inside};; esac");
    for (inside, words) in
        [("echo true", "is inside a working tree"), ("exit 128", "is not inside a working tree")]
    {
        install(&place, "git", &script(inside));
        let report = diagnosed(&place, &[]);
        assert_eq!(check(&report, "git").0, "ok");
        assert!(check(&report, "git").1.ends_with(words), "{report:#}");
    }
}

#[test]
fn the_tracker_is_optional() {
    let place = Place::new();
    let (found, path) = (diagnosed(&place, &[]), "[PLACE]/empty/bd");
    let (status, words, fix) = check(&found, "bd");
    assert!(words.starts_with("optional, not on the `PATH`"), "{words}");
    assert!(words.contains("`surefire run implement-and-review \"…\"`"), "{words}");
    assert_eq!((status, fix), ("ok", ""));
    for (script, words) in [
        ("echo bd version 0.29", format!("bd version 0.29, `{path}`")),
        ("exit 1", format!("`{path}`, but `bd --version` failed")),
    ] {
        install(&place, "bd", script);
        assert_eq!(check(&diagnosed(&place, &[]), "bd"), ("ok", words.as_str(), ""));
    }
}

#[test]
fn problems_with_files_are_reported_and_not_changed() {
    let place = Place::new();
    place.run(&["key"]).ok();
    assert_eq!(check(&diagnosed(&place, &[]), "key").0, "ok");
    let set = |path: &Path, mode| {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    };
    set(&place.data(), 0o755);
    set(&place.data().join("api-key"), 0o644);
    let before = contents(place.path());
    let report = diagnosed(&place, &["--root", "/nowhere/at/all", "--root", "."]);
    assert_eq!(contents(place.path()), before);
    let (status, found, fix) = check(&report, "data directory");
    assert!(
        status == "warning" && found.contains("mode 755") && fix.contains("chmod 700"),
        "{report:#}"
    );
    let (status, found, fix) = check(&report, "key");
    assert!(
        status == "failed" && found.contains("read by others") && fix.contains("chmod 600"),
        "{report:#}"
    );
    assert_eq!(
        check(&report, "roots"),
        (
            "warning",
            "no such directory: `/nowhere/at/all`",
            "create it, or remove it from the roots"
        )
    );
    assert_eq!(check(&diagnosed(&place, &["--root", "/nowhere"]), "roots").0, "failed");

    let report = diagnosed(&place, &["--key-file", "."]);
    assert!(
        check(&report, "key").2.contains("--key-file"),
        "the doctor does not suggest the doctor: {report:#}"
    );

    let file = place.data().join("api-key");
    let report = diagnosed(&place, &["--data", file.to_str().unwrap(), "--key-file", "none"]);
    assert!(
        check(&report, "data directory").1.ends_with("cannot be used: it is a file"),
        "{report:#}"
    );
    let below = file.join("below");
    let report = diagnosed(&place, &["--data", below.to_str().unwrap()]);
    assert_eq!(check(&report, "data directory").0, "failed");
}

#[test]
fn a_store_from_the_future_is_a_warning_about_the_clock() {
    let place = Place::new();
    place.run(&["key"]).ok();
    let file = std::fs::File::create(place.data().join("surefire.db")).unwrap();
    assert_eq!(check(&diagnosed(&place, &[]), "clock").0, "ok");
    file.set_modified(SystemTime::now() + Duration::from_secs(24 * 60 * 60)).unwrap();
    assert_eq!(check(&diagnosed(&place, &[]), "clock").0, "warning");
}

#[test]
fn the_server_of_the_data_directory_is_recognized() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let holder = format!("the server with pid {} at {}", server.child.id(), server.address());
    let report = diagnosed(&place, &["--listen", server.address()]);
    assert_eq!(
        check(&report, "address"),
        ("ok", &*format!("{} is in use by {holder}", server.address()), "")
    );
    let (status, found, _) = check(&report, "data directory");
    assert!(status == "ok" && found.ends_with(&format!("in use by {holder}")), "{found}");

    let is_about_the_socket = |check: &&Value| check["name"] == "local socket";
    assert!(checks(&report).iter().find(is_about_the_socket).is_none(), "{report:#}");
    std::fs::remove_file(place.data().join("socket")).unwrap();
    let report = diagnosed(&place, &["--listen", server.address()]);
    let (status, found, fix) = check(&report, "local socket");
    assert!(
        status == "warning" && found.contains(server.address()) && fix.contains("--data"),
        "{report:#}"
    );

    let other = Place::new();
    let report = diagnosed(&other, &["--listen", server.address()]);
    let (status, found, _) = check(&report, "address");
    assert!(status == "failed" && found.contains("cannot listen"), "{found}");
    assert_eq!(check(&diagnosed(&other, &["--listen", "0.0.0.0:0"]), "address").0, "failed");
    assert_eq!(check(&diagnosed(&other, &["--listen", "0.0.0.0:0", "--lan"]), "address").0, "ok");
}

#[test]
fn every_configuration_error_is_listed_and_valid_settings_apply() {
    let place = Place::new();
    let file = place.path().join("config.toml");
    std::fs::write(&file, "listn = 1\nparallel = 7\nlan = 3\n").unwrap();
    let report = diagnosed(&place, &["--config", file.to_str().unwrap()]);
    let wrong: Vec<_> =
        checks(&report).iter().filter(|check| check["name"] == "configuration").collect();
    assert_eq!(wrong.len(), 2, "{report:#}");
    assert_eq!(wrong[0]["fix"], "did you mean `listen`?");
    let rows = report["settings"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == "parallel").unwrap();
    assert_eq!(
        (&row["value"], &row["source"]),
        (&"7".into(), &"line 2 of `[PLACE]/config.toml`".into())
    );
}

#[test]
fn the_doctor_reports_an_unknown_variable() {
    let place = Place::new();
    let mut command = place.surefire(&["doctor", "--listen", "127.0.0.1:0"]);
    let output =
        CommandOutput::of(command.env("SUREFIRE_LISTN", "x").env("SUREFIRE_ATTEMPT", "x"), &place)
            .ok();
    assert!(output.contains("`SUREFIRE_LISTN` has no effect"), "{output}");
    assert!(
        output.contains("did you mean `SUREFIRE_LISTEN`?") && !output.contains("SUREFIRE_ATTEMPT"),
        "{output}"
    );
}
