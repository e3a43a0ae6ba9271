//! Help, and the errors of invalid command lines.

use std::fmt::Write as _;

use crate::command::{CommandOutput, Place};
use crate::snapshot::hold;

/// The commands, as help lists them.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run(&["-h"]).ok();
    let list = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.split_whitespace().next());
    // `help` only prints the help of the others.
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn help_is_a_command_too() {
    let place = Place::new();
    assert_eq!(place.run(&["help", "why"]).ok(), place.run(&["why", "--help"]).ok());
}

#[test]
fn every_command_explains_itself_within_a_hundred_columns() {
    let place = Place::new();
    let commands = commands(&place);
    assert!(commands.len() >= 12, "{commands:?}");
    for (name, words) in commands
        .iter()
        .map(|command| (command.as_str(), vec![command.as_str(), "--help"]))
        .chain([("surefire", vec!["--help"]), ("surefire-in-short", vec!["-h"])])
    {
        let help = place.run(&words).ok();
        let wide = help.lines().find(|line| line.chars().count() > 100 || line.ends_with(' '));
        assert_eq!(wide, None, "{name}");
        hold(&format!("help-{name}"), &help);
    }
    for command in ["recipes", "show", "reasons", "read", "completions"] {
        let help = place.run(&[command, "--help"]).ok();
        assert!(help.contains("\nExamples:\n  "), "{command}");
    }
}

#[test]
fn the_version_is_one_line() {
    let version = Place::new().run(&["--version"]).ok();
    assert_eq!(version, format!("surefire {}\n", env!("CARGO_PKG_VERSION")));
}

/// Mistakes that people make, one of each kind.
const WRONG: &[&[&str]] = &[
    &["--nonsense"],
    &["recipes", "--jsn"],
    &["recipes", "--listen", "x"],
    &["serve", "--port", "1"],
    &["rnu"],
    &["xyzzy"],
    &["rebase"],
    &["--", "recipes"],
    &["recipes", "rebase"],
    &["--agent", "robot"],
    &["--agent", "rehersal"],
    &["--rehearse", "hapy"],
    &["--permission-mode", "bypass"],
    &["--allow-tool", "*"],
    &["--allow-tool", "cargo*"],
    &["--allow-tool", ""],
    &["--agent"],
    &["--agent-path="],
    &["--listen", "here"],
    &["--listen", "8080"],
    &["--parallel", "0"],
    &["--allow-host", ""],
    &["run", "rebase", "--budget-usd", "-1"],
    &["run", "implement-and-review", "fix", "the", "rounding"],
    &["--parallel", "many"],
    &["run", "rebase", "--untrusted", "skp"],
    &["run", "rebase", "--trust", "--untrusted=skip"],
    &["run", "rebase", "--allow-drity"],
    &["resume", "--allow-dirty"],
    &["merge"],
    &["discard", "3f2a8c1e", "--no"],
    &["trust", ".", "--list"],
    &["trst"],
    &["--color", "sometimes"],
    &["--json=yes"],
    &["-q", "-v", "recipes"],
    &["recipes", "--color=auto", "--color=auto"],
    &["--lan", "recipes"],
    &["--listen", "127.0.0.1:0", "serve"],
    &["show"],
    &["show", "rebas"],
    &["show", "xyzzy"],
    &["show", "rebase", "--format", "svg"],
    &["reasons", "timeot"],
    &["reasons", "timeout:now"],
    &["read"],
    &["read", "--outcomes="],
    &["read", "--outcomes", "a,,b"],
    &["read", "--outcomes", "a,b,a"],
    &["read", "--outcomes", "a", "--recipe", "rebase", "--step", "fix"],
    &["read", "--recipe", "rebase"],
    &["read", "--recipe", "rebas", "--step", "fix"],
    &["read", "--recipe", "rebase", "--step", "fox"],
    &["completions"],
    &["completions", "bsh"],
];

#[test]
fn a_usage_error_has_its_own_exit_status_and_a_hint() {
    let place = Place::new();
    let mut all = String::new();
    for words in WRONG {
        let error = place.run(words).failure(64);
        assert!(error.starts_with("error: ") && error.ends_with('\n'), "{error}");
        // clap's own messages point to the help, those of this crate to a command.
        let has_hint = error.ends_with("\nFor more information, try '--help'.\n")
            || error
                .lines()
                .last()
                .is_some_and(|line| line.starts_with("  fix: ") && line.contains("`surefire "));
        assert!(has_hint, "{error}");
        writeln!(all, "$ surefire {}\n{error}", words.join(" ")).unwrap();
    }
    hold("wrong-usage", &all);
    assert!(!place.data().exists() && !place.home().join(".local").exists(), "nothing was created");
}

