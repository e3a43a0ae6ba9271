//! Checks which agent would do the work, and whether its program runs.

use std::path::PathBuf;

use super::finding::Finding;
use super::program;
use super::program::NoOutput;
use crate::agent::Claude;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::{AgentOptions, Choice};

const CHECK: &str = "agent";

/// Also returns the path of the agent's CLI, if it is the chosen agent and responds.
pub(super) async fn check(options: Result<AgentOptions, CliError>) -> (Finding, Option<PathBuf>) {
    let options = match options {
        Ok(options) => options,
        Err(problem) => return (Finding::complained(CHECK, &problem), None),
    };
    if options.choice() == Choice::Rehearsal {
        let words = "the built-in rehearsal, as configured: it only pretends and changes nothing";
        return (Finding::good(CHECK, words), None);
    }
    let path = match Claude::find(options.agent_path.as_deref()) {
        Ok(claude) => claude.path().to_owned(),
        Err(failure) => {
            let problem = CliError::about("", &failure);
            let [_, why, fix] = problem.parts();
            let finding = match options.agent {
                Choice::Auto if options.agent_path.is_none() => {
                    Finding::doubtful(CHECK, format!("a server would only rehearse: {why}"), fix)
                }
                Choice::Auto | Choice::Claude | Choice::Rehearsal => Finding::bad(CHECK, why, fix),
            };
            return (finding, None);
        }
    };
    let shown = path.display();
    let fix = format!("run `{shown} --version`; reinstall Claude Code if that fails");
    let finding = match program::output_of(&path, &["--version"]).await {
        Ok(output) if output.success => {
            Finding::good(CHECK, format!("{}, `{shown}`", output.first_line()))
        }
        Ok(_) => Finding::doubtful(CHECK, format!("`{shown} --version` failed"), fix),
        Err(why) => {
            let words = format!("cannot run `{shown} --version`: {why}");
            let finding = match why {
                NoOutput::NotRun(_) => Finding::bad(CHECK, words, fix),
                NoOutput::TimedOut => Finding::doubtful(CHECK, words, fix),
            };
            return (finding, None);
        }
    };
    (finding, Some(path))
}
