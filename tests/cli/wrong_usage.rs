//! Help, and what is said about a command that cannot be understood.

use std::fmt::Write as _;

use crate::command::{Place, Said};
use crate::snapshot::hold;

/// The commands, as help lists them.
fn commands(place: &Place) -> Vec<String> {
    let help = place.run(&["-h"]).ok();
    let list =
        help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = list.filter_map(|line| line.split_whitespace().next());
    // It is the way to ask for help itself.
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn help_can_be_asked_for_in_words() {
    let place = Place::new();
    assert_eq!(place.run(&["help", "why"]).ok(), place.run(&["why", "--help"]).ok());
}

#[test]
fn every_command_explains_itself_within_eighty_columns() {
    let place = Place::new();
    let commands = commands(&place);
    assert!(commands.len() >= 12, "{commands:?}");
    for (name, words) in commands
        .iter()
        .map(|command| (command.as_str(), vec![command.as_str(), "--help"]))
        .chain([("surefire", vec!["--help"]), ("surefire-in-short", vec!["-h"])])
    {
        let help = place.run(&words).ok();
        let wide = help.lines().find(|line| line.chars().count() > 80 || line.ends_with(' '));
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

/// What people get wrong, each in its own way.
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
fn wrong_usage_is_told_in_three_lines_and_has_a_status_of_its_own() {
    let place = Place::new();
    let mut told = String::new();
    for words in WRONG {
        let complaint = place.run(words).complaint(64);
        let lines: Vec<_> = complaint.lines().collect();
        let starts = ["error: ", "  why: ", "  fix: "];
        assert_eq!(lines.len(), 3, "{complaint}");
        assert!(lines.iter().zip(starts).all(|(line, start)| line.starts_with(start)), "{complaint}");
        assert!(lines[2].contains("`surefire "), "the fix names a command: {complaint}");
        writeln!(told, "$ surefire {}\n{complaint}", words.join(" ")).unwrap();
    }
    hold("wrong-usage", &told);
    assert!(!place.data().exists() && !place.home().join(".local").exists(), "nothing was begun");
}

#[test]
fn what_holds_everywhere_may_stand_before_the_command_and_after() {
    let place = Place::new();
    let plain = place.run(&["recipes"]).ok();
    assert_eq!(place.run(&["-q", "--log-format", "json", "recipes"]).ok(), plain);
    assert_eq!(place.run(&["recipes", "-vv", "--color", "never"]).ok(), plain);
}

#[test]
fn words_of_any_kind_are_repeated_on_one_line() {
    let place = Place::new();
    let long = "x".repeat(5000);
    for word in ["a\nb", "\u{1b}[2J", "日本語", long.as_str()] {
        let complaint = place.run(&[word]).complaint(64);
        assert_eq!(complaint.lines().count(), 3, "{complaint:?}");
        assert!(!complaint.contains('\u{1b}') && complaint.len() < 600, "{complaint:?}");
    }
}

#[test]
fn colours_are_used_where_they_are_wanted() {
    let place = Place::new();
    let coloured = |words: &[&str], variable: Option<(&str, &str)>| {
        let mut command = place.surefire(words);
        command.envs(variable);
        let said = Said::of(&mut command, &place);
        (said.out + &said.err).contains('\u{1b}')
    };
    for words in [&["recipes"][..], &["show", "rebase"], &["--help"], &["show", "--help"], &["--nonsense"]] {
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
fn nobody_has_to_read_what_is_printed() {
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

/// `cli::main` is also the command of other people's binaries.
#[test]
fn a_command_of_another_name_calls_itself_by_it() {
    let place = Place::new();
    let mill = place.path().join("mill");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_surefire"), &mill).unwrap();
    let said = |words: &[&str]| Said::of(&mut place.program(&mill, words), &place);
    let help = said(&["--help"]).ok();
    assert!(help.contains("Usage: mill [OPTIONS] [COMMAND]") && !help.contains("  surefire"), "{help}");
    let help = said(&["read", "--help"]).ok();
    assert!(help.contains("Usage: mill read") && help.contains("| mill read --outcomes"), "{help}");
    let complaint = said(&["show", "rebas"]).complaint(64);
    assert!(complaint.contains("`mill recipes` lists"), "{complaint}");
    let complaint = said(&["show"]).complaint(64);
    assert!(complaint.contains("`mill show --help`"), "{complaint}");
    assert!(said(&["completions", "bash"]).ok().contains("complete -F _mill"));
    for command in commands(&place) {
        let help = said(&[&command, "--help"]).ok();
        assert!(!help.contains("surefire"), "{help}");
    }
    std::fs::write(place.path().join("config.toml"), "xyzzy = 1").unwrap();
    let complaint = said(&["key", "--config", "../config.toml"]).complaint(64);
    assert!(complaint.contains("`mill doctor` lists"), "{complaint}");
}
