//! Which situation produces which reason. `docs/architecture/stop-reasons.md` is generated from
//! this file, so each arm names a basis and one function of a file beside this one.

use surefire::ExitReason;

use super::scene::End;
use super::{agents, ends, goals, guards, limits};
use Basis::{Agent, Engine};

/// What a reason is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Basis {
    /// The engine verified it.
    Engine,
    /// Only the agent can know it.
    Agent,
}

/// Produces a run that ends for this reason.
pub(super) fn produced(reason: ExitReason) -> (Basis, End) {
    match reason {
        ExitReason::TaskCommitted => (Engine, goals::commits("implement-and-review")),
        ExitReason::ChangesCommitted => (Engine, goals::commits("review-and-commit")),
        ExitReason::DesignCommitted => (Engine, goals::commits("document-design")),
        ExitReason::DesignRefinedAndCommitted => (Engine, goals::commits("refine-design")),
        ExitReason::TasksCommitted => (Engine, goals::commits("break-down-tasks")),
        ExitReason::NoChangesToCommit => (Engine, goals::changes_nothing()),
        ExitReason::NoTasksAvailable => (Agent, goals::reports("implement-and-review", "no-tasks")),
        ExitReason::RebaseComplete => (Engine, goals::rebases()),
        ExitReason::RetrospectiveComplete => (Agent, goals::reports("retrospective", "complete")),
        ExitReason::RestartNewSession => (Engine, goals::restarts()),
        ExitReason::ClarificationNeeded => (Agent, goals::reports("rebase", "ask-questions")),
        ExitReason::ImplementationBlocked => {
            (Agent, goals::reports("implement-and-review", "blocked"))
        }
        ExitReason::NoDesignDocumentFound => (Agent, goals::reports("refine-design", "not-found")),
        ExitReason::ConflictsRequireHumanIntervention => {
            (Agent, goals::reports("rebase", "conflicts-unresolvable"))
        }
        ExitReason::UserProvidedOther => (Agent, goals::reports("implement-and-review", "other")),
        ExitReason::UserRequested => (Engine, ends::asked_for_by_a_client()),
        ExitReason::OrchestrationDisabled => (Engine, ends::switched_off_by_a_client()),
        ExitReason::UserStopped => (Engine, ends::stopped_with_ctrl_c()),
        ExitReason::MaxTotalSteps => (Engine, limits::steps()),
        ExitReason::MaxStepVisitsExceeded => (Engine, limits::visits()),
        ExitReason::MaxRestarts => (Engine, limits::chain()),
        ExitReason::CostBudget => (Engine, limits::budget()),
        ExitReason::Timeout => (Engine, limits::time()),
        ExitReason::MaxTicks => (Engine, limits::ticks()),
        ExitReason::Stalled => (Engine, limits::silence()),
        ExitReason::GuardViolation => (Engine, guards::writes_a_denied_file()),
        ExitReason::LockfileViolation => (Engine, guards::changes_a_lockfile()),
        ExitReason::DirtyWorktree => (Engine, guards::begins_in_a_dirty_tree()),
        ExitReason::FileCollision => (Engine, guards::begins_where_another_run_works()),
        ExitReason::PermissionDenied => (Engine, guards::is_refused_a_tool()),
        ExitReason::SessionLocked => (Engine, agents::works_for_another_process()),
        ExitReason::OutputLimit => (Engine, limits::output()),
        ExitReason::ReviewLoopDetected => (Engine, guards::finds_the_same_again()),
        ExitReason::ReviewRejected => {
            (Agent, goals::reports_in_an_example("check-release", "rejected"))
        }
        ExitReason::OrchestrationError => (Engine, agents::acts("prose-only")),
        ExitReason::Error => (Engine, agents::acts("is-error-success")),
        ExitReason::InternalError => (Engine, ends::broken_by_a_panic()),
        ExitReason::NoPrompt => (Engine, guards::begins_without_a_task()),
        ExitReason::Interrupted => (Engine, ends::killed()),
        ExitReason::StorageError => (Engine, ends::not_persisted()),
        ExitReason::RateLimited => (Engine, agents::acts("usage-limit")),
        ExitReason::AuthRequired => (Engine, agents::acts("auth")),
        ExitReason::ApiOverloaded => (Engine, agents::acts("overloaded")),
        ExitReason::ContextExhausted => (Engine, agents::acts("context")),
        ExitReason::VerificationFailed => (Engine, guards::fails_its_check()),
        ExitReason::VerificationTimeout => (Engine, guards::outlasts_its_check()),
        ExitReason::WorkerBlocked => {
            (Agent, goals::reports_in_an_example("check-release", "stuck"))
        }
        ExitReason::WorkerFailed => (Engine, agents::acts("die-by-signal")),
        ExitReason::WorkerTimeout => (Engine, limits::turn_time()),
        _ => panic!("`{reason}` has no row here: write which situation produces it"),
    }
}
