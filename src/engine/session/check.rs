//! Validating a start or a prompt before anything is persisted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::preflight::{self, Preflight};
use super::task;
use crate::AnyRecipe;
use crate::agent::{Agent, Failure};
use crate::engine::provider::UnknownProvider;
use crate::engine::send_prompt::{NewSessionSpec, SendPromptError};
use crate::engine::shared::Shared;
use crate::engine::start::{Start, StartError};
use crate::engine::turn::directory;
use crate::engine::turn::directory::DirectoryError;
use crate::process::run_blocking;
use crate::run::{ChangedPrompts, Project, RunId, RunSpec, SessionId, TreeClaim, Usage};
use crate::session::{NewSession, Profile, Session, session_name};

/// Validates a start. Returns the run's spec, and the session if it begins with the run.
pub(in crate::engine) async fn start(
    shared: &Arc<Shared>,
    session: &Session,
    recipe: &'static dyn AnyRecipe,
    start: Start,
    run: RunId,
) -> Result<(RunSpec, Option<NewSession>), StartError> {
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
        return Err(StartError::OtherDirectory {
            session: id,
            directory: profile.directory.clone(),
        });
    }
    if !shared.read(move |store| store.orchestration(Some(id))).await? {
        return Err(StartError::SwitchedOff);
    }
    let prompts = changed_prompts(shared, recipe).await?;
    is_ready(&agent).await.map_err(StartError::Agent)?;
    let Preflight { project, worktree } = if about.rehearsal {
        Preflight::default()
    } else {
        let found = preflight::check(shared, recipe.outline(), &asked, run, &start).await?;
        // In an existing session, the conversation may contain the task already.
        if known.is_none() {
            task::check(recipe.outline(), &start, &agent, &asked).await?;
        }
        Preflight { project: settings(&agent, found.project, &asked).await, ..found }
    };
    let directory = match (&worktree, known) {
        (None, _) => asked,
        (Some(_), Some(_)) => {
            return Err(StartError::NeedsNewSession { session: id, directory: asked });
        }
        // The subdirectory that corresponds to the requested one.
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
    let spec = RunSpec {
        run,
        session: id,
        agent: about.name.to_owned(),
        rehearsal: about.rehearsal,
        script: agent.script().filter(|_| about.rehearsal),
        directory,
        task: start.task,
        model: start.model,
        prompts,
        allow_tools: shared.options.allow_tools.iter().cloned().chain(start.allow_tools).collect(),
        permits: start.permits,
        project,
        worktree,
        limits: start.limits,
        spent: Usage::default(),
        restarts: 0,
        continues: None,
    };
    // A run in a worktree of its own cannot collide with another run.
    if spec.worktree.is_none()
        && let Some(claim) = TreeClaim::of(recipe.outline(), &spec)
    {
        shared.trees.hold(&shared.options.locks, &spec.directory, claim)?;
    }
    Ok((spec, begins))
}

/// The operator's prompts for the run and the chain that it begins, as they are now.
async fn changed_prompts(
    shared: &Shared,
    recipe: &'static dyn AnyRecipe,
) -> Result<ChangedPrompts, StartError> {
    match shared.options.prompts.clone() {
        Some(files) => Ok(run_blocking(move || files.for_run(recipe)).await?),
        None => Ok(ChangedPrompts::default()),
    }
}

/// Finds out whether the repository's settings for the agent are used or left out.
async fn settings(agent: &Arc<dyn Agent>, project: Project, directory: &Path) -> Project {
    let (agent, directory) = (Arc::clone(agent), directory.to_owned());
    run_blocking(move || {
        let agent_trusts = agent.trusts_directory(&directory);
        let project = Project { agent_trusts, ..project };
        let left_out = !project.settings_are_used() && agent.finds_settings(&directory);
        Project { left_out, ..project }
    })
    .await
}

/// The requested agent, or the session's. A conversation belongs to one agent.
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

/// Validates the session that begins with a prompt.
pub(in crate::engine) async fn begin(
    shared: &Shared,
    id: SessionId,
    text: &str,
    begin: NewSessionSpec,
) -> Result<NewSession, SendPromptError> {
    let directory = checked(shared, begin.directory.ok_or(SendPromptError::NoDirectory)?).await?;
    let agent = shared.agent(begin.provider.as_deref())?;
    is_ready(&agent).await.map_err(SendPromptError::Agent)?;
    let name = session_name(text, &directory);
    let (agent, at) = (agent.about().name.to_owned(), shared.now());
    let system_prompt = begin.system_prompt.filter(|words| !words.trim().is_empty());
    Ok(NewSession { id, name, directory, agent, system_prompt, at })
}

async fn checked(shared: &Shared, asked: PathBuf) -> Result<PathBuf, DirectoryError> {
    let roots = shared.options.roots_of(&asked);
    run_blocking(move || directory::check(&asked, &roots)).await
}

async fn is_ready(agent: &Arc<dyn Agent>) -> Result<(), Failure> {
    let agent = Arc::clone(agent);
    run_blocking(move || agent.ready()).await
}
