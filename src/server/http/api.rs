//! The HTTP endpoints: recipes, exit reasons, runs and browser passes.

use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::json;
use warp::Reply;
use warp::http::StatusCode;
use warp::http::header::{CONTENT_TYPE, SET_COOKIE};
use warp::reply::Response;

use super::problem::problem;
use crate::engine::{self, EngineError, NoDiff};
use crate::run::{ChangedPrompts, RunId, first_prompt};
use crate::server::broadcast::{convert, work};
use crate::server::ledger;
use crate::server::net::auth;
use crate::server::net::browser_pass::{self, BrowserPass};
use crate::server::shared::Shared;
use crate::store::{RunFilter, Store, StoreError};
use crate::view::TurnSnapshots;
use crate::wire::{DiffTurn, FirstPrompt, RunDiffResponse, SetAsideEntry, StoreState, Work};
use crate::{AnyRecipe, ExitReason, Outline, Registry, UnknownRecipe};

/// How many runs are listed by default.
const DEFAULT_RUNS: usize = 100;

/// The most runs, or events, in one response.
const MAX_RUNS: usize = 1000;

/// Reports that the server is running.
pub(in crate::server) fn health() -> Response {
    answer(&json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }))
}

/// The recipes on offer.
pub(in crate::server) async fn recipes(shared: Arc<Shared>) -> Response {
    match shared.engine.read(|store| store.orchestration(None)).await {
        Ok(enabled) => answer(&convert::offer(&shared, enabled).await),
        Err(error) => failed(&error),
    }
}

/// The format in which to return a recipe.
#[derive(Debug, Deserialize)]
pub(in crate::server) struct RecipeQuery {
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    Json,
    Mermaid,
    Dot,
}

/// One recipe: steps, outcomes, guardrails.
pub(in crate::server) async fn recipe(
    id: String,
    shared: Arc<Shared>,
    query: RecipeQuery,
) -> Response {
    let outline = match outline(&shared, &id) {
        Ok(outline) => outline,
        Err(unknown) => return not_found(&unknown),
    };
    let text =
        |text: String, kind| warp::reply::with_header(text, CONTENT_TYPE, kind).into_response();
    match query.format.unwrap_or(Format::Json) {
        Format::Json => {
            let prompts = shared.engine.prompts_of(vec![outline]).await;
            answer(&convert::served_recipe(outline, prompts.first()))
        }
        Format::Mermaid => text(outline.to_mermaid(), "text/vnd.mermaid; charset=utf-8"),
        Format::Dot => text(outline.to_dot(), "text/vnd.graphviz; charset=utf-8"),
    }
}

/// The task of a run.
#[derive(Debug, Deserialize)]
pub(in crate::server) struct PromptQuery {
    about: Option<String>,
}

/// The first prompt of a recipe.
pub(in crate::server) async fn prompt(
    id: String,
    shared: Arc<Shared>,
    query: PromptQuery,
) -> Response {
    let outline = match outline(&shared, &id) {
        Ok(outline) => outline,
        Err(unknown) => return not_found(&unknown),
    };
    let mut changed = ChangedPrompts::default();
    for prompts in shared.engine.prompts_of(vec![outline]).await {
        for (step, text) in prompts.changed() {
            changed.insert(outline.id, step, text);
        }
    }
    answer(&FirstPrompt { prompt: first_prompt(outline, query.about.as_deref(), &changed) })
}

/// The recipe that a URL names.
fn outline(shared: &Shared, id: &str) -> Result<&'static Outline, UnknownRecipe> {
    // An id may have characters that a URL has to encode.
    let id = percent_decode_str(id).decode_utf8_lossy();
    shared.catalog.find(&id).map(AnyRecipe::outline)
}

fn not_found(unknown: &UnknownRecipe) -> Response {
    problem(StatusCode::NOT_FOUND, &unknown.to_string())
}

/// All exit reasons.
pub(in crate::server) fn exit_reasons() -> Response {
    answer(&ExitReason::ALL.iter().copied().map(ExitReason::definition).collect::<Vec<_>>())
}

/// Which runs to list.
#[derive(Debug, Deserialize)]
pub(in crate::server) struct RunsQuery {
    recipe: Option<String>,
    reason: Option<String>,
    session: Option<String>,
    id: Option<String>,
    open: Option<bool>,
    /// Words that occur in the run's task, recipe, id, directory or ending.
    text: Option<String>,
    before: Option<String>,
    limit: Option<usize>,
}

/// The shortest prefix of an id that runs can be searched by.
const MIN_ID_CHARS: usize = 4;

/// A prefix of an id in canonical form; `None` if it is too short or no id has it.
fn id_prefix(text: &str) -> Option<String> {
    let is_one = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
    (text.len() >= MIN_ID_CHARS && text.chars().all(is_one)).then(|| text.to_ascii_lowercase())
}

/// Past and current runs, newest first.
pub(in crate::server) async fn runs(shared: Arc<Shared>, query: RunsQuery) -> Response {
    let given = |text: Option<String>| text.filter(|text| !text.is_empty());
    let session = match given(query.session).map(|session| session.parse()).transpose() {
        Ok(session) => session,
        Err(error) => return bad(&error),
    };
    let before = match given(query.before).map(|run| run.parse()).transpose() {
        Ok(before) => before,
        Err(error) => return bad(&error),
    };
    let prefix = given(query.id);
    let id_prefix = prefix.as_deref().and_then(id_prefix);
    if prefix.is_some() && id_prefix.is_none() {
        let words =
            format!("`id` has to be at least the first {MIN_ID_CHARS} characters of a run's id");
        return problem(StatusCode::BAD_REQUEST, &words);
    }
    let filter = RunFilter {
        recipe: given(query.recipe),
        reason: given(query.reason),
        session,
        id_prefix,
        open: query.open,
        before,
        limit: Some(query.limit.unwrap_or(DEFAULT_RUNS).min(MAX_RUNS)),
        ..RunFilter::default()
    };
    let catalog = shared.catalog;
    let text = given(query.text);
    let read =
        move |store: &dyn Store| ledger::listed_runs(store, catalog, &filter, text.as_deref());
    match shared.engine.read(read).await {
        Ok(runs) => answer(&json!({ "runs": runs })),
        // The run that the page should begin after was deleted.
        Err(EngineError::Store(error @ StoreError::Missing { .. })) => {
            problem(StatusCode::NOT_FOUND, &format!("{error}; begin with the first page"))
        }
        Err(error) => failed(&error),
    }
}

