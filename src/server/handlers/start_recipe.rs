//! `start_recipe`: a client starts a run.

use uuid::Uuid;

use super::context::{MAX_ERROR_BYTES, RequestContext, code_of, failed, refusal, refused};
use super::prompt::ready;
use super::reply::Reply;
use super::widening;
use crate::engine::{Start, StartError, Untrusted};
use crate::recipe::{UnknownRecipe, advice};
use crate::run::{Limits, Permits, RunId, SessionId};
use crate::server::broadcast::convert;
use crate::server::broadcast::update::{Announced, Audience};
use crate::store::RunFilter;
use crate::wire::{
    Ack, ErrorCode, ErrorMessage, IfUntrusted, OfRun, RecipeError, RecipeExited, RunBroadcast,
    ServerMessage, Stamp, StartIn, StartRecipe, TurnComplete, cut,
};
use crate::{Exit, ExitReason, Outline};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: StartRecipe) -> Reply {
    let named = match message.session {
        StartIn::Session(session) => Some(session),
        StartIn::NewSession => None,
    };
    let recipe = match context.shared.catalog.find(&message.recipe_id) {
        Ok(recipe) => recipe.outline(),
        Err(unknown) => return not_found(named, &unknown),
    };
    if let Some(refused) = widening::refuse(context, named, &widening::of_start(&message)) {
        return refused.into();
    }
    if let Some(directory) = &message.working_directory {
        context.add_root(directory);
    }
    // Chosen here, so that it is known before anything is published about it.
    let session = named.unwrap_or_else(|| Uuid::new_v4().into());
    let start = Start {
        recipe: message.recipe_id,
        session: Some(session),
        directory: message.working_directory,
        provider: message
            .agent
            .or_else(|| convert::agent_for(message.provider, &context.shared.agents)),
        task: message.prompt,
        model: message.model,
        allow_tools: message.allow_tools,
        permits: Permits {
            allow_dirty: message.allow_dirty,
            allow_deps: message.allow_deps,
            force_parallel: message.force_parallel,
        },
        trust: message.trust,
        untrusted: match message.untrusted {
            None | Some(IfUntrusted::Refuse) => Untrusted::Refuse,
            Some(IfUntrusted::Skip) => Untrusted::Skip,
        },
        isolate: message.isolate,
        limits: message.limits.over(Limits::default()),
    };
    match context.shared.engine.start(start).await {
        Ok(started) => {
            let ready = started.new_session.then(|| ready(session));
            let messages: Vec<_> = ready.into_iter().chain([ack(session, started.run)]).collect();
            let reply = Reply::from(messages).after(Announced::Run(started.run));
            // A client that names a new session creates it on its own side, and subscribes once
            // that is ready.
            if started.new_session && named.is_some() {
                context.client.subscriptions.insert_delayed(session);
                reply
            } else {
                context.subscribe_to(session, reply).await
            }
        }
        Err(StartError::Busy { session, holder }) => busy(context, session, holder).await,
        // Whatever the error is: a running run must not look as if it had ended.
        Err(refused) => match holder(context, session).await {
            Some(holder) => busy(context, session, holder).await,
            None => never_began(context, session, recipe, &refused),
        },
    }
}

fn not_found(session_id: Option<SessionId>, unknown: &UnknownRecipe) -> Reply {
    let id: String = unknown.id.escape_debug().take(80).collect();
    let error = ErrorMessage {
        message: format!("Recipe not found: {id}{}", advice(unknown)),
        code: Some(ErrorCode::RecipeNotFound),
        session_id,
        ..ErrorMessage::about(unknown)
    };
    let short = RecipeError { session_id, error: "Recipe not found".to_owned(), of: None };
    Reply::from(ServerMessage::Error(error)).then(ServerMessage::RecipeError(short))
}

/// The run that is running in a session.
async fn holder(context: &RequestContext<'_>, session: SessionId) -> Option<RunId> {
    let filter = RunFilter {
        session: Some(session),
        open: Some(true),
        limit: Some(1),
        ..RunFilter::default()
    };
    let open = context.shared.engine.read(move |store| store.runs(&filter)).await;
    open.ok()?.first().map(|run| run.id)
}

pub(super) fn ack(session: SessionId, run: RunId) -> ServerMessage {
    ServerMessage::Ack(Ack {
        message: "Starting recipe...".to_owned(),
        session_id: Some(session),
        run_id: Some(run),
        request_id: None,
    })
}

