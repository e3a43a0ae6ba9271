//! Sessions as clients list them, each with its runs.

use super::convert;
use crate::Catalog;
use crate::store::{RunFilter, RunRecord, SessionRecord, Store, StoreError};
use crate::wire::{ActiveRecipe, LastRecipe, SessionEntry, Stamp};

/// One entry of a list for each session, in the same order.
pub(in crate::server) fn entries(
    store: &dyn Store,
    catalog: Catalog,
    sessions: &[SessionRecord],
) -> Result<Vec<SessionEntry>, StoreError> {
    sessions.iter().map(|session| entry(store, catalog, session)).collect()
}

/// A session, with the run that holds it and the one that ended before.
pub(in crate::server) fn entry(
    store: &dyn Store,
    catalog: Catalog,
    session: &SessionRecord,
) -> Result<SessionEntry, StoreError> {
    let active = match session.run {
        // If the row cannot be read, the session is listed without its run; the whole list does not
        // fail.
        Some(run) => match store.run(run) {
            Err(StoreError::Unreadable { .. }) => None,
            run => run?,
        },
        None => None,
    };
    let ended = RunFilter {
        session: Some(session.id),
        open: Some(false),
        limit: Some(1),
        ..RunFilter::default()
    };
    let last = store.runs(&ended)?.pop();
    Ok(SessionEntry {
        active_recipe: active.map(|run| active_recipe(catalog, run)),
        last_recipe: last.and_then(|run| last_recipe(catalog, run)),
        ..convert::session_entry(session)
    })
}

fn active_recipe(catalog: Catalog, run: RunRecord) -> ActiveRecipe {
    ActiveRecipe {
        run_id: run.id,
        recipe_label: convert::label(catalog, &run.recipe),
        max_steps: catalog.get(&run.recipe).map(|recipe| recipe.outline().max_steps),
        recipe_id: run.recipe,
        step: run.step,
        step_count: run.steps,
    }
}

fn last_recipe(catalog: Catalog, run: RunRecord) -> Option<LastRecipe> {
    let ending = run.ending?;
    Some(LastRecipe {
        run_id: run.id,
        recipe_label: convert::label(catalog, &run.recipe),
        recipe_id: run.recipe,
        reason: ending.reason,
        category: ending.category,
        title: ending.title,
        ended_at: Stamp(run.changed_at),
    })
}
