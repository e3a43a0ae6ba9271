//! Taking a turn: the agent is asked, or what another engine left of it is found.

use std::sync::Arc;

use tokio::sync::OwnedSemaphorePermit;

use super::result::{NoReply, TurnResult};
use super::scratch;
use super::seat::{check_directory, for_agent};
use super::work_tree::{self, SeenAfter};
use crate::agent::{Agent, Failure, Fate, Link, Reply, RepositorySettings, Turn, TurnLimits};
use crate::engine::blocking::unblocked;
use crate::engine::shared::Shared;
use crate::engine::trust;
use crate::run::SessionId;
use crate::session::{TurnOrigin, TurnRequest};

/// Takes the turn, and looks at the work tree afterwards.
pub(super) async fn take(
    shared: Arc<Shared>,
    agent: Arc<dyn Agent>,
    session: SessionId,
    request: Box<TurnRequest>,
    needs_permit: bool,
    link: Link,
) -> TurnResult {
    let reply = reply(&shared, &agent, session, &request, needs_permit, link).await;
    let looks = !agent.about().rehearsal && left_something(&reply);
    let written = reply.as_ref().map(|reply| reply.written.clone()).unwrap_or_default();
    let SeenAfter { tree, violations } =
        if looks { work_tree::after(&shared, &request, written).await } else { SeenAfter::default() };
    TurnResult { reply, tree, violations }
}

/// Whether the agent may have done anything, and nothing of it is left running.
fn left_something(reply: &Result<Reply, NoReply>) -> bool {
    match reply {
        Ok(_) | Err(NoReply::Unknown) => true,
        Err(NoReply::Failure(failure)) => {
            !matches!(failure, Failure::Left | Failure::StoppedBeforePrompt | Failure::CannotStart { .. })
        }
        Err(NoReply::Locked | NoReply::Directory(_) | NoReply::Collision(_) | NoReply::Panicked(_)) => false,
    }
}

async fn reply(
    shared: &Arc<Shared>,
    agent: &Arc<dyn Agent>,
    session: SessionId,
    request: &TurnRequest,
    needs_permit: bool,
    link: Link,
) -> Result<Reply, NoReply> {
    let repository = settings(shared, agent, request).await;
    let turn = prepare(shared, session, request, repository);
    // Held until the agent is done.
    let mut _permit = None;
    if let TurnOrigin::Adopted(process) = request.origin.clone() {
        match agent.recover(turn.clone(), process.map(for_agent), link.clone()).await {
            Fate::NeverBegan => {}
            Fate::Ended(ended) => return ended.map_err(NoReply::Failure),
            Fate::Unknown => return Err(NoReply::Unknown),
        }
        // An agent is about to begin after all.
        if needs_permit {
            _permit = Some(late_permit(shared, &link).await?);
        }
        check_directory(shared, turn.directory.clone()).await?;
    }
    agent.turn(turn, link).await.map_err(NoReply::Failure)
}

/// Whether what the repository brings along for the agent is used. A run knows since its start; for chat it is looked up.
async fn settings(shared: &Arc<Shared>, agent: &Arc<dyn Agent>, request: &TurnRequest) -> RepositorySettings {
    let is_trusted = match request.trusted {
        Some(trusted) => trusted,
        None if agent.about().rehearsal => true,
        None => {
            let (agent, directory) = (Arc::clone(agent), request.directory.clone());
            let nothing_to_trust =
                unblocked(move || !agent.finds_settings(&directory) || agent.trusts_directory(&directory));
            nothing_to_trust.await || trust::is_recorded(&shared.options.data, &request.directory).await
        }
    };
    if is_trusted { RepositorySettings::Used } else { RepositorySettings::LeftOut }
}

/// The turn as the agent gets it.
fn prepare(
    shared: &Shared,
    session: SessionId,
    request: &TurnRequest,
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
        // A run knows since its start what the operator allows.
        allowed: match request.run {
            Some(_) => request.allow_tools.clone(),
            None => options.allow_tools.clone(),
        },
        repository,
        directory: request.directory.clone(),
        scratch: scratch::path(&options.data, request.attempt),
        limits: TurnLimits { budget_usd: request.budget_left.or(options.turn.budget_usd), ..options.turn },
    }
}

/// Waits for a permit while the turn may be stopped or left.
async fn late_permit(shared: &Shared, link: &Link) -> Result<OwnedSemaphorePermit, NoReply> {
    tokio::select! {
        biased;
        () = link.stop.cancelled() => Err(NoReply::Failure(Failure::StoppedBeforePrompt)),
        () = link.leave.cancelled() => Err(NoReply::Failure(Failure::Left)),
        permit = shared.permit() => permit.ok_or(NoReply::Failure(Failure::Left)),
    }
}