/// Replies with the run that holds the session. Nothing restarts, and no other client is notified.
pub(super) async fn busy(context: &RequestContext<'_>, session: SessionId, holder: RunId) -> Reply {
    let error =
        refused(Some(session), ErrorCode::SessionBusy, &StartError::Busy { session, holder });
    let short =
        RecipeError { session_id: Some(session), error: "Session is busy".to_owned(), of: None };
    let reply = Reply::from(error).then(ServerMessage::RecipeError(short));
    match context.shared.engine.read(move |store| store.run(holder)).await {
        Ok(Some(record)) => {
            let (broadcast, of) = (
                convert::run_broadcast(context.shared.catalog, &record),
                convert::last_of(&record),
            );
            // It may have ended just now.
            reply.then(match &record.ending {
                None => ServerMessage::RecipeStarted(broadcast.state(of)),
                Some(ending) => ServerMessage::RecipeExited(broadcast.exited(of, ending)),
            })
        }
        Ok(None) => reply,
        Err(error) => reply.then(failed(Some(session), &error)),
    }
}

/// Publishes a run that failed before it began as one that failed right after: the app waits for a
/// start, and then for an end. The requesting client gets its reply after that end.
fn never_began(
    context: &RequestContext<'_>,
    session: SessionId,
    recipe: &'static Outline,
    refused: &StartError,
) -> Reply {
    let message = cut(&refused.to_string(), MAX_ERROR_BYTES);
    let exit =
        refused.exit().unwrap_or_else(|| Exit::because(ExitReason::Error).describe(&message));
    let exit = match exit.description().map(|message| cut(message, MAX_ERROR_BYTES)) {
        Some(message) => exit.describe(message),
        None => exit,
    };
    let broadcast = RunBroadcast {
        run: Uuid::new_v4().into(),
        session,
        recipe_id: recipe.id.to_owned(),
        recipe_label: recipe.label.to_owned(),
        step: recipe.first_step().name.to_owned(),
        step_count: 1,
        rehearsal: false,
        in_turn: false,
    };
    let at = context.shared.clock.now();
    let of = |seq| OfRun { run_id: broadcast.run, seq, at: Stamp(at) };
    let exited = RecipeExited {
        step: Some(broadcast.step.clone()),
        recipe_id: Some(broadcast.recipe_id.clone()),
        of: Some(of(2)),
        ..RecipeExited::of_nothing(session, &exit)
    };
    let short = RecipeError { session_id: Some(session), error: message, of: Some(of(2)) };
    let turn = TurnComplete { session_id: session, aborted: false };
    let publish = |message| context.shared.publish_run(Audience::All, session, &message, at);
    publish(ServerMessage::RecipeStarted(broadcast.state(of(1))));
    publish(ServerMessage::RecipeError(short));
    publish(ServerMessage::RecipeExited(exited));
    context.shared.announce(session, Announced::Run(broadcast.run), at);
    publish(ServerMessage::TurnComplete(turn));
    let error = refusal(Some(session), code_of_refusal(refused), refused);
    let error = ErrorMessage { run_id: Some(broadcast.run), ..error };
    Reply::from(ServerMessage::Error(error)).after(Announced::Run(broadcast.run))
}

fn code_of_refusal(refused: &StartError) -> ErrorCode {
    match refused {
        StartError::SwitchedOff => ErrorCode::OrchestrationDisabled,
        StartError::Engine(failure) => code_of(failure),
        StartError::Recipe(_) => ErrorCode::RecipeNotFound,
        StartError::Busy { .. } => ErrorCode::SessionBusy,
        StartError::Provider(_)
        | StartError::Model(_)
        | StartError::Directory(_)
        | StartError::NoDirectory
        | StartError::OtherDirectory { .. }
        | StartError::OtherAgent { .. }
        | StartError::NoRepository { .. }
        | StartError::NoMainBranch { .. }
        | StartError::DirtyTree { .. }
        | StartError::NoTask { .. }
        | StartError::Prompt(_)
        | StartError::Collision(_)
        | StartError::NoCommit { .. }
        | StartError::NeedsNewSession { .. }
        | StartError::Untrusted { .. }
        | StartError::Trust(_)
        | StartError::WorkTree { .. }
        | StartError::Agent(_) => ErrorCode::StartFailed,
    }
}
