//! What can be wrong with a start or a prompt is found before anything is persisted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::preflight::{self, Preflight};
use crate::AnyRecipe;
use crate::agent::{Agent, Failure};
use crate::engine::blocking::unblocked;
use crate::engine::provider::UnknownProvider;
use crate::engine::say::{Begin, SayError};
use crate::engine::shared::Shared;
use crate::engine::start::{Start, StartError};
use crate::engine::turn::directory;
use crate::engine::turn::directory::DirectoryError;
use crate::run::{Order, Project, RunId, SessionId, Spent, TreeClaim};
use crate::session::{NewSession, Profile, Session, session_name};

/// A start that can be carried out: the order, and the session where it begins with it.
pub(in crate::engine) async fn start(
    shared: &Arc<Shared>,
    session: &Session,
    recipe: &'static dyn AnyRecipe,
    start: Start,
    run: RunId,
) -> Result<(Order, Option<NewSession>), StartError> {
    let (id, known) = (session.id(), session.profile());
    let agent = agent_for(shared, known, id, start.provider.as_deref())?;
    let about = agent.about();
    let models = recipe.outline().steps.iter().filter_map(|step| step.model);
    for model in start.model.as_deref().into_iter().chain(models) {
        agent.knows_model(model)?;
    }
    let asked = start.directory.clone().or_else(|| known.map(|profile| profile.directory.clone()));
    let asked = checked(shared, asked.ok_or(StartError::NoDirectory)?).await?;
    if let Some(profile) = known.filter(|profile| profile.directory != asked) {
        return Err(StartError::Elsewhere { session: id, directory: profile.directory.clone() });
    }
    if !shared.read(move |store| store.orchestration(Some(id))).await? {
        return Err(StartError::SwitchedOff);
    }
    is_ready(&agent).await.map_err(StartError::Agent)?;
    let Preflight { project, worktree } = if about.rehearsal {
        Preflight::default()
    } else {
        let found = preflight::look(shared, recipe.outline(), &asked, run, &start).await?;
        Preflight { project: settings(&agent, found.project, &asked).await, ..found }
    };
    let directory = match (&worktree, known) {
        (None, _) => asked,
        (Some(_), Some(_)) => return Err(StartError::NotApart { session: id, directory: asked }),
        // The same place in the worktree as in the work tree that it is made from.
        (Some(worktree), None) => match asked.strip_prefix(&worktree.repository) {
            Ok(inner) if inner.as_os_str().is_empty() => worktree.path.clone(),
            Ok(inner) => worktree.path.join(inner),
            Err(_) => worktree.path.clone(),
        },
    };
    let begins = known.is_none().then(|| NewSession {
        id,
        name: recipe.outline().label.to_owned(),
        directory: directory.clone(),
        agent: about.name.to_owned(),
        system_prompt: None,
        at: shared.now(),
    });
    let order = Order {
        run,
        session: id,
        agent: about.name.to_owned(),
        rehearsal: about.rehearsal,
        directory,
        about: start.about,
        model: start.model,
        allow_tools: shared.options.allow_tools.iter().cloned().chain(start.allow_tools).collect(),
        permits: start.permits,
        project,
        worktree,
        limits: start.limits,
        spent: Spent::default(),
        restarts: 0,
        continues: None,
    };
    // A run that works apart is in no other run's way.
    if order.worktree.is_none()
        && let Some(claim) = TreeClaim::of(recipe.outline(), &order)
    {
        shared.trees.hold(&shared.options.locks, &order.directory, claim)?;
    }
    Ok((order, begins))
}

/// Finds out whether what the repository brings along for the agent is used, or left out.
async fn settings(agent: &Arc<dyn Agent>, project: Project, directory: &Path) -> Project {
    let (agent, directory) = (Arc::clone(agent), directory.to_owned());
    unblocked(move || {
        let agent_trusts = agent.trusts_directory(&directory);
        let project = Project { agent_trusts, ..project };
        let left_out = !project.settings_are_used() && agent.finds_settings(&directory);
        Project { left_out, ..project }
    })
    .await
}

/// The agent that was asked for, or the session's. A conversation belongs to one agent.
fn agent_for(
    shared: &Shared,
    known: Option<&Profile>,
    session: SessionId,
    asked: Option<&str>,
) -> Result<Arc<dyn Agent>, StartError> {
    let found: Result<_, UnknownProvider> =
        shared.agent(asked.or_else(|| known.map(|profile| profile.agent.as_str())));
    let agent = found?;
    match known.filter(|profile| profile.agent != agent.about().name) {
        Some(profile) => Err(StartError::OtherAgent { session, agent: profile.agent.clone() }),
        None => Ok(agent),
    }
}

/// The session that begins with a prompt, if everything about it is as it has to be.
pub(in crate::engine) async fn begin(
    shared: &Shared,
    id: SessionId,
    text: &str,
    begin: Begin,
) -> Result<NewSession, SayError> {
    let directory = checked(shared, begin.directory.ok_or(SayError::NoDirectory)?).await?;
    let agent = shared.agent(begin.provider.as_deref())?;
    is_ready(&agent).await.map_err(SayError::Agent)?;
    let name = session_name(text, &directory);
    let (agent, at) = (agent.about().name.to_owned(), shared.now());
    let system_prompt = begin.system_prompt.filter(|words| !words.trim().is_empty());
    Ok(NewSession { id, name, directory, agent, system_prompt, at })
}

async fn checked(shared: &Shared, asked: PathBuf) -> Result<PathBuf, DirectoryError> {
    let roots = shared.options.roots_of(&asked);
    unblocked(move || directory::check(&asked, &roots)).await
}

async fn is_ready(agent: &Arc<dyn Agent>) -> Result<(), Failure> {
    let agent = Arc::clone(agent);
    unblocked(move || agent.ready()).await
}
