//! Checks that a run that needs a task has one, before the agent is paid for a turn.
//!
//! A task is the text that the run is started with, or one that the agent can take from the tracker
//! `bd`. The tracker is usable where the agent finds the program and the directory has a database
//! for it; whether it contains a task that is ready is for the agent to find out.

use std::path::Path;
use std::sync::Arc;

use crate::Outline;
use crate::agent::Agent;
use crate::engine::start::{Start, StartError};
use crate::process::run_blocking;

/// The tracker's program.
const TRACKER: &str = "bd";

/// The directory that holds the tracker's database.
const DATABASE: &str = ".beads";

/// Refuses a run in a new session that has nothing to work on.
pub(super) async fn check(
    recipe: &'static Outline,
    start: &Start,
    agent: &Arc<dyn Agent>,
    directory: &Path,
) -> Result<(), StartError> {
    let given = start.task.as_deref().is_some_and(|task| !task.trim().is_empty());
    if given || !recipe.needs.task {
        return Ok(());
    }
    let (agent, directory) = (Arc::clone(agent), directory.to_owned());
    let why = run_blocking(move || {
        if agent.find_program(TRACKER).is_none() {
            Some(format!("`{TRACKER}` is not on the agent's `PATH`"))
        } else if !has_database(&directory) {
            Some(format!("`{}` has no `{DATABASE}`", directory.display()))
        } else {
            None
        }
    });
    match why.await {
        None => Ok(()),
        Some(why) => Err(StartError::NoTask { recipe: recipe.id, why }),
    }
}

/// Whether the tracker finds a database from this directory: it looks in all parents too.
fn has_database(directory: &Path) -> bool {
    directory.ancestors().any(|parent| {
        // In a linked work tree the tracker uses the database of the main one, wherever that is.
        parent.join(DATABASE).is_dir() || parent.join(".git").is_file()
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_database_is_here_or_above_or_in_the_main_work_tree() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("project/src");
        fs::create_dir_all(&inner).unwrap();
        assert!(!has_database(&inner));
        fs::create_dir(folder.path().join("project/.git")).unwrap();
        assert!(!has_database(&inner), "a repository is not a database");
        fs::create_dir(folder.path().join("project/.beads")).unwrap();
        assert!(has_database(&inner) && has_database(inner.parent().unwrap()));
        assert!(!has_database(folder.path()));
        fs::write(folder.path().join(".git"), "gitdir: /main/.git/worktrees/linked\n").unwrap();
        assert!(has_database(folder.path()));
    }
}
