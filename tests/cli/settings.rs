//! Settings from the environment and the configuration file, and which source takes precedence.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use serde_json::Value;
use surefire_testkit::app::App;

use crate::command::{CommandOutput, Place};
use crate::snapshot;

/// Writes this configuration file to the platform's default path.
fn configured(place: &Place, text: &str) -> PathBuf {
    let directory =
        if cfg!(target_os = "macos") { "Library/Application Support" } else { ".config" };
    let folder = place.home().join(directory).join("surefire");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
    folder.join("config.toml")
}

/// A setting's value and its source, as `doctor` reports them.
fn setting(
    place: &Place,
    name: &str,
    words: &[&str],
    variables: &[(&str, &str)],
) -> (Value, String) {
    let mut command = place.surefire(&["doctor", "--json"]);
    let output = CommandOutput::of(command.args(words).envs(variables.iter().copied()), place);
    let report: Value =
        serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{}", output.stderr));
    let row = report["settings"].as_array().unwrap().iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("there is a setting {name}"));
    (row["value"].clone(), row["source"].as_str().unwrap().to_owned())
}

/// The path of a file as the output shows it.
fn shown(place: &Place, file: &std::path::Path) -> String {
    file.display().to_string().replace(&place.path().display().to_string(), "[PLACE]")
}

#[test]
fn the_command_line_overrides_the_environment_the_file_and_the_default() {
    let place = Place::new();
    let word = |value: &str, source: &str| (Value::from(value), source.to_owned());
    let ask =
        |words: &[&str], variables: &[(&str, &str)]| setting(&place, "listen", words, variables);
    let variable = [("SUREFIRE_LISTEN", "127.0.0.1:2")];
    assert_eq!(ask(&[], &[]), word("127.0.0.1:8080", "default"));
    let file = configured(&place, "# where\n\nlisten = \"127.0.0.1:3\"\n");
    let line = format!("line 3 of `{}`", shown(&place, &file));
    assert_eq!(ask(&[], &[]), word("127.0.0.1:3", &line));
    assert_eq!(ask(&[], &variable), word("127.0.0.1:2", "`SUREFIRE_LISTEN`"));
    assert_eq!(ask(&["--listen", "127.0.0.1:1"], &variable), word("127.0.0.1:1", "command line"));
    assert_eq!(
        ask(&[], &[("SUREFIRE_LISTEN", "")]),
        word("127.0.0.1:3", &line),
        "an empty value counts as unset"
    );
}

#[test]
fn a_named_file_replaces_the_default_one() {
    let place = Place::new();
    configured(&place, "parallel = 3\n");
    for (name, number) in [("one.toml", 4), ("two.toml", 5)] {
        std::fs::write(place.path().join(name), format!("parallel = {number}")).unwrap();
    }
    let (one, two) = (place.path().join("one.toml"), place.path().join("two.toml"));
    let variable = [("SUREFIRE_CONFIG", one.to_str().unwrap())];
    let ask = |words: &[&str], variables: &[(&str, &str)]| {
        setting(&place, "parallel", words, variables).0
    };
    assert_eq!(ask(&[], &[]), "3");
    assert_eq!(ask(&[], &variable), "4");
    assert_eq!(ask(&["--config", two.to_str().unwrap()], &variable), "5");

    let missing = place.path().join("none.toml");
    let error = place.run(&["key", "--config", missing.to_str().unwrap()]).failure(64);
    assert!(error.contains("`[PLACE]/none.toml` cannot be read"), "{error}");
}

#[test]
fn a_relative_configuration_directory_is_ignored() {
    if cfg!(target_os = "macos") {
        return;
    }
    let place = Place::new();
    configured(&place, "parallel = 3\n");
    let here = place.project().join("surefire");
    std::fs::create_dir(&here).unwrap();
    std::fs::write(here.join("config.toml"), "parallel = 4\n").unwrap();
    let project = place.project();
    let ask = |folder: &str| setting(&place, "parallel", &[], &[("XDG_CONFIG_HOME", folder)]).0;
    assert_eq!(ask("."), "3", "nothing is read from the current directory");
    assert_eq!(ask(project.to_str().unwrap()), "4");
}

