//! What can happen to a session, and what it refuses.

use std::time::Duration;

use super::records::{NewSession, Process};
use crate::recipe::advice;
use crate::run::{
    AttemptId, CannotEndWorktree, CannotResume, CheckResult, Order, PromptId, Resume, Run, RunId, SessionId,
    TreeState, TurnFacts, WorktreeEnd,
};
use crate::{Advise, AnyRecipe, Exit, Remedy, Violation};

/// Something that happens to a session.
#[derive(Debug)]
pub enum Input {
    /// A client starts a recipe.
    Start {
        /// The recipe.
        recipe: &'static dyn AnyRecipe,
        /// What was asked for, checked.
        order: Box<Order>,
        /// The session, where it begins with this run.
        begins: Option<NewSession>,
    },
    /// A client resumes a run that has ended.
    Resume {
        /// The run and the number of its last event, as the store has them. `None` for the run that is paused.
        ended: Option<Box<(Run, u64)>>,
        /// What was asked for.
        resume: Resume,
    },
    /// The open run is driven from now on, and queued prompts are delivered: what another engine left behind.
    Adopt,
    /// A client stops the run. Queued prompts are withdrawn.
    Stop {
        /// What the run ends with.
        exit: Exit,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// A client stops everything in the session: its run, its chat, and what is queued.
    Kill {
        /// How long the current turn has taken.
        took: Duration,
    },
    /// The driver broke while it worked for the session.
    Broken {
        /// What a run ends with.
        exit: Exit,
    },
    /// A client sends a prompt.
    Prompt {
        /// Names it.
        prompt: PromptId,
        /// The words.
        text: String,
        /// The session, where it begins with this prompt.
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
        process: Process,
    },
    /// The agent said a passage in the middle of a turn.
    Passage {
        /// The attempt.
        attempt: AttemptId,
        /// The words.
        text: String,
    },
    /// A turn ended.
    TurnEnded {
        /// The attempt. An attempt that is not in flight any more is ignored.
        attempt: AttemptId,
        /// How it ended.
        end: TurnEnd,
        /// What else is known about it.
        facts: TurnFacts,
    },
    /// The driver looked at the work tree right before the agent gets a run's prompt.
    TreeSeen {
        /// The attempt that is about to begin.
        attempt: AttemptId,
        /// What it saw.
        tree: TreeState,
    },
    /// What is known about the run's turn in flight, which is about to be cut short.
    TurnSeen {
        /// The attempt. One that is not in flight any more is ignored.
        attempt: AttemptId,
        /// What is known.
        facts: TurnFacts,
    },
    /// A check of the run ended.
    CheckEnded {
        /// The check. One that is not in flight any more is ignored.
        check: AttemptId,
        /// What came of it, in order.
        results: Vec<CheckResult>,
        /// The files that the run may not change and that are changed.
        violations: Vec<Violation>,
        /// How long it took.
        took: Duration,
    },
    /// The worktree of a run that has ended was merged, or thrown away.
    WorktreeEnded {
        /// The run and the number of its last event, as the store has them.
        run: Box<(Run, u64)>,
        /// What became of it.
        end: WorktreeEnd,
    },
    /// The time that a run may take is used up, as far as the driver can tell.
    Elapsed {
        /// How long the current turn has taken.
        took: Duration,
    },
    /// The time has come at which a paused run resumes by itself.
    ResumeDue {
        /// Why it cannot, where the driver knows: its agent is not there any more.
        obstacle: Option<String>,
    },
}

/// How a turn ended.
#[derive(Debug)]
pub enum TurnEnd {
    /// The agent replied.
    Replied {
        /// Its words.
        text: String,
        /// Whether the reply is in the conversation already, as the last passage of the turn.
        already_said: bool,
    },
    /// The agent did not reply.
    Failed {
        /// What a run ends with; its description says what happened.
        exit: Exit,
        /// When it makes sense to resume, in milliseconds since 1970, where that is known.
        resume_at: Option<u64>,
        /// Whether the agent certainly did not get the prompt.
        undelivered: bool,
    },
    /// The agent had the prompt, and it is not known how far it came before the driver was killed.
    Unknown {
        /// When, in milliseconds since 1970, a run may resume.
        resume_at: u64,
    },
}

/// Why a session does not do what a client asks for. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
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
    /// The run has no worktree that could end.
    #[error(transparent)]
    Worktree(#[from] CannotEndWorktree),
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionId),
}

impl Advise for Refusal {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Busy { .. } => Some(Remedy::ExitOtherFirst),
            Self::Cannot(cannot) => cannot.remedy(),
            Self::Worktree(cannot) => cannot.remedy(),
            Self::NoSession(_) => None,
        }
    }
}
