//! The inputs of a session, and the reasons why it refuses one.

use std::time::Duration;

use super::records::{NewSession, ProcessRecord};
use crate::recipe::advice;
use crate::run::{
    AttemptId, CannotEndWorktree, CannotResume, CheckResult, PromptId, Resume, Run, RunId, RunSpec,
    SessionId, TreeState, TurnFacts, WorktreeEnd,
};
use crate::{Advise, AnyRecipe, Exit, Remedy, Violation};

/// Something that happens to a session.
#[derive(Debug)]
#[non_exhaustive]
pub enum SessionInput {
    /// A client starts a recipe.
    Start {
        /// The recipe.
        recipe: &'static dyn AnyRecipe,
        /// The run's specification; the driver has validated it.
        spec: Box<RunSpec>,
        /// The session, if it begins with this run.
        begins: Option<NewSession>,
    },
    /// A client resumes a run that has ended.
    Resume {
        /// The run and the number of its last event, as the store has them. `None` for the run that
        /// is paused.
        ended: Option<Box<(Run, u64)>>,
        /// The request.
        resume: Resume,
    },
    /// The driver adopts what another engine left: it drives the open run from now on, and delivers
    /// queued prompts.
    Adopt,
    /// A client stops the run. Queued prompts are withdrawn.
    Stop {
        /// The run's exit.
        exit: Exit,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// A client stops everything in the session: its run, its chat, and what is queued.
    Kill {
        /// How long the current turn has taken.
        took: Duration,
    },
    /// The driver panicked while it worked for the session.
    Panicked {
        /// The exit of the run, if there is one.
        exit: Exit,
    },
    /// A client sends a prompt.
    Prompt {
        /// Its id.
        prompt: PromptId,
        /// Its text.
        text: String,
        /// The session, if it begins with this prompt.
        begins: Option<NewSession>,
    },
    /// Recipes are switched on or off in this session. Switching off stops the run.
    Switch {
        /// On or off.
        enabled: bool,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// The agent has a process now.
    Spawned {
        /// The attempt.
        attempt: AttemptId,
        /// The process.
        process: ProcessRecord,
    },
    /// The agent wrote a passage in the middle of a turn.
    Passage {
        /// The attempt.
        attempt: AttemptId,
        /// Its text.
        text: String,
    },
    /// A turn ended.
    TurnEnded {
        /// The attempt; one that is no longer in flight is ignored.
        attempt: AttemptId,
        /// How it ended.
        end: TurnEnd,
        /// What else is known about it.
        facts: TurnFacts,
    },
    /// The driver inspected the work tree right before the agent gets a run's prompt.
    TreeSeen {
        /// The attempt that is about to begin.
        attempt: AttemptId,
        /// The state of the work tree.
        tree: TreeState,
    },
    /// What is known about the run's turn in flight, which is about to be interrupted.
    TurnSeen {
        /// The attempt; one that is no longer in flight is ignored.
        attempt: AttemptId,
        /// What is known.
        facts: TurnFacts,
    },
    /// A check of the run ended.
    CheckEnded {
        /// The check; one that is no longer in flight is ignored.
        check: AttemptId,
        /// The results, in order.
        results: Vec<CheckResult>,
        /// The files that were changed although the run may not change them.
        violations: Vec<Violation>,
        /// How long it took.
        took: Duration,
    },
    /// The worktree of a run that has ended was merged or discarded.
    WorktreeEnded {
        /// The run and the number of its last event, as the store has them.
        run: Box<(Run, u64)>,
        /// Whether it was merged or discarded.
        end: WorktreeEnd,
    },
    /// The run's time limit has passed, according to the driver.
    Elapsed {
        /// How long the current turn has taken.
        took: Duration,
    },
    /// A paused run is due to resume by itself.
    ResumeDue {
        /// Why it cannot resume, if the driver knows a reason: for example, its agent is no longer
        /// configured.
        obstacle: Option<String>,
    },
}

/// How a turn ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum TurnEnd {
    /// The agent replied.
    Replied {
        /// The text of the reply.
        text: String,
        /// Whether the reply is in the conversation already, as the last passage of the turn.
        already_streamed: bool,
    },
    /// The agent did not reply.
    Failed {
        /// The exit of the run, if the turn belongs to one; its description says what happened.
        exit: Exit,
        /// When the run can resume, in milliseconds since 1970, if that is known.
        resume_at: Option<u64>,
        /// Whether the agent certainly did not get the prompt.
        undelivered: bool,
    },
    /// The agent had the prompt, and it is unknown how far it got before the driver was killed.
    Unknown {
        /// When, in milliseconds since 1970, a run may resume.
        resume_at: u64,
    },
}

/// Why a session refuses a client's request. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SessionRefusal {
    /// The session has another run.
    #[error("session {session} is busy with run {holder}{}", advice(self))]
    Busy {
        /// The session.
        session: SessionId,
        /// The run that holds it.
        holder: RunId,
    },
    /// The run cannot be resumed.
    #[error(transparent)]
    Cannot(#[from] CannotResume),
    /// The run has no worktree to merge or discard.
    #[error(transparent)]
    Worktree(#[from] CannotEndWorktree),
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
}

impl Advise for SessionRefusal {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Busy { .. } => Some(Remedy::ExitOtherFirst),
            Self::Cannot(cannot) => cannot.remedy(),
            Self::Worktree(cannot) => cannot.remedy(),
            Self::NoSession(_) => None,
        }
    }
}
