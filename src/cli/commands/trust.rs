//! `surefire trust`: says what a repository may do here, and records that it may.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::cli::context::Context;
use crate::cli::render::format::one_line;
use crate::cli::settings::data;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::DataOption;
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::{StartError, TrustError, TrustRecords, TrustState, TrustSubject};
use crate::recipe::Advise;

const EXAMPLES: &str = "\
Examples:
  surefire trust               this repository, as HEAD has it
  surefire trust ~/shop        another one
  surefire trust --list        which are trusted";

/// The file whose commands and exceptions count.
const PROJECT_FILE: &str = "surefire.toml";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Trust {
    /// The repository, by its directory or one below [default: .]
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    /// List the repositories that are trusted, and change nothing
    #[arg(long, conflicts_with = "dir")]
    list: bool,
    #[command(flatten)]
    data: DataOption,
}

impl Trust {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
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
                "Trusted until HEAD has other ones of these files; `{} untrust` withdraws it.",
                program_name()
            )));
            context.console.say(one_line(&format!(
                "Recorded in `{}`, which runs read when they start: no server has to be running.",
                path.display()
            )));
            Ok(ExitCode::SUCCESS)
        })
    }
}

/// What trust in the repository of a directory is about.
async fn look(records: &TrustRecords, directory: &Path) -> Result<TrustSubject, Complaint> {
    records.subject(directory).await.map_err(refused)
}

/// The exit status is that of a run that would have been refused for the same.
fn refused(error: TrustError) -> Complaint {
    let error = StartError::from(error);
    let fix = error.remedy().is_none().then_some("correct that, commit it, and look again");
    let complaint = Complaint::about("the repository cannot be trusted", &error);
    let complaint = match fix {
        Some(fix) => complaint.fix(fix),
        None => complaint,
    };
    match error.exit() {
        Some(exit) => complaint.status(exit.definition().exit_code),
        None => complaint,
    }
}

/// What the repository is allowed once it is trusted, a line each.
fn allowed(subject: &TrustSubject, state: &TrustState) -> Vec<String> {
    let commit = subject.commit.as_deref().unwrap_or("no commit yet");
    let mut lines = vec![format!("Repository  {}", subject.top.display()), format!("Commit      {commit}")];
    if let Some(project) = &subject.project {
        let commands =
            |kind: &'static str, when: &'static str| move |command| format!("{kind}  {command}  ({when})");
        lines.extend(project.verify.iter().map(commands("Runs       ", "verify: after steps that edit")));
        lines.extend(project.setup.iter().map(commands("Runs       ", "setup: once in each new worktree")));
        if project.allow_lockfiles {
            lines.push(
                "Allows      changes to the lockfiles of package managers (allow_lockfiles)".to_owned(),
            );
        }
        let allow = project.scope.allow.iter();
        lines.extend(allow.map(|pattern| format!("Allows      changes to {pattern} (scope.allow)")));
    }
    let settings = subject.files.keys().filter(|file| *file != PROJECT_FILE);
    lines.extend(settings.map(|file| format!("Uses        {file}: the hooks and MCP servers in it run")));
    if subject.files.is_empty() {
        let none = "HEAD has neither surefire.toml nor .claude/settings*.json nor .mcp.json";
        lines.push(format!("Allows      nothing yet: {none}"));
    }
    if let TrustState::Changed { files } = state {
        lines.push(format!("Changed     {} since the repository was trusted", files.join(", ")));
    }
    lines
}

/// Which repositories there are records of, and which of the records hold.
async fn list(context: &Context, records: &TrustRecords) -> Result<ExitCode, Complaint> {
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

/// How the record of a directory stands.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum Standing {
    /// It holds.
    Holds,
    /// It does not hold any more, because these files are others.
    Changed(Vec<String>),
    /// The repository cannot be looked at, in these words.
    Gone(String),
}

impl Standing {
    pub(in crate::cli) fn in_words(&self) -> String {
        match self {
            Self::Holds => "trusted".to_owned(),
            Self::Changed(files) => format!("not any more: {} changed", files.join(", ")),
            Self::Gone(why) => format!("not any more: {why}"),
        }
    }
}

/// Looks at a repository that there is a record of.
pub(in crate::cli) async fn standing(records: &TrustRecords, directory: &Path) -> Standing {
    let subject = match records.subject(directory).await {
        Ok(subject) => subject,
        Err(error) => return Standing::Gone(error.problem()),
    };
    // Another repository above it is not the one that was trusted.
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
