//! `exit_recipe`: a client wants the run of a session to end.

use super::desk::Desk;
use super::start_recipe::tell;
use crate::Exit;
use crate::server::broadcast::follow::caught_up;
use crate::server::broadcast::hub::Audience;
use crate::wire::{ExitRecipe, RecipeExited, ServerMessage};

pub(super) async fn handle(desk: &mut Desk<'_>, message: ExitRecipe) {
    let ExitRecipe { session_id: session, reason } = message;
    match desk.shared.engine.exit(session, reason).await {
        // Everybody is told, whoever asked for it.
        Ok(Some(_)) => {}
        // Nothing runs, which is what was asked for.
        Ok(None) => {
            // Where a run has just ended, its end comes first: until then this answer would look outdated.
            if let Err(error) = caught_up(desk.shared).await {
                return desk.failed(Some(session), &error);
            }
            let exited = RecipeExited::of_nothing(session, &Exit::because(reason));
            tell(desk, Audience::Only(desk.client.id), session, &ServerMessage::RecipeExited(exited));
        }
        Err(error) => desk.failed(Some(session), &error),
    }
}
