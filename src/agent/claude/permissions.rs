//! Translating a step's tools to the CLI's flags, for every version.

use std::ffi::OsString;

use super::options::PermissionMode;
use crate::Tool;
use crate::agent::Turn;

/// Disallowed in a turn that may not edit. In every mode, the model does not even see a disallowed
/// tool.
const EDITING: [&str; 3] = ["Edit", "Write", "NotebookEdit"];
const WEB: [&str; 2] = ["WebFetch", "WebSearch"];

/// The flags for the tools of this turn. `operator` is the mode that the operator chose, if any.
///
/// If the author listed tools, all others are disallowed, and the mode follows from the list: only
/// in `acceptEdits` may commands such as `sed -i` write files, so a turn without `edit` is never in
/// that mode. Without a list, nothing is disallowed.
pub(super) fn flags(turn: &Turn, operator: Option<PermissionMode>) -> Vec<OsString> {
    let listed = turn.tools.as_deref();
    let tools: Vec<&Tool> = listed.unwrap_or_default().iter().chain(&turn.allowed).collect();
    let may = |tool: &Tool| listed.is_none() || tools.contains(&tool);

    let derived =
        if may(&Tool::Edit) { PermissionMode::AcceptEdits } else { PermissionMode::Manual };
    let mode = operator.unwrap_or(derived).flag();
    let mut flags: Vec<OsString> = vec!["--permission-mode".into(), mode.into()];
    // One argument per pattern, since a pattern contains spaces.
    let mut add = |flag: &str, names: Vec<String>| {
        if !names.is_empty() {
            flags.push(flag.into());
            flags.extend(names.into_iter().map(OsString::from));
        }
    };
    let mut allowed = Vec::new();
    for rule in tools.iter().flat_map(|tool| rules(tool)) {
        if !allowed.contains(&rule) {
            allowed.push(rule);
        }
    }
    add("--allowedTools", allowed);
    let disallowed = |tool, names: &[&str]| -> Vec<String> {
        if may(&tool) { Vec::new() } else { names.iter().map(|&name| name.to_owned()).collect() }
    };
    add(
        "--disallowedTools",
        [disallowed(Tool::Edit, &EDITING), disallowed(Tool::Web, &WEB)].concat(),
    );
    flags
}