/// The quarantined rows of the store.
pub(in crate::server) async fn store(shared: Arc<Shared>) -> Response {
    match shared.engine.read(Store::quarantined).await {
        Ok(found) => {
            let entries = found.into_iter();
            let entries =
                entries.map(|it| SetAsideEntry { run_id: it.run, row: it.row, why: it.why });
            answer(&StoreState { set_aside: entries.collect() })
        }
        Err(error) => failed(&error),
    }
}

/// Issues a pass to the requesting browser, so that its other tabs need not show the key.
pub(in crate::server) fn browser(shared: &Shared) -> Response {
    match BrowserPass::new(&shared.key) {
        Ok(pass) => with_cookie(&json!({ "browser": pass.id }), &pass.set_cookie),
        Err(error) => problem(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
    }
}

/// Makes the requesting browser forget the pass that it shows.
pub(in crate::server) fn forget_browser(authorization: Option<&str>) -> Response {
    match authorization.and_then(auth::bearer).and_then(browser_pass::forget) {
        Some(cookie) => with_cookie(&json!({ "browser": null }), &cookie),
        None => problem(StatusCode::BAD_REQUEST, "the request shows no browser id"),
    }
}

fn with_cookie(value: &impl Serialize, cookie: &str) -> Response {
    warp::reply::with_header(warp::reply::json(value), SET_COOKIE, cookie).into_response()
}

/// What agents are working on.
pub(in crate::server) async fn work(shared: Arc<Shared>) -> Response {
    let catalog = shared.catalog;
    match shared.engine.read(move |store| work::work(store, catalog)).await {
        Ok(work) => answer(&Work { work }),
        Err(error) => failed(&error),
    }
}

/// The event after which to begin.
#[derive(Debug, Deserialize)]
pub(in crate::server) struct RunQuery {
    since: Option<u64>,
}

/// One run, its events, and its view.
pub(in crate::server) async fn run(id: String, shared: Arc<Shared>, query: RunQuery) -> Response {
    let id: RunId = match id.parse() {
        Ok(id) => id,
        Err(error) => return bad(&error),
    };
    let (catalog, since) = (shared.catalog, query.since.unwrap_or(0));
    match shared
        .engine
        .read(move |store| ledger::details(store, catalog, id, since, MAX_RUNS))
        .await
    {
        Ok(Some(details)) => answer(&details),
        Ok(None) => problem(StatusCode::NOT_FOUND, &EngineError::NoRun(id).to_string()),
        Err(error) => failed(&error),
    }
}

/// The agent's last reply in a run.
pub(in crate::server) async fn reply(id: String, shared: Arc<Shared>) -> Response {
    let id: RunId = match id.parse() {
        Ok(id) => id,
        Err(error) => return bad(&error),
    };
    match shared.engine.read(move |store| ledger::last_reply(store, id)).await {
        Ok(Some(reply)) => answer(&reply),
        Ok(None) => problem(StatusCode::NOT_FOUND, &EngineError::NoRun(id).to_string()),
        Err(error) => failed(&error),
    }
}

/// The turn to show; all of them by default.
#[derive(Debug, Deserialize)]
pub(in crate::server) struct DiffQuery {
    turn: Option<u32>,
}

/// What a run changed, in total or in one turn.
pub(in crate::server) async fn diff(id: String, shared: Arc<Shared>, query: DiffQuery) -> Response {
    let id: RunId = match id.parse() {
        Ok(id) => id,
        Err(error) => return bad(&error),
    };
    let engine::RunDiff { turns, diff } = match shared.engine.diff(id, query.turn).await {
        Ok(found) => found,
        Err(error @ EngineError::NoRun(_)) => {
            return problem(StatusCode::NOT_FOUND, &error.to_string());
        }
        Err(error) => return failed(&error),
    };
    let (text, cut, unavailable) = match diff {
        Ok(diff) => (diff.text, diff.cut, None),
        Err(why @ NoDiff::NoTurn { .. }) => {
            return problem(StatusCode::NOT_FOUND, &why.to_string());
        }
        Err(why) => (String::new(), false, Some(why.to_string())),
    };
    let turns = turns.into_iter().map(diff_turn).collect();
    answer(&RunDiffResponse { turns, turn: query.turn, text, cut, unavailable })
}

fn diff_turn(snapshots: TurnSnapshots) -> DiffTurn {
    let changed = snapshots.is_changed();
    let TurnSnapshots { turn, visit, step, before: _, after: _ } = snapshots;
    DiffTurn { turn, visit, step, changed }
}

fn answer(value: &impl Serialize) -> Response {
    warp::reply::json(value).into_response()
}

fn bad(error: &crate::run::NotAnId) -> Response {
    problem(StatusCode::BAD_REQUEST, &error.to_string())
}

fn failed(error: &EngineError) -> Response {
    problem(StatusCode::SERVICE_UNAVAILABLE, &error.to_string())
}
