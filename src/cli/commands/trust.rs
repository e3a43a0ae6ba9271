//! `surefire trust`: shows what a repository may do once it is trusted, and records the trust.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::{StartError, TrustError, TrustRecords, TrustState, TrustSubject};
use crate::recipe::Advise;

const EXAMPLES: &str = "\
Examples:
  surefire trust               trust this repository at HEAD
  surefire trust ~/shop        trust another one
  surefire trust --list        list the trusted repositories";

/// The repository's own file with commands and exceptions.
const PROJECT_FILE: &str = "surefire.toml";

/// The files that trust is based on.
const FILES: &str = "surefire.toml, .claude/settings*.json or .mcp.json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Trust {
    /// Directory of the repository, or one below it [default: .]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// List the trusted repositories, and change nothing
    #[arg(long, conflicts_with = "dir")]
    list: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Trust {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let records = TrustRecords::new(data::directory(self.data.data.as_deref())?);
        if self.list {
            return wait(list(context, &records));
        }
        let directory = self.dir.unwrap_or_else(|| PathBuf::from("."));
        wait(async {
            let subject = look(&records, &directory).await?;
            let state = records.state(&subject).map_err(refused)?;
            for line in allowed(&subject, &state) {
                context.console.say(one_line(&line));
            }
            records.trust(&subject).map_err(refused)?;
            let path = records.path();
            context.console.say(one_line(&format!(
                "Trusted until {FILES} changes in HEAD; `{} untrust` withdraws it.",
                program_name()
            )));
            context.console.say(one_line(&format!(
                "Recorded in `{}`, which every run reads when it starts.",
                path.display()
            )));
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// What trusting a directory's repository covers.
async fn look(records: &TrustRecords, directory: &Path) -> Result<TrustSubject, CliError> {
    records.subject(directory).await.map_err(refused)
}

/// The exit status is that of a run that is refused for the same reason.
fn refused(error: TrustError) -> CliError {
    let error = StartError::from(error);
    let fix = error.remedy().is_none().then_some("correct and commit it, then try again");
    let problem = CliError::about("the repository cannot be trusted", &error);
    let problem = match fix {
        Some(fix) => problem.fix(fix),
        None => problem,
    };
    match error.exit() {
        Some(exit) => problem.status(exit.definition().exit_code),
        None => problem,
    }
}

/// What the repository may do once it is trusted, one line each.
fn allowed(subject: &TrustSubject, state: &TrustState) -> Vec<String> {
    let commit = subject.commit.as_deref().unwrap_or("no commit yet");
    let mut lines =
        vec![format!("Repository  {}", subject.top.display()), format!("Commit      {commit}")];
    if let Some(project) = &subject.project {
        let commands = |kind: &'static str, when: &'static str| {
            move |command| format!("{kind}  {command}  ({when})")
        };
        lines.extend(
            project.verify.iter().map(commands("Runs      ", "verify: after steps that edit")),
        );
        lines.extend(
            project.setup.iter().map(commands("Runs      ", "setup: once in each new worktree")),
        );
        if project.allow_lockfiles {
            lines.push(
                "Allows      changes to the lockfiles of package managers (allow_lockfiles)"
                    .to_owned(),
            );
        }
        let allow = project.scope.allow.iter();
        lines
            .extend(allow.map(|pattern| format!("Allows      changes to {pattern} (scope.allow)")));
    }
    let settings = subject.files.keys().filter(|file| *file != PROJECT_FILE);
    lines.extend(
        settings.map(|file| format!("Uses        {file}: the hooks and MCP servers in it run")),
    );
    if subject.files.is_empty() {
        lines.push(format!("Allows      nothing yet: there is no {FILES} in HEAD"));
    }
    if let TrustState::Changed { files } = state {
        lines.push(format!("Changed     {} since the repository was trusted", files.join(", ")));
    }
    lines
}

/// Prints the recorded repositories, and whether each is still trusted.
async fn list(context: &Context, records: &TrustRecords) -> Result<ExitCode, CliError> {
    let directories = records.directories().map_err(refused)?;
    if directories.is_empty() {
        context.console.say("No repository is trusted.");
    }
    for directory in directories {
        let state = standing(records, &directory).await;
        context.console.say(one_line(&format!("{}  {}", directory.display(), state.in_words())));
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the record of a directory is valid.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum Standing {
    /// It is valid.
    Holds,
    /// It is outdated, because these files changed.
    Changed(Vec<String>),
    /// The repository cannot be read, for this reason.
    Gone(String),
}

impl Standing {
    pub(in crate::cli) fn in_words(&self) -> String {
        match self {
            Self::Holds => "trusted".to_owned(),
            Self::Changed(files) => format!("no longer trusted: {} changed", files.join(", ")),
            Self::Gone(why) => format!("no longer trusted: {why}"),
        }
    }
}

/// Checks the record of a repository.
pub(in crate::cli) async fn standing(records: &TrustRecords, directory: &Path) -> Standing {
    let subject = match records.subject(directory).await {
        Ok(subject) => subject,
        Err(error) => return Standing::Gone(error.problem()),
    };
    // A repository in a parent directory is not the one that was trusted.
    if subject.top != directory {
        return Standing::Gone("it is not the top of a git work tree".to_owned());
    }
    match records.state(&subject) {
        Ok(TrustState::Trusted) => Standing::Holds,
        Ok(TrustState::Changed { files }) => Standing::Changed(files),
        Ok(TrustState::Unknown) => Standing::Gone("its record was deleted".to_owned()),
        Err(error) => Standing::Gone(error.problem()),
    }
}