/// The rules that allow a tool. Reading needs none, and editing is a mode: a rule for it would
/// allow writing anywhere.
fn rules(tool: &Tool) -> Vec<String> {
    match tool {
        Tool::Read | Tool::Edit => Vec::new(),
        Tool::Web => WEB.map(str::to_owned).into(),
        Tool::Command(pattern) => match pattern.parse() {
            Ok(Tool::Command(pattern)) => vec![format!("Bash({pattern})")],
            // An unvalidated pattern could end the rule and begin another one.
            Ok(Tool::Read | Tool::Edit | Tool::Web) | Err(_) => {
                tracing::warn!(%pattern, "ignored an invalid tool pattern");
                Vec::new()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{RepositorySettings, TurnLimits};

    fn turn() -> Turn {
        Turn {
            attempt: uuid::Uuid::nil(),
            session: uuid::Uuid::nil(),
            opened: false,
            prompt: "Work.".to_owned(),
            model: None,
            system_prompt: None,
            tools: None,
            allowed: Vec::new(),
            repository: RepositorySettings::Used,
            directory: "/".into(),
            scratch: "/".into(),
            run: None,
            restarts: 0,
            step: None,
            limits: TurnLimits::default(),
        }
    }

    fn parsed(words: &[&str]) -> Vec<Tool> {
        words.iter().map(|word| word.parse().unwrap()).collect()
    }

    fn line(turn: &Turn, operator: Option<PermissionMode>) -> String {
        let flags = flags(turn, operator);
        let flags: Vec<_> = flags.iter().map(|flag| flag.to_str().unwrap()).collect();
        // A pattern is one argument, whatever it looks like when the arguments are joined.
        flags.join("|").replace("--permission-mode|", "")
    }

    /// What the author lists, what the operator adds, and the flags.
    type Row<'a> = (Option<&'a [&'a str]>, &'a [&'a str], String);

    /// Every tool of a recipe, with and without what the operator adds.
    #[test]
    fn each_tool_has_its_flags() {
        const NO_EDIT: &str = "Edit|Write|NotebookEdit";
        const NO_WEB: &str = "WebFetch|WebSearch";
        let no_tools = format!("--disallowedTools|{NO_EDIT}|{NO_WEB}");
        let table: [Row<'_>; 14] = [
            // Without a list of tools, nothing is disallowed.
            (None, &[], "acceptEdits".to_owned()),
            (None, &["edit"], "acceptEdits".to_owned()),
            (
                None,
                &["web", "bd *"],
                "acceptEdits|--allowedTools|WebFetch|WebSearch|Bash(bd *)".to_owned(),
            ),
            (Some(&[]), &[], format!("default|{no_tools}")),
            (Some(&["read"]), &[], format!("default|{no_tools}")),
            (Some(&["edit"]), &[], format!("acceptEdits|--disallowedTools|{NO_WEB}")),
            (
                Some(&["web"]),
                &[],
                format!("default|--allowedTools|WebFetch|WebSearch|--disallowedTools|{NO_EDIT}"),
            ),
            (
                Some(&["edit", "web"]),
                &[],
                "acceptEdits|--allowedTools|WebFetch|WebSearch".to_owned(),
            ),
            (
                Some(&["cargo test *", "make"]),
                &[],
                format!("default|--allowedTools|Bash(cargo test *)|Bash(make)|{no_tools}"),
            ),
            (
                Some(&["edit", "git add *", "git commit *"]),
                &[],
                format!(
                    "acceptEdits|--allowedTools|Bash(git add *)|Bash(git commit *)|--disallowedTools|{NO_WEB}"
                ),
            ),
            // A tool that the operator adds is not disallowed.
            (Some(&["read"]), &["edit"], format!("acceptEdits|--disallowedTools|{NO_WEB}")),
            (
                Some(&["read"]),
                &["web"],
                format!("default|--allowedTools|WebFetch|WebSearch|--disallowedTools|{NO_EDIT}"),
            ),
            (
                Some(&["cargo *"]),
                &["git push *", "cargo *"],
                format!("default|--allowedTools|Bash(cargo *)|Bash(git push *)|{no_tools}"),
            ),
            (Some(&["edit"]), &["read"], format!("acceptEdits|--disallowedTools|{NO_WEB}")),
        ];
        for (tools, allowed, expected) in table {
            let turn = Turn { tools: tools.map(parsed), allowed: parsed(allowed), ..turn() };
            assert_eq!(line(&turn, None), expected, "{tools:?} and {allowed:?}");
        }
    }

    #[test]
    fn an_operators_mode_replaces_the_derived_one_and_keeps_tools_disallowed() {
        let read = Turn { tools: Some(Vec::new()), ..turn() };
        let disallowed = "--disallowedTools|Edit|Write|NotebookEdit|WebFetch|WebSearch";
        let edit = Turn { tools: Some(vec![Tool::Edit, Tool::Web]), ..turn() };
        let table = [
            (PermissionMode::AcceptEdits, "acceptEdits"),
            (PermissionMode::Auto, "auto"),
            (PermissionMode::DontAsk, "dontAsk"),
            // 2.1.325 calls it `manual` and takes both; 2.1.197 knows only this name.
            (PermissionMode::Manual, "default"),
            (PermissionMode::Plan, "plan"),
            (PermissionMode::BypassPermissions, "bypassPermissions"),
        ];
        for (mode, name) in table {
            assert_eq!(line(&read, Some(mode)), format!("{name}|{disallowed}"));
            assert_eq!(
                line(&edit, Some(mode)),
                format!("{name}|--allowedTools|WebFetch|WebSearch")
            );
            assert_eq!(line(&turn(), Some(mode)), name, "where no tools are listed");
        }
    }

    #[test]
    fn a_pattern_that_was_never_validated_allows_nothing() {
        for pattern in ["*", "x) Bash(*", "", "edit", "a\nb"] {
            let tools = vec![Tool::Command(pattern.into()), Tool::Edit, Tool::Web];
            let line = line(&Turn { tools: Some(tools), ..turn() }, None);
            assert_eq!(line, "acceptEdits|--allowedTools|WebFetch|WebSearch", "{pattern:?}");
        }
    }
}