#[test]
fn global_options_work_before_and_after_the_command() {
    let place = Place::new();
    let plain = place.run(&["recipes"]).ok();
    assert_eq!(place.run(&["-q", "--log-format", "json", "recipes"]).ok(), plain);
    assert_eq!(place.run(&["recipes", "-vv", "--color", "never"]).ok(), plain);
}

#[test]
fn invalid_arguments_are_quoted_on_one_line() {
    let place = Place::new();
    let long = "x".repeat(5000);
    for word in ["a\nb", "\u{1b}[2J", "日本語", long.as_str()] {
        let error = place.run(&[word]).failure(64);
        let [_, usage, help] = error.split("\n\n").collect::<Vec<_>>()[..] else {
            panic!("{error:?}");
        };
        assert!(usage.starts_with("Usage: ") && usage.lines().count() == 1, "{error:?}");
        assert_eq!(help.lines().count(), 1, "{error:?}");
        assert!(!error.contains('\u{1b}') && error.len() < 600, "{error:?}");
    }
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let place = Place::new();
    let coloured = |words: &[&str], variable: Option<(&str, &str)>| {
        let mut command = place.surefire(words);
        command.envs(variable);
        let output = CommandOutput::of(&mut command, &place);
        (output.stdout + &output.stderr).contains('\u{1b}')
    };
    for words in
        [&["recipes"][..], &["show", "rebase"], &["--help"], &["show", "--help"], &["--nonsense"]]
    {
        let with = |colour: &'static str| [words, &["--color", colour]].concat();
        assert!(!coloured(words, None), "a pipe: {words:?}");
        assert!(coloured(words, Some(("CLICOLOR_FORCE", "1"))), "{words:?}");
        assert!(!coloured(words, Some(("NO_COLOR", "1"))), "{words:?}");
        assert!(coloured(&with("always"), Some(("NO_COLOR", "1"))), "{words:?}");
        assert!(!coloured(&with("never"), Some(("CLICOLOR_FORCE", "1"))), "{words:?}");
    }
    assert!(!coloured(&["recipes", "--json", "--color", "always"], None), "JSON has no colours");
}

#[test]
fn closed_output_does_not_change_the_exit_status() {
    let place = Place::new();
    let statuses: [(&[&str], i32); 7] = [
        (&["--help"], 0),
        (&["recipes"], 0),
        (&["show", "refine-design"], 0),
        (&["show", "refine-design", "--format", "json"], 0),
        (&["reasons", "--json"], 0),
        (&["completions", "zsh"], 0),
        (&["--nonsense"], 64),
    ];
    for (words, status) in statuses {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = place.surefire(words);
        command.stdout(writer.try_clone().unwrap()).stderr(writer);
        assert_eq!(command.status().unwrap().code(), Some(status), "{words:?}");
    }
}

/// `cli::main` is the command of other authors' binaries too.
#[test]
fn a_renamed_command_uses_its_own_name() {
    let place = Place::new();
    let mill = place.path().join("mill");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_surefire"), &mill).unwrap();
    let run_mill = |words: &[&str]| CommandOutput::of(&mut place.program(&mill, words), &place);
    let help = run_mill(&["--help"]).ok();
    assert!(
        help.contains("Usage: mill [OPTIONS] [COMMAND]") && !help.contains("  surefire"),
        "{help}"
    );
    let help = run_mill(&["read", "--help"]).ok();
    assert!(help.contains("Usage: mill read") && help.contains("| mill read --outcomes"), "{help}");
    let error = run_mill(&["show", "rebas"]).failure(64);
    assert!(error.contains("`mill recipes` lists"), "{error}");
    let error = run_mill(&["show"]).failure(64);
    assert!(error.contains("Usage: mill show"), "{error}");
    assert!(run_mill(&["completions", "bash"]).ok().contains("complete -F _mill"));
    for command in commands(&place) {
        let help = run_mill(&[&command, "--help"]).ok();
        assert!(!help.contains("surefire"), "{help}");
    }
    std::fs::write(place.path().join("config.toml"), "xyzzy = 1").unwrap();
    let error = run_mill(&["key", "--config", "../config.toml"]).failure(64);
    assert!(error.contains("`mill doctor` lists"), "{error}");
}
