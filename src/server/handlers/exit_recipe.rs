//! `exit_recipe`: a client ends the run of a session.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::Exit;
use crate::server::broadcast::follow::caught_up;
use crate::wire::{ExitRecipe, RecipeExited, ServerMessage};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: ExitRecipe) -> Reply {
    let ExitRecipe { session_id: session, reason } = message;
    match context.shared.engine.exit(session, reason).await {
        // All clients are notified, whichever asked for it.
        Ok(Some(_)) => Reply::nothing(),
        // Nothing is running, which is what the client wants. If a run has just ended, its end is
        // published first: until then this reply would look outdated.
        Ok(None) => match caught_up(context.shared).await {
            Ok(()) => ServerMessage::RecipeExited(RecipeExited::of_nothing(
                session,
                &Exit::because(reason),
            ))
            .into(),
            Err(error) => failed(Some(session), &error).into(),
        },
        Err(error) => failed(Some(session), &error).into(),
    }
}
