//! The standard registry: every reason for which a run can end, with its columns.
//!
//! A new reason is one variant here. Lookups, lists, the wire, exit statuses and the table in
//! `docs/architecture/stop-reasons.md` follow from it.

use crate::Registry;

/// Why a run ended: the standard registry.
///
/// ```
/// use surefire::{Category, ExitReason, Registry};
///
/// let reason = ExitReason::RateLimited;
/// assert_eq!(reason.to_string(), "rate_limited");
/// assert_eq!(reason.definition().category, Category::Error);
/// assert!(ExitReason::auto_resumable().any(|auto| auto == reason));
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    strum::EnumIter,
    strum::EnumCount,
    strum::VariantArray,
    Registry,
)]
#[registry(standard)]
#[non_exhaustive]
pub enum ExitReason {
    // Completed, and the goal is met.
    /// The task's changes are committed.
    #[reason(
        category = completed,
        message = "Task implementation committed successfully",
        title = "Task committed",
        diagnosis = "Look at the new commit; start the recipe again for the next task."
    )]
    TaskCommitted,
    /// The reviewed changes are committed.
    #[reason(
        category = completed,
        message = "Changes committed successfully",
        title = "Changes committed",
        diagnosis = "Look at the new commit; nothing else is left to do."
    )]
    ChangesCommitted,
    /// The new design document is committed.
    #[reason(
        category = completed,
        message = "Design document committed successfully",
        title = "Design committed",
        diagnosis = "Read the document; break-down-tasks turns it into tasks."
    )]
    DesignCommitted,
    /// The improved design document is committed.
    #[reason(
        category = completed,
        message = "Design document refined and committed successfully",
        title = "Design refined",
        diagnosis = "Read what changed; break-down-tasks turns the document into tasks."
    )]
    DesignRefinedAndCommitted,
    /// The tasks made from a design are committed.
    #[reason(
        category = completed,
        message = "Implementation tasks created and committed",
        title = "Tasks created",
        diagnosis = "See them with `bd ready`; implement-and-review works on the first."
    )]
    TasksCommitted,
    /// There was nothing to commit.
    #[reason(
        category = completed,
        message = "No changes to commit",
        title = "Nothing to commit",
        diagnosis = "The working tree is clean; if you expected changes, read the agent's last reply."
    )]
    NoChangesToCommit,
    /// The tracker has no task that is ready.
    #[reason(
        category = completed,
        message = "No tasks available to implement",
        title = "No tasks",
        diagnosis = "Add a task or unblock one, then start the recipe again."
    )]
    NoTasksAvailable,
    /// The branch sits on top of main again.
    #[reason(
        category = completed,
        message = "Rebase completed successfully",
        title = "Rebased",
        diagnosis = "Look the branch over before you push it."
    )]
    RebaseComplete,
    /// The agent reviewed the session in a retrospective.
    #[reason(
        category = completed,
        message = "Retrospective completed successfully",
        title = "Retrospective done",
        diagnosis = "Read the retrospective and pick what to change."
    )]
    RetrospectiveComplete,
    /// This run handed over to another one in a fresh session.
    #[reason(
        category = completed,
        message = "Continuing in a new session",
        title = "Restarted",
        diagnosis = "Follow the run that continues this one.",
        remedy = follow
    )]
    RestartNewSession,

    // Completed, but a person has to look.
    /// The agent has a question.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Needs clarification before continuing",
        title = "Question for you",
        family = worker,
        exit_code = 34,
        diagnosis = "Answer the agent's question in the session, then start the recipe again."
    )]
    ClarificationNeeded,
    /// The agent cannot continue with its task.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Implementation blocked - cannot proceed",
        title = "Blocked",
        family = worker,
        exit_code = 33,
        diagnosis = "Read what blocks the task in the last reply, remove it, and start again."
    )]
    ImplementationBlocked,
    /// The recipe needs a design document, and the agent found none.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Design document not found",
        title = "No design document",
        family = constraint,
        exit_code = 6,
        diagnosis = "Write one with document-design, or say where it is when you start the recipe."
    )]
    NoDesignDocumentFound,
    /// The rebase met conflicts that only a person can decide.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Conflicts need a person to resolve them",
        title = "Unresolved conflicts",
        family = failure,
        exit_code = 12,
        diagnosis = "Resolve the conflicts named in the last reply, then start the rebase again."
    )]
    ConflictsRequireHumanIntervention,
    /// The agent chose `other` and said why.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Recipe exited by user choice",
        title = "Something else",
        family = user,
        exit_code = 131,
        diagnosis = "Read the description: none of the step's outcomes fitted, and it says why."
    )]
    UserProvidedOther,
    /// A client asked the run to end.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Recipe exited at your request",
        title = "Stopped by you",
        family = user,
        exit_code = 132,
        diagnosis = "Resume the run to go on where it stopped.",
        remedy = resume
    )]
    UserRequested,
    /// Recipes are switched off, for the session or for the server.
    #[reason(
        category = completed,
        goal_met = false,
        message = "Recipes are switched off",
        title = "Recipes are off",
        family = user,
        exit_code = 133,
        diagnosis = "Switch recipe orchestration on in the settings, then start again.",
        remedy = none
    )]
    OrchestrationDisabled,
    /// Ctrl-C.
    #[reason(
        category = completed,
        goal_met = false,
        code = "user_stopped",
        message = "Recipe stopped by Ctrl-C",
        title = "User requested stop",
        family = user,
        exit_code = 130,
        diagnosis = "Run stopped by user request (Ctrl+C).",
        hint = "Resume the run to continue where it stopped.",
        remedy = resume
    )]
    UserStopped,

    // Limits.
    /// The run took all the steps it may take.
    #[reason(
        category = guardrail,
        message = "Recipe stopped: reached maximum step limit ({limit} steps)",
        title = "Step limit reached",
        family = resource_limit,
        exit_code = 128,
        diagnosis = "Look at the steps it repeated; raise max_total_steps only if they made progress.",
        remedy = raise(steps)
    )]
    MaxTotalSteps,
    /// The run visited one step too often.
    #[reason(
        category = guardrail,
        message = "Recipe stopped: step '{step}' visited too many times (limit {limit})",
        title = "Step visited too often",
        family = resource_limit,
        exit_code = 129,
        diagnosis = "Read what the step keeps finding, help the agent past it, then resume with more visits.",
        remedy = raise(visits)
    )]
    MaxStepVisitsExceeded,
    /// The chain of runs used up its restarts.
    #[reason(
        category = guardrail,
        message = "Recipe stopped: restarted too many times (limit {limit})",
        title = "Restart limit reached",
        family = resource_limit,
        exit_code = 122,
        diagnosis = "Check what the last runs achieved, then start the recipe again.",
        remedy = again
    )]
    MaxRestarts,
    /// The run spent its budget.
    #[reason(
        category = guardrail,
        code = "cost_budget",
        message = "Recipe stopped: spent its budget (limit {limit})",
        title = "Budget spent",
        family = resource_limit,
        exit_code = 123,
        diagnosis = "Look at what it did for the money, then resume with a higher --budget-usd.",
        remedy = raise(budget)
    )]
    CostBudget,
    /// The run used up its time.
    #[reason(
        category = guardrail,
        code = "timeout",
        message = "Recipe stopped: used up its time (limit {limit})",
        title = "Time budget exceeded",
        family = resource_limit,
        exit_code = 124,
        diagnosis = "Increase time budget with --time or simplify task into smaller milestones",
        remedy = raise(time)
    )]
    Timeout,
    /// The run used up its ticks.
    #[reason(
        category = guardrail,
        code = "max_ticks",
        message = "Recipe stopped: used up its ticks (limit {limit})",
        title = "Maximum supervisor ticks reached",
        family = resource_limit,
        exit_code = 125,
        diagnosis = "Increase --max-ticks or simplify task to reduce phase transitions",
        remedy = raise(turns)
    )]
    MaxTicks,
    /// The agent produced no output for too long.
    #[reason(
        category = guardrail,
        code = "stalled",
        message = "Recipe stopped: no sign of progress (limit {limit})",
        title = "Run stalled (no progress)",
        family = resource_limit,
        exit_code = 126,
        diagnosis = "Run made no progress for extended period. Check worker logs for hangs.",
        auto_resumable = true,
        hint = "Resume the run; if it stalls again, give the agent a smaller task.",
        remedy = doctor
    )]
    Stalled,
    /// The agent changed files outside of its scope.
    #[reason(
        category = guardrail,
        code = "guard_violation",
        message = "Recipe stopped: changes outside the allowed scope",
        title = "Scope guard violation",
        family = constraint,
        exit_code = 2,
        diagnosis = "Agent attempted changes outside allowlist or inside denylist. Check scope configuration.",
        hint = "Undo the changes that do not belong to the task, then resume the run."
    )]
    GuardViolation,
    /// The agent changed a lockfile it may not change.
    #[reason(
        category = guardrail,
        code = "lockfile_violation",
        message = "Recipe stopped: a lockfile was changed without permission",
        title = "Disallowed lockfile changes",
        family = constraint,
        exit_code = 3,
        diagnosis = "Agent modified lockfiles without permission. Use --allow-deps or update allowlist.",
        hint = "Resume the run with `--allow-deps`, or undo the change to the lockfile first.",
        remedy = permit(allow_deps)
    )]
    LockfileViolation,
    /// The working tree had uncommitted changes before the run began.
    #[reason(
        category = guardrail,
        code = "dirty_worktree",
        message = "Recipe stopped: the working tree has uncommitted changes",
        title = "Dirty worktree before run",
        family = constraint,
        exit_code = 4,
        diagnosis = "Uncommitted changes detected. Commit or use --allow-dirty.",
        hint = "Commit or stash your changes, then start the recipe again.",
        remedy = again
    )]
    DirtyWorktree,
    /// Another run works on the same files.
    #[reason(
        category = guardrail,
        code = "file_collision",
        message = "Recipe stopped: another run owns these files",
        title = "File ownership collision with active run",
        family = constraint,
        exit_code = 5,
        diagnosis = "Another run has claimed ownership of files in scope. Wait or use --force-parallel.",
        hint = "Wait until the other run has ended, then resume this one.",
        remedy = permit(force_parallel)
    )]
    FileCollision,
    /// The agent was refused a tool it needed.
    #[reason(
        category = guardrail,
        code = "permission_denied",
        message = "Recipe stopped: the agent was refused a permission it needed",
        title = "Permission denied",
        family = constraint,
        exit_code = 7,
        diagnosis = "Allow the tools named in the details with --allow-tool, or do that part yourself."
    )]
    PermissionDenied,
    /// Another process holds the session.
    #[reason(
        category = guardrail,
        code = "session_locked",
        message = "Recipe stopped: another process uses this session",
        title = "Session in use",
        family = constraint,
        exit_code = 8,
        diagnosis = "Close the other process that uses the session, or start in a new session.",
        remedy = again
    )]
    SessionLocked,
    /// The agent printed more than a turn may print.
    #[reason(
        category = guardrail,
        code = "output_limit",
        message = "Recipe stopped: the agent printed too much (limit {limit})",
        title = "Too much output",
        family = constraint,
        exit_code = 9,
        diagnosis = "Have the agent write long output into a file instead of printing it, then resume the run.",
        remedy = doctor
    )]
    OutputLimit,
    /// Review and fix alternated without progress.
    #[reason(
        category = guardrail,
        code = "review_loop_detected",
        message = "Recipe stopped: the same review came back again",
        title = "Review loop detected (repeated same review)",
        family = review,
        exit_code = 20,
        diagnosis = "Agent unable to address review comments after multiple attempts. Manual intervention needed.",
        hint = "Read the review that keeps coming back, help the agent past it, then resume the run."
    )]
    ReviewLoopDetected,
    /// The review rejected the work.
    #[reason(
        category = guardrail,
        code = "review_rejected",
        message = "Recipe stopped: the review rejected the work",
        title = "Review explicitly rejected",
        family = review,
        exit_code = 21,
        diagnosis = "Reviewer rejected implementation. Check review memo for details.",
        hint = "Read why in the agent's last reply, then resume the run."
    )]
    ReviewRejected,

    // Failures.
    /// No outcome could be read from the agent's replies.
    #[reason(
        category = error,
        message = "Recipe failed: could not parse agent response",
        title = "Unreadable reply",
        family = failure,
        exit_code = 13,
        diagnosis = "Read the agent's last reply; a clearer prompt or another model usually helps."
    )]
    OrchestrationError,
    /// The agent could not be called, and nothing more precise is known.
    #[reason(
        category = error,
        message = "Recipe failed: Claude invocation error",
        title = "Agent call failed",
        family = worker,
        exit_code = 35,
        diagnosis = "Run `surefire doctor`; the details hold the agent's own words.",
        remedy = doctor
    )]
    Error,
    /// A bug in Surefire.
    #[reason(
        category = error,
        message = "Recipe failed: internal error",
        title = "Internal error",
        family = failure,
        exit_code = 14,
        diagnosis = "This is a bug in Surefire: please report it with the run's timeline, then resume the run."
    )]
    InternalError,
    /// There was nothing to send to the agent: no task was given, or a step had no prompt.
    #[reason(
        category = error,
        message = "Recipe failed: no prompt available",
        title = "No prompt",
        family = failure,
        exit_code = 15,
        diagnosis = "Start again with a task; where a step has no prompt, write one first.",
        remedy = again
    )]
    NoPrompt,
    /// The server stopped in the middle of a turn.
    #[reason(
        category = error,
        message = "Recipe interrupted: the server stopped while the agent was working",
        title = "Interrupted",
        family = failure,
        exit_code = 16,
        diagnosis = "Check what the agent had already changed, then resume the run.",
        auto_resumable = true
    )]
    Interrupted,
    /// The run's events could not be persisted.
    #[reason(
        category = error,
        code = "storage_error",
        message = "Recipe failed: its state could not be saved",
        title = "Storage error",
        family = failure,
        exit_code = 17,
        diagnosis = "Make room on the disk that holds the data directory, then resume the run.",
        remedy = doctor
    )]
    StorageError,
    /// The agent's usage limit is reached.
    #[reason(
        category = error,
        code = "rate_limited",
        message = "Recipe paused: the agent's usage limit was reached",
        title = "Usage limit reached",
        family = worker,
        exit_code = 36,
        diagnosis = "Wait until the limit resets, then resume; the server does that by itself.",
        auto_resumable = true
    )]
    RateLimited,
    /// The agent is not logged in.
    #[reason(
        category = error,
        code = "auth_required",
        message = "Recipe failed: the agent is not logged in",
        title = "Login needed",
        family = worker,
        exit_code = 37,
        diagnosis = "Log the agent's CLI in (run `claude` and type `/login`), then resume the run.",
        remedy = doctor
    )]
    AuthRequired,
    /// The agent's service is overloaded.
    #[reason(
        category = error,
        code = "api_overloaded",
        message = "Recipe failed: the agent's service is overloaded",
        title = "Service overloaded",
        family = worker,
        exit_code = 38,
        diagnosis = "Wait a few minutes, then resume the run.",
        auto_resumable = true
    )]
    ApiOverloaded,
    /// The conversation no longer fits into the agent's context window.
    #[reason(
        category = error,
        code = "context_exhausted",
        message = "Recipe failed: the agent's context window is full",
        title = "Context full",
        family = worker,
        exit_code = 39,
        diagnosis = "Start the recipe again in a new session, with a smaller task.",
        remedy = again
    )]
    ContextExhausted,
    /// The checks did not pass.
    #[reason(
        category = error,
        code = "verification_failed",
        message = "Recipe failed: verification did not pass",
        title = "Verification commands failed",
        family = failure,
        exit_code = 10,
        diagnosis = "Implementation did not pass verification tier. Check failure logs and retry.",
        hint = "Read what failed in the agent's last reply, then resume the run."
    )]
    VerificationFailed,
    /// The checks took too long.
    #[reason(
        category = error,
        code = "verification_timeout",
        message = "Recipe failed: verification took too long",
        title = "Verification timeout",
        family = failure,
        exit_code = 11,
        diagnosis = "Verification commands exceeded time limit. Increase max_verify_time_per_milestone.",
        hint = "Make the checks faster, or check less at once, then resume the run."
    )]
    VerificationTimeout,
    /// The agent reports that it cannot continue.
    #[reason(
        category = error,
        code = "worker_blocked",
        message = "Recipe failed: the agent reported that it is blocked",
        title = "Worker reported blocked status",
        family = worker,
        exit_code = 30,
        diagnosis = "Worker unable to proceed. Check handoff memo for details.",
        hint = "Read what blocks the agent in its last reply, remove it, then resume the run."
    )]
    WorkerBlocked,
    /// The agent's process died.
    #[reason(
        category = error,
        code = "worker_failed",
        message = "Recipe failed: the agent's process ended without a reply",
        title = "Worker process failed",
        family = worker,
        exit_code = 31,
        diagnosis = "Worker process crashed or returned error. Check worker logs.",
        hint = "Look for the cause in the details, or with `surefire doctor`, then resume the run.",
        remedy = doctor
    )]
    WorkerFailed,
    /// One step took too long.
    #[reason(
        category = error,
        code = "worker_timeout",
        message = "Recipe failed: the agent took too long for one step (limit {limit})",
        title = "Worker call timeout",
        family = worker,
        exit_code = 32,
        diagnosis = "Worker did not respond within timeout. Check worker health and network.",
        auto_resumable = true,
        hint = "Resume the run; if it happens again, give the agent a smaller task.",
        remedy = doctor
    )]
    WorkerTimeout,
}

impl std::fmt::Display for ExitReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.definition().code)
    }
}
