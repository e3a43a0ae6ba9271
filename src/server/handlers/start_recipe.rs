//! `start_recipe`: a client wants a run.

use uuid::Uuid;

use super::desk::{Desk, WORDS, code_of, refusal};
use super::prompt::ready;
use crate::engine::{Start, StartError};
use crate::recipe::advice;
use crate::run::{Limits, RunId, SessionId};
use crate::server::broadcast::convert;
use crate::server::broadcast::hub::Audience;
use crate::server::socket::client::After;
use crate::store::RunFilter;
use crate::wire::{
    Ack, ErrorCode, ErrorMessage, OfRun, RecipeError, RecipeExited, ServerMessage, Stamp, StartIn,
    StartRecipe, Telling, TurnComplete, cut,
};
use crate::{Exit, ExitReason, Outline};

pub(super) async fn handle(desk: &mut Desk<'_>, message: StartRecipe) {
    let named = match message.session {
        StartIn::Session(session) => Some(session),
        StartIn::NewSession => None,
    };
    let recipe = match desk.shared.catalog.find(&message.recipe_id) {
        Ok(recipe) => recipe.outline(),
        Err(unknown) => {
            let id: String = unknown.id.escape_debug().take(80).collect();
            let message = format!("Recipe not found: {id}{}", advice(&unknown));
            desk.say(&ServerMessage::Error(ErrorMessage {
                message,
                code: Some(ErrorCode::RecipeNotFound),
                session_id: named,
                ..ErrorMessage::about(&unknown)
            }));
            let short = RecipeError { session_id: named, error: "Recipe not found".to_owned(), of: None };
            return desk.say(&ServerMessage::RecipeError(short));
        }
    };
    if let Some(directory) = &message.working_directory {
        desk.add_root(directory);
    }
    // Named here, so that it is known before anything is told about it.
    let session = named.unwrap_or_else(|| Uuid::new_v4().into());
    let start = Start {
        recipe: message.recipe_id,
        session: Some(session),
        directory: message.working_directory,
        provider: message.agent.or_else(|| convert::agent_for(message.provider, &desk.shared.agents)),
        about: message.prompt,
        model: message.model,
        limits: message.limits.over(Limits::default()),
    };
    match desk.shared.engine.start(start).await {
        Ok(started) => {
            // Who names a session has a place for it, and asks for what is said in it once that is ready.
            if started.new_session && named.is_some() {
                desk.client.listen_soon(session);
            } else {
                desk.listen_to(session).await;
            }
            let ack = ack(session);
            if started.new_session {
                let began = After::BeganWith(session, started.run);
                desk.client.answer_after(began, &[ready(session), ack]);
            } else {
                desk.client.answer_after(After::Started(started.run), &[ack]);
            }
        }
        Err(StartError::Busy { session, holder }) => busy(desk, session, holder).await,
        // Whatever else is wrong: a run that goes on there must not look as if it had ended.
        Err(refused) => match holder(desk, session).await {
            Some(holder) => busy(desk, session, holder).await,
            None => never_began(desk, session, recipe, &refused),
        },
    }
}

/// The run that goes on in a session.
async fn holder(desk: &Desk<'_>, session: SessionId) -> Option<RunId> {
    let filter =
        RunFilter { session: Some(session), open: Some(true), limit: Some(1), ..RunFilter::default() };
    let open = desk.shared.engine.read(move |store| store.runs(&filter)).await;
    open.ok()?.first().map(|run| run.id)
}

pub(super) fn ack(session: SessionId) -> ServerMessage {
    ServerMessage::Ack(Ack { message: "Starting recipe...".to_owned(), session_id: Some(session) })
}

/// Says who has the session. Nothing restarts, and nobody else hears of it.
pub(super) async fn busy(desk: &mut Desk<'_>, session: SessionId, holder: RunId) {
    desk.refused(Some(session), ErrorCode::SessionBusy, &StartError::Busy { session, holder });
    let short = RecipeError { session_id: Some(session), error: "Session is busy".to_owned(), of: None };
    desk.say(&ServerMessage::RecipeError(short));
    match desk.shared.engine.read(move |store| store.run(holder)).await {
        Ok(Some(record)) => {
            let (telling, of) = (convert::telling(desk.shared.catalog, &record), convert::last_of(&record));
            // It may have ended just now.
            let state = match &record.ending {
                None => ServerMessage::RecipeStarted(telling.state(of)),
                Some(ending) => ServerMessage::RecipeExited(telling.exited(of, ending)),
            };
            tell(desk, Audience::Only(desk.client.id), session, &state);
        }
        Ok(None) => {}
        Err(error) => desk.failed(Some(session), &error),
    }
}

/// Tells of a run that failed before it began, as of one that failed right after: the app waits for a beginning, and then for
/// its end.
fn never_began(desk: &mut Desk<'_>, session: SessionId, recipe: &'static Outline, refused: &StartError) {
    let words = cut(&refused.to_string(), WORDS);
    let exit = refused.exit().unwrap_or_else(|| Exit::because(ExitReason::Error).describe(&words));
    let exit = match exit.description().map(|words| cut(words, WORDS)) {
        Some(words) => exit.describe(words),
        None => exit,
    };
    let telling = Telling {
        run: Uuid::new_v4().into(),
        session,
        recipe_id: recipe.id.to_owned(),
        recipe_label: recipe.label.to_owned(),
        step: recipe.first_step().name.to_owned(),
        step_count: 1,
        rehearsal: false,
        in_turn: false,
    };
    let at = Stamp(desk.shared.clock.now());
    let of = |seq| OfRun { run_id: telling.run, seq, at };
    let exited = RecipeExited {
        step: Some(telling.step.clone()),
        recipe_id: Some(telling.recipe_id.clone()),
        of: Some(of(2)),
        ..RecipeExited::of_nothing(session, &exit)
    };
    let short = RecipeError { session_id: Some(session), error: words, of: Some(of(2)) };
    let error = refusal(Some(session), code_of_refusal(refused), refused);
    let turn = TurnComplete { session_id: session, aborted: false };
    tell(desk, Audience::Everybody, session, &ServerMessage::RecipeStarted(telling.state(of(1))));
    tell(desk, Audience::Everybody, session, &ServerMessage::RecipeError(short));
    tell(desk, Audience::Everybody, session, &ServerMessage::RecipeExited(exited));
    tell(desk, Audience::Only(desk.client.id), session, &error);
    tell(desk, Audience::Everybody, session, &ServerMessage::TurnComplete(turn));
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
        | StartError::Elsewhere { .. }
        | StartError::OtherAgent { .. }
        | StartError::Agent(_) => ErrorCode::StartFailed,
    }
}

pub(super) fn tell(desk: &Desk<'_>, audience: Audience, session: SessionId, message: &ServerMessage) {
    desk.shared.tell_of_run(audience, session, message, desk.shared.clock.now());
}