#[test]
fn paths_in_the_file_are_relative_to_it_or_to_the_home() {
    let place = Place::new();
    let file = configured(
        &place,
        "root = ['~/work', 'near', '/far']\nkey-file = '~'\nagent-path = '~x'\n",
    );
    let beside = shown(&place, file.parent().unwrap());
    let ask = |name: &str| setting(&place, name, &[], &[]).0;
    let text = |value: Value| {
        value.as_str().unwrap().replace(&place.path().display().to_string(), "[PLACE]")
    };
    assert_eq!(text(ask("root")), format!("[PLACE]/home/work, {beside}/near, /far"));
    assert_eq!(text(ask("key-file")).trim_end_matches('/'), "[PLACE]/home");
    assert_eq!(text(ask("agent-path")), format!("{beside}/~x"), "only `~/` is the home");
}

#[test]
fn a_list_may_be_one_string_and_the_command_line_replaces_all_of_it() {
    let place = Place::new();
    configured(&place, "allow-host = 'one'\nroot = ['/a', '/b']\n");
    let ask = |name: &str, words: &[&str], variables: &[(&str, &str)]| {
        setting(&place, name, words, variables).0
    };
    assert_eq!(ask("allow-host", &[], &[]), "one");
    assert_eq!(ask("allow-host", &[], &[("SUREFIRE_ALLOW_HOST", "two,three")]), "two, three");
    assert_eq!(ask("root", &[], &[("SUREFIRE_ROOT", "/c:/d")]), "/c, /d");
    assert_eq!(ask("root", &["--root", "/e"], &[("SUREFIRE_ROOT", "/c:/d")]), "/e");
}

#[test]
fn a_switch_can_be_turned_off_again() {
    let place = Place::new();
    configured(&place, "lan = true\n");
    let ask =
        |words: &[&str], variables: &[(&str, &str)]| setting(&place, "lan", words, variables).0;
    assert_eq!(ask(&[], &[]), "true");
    assert_eq!(ask(&["--lan=false"], &[]), "false");
    assert_eq!(ask(&[], &[("SUREFIRE_LAN", "0")]), "0");
    let words = ["doctor", "--listen", "0.0.0.0:0"];
    assert!(
        !place.run(&words).stdout.contains("which needs `--lan`"),
        "the file allows other machines"
    );
    let output = CommandOutput::of(place.surefire(&words).env("SUREFIRE_LAN", "0"), &place);
    assert!(
        output.stdout.contains("which needs `--lan`"),
        "the environment does not: {}",
        output.stdout
    );
}

#[test]
fn an_error_in_a_file_names_its_line() {
    let place = Place::new();
    let mut all = String::new();
    for text in [
        "listen = '127.0.0.1:1'\n\nlistn = '127.0.0.1:2'\n",
        "agent_path = '/bin/x'\n",
        "verbose = 2\n",
        "lan = 3\n",
        "parallel = 'two'\n",
        "root = ['/a', 3]\n",
        "listen = ['127.0.0.1:1']\n",
        "[serve]\nlisten = '127.0.0.1:1'\n",
        "serve.listen = '127.0.0.1:1'\n",
        "lan = true\nlan = false\n",
        "lan true\n",
        "\nlisten = 'here'\n",
        "agent = 'someone'\n",
        "parallel = -1\n",
        "lan = true # \u{1b}[2J\n",
        "data = ''\n",
        "root = ['/a', '']\n",
        "parallel = 0\n",
        "max-connections = 0\n",
        "max-unauthenticated = -1\n",
        "max-message-size = 12.5\n",
        "max-message-size = 12\n",
        "max-message-size = '12'\n",
        "max-reply-size = 'large'\n",
        "auth-timeout = '0s'\n",
    ] {
        let file = configured(&place, text);
        let error = place.run(&["key"]).failure(64);
        assert_eq!(error.lines().count(), 3, "{error}");
        assert!(!place.data().exists(), "nothing was created");
        all.extend([error.replace(&shown(&place, &file), "[FILE]"), "\n".to_owned()]);
    }
    snapshot::hold("broken_configuration", &all);
}

