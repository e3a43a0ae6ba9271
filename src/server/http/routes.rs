//! What is found where.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::upgrade::OnUpgrade;
use warp::filters::BoxedFilter;
use warp::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY, UPGRADE, WWW_AUTHENTICATE,
    X_CONTENT_TYPE_OPTIONS,
};
use warp::http::{HeaderValue, StatusCode};
use warp::reply::Response;
use warp::{Filter, Rejection};

use super::api;
use super::problem::problem;
use crate::server::console;
use crate::server::net::auth;
use crate::server::net::names::Stranger;
use crate::server::net::peer::Peer;
use crate::server::net::peer_slot::PeerSlot;
use crate::server::net::pool::Standing;
use crate::server::shared::Shared;
use crate::server::socket::upgrade;

/// Which sites' pages may have an answer in them, be it only to find out that this server is here.
const OTHER_SITES: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// All that the server answers, over WebSocket and plain HTTP.
pub(in crate::server) fn all(shared: &Arc<Shared>) -> BoxedFilter<(Response,)> {
    let here = Arc::clone(shared);
    let shared = warp::any().map(move || Arc::clone(&here));
    let authorized = shared
        .clone()
        .and(warp::ext::get::<Peer>())
        .and(warp::ext::get::<PeerSlot>())
        .and(warp::header::optional("authorization"))
        .and_then(authorize)
        .boxed();

    // Whoever may read something may also ask what it would get.
    let reading = warp::get().or(warp::head()).unify();

    // The app dials without a path, other clients dial `/ws`.
    let socket = warp::path::end()
        .or(warp::path("ws").and(warp::path::end()))
        .unify()
        .and(warp::get())
        .and(warp::header::exact_ignore_case(UPGRADE.as_str(), "websocket"))
        .and(warp::header::headers_cloned())
        .and(shared.clone())
        .and(warp::ext::get::<Peer>())
        .and(warp::ext::get::<PeerSlot>())
        .and(warp::ext::get::<OnUpgrade>())
        .map(|headers, shared, peer, slot: PeerSlot, on| upgrade::upgrade(headers, shared, peer, &slot, on));
    let bare_socket = warp::path("ws").and(warp::path::end()).and(reading).map(upgrade::required);
    let page = warp::path::end().and(reading).map(console::page);
    let files = warp::path("console").and(warp::path::tail()).and(reading);
    let files = files.map(|name: warp::path::Tail| console::file(name.as_str()));
    let health = warp::path!("health").and(reading).map(api::health);

    let api = warp::path("api").and(reading);
    let recipes = api.and(warp::path!("recipes")).and(authorized.clone()).then(api::recipes);
    let recipe = api
        .and(warp::path!("recipes" / String))
        .and(authorized.clone())
        .and(warp::query())
        .map(|id: String, shared: Arc<Shared>, query| api::recipe(&shared, &id, &query));
    let prompt = api
        .and(warp::path!("recipes" / String / "prompt"))
        .and(authorized.clone())
        .and(warp::query())
        .map(|id: String, shared: Arc<Shared>, query| api::prompt(&shared, &id, &query));
    let reasons = api.and(warp::path!("exit-reasons")).and(authorized.clone()).map(|_| api::exit_reasons());
    let store = api.and(warp::path!("store")).and(authorized.clone()).then(api::store);
    let work = api.and(warp::path!("work")).and(authorized.clone()).then(api::work);
    let runs = api.and(warp::path!("runs")).and(authorized.clone()).and(warp::query()).then(api::runs);
    let run = api.and(warp::path!("runs" / String)).and(authorized.clone()).and(warp::query()).then(api::run);
    let reply = api.and(warp::path!("runs" / String / "reply")).and(authorized.clone()).then(api::reply);
    let diff = api.and(warp::path!("runs" / String / "diff"));
    let diff = diff.and(authorized).and(warp::query()).then(api::diff);

    // Each in a box: the compiler takes minutes to check one type that is made of all of them.
    let others = [
        bare_socket.boxed(),
        page.boxed(),
        files.boxed(),
        health.boxed(),
        recipes.boxed(),
        recipe.boxed(),
        prompt.boxed(),
        reasons.boxed(),
        store.boxed(),
        work.boxed(),
        runs.boxed(),
        run.boxed(),
        reply.boxed(),
        diff.boxed(),
    ];
    let found = others.into_iter().fold(socket.boxed(), |found, route| found.or(route).unify().boxed());
    found.recover(explain).unify().map(guarded).boxed()
}

/// Lets a request pass that shows the key.
async fn authorize(
    shared: Arc<Shared>,
    peer: Peer,
    slot: PeerSlot,
    header: Option<String>,
) -> Result<Arc<Shared>, Rejection> {
    let key = header.as_deref().and_then(auth::bearer);
    match auth::check(&shared, peer, key, &shared.stopping).await {
        Ok(_) => {
            slot.note(Standing::Keyed);
            Ok(shared)
        }
        Err(auth::WrongKey) => Err(warp::reject::custom(NotAuthorized)),
    }
}

#[derive(Debug)]
struct NotAuthorized;

impl warp::reject::Reject for NotAuthorized {}

/// Says why there is nothing here for a request.
async fn explain(rejection: Rejection) -> Result<Response, Infallible> {
    if let Some(NotAuthorized) = rejection.find() {
        return Ok(not_authorized());
    }
    let (status, words) = if rejection.find::<warp::reject::InvalidQuery>().is_some() {
        (StatusCode::BAD_REQUEST, "the query cannot be read")
    } else if rejection.find::<warp::reject::InvalidHeader>().is_some() {
        (StatusCode::BAD_REQUEST, "a header cannot be read")
    } else if rejection.find::<warp::reject::MethodNotAllowed>().is_some() {
        (StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered here")
    } else {
        (StatusCode::NOT_FOUND, "there is nothing here")
    };
    let mut answer = problem(status, words);
    if status == StatusCode::METHOD_NOT_ALLOWED {
        put(&mut answer, ALLOW, "GET, HEAD");
    }
    Ok(answer)
}

fn not_authorized() -> Response {
    let mut answer = problem(StatusCode::UNAUTHORIZED, "send the header Authorization: Bearer <key>");
    put(&mut answer, WWW_AUTHENTICATE, "Bearer realm=\"surefire\"");
    answer
}

/// The answer to a request that is not for this server, or not from one of its pages.
pub(in crate::server) fn turned_away(stranger: Stranger) -> Response {
    guarded(match stranger {
        Stranger::NoHost => problem(StatusCode::BAD_REQUEST, "the request needs one Host header"),
        Stranger::OtherHost => problem(
            StatusCode::FORBIDDEN,
            "this server does not answer to that name; start it with --allow-host to let it",
        ),
        Stranger::OtherOrigin => {
            problem(StatusCode::FORBIDDEN, "pages of other sites may not talk to this server")
        }
    })
}

pub(in crate::server) fn took_too_long() -> Response {
    guarded(problem(StatusCode::SERVICE_UNAVAILABLE, "that took too long; try again"))
}

/// Headers that keep a browser from making more of an answer than it is, and from telling other sites of this one.
fn guarded(mut answer: Response) -> Response {
    put(&mut answer, CONTENT_SECURITY_POLICY, console::POLICY);
    put(&mut answer, X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(&mut answer, CACHE_CONTROL, "no-store");
    put(&mut answer, REFERRER_POLICY, "no-referrer");
    put(&mut answer, OTHER_SITES, "same-origin");
    answer
}

fn put(answer: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}
