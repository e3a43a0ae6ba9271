//! Running a turn: asking the agent, or adopting a turn that an earlier engine left.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::result::{NoReply, TurnResult};
use super::scratch;
use super::turn_permit::{check_directory, for_agent};
use super::work_tree::{self, SeenAfter};
use crate::agent::{
    Agent, Failure, Fate, Reply, RepositorySettings, Turn, TurnContext, TurnLimits,
};
use crate::engine::shared::Shared;
use crate::engine::trust;
use crate::process::run_blocking;
use crate::run::{RunId, SessionId};
use crate::session::{AgentTurn, TurnOrigin};

/// Runs the turn, and inspects the work tree afterwards.
pub(super) async fn run_turn(
    shared: Arc<Shared>,
    agent: Arc<dyn Agent>,
    session: SessionId,
    request: Box<AgentTurn>,
    needs_permit: bool,
    context: TurnContext,
) -> TurnResult {
    let reply = reply(&shared, &agent, session, &request, needs_permit, context).await;
    let inspects = !agent.about().rehearsal && may_have_changed_files(&reply);
    let written = reply.as_ref().map(|reply| reply.written.clone()).unwrap_or_default();
    let SeenAfter { tree, violations } = if inspects {
        work_tree::after(&shared, &request, written).await
    } else {
        SeenAfter::default()
    };
    TurnResult { reply, tree, violations }
}

/// Whether the agent may have changed files, and is no longer running.
fn may_have_changed_files(reply: &Result<Reply, NoReply>) -> bool {
    match reply {
        Ok(_) | Err(NoReply::Unknown) => true,
        Err(NoReply::Failure(failure)) => !matches!(
            failure,
            Failure::Detached | Failure::StoppedBeforePrompt | Failure::CannotStart { .. }
        ),
        Err(
            NoReply::Locked | NoReply::Directory(_) | NoReply::Collision(_) | NoReply::Panicked(_),
        ) => false,
    }
}

async fn reply(
    shared: &Arc<Shared>,
    agent: &Arc<dyn Agent>,
    session: SessionId,
    request: &AgentTurn,
    needs_permit: bool,
    context: TurnContext,
) -> Result<Reply, NoReply> {
    let repository = settings(shared, agent, request).await;
    let turn = prepare(shared, session, request, repository);
    // Held until the agent is done.
    let mut _permit = None;
    if let TurnOrigin::Adopted(process) = request.origin.clone() {
        match agent.recover(turn.clone(), process.map(for_agent), context.clone()).await {
            Fate::NeverBegan => {}
            Fate::Ended(ended) => return ended.map_err(NoReply::Failure),
            Fate::Unknown => return Err(NoReply::Unknown),
        }
        // The adopted turn never began, so an agent begins now.
        if needs_permit {
            _permit = Some(late_permit(shared, &context).await?);
        }
        check_directory(shared, turn.directory.clone()).await?;
    }
    agent.turn(turn, context).await.map_err(NoReply::Failure)
}

/// Whether the repository's settings for the agent are used. For a run, this was decided at its
/// start; for chat it is looked up now.
async fn settings(
    shared: &Arc<Shared>,
    agent: &Arc<dyn Agent>,
    request: &AgentTurn,
) -> RepositorySettings {
    let is_trusted = match request.trusted {
        Some(trusted) => trusted,
        None if agent.about().rehearsal => true,
        None => {
            let (agent, directory) = (Arc::clone(agent), request.directory.clone());
            let nothing_to_trust = run_blocking(move || {
                !agent.finds_settings(&directory) || agent.trusts_directory(&directory)
            });
            nothing_to_trust.await
                || trust::is_recorded(&shared.options.data, &request.directory).await
        }
    };
    if is_trusted { RepositorySettings::Used } else { RepositorySettings::LeftOut }
}

/// The turn as the agent gets it.
fn prepare(
    shared: &Shared,
    session: SessionId,
    request: &AgentTurn,
    repository: RepositorySettings,
) -> Turn {
    let options = &shared.options;
    Turn {
        attempt: request.attempt.uuid(),
        session: session.uuid(),
        opened: request.opened,
        prompt: request.prompt.clone(),
        model: request.model.clone(),
        system_prompt: request.system_prompt.clone(),
        tools: request.tools.map(<[_]>::to_vec),
        // The tools that the operator allows were recorded at the start of the run.
        allowed: match request.run {
            Some(_) => request.allow_tools.clone(),
            None => options.allow_tools.clone(),
        },
        repository,
        directory: request.directory.clone(),
        scratch: scratch::path(&options.data, request.attempt),
        run: request.run.map(RunId::uuid),
        restarts: request.restarts,
        step: request.number,
        limits: TurnLimits {
            budget_usd: request
                .budget_left
                .into_iter()
                .chain(options.turn.budget_usd)
                .reduce(f64::min),
            ..options.turn
        },
    }
}

/// Waits for a permit, unless the turn is stopped or detached first.
async fn late_permit(
    shared: &Shared,
    context: &TurnContext,
) -> Result<OwnedSemaphorePermit, NoReply> {
    tokio::select! {
        biased;
        () = context.stop.cancelled() => Err(NoReply::Failure(Failure::StoppedBeforePrompt)),
        () = context.detach.cancelled() => Err(NoReply::Failure(Failure::Detached)),
        permit = shared.permit() => permit.ok_or(NoReply::Failure(Failure::Detached)),
    }
}