#[test]
fn the_servers_limits_can_be_set_by_flag_file_and_environment() {
    let place = Place::new();
    let ask = |name: &str, words: &[&str], variables: &[(&str, &str)]| {
        setting(&place, name, words, variables).0
    };
    assert_eq!(ask("max-connections", &[], &[]), "64");
    assert_eq!(ask("max-message-size", &[], &[]), "256KiB");
    for size in ["max-message-size", "max-reply-size", "max-queued-size"] {
        configured(&place, &format!("{size} = 524_288\n"));
        assert_eq!(ask(size, &[], &[]), "524288");
    }
    configured(&place, "max-connections = 1\nmax-message-size = '2KiB'\n");
    assert_eq!(ask("max-connections", &[], &[]), "1");
    let variable = [("SUREFIRE_MAX_CONNECTIONS", "2")];
    assert_eq!(ask("max-connections", &[], &variable), "2");
    assert_eq!(ask("max-connections", &["--max-connections", "3"], &variable), "3");

    // The server enforces the limits of the file, and the command line overrides them.
    for (words, clients) in [(&[][..], 1), (&["--max-connections", "2"], 2)] {
        let (_server, ready) = place.serve(words);
        let address =
            ready["ws_url"].as_str().unwrap().trim_start_matches("ws://").parse().unwrap();
        let key = std::fs::read_to_string(ready["key_file"].as_str().unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut apps = Vec::new();
            for _ in 0..clients {
                apps.push(App::connect_with(address, key.trim(), "0.5.0").await);
            }
            assert!(App::try_dial(address).await.is_none(), "there is no room for one more");
            apps[0].send_text("x".repeat(3000)).await;
            let why = apps[0].closed().await.expect("the server says why");
            assert_eq!(u16::from(why.code), 1009, "the message is too large");
        });
    }
}

#[test]
fn an_error_in_the_environment_names_the_variable() {
    let place = Place::new();
    for (name, value, words) in [
        ("SUREFIRE_LISTEN", "here", "`SUREFIRE_LISTEN`: expected an address with a port"),
        ("SUREFIRE_LISTEN", "here", "fix: write one such as 127.0.0.1:8080"),
        ("SUREFIRE_AGENT", "someone", "use one of `auto`, `claude`, `rehearsal`"),
        ("SUREFIRE_LAN", "perhaps", "`lan` cannot be `perhaps`"),
        (
            "SUREFIRE_MAX_CONNECTIONS",
            "0",
            "`SUREFIRE_MAX_CONNECTIONS`: expected a whole number of at least 1",
        ),
        ("SUREFIRE_MAX_MESSAGE_SIZE", "big", "fix: write it as 256KiB, 4MiB or a number of bytes"),
        ("SUREFIRE_CONFIG", "/nowhere/at/all", "remove `SUREFIRE_CONFIG`"),
    ] {
        let output =
            CommandOutput::of(place.surefire(&["key"]).env(name, value), &place).failure(64);
        assert!(output.lines().count() == 3 && output.contains(words), "{output}");
    }
}

#[test]
fn a_variable_that_is_not_utf_8_is_refused_for_that_reason() {
    let place = Place::new();
    let value = std::ffi::OsStr::from_bytes(b"\xff");
    let output = CommandOutput::of(place.surefire(&["key"]).env("SUREFIRE_MODEL", value), &place)
        .failure(64);
    assert!(output.contains("why: `SUREFIRE_MODEL`: it is not valid UTF-8\n"), "{output}");
}

/// The command runs in the repository, and reads none of the files there as settings.
#[test]
fn a_repository_cannot_change_a_setting() {
    let place = Place::new();
    let (value, source) = setting(&place, "parallel", &[], &[]);
    assert_eq!(source, "default");
    for file in ["config.toml", "surefire.toml", ".config/surefire/config.toml", ".env"] {
        let file = place.project().join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "parallel = 77\nSUREFIRE_PARALLEL=77\n").unwrap();
        assert_eq!(setting(&place, "parallel", &[], &[]), (value.clone(), source.clone()));
        std::fs::write(&file, "parallel = 77\n").unwrap();
        assert_eq!(setting(&place, "parallel", &[], &[]), (value.clone(), source.clone()));
    }
}

#[test]
fn a_configuration_file_is_limited_to_1_mib() {
    let place = Place::new();
    let output = place.run(&["key", "--config", "/dev/zero"]).failure(64);
    assert!(output.contains("why: it is larger than 1024 KiB\n"), "{output}");
    configured(&place, &format!("parallel = 3\n#{}\n", "x".repeat((1 << 20) - 15)));
    assert_eq!(setting(&place, "parallel", &[], &[]).0, "3", "1 MiB is read");
}

#[test]
fn help_works_with_an_invalid_file() {
    let place = Place::new();
    configured(&place, "nonsense");
    for words in [&["--help"][..], &["serve", "--help"], &["--version"], &["recipes"]] {
        place.run(words).ok();
    }
}
