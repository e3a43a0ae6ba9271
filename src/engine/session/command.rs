//! What a session can be asked for. Its mailbox orders the commands, and each is answered.

use tokio::sync::oneshot;

use crate::engine::error::{EngineError, ResumeError};
use crate::engine::say::{Said, Say, SayError};
use crate::engine::start::{Start, StartError, Started};
use crate::engine::worktree::{WorktreeChoice, WorktreeError};
use crate::run::{Ending, Resume, RunId, WorktreeEnd};
use crate::{AnyRecipe, Exit};

/// A command, and where its answer goes. A client that has gone away does not keep it from being carried out.
pub(in crate::engine) enum Command {
    Start {
        recipe: &'static dyn AnyRecipe,
        start: Start,
        answer: oneshot::Sender<Result<Started, StartError>>,
    },
    Resume {
        run: RunId,
        resume: Resume,
        answer: oneshot::Sender<Result<Started, ResumeError>>,
    },
    Stop {
        stop: Stop,
        answer: oneshot::Sender<Result<Option<Ending>, EngineError>>,
    },
    Say {
        say: Say,
        answer: oneshot::Sender<Result<Said, SayError>>,
    },
    /// Switch recipes on or off in the session.
    Switch {
        enabled: bool,
        answer: oneshot::Sender<Result<(), EngineError>>,
    },
    /// Merge or throw away the worktree of a run that has ended.
    EndWorktree {
        run: RunId,
        choice: WorktreeChoice,
        answer: oneshot::Sender<Result<WorktreeEnd, WorktreeError>>,
    },
    /// How the run ended for clients, while its end cannot be persisted.
    UnsavedEnding {
        run: RunId,
        answer: oneshot::Sender<Option<Ending>>,
    },
}

/// What is to be stopped.
#[derive(Debug, Clone)]
pub(in crate::engine) enum Stop {
    /// The run, with this exit.
    Run(Exit),
    /// Everything in the session.
    Session,
    /// The run, because recipes are switched off in the session.
    Recipes,
}
