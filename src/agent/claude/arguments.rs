//! The command line of a turn. Its shape is fixed, and the only user-supplied text on it is
//! validated command patterns.
//!
//! The prompt is written to standard input: as an argument, a prompt of `--version` would be a
//! flag, and Linux limits an argument to 131,071 bytes. The system prompt is in a file for the same
//! reasons.

use std::ffi::OsString;
use std::path::Path;

use uuid::Uuid;

use super::models;
use super::options::PermissionMode;
use super::permissions;
use super::repository::LeftOut;
use crate::agent::{Failure, Turn};

/// How a conversation is passed to the CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// The conversation is new. The CLI refuses an id it has seen before.
    New,
    /// The conversation exists. The CLI refuses an id it has not seen.
    Resume,
}

impl Opening {
    fn flag(self) -> &'static str {
        match self {
            Self::New => "--session-id",
            Self::Resume => "--resume",
        }
    }
}

/// The arguments for this turn. `system_prompt` is the file with the system prompt, `operator` the
/// mode that the operator chose, and `left_out` the repository settings to ignore.
///
/// # Errors
/// The turn is invalid: an unknown model, or an empty budget.
pub(super) fn arguments(
    turn: &Turn,
    opening: Opening,
    operator: Option<PermissionMode>,
    left_out: &LeftOut,
    system_prompt: Option<&Path>,
) -> Result<Vec<OsString>, Failure> {
    let mut arguments: Vec<OsString> =
        ["-p", "--output-format", "stream-json", "--verbose"].map(Into::into).into();
    if let Some(file) = system_prompt {
        // 2.1.325 accepts it, although its help barely mentions it.
        arguments.extend(["--append-system-prompt-file".into(), file.into()]);
    }
    arguments.extend(left_out.flags());
    arguments.extend(permissions::flags(turn, operator));
    let mut add = |flag: &str, value: String| arguments.extend([flag.into(), value.into()]);
    add(opening.flag(), spelled(turn.session));
    if let Some(model) = &turn.model {
        models::check(model)?;
        add("--model", model.clone());
    }
    if let Some(rounds) = turn.limits.rounds {
        add("--max-turns", rounds.to_string());
    }
    if let Some(budget) = turn.limits.budget_usd {
        // The CLI would treat a budget of `NaN` as no limit.
        if !budget.is_finite() || budget <= 0.0 {
            return Err(Failure::BudgetSpent { words: format!("the budget is empty (${budget})") });
        }
        add("--max-budget-usd", budget.to_string());
    }
    Ok(arguments)
}

/// An id as the CLI writes it in file names.
pub(super) fn spelled(session: Uuid) -> String {
    session.as_hyphenated().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;
    use crate::agent::{RepositorySettings, TurnLimits};

    const ID: &str = "6b41d58b-4d69-4a85-b28f-b91d0d943f21";

    fn turn() -> Turn {
        Turn {
            attempt: Uuid::from_u128(1),
            session: Uuid::parse_str(ID).unwrap(),
            opened: false,
            prompt: "--version; rm -rf ~".to_owned(),
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

    fn line(turn: &Turn, opening: Opening) -> String {
        line_with(turn, opening, None)
    }

    fn line_with(turn: &Turn, opening: Opening, system_prompt: Option<&str>) -> String {
        let file = system_prompt.map(Path::new);
        let arguments = arguments(turn, opening, None, &LeftOut::look(turn), file).unwrap();
        arguments.join(" ".as_ref()).into_string().unwrap()
    }

    #[test]
    fn the_shape_is_fixed() {
        let always = "-p --output-format stream-json --verbose --permission-mode acceptEdits";
        assert_eq!(line(&turn(), Opening::New), format!("{always} --session-id {ID}"));
        let limits =
            TurnLimits { rounds: Some(7), budget_usd: Some(0.25), ..TurnLimits::default() };
        let full = Turn { model: Some("opus".to_owned()), limits, ..turn() };
        assert_eq!(
            line(&full, Opening::Resume),
            format!("{always} --resume {ID} --model opus --max-turns 7 --max-budget-usd 0.25")
        );
    }

    /// A list extends to the next flag, so it must not come last.
    #[test]
    fn the_lists_of_tools_end_with_another_flag() {
        let tools = Some(vec![Tool::Edit, Tool::Command("git commit *".into())]);
        assert_eq!(
            line(&Turn { tools, ..turn() }, Opening::New),
            format!(
                "-p --output-format stream-json --verbose --permission-mode acceptEdits --allowedTools \
                 Bash(git commit *) --disallowedTools WebFetch WebSearch --session-id {ID}"
            )
        );
    }

    /// The directory to add is a list as well.
    #[test]
    fn the_flags_that_ignore_a_repositorys_settings_come_before_another_flag() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        std::fs::write(top.join(".mcp.json"), "{}").unwrap();
        let repository = RepositorySettings::LeftOut;
        assert_eq!(
            line(&Turn { repository, directory: top.clone(), ..turn() }, Opening::New),
            format!(
                "-p --output-format stream-json --verbose --setting-sources user --strict-mcp-config --add-dir {} \
                 --permission-mode acceptEdits --session-id {ID}",
                top.display()
            )
        );
    }

    #[test]
    fn a_system_prompt_is_in_a_file() {
        let prompted = Turn { system_prompt: Some("--version".to_owned()), ..turn() };
        let line = line_with(&prompted, Opening::Resume, Some("/data/words"));
        assert!(line.contains(" --append-system-prompt-file /data/words "), "{line}");
        assert!(!line.contains("--version"), "{line}");
    }

    #[test]
    fn small_budgets_are_written_in_full() {
        let limits = TurnLimits { budget_usd: Some(1e-7), ..TurnLimits::default() };
        assert!(
            line(&Turn { limits, ..turn() }, Opening::New).ends_with("--max-budget-usd 0.0000001")
        );
    }

    #[test]
    fn an_unknown_model_or_an_invalid_budget_is_refused() {
        let refused = Turn { model: Some("--dangerously-skip-permissions".to_owned()), ..turn() };
        let failure =
            arguments(&refused, Opening::New, None, &LeftOut::look(&refused), None).unwrap_err();
        assert!(matches!(failure, Failure::UnknownModel { .. }), "{failure}");
        for budget in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let limits = TurnLimits { budget_usd: Some(budget), ..TurnLimits::default() };
            let turn = Turn { limits, ..turn() };
            let failure =
                arguments(&turn, Opening::New, None, &LeftOut::look(&turn), None).unwrap_err();
            assert!(matches!(failure, Failure::BudgetSpent { .. }), "{budget}: {failure}");
        }
    }
}
