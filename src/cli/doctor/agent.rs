//! Whether there is an agent to do the work, and which.

use std::path::PathBuf;

use super::finding::Finding;
use super::program;
use super::program::Mute;
use crate::agent::Claude;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::{AgentOptions, Choice};

const NAME: &str = "agent";

/// Also gives the CLI's path where there is one that answers, and it is wanted.
pub(super) async fn check(options: Result<AgentOptions, Complaint>) -> (Finding, Option<PathBuf>) {
    let options = match options {
        Ok(options) => options,
        Err(complaint) => return (Finding::complained(NAME, &complaint), None),
    };
    if options.choice() == Choice::Rehearsal {
        let words = "the built-in rehearsal, as asked for: it only pretends, and changes nothing";
        return (Finding::good(NAME, words), None);
    }
    let path = match Claude::find(options.agent_path.as_deref()) {
        Ok(claude) => claude.path().to_owned(),
        Err(failure) => {
            let complaint = Complaint::about("", &failure);
            let [_, why, fix] = complaint.parts();
            let finding = match options.agent {
                Choice::Auto if options.agent_path.is_none() => {
                    Finding::doubtful(NAME, format!("a server would only rehearse: {why}"), fix)
                }
                Choice::Auto | Choice::Claude | Choice::Rehearsal => Finding::bad(NAME, why, fix),
            };
            return (finding, None);
        }
    };
    let shown = path.display();
    let fix = format!("see what `{shown} --version` says; install Claude Code anew if it fails");
    let finding = match program::said(&path, &["--version"]).await {
        Ok(said) if said.success => Finding::good(NAME, format!("{}, `{shown}`", said.first_line())),
        Ok(_) => Finding::doubtful(NAME, format!("`{shown}` does not tell its version"), fix),
        Err(why) => {
            let words = format!("`{shown}` cannot be asked for its version: {why}");
            let finding = match why {
                Mute::NotRun(_) => Finding::bad(NAME, words, fix),
                Mute::NoAnswer => Finding::doubtful(NAME, words, fix),
            };
            return (finding, None);
        }
    };
    (finding, Some(path))
}
