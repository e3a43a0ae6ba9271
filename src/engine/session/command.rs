//! The commands of a session. Its mailbox orders them, and each gets an answer.

use tokio::sync::oneshot;

use crate::engine::error::{EngineError, ResumeError};
use crate::engine::send_prompt::{PromptSent, SendPrompt, SendPromptError};
use crate::engine::start::{Start, StartError, Started};
use crate::engine::worktree::{WorktreeChoice, WorktreeError};
use crate::run::{Ending, Resume, RunId, WorktreeEnd};
use crate::{AnyRecipe, Exit};

/// A command, and where its answer goes. It is carried out even if the client has disconnected.
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
    SendPrompt {
        prompt: SendPrompt,
        answer: oneshot::Sender<Result<PromptSent, SendPromptError>>,
    },
    /// Switch recipes on or off in the session.
    Switch {
        enabled: bool,
        answer: oneshot::Sender<Result<(), EngineError>>,
    },
    /// Merge or discard the worktree of a run that has ended.
    EndWorktree {
        run: RunId,
        choice: WorktreeChoice,
        answer: oneshot::Sender<Result<WorktreeEnd, WorktreeError>>,
    },
    /// Ask for the ending that clients saw while it cannot be persisted.
    UnsavedEnding {
        run: RunId,
        answer: oneshot::Sender<Option<Ending>>,
    },
}

/// What to stop.
#[derive(Debug, Clone)]
pub(in crate::engine) enum Stop {
    /// The run, with this exit.
    Run(Exit),
    /// Everything in the session.
    Session,
    /// The run, because recipes are switched off in the session.
    Recipes,
}
