//! The routes of the server.

use std::convert::Infallible;
use std::sync::Arc;

use hyper::upgrade::OnUpgrade;
use warp::filters::BoxedFilter;
use warp::http::header::{
    ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, REFERRER_POLICY,
    UPGRADE, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use warp::http::{HeaderMap, HeaderValue, Method, StatusCode};
use warp::reply::Response;
use warp::{Filter, Rejection};

use super::api;
use super::problem::problem;
use crate::server::console;
use crate::server::net::allowed_hosts::HostRejection;
use crate::server::net::auth::{self, Credentials};
use crate::server::net::browser_pass;
use crate::server::net::peer::Peer;
use crate::server::net::peer_slot::PeerSlot;
use crate::server::net::pool::Standing;
use crate::server::shared::Shared;
use crate::server::socket::upgrade;

/// Which sites' pages may load a response, even just to detect this server.
const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// All routes, over WebSocket and plain HTTP.
pub(in crate::server) fn all(shared: &Arc<Shared>) -> BoxedFilter<(Response,)> {
    let here = Arc::clone(shared);
    let shared = warp::any().map(move || Arc::clone(&here));
    let authorized = shared
        .clone()
        .and(warp::ext::get::<Peer>())
        .and(warp::ext::get::<PeerSlot>())
        .and(warp::header::headers_cloned())
        .and_then(authorize)
        .boxed();

    // `HEAD` is answered wherever `GET` is.
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
        .map(|headers, shared, peer, slot: PeerSlot, on| {
            upgrade::upgrade(headers, shared, peer, &slot, on)
        });
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
        .then(api::recipe);
    let prompt = api
        .and(warp::path!("recipes" / String / "prompt"))
        .and(authorized.clone())
        .and(warp::query())
        .then(api::prompt);
    let reasons =
        api.and(warp::path!("exit-reasons")).and(authorized.clone()).map(|_| api::exit_reasons());
    let store = api.and(warp::path!("store")).and(authorized.clone()).then(api::store);
    let browser = warp::path!("api" / "browser");
    let pass = browser
        .and(warp::post())
        .and(authorized.clone())
        .map(|shared: Arc<Shared>| api::browser(&shared));
    // It needs no valid pass: the browser forgets even one that a new key has invalidated.
    let forget = browser
        .and(warp::delete())
        .and(warp::header::optional("authorization"))
        .map(|header: Option<String>| api::forget_browser(header.as_deref()));
    let other_method = browser.and(warp::method()).and_then(only_post_and_delete);
    let work = api.and(warp::path!("work")).and(authorized.clone()).then(api::work);
    let runs =
        api.and(warp::path!("runs")).and(authorized.clone()).and(warp::query()).then(api::runs);
    let run = api
        .and(warp::path!("runs" / String))
        .and(authorized.clone())
        .and(warp::query())
        .then(api::run);
    let reply =
        api.and(warp::path!("runs" / String / "reply")).and(authorized.clone()).then(api::reply);
    let diff = api.and(warp::path!("runs" / String / "diff"));
    let diff = diff.and(authorized).and(warp::query()).then(api::diff);

    // Each is boxed: the compiler takes minutes to check one type that combines all of them.
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
        pass.boxed(),
        forget.boxed(),
        other_method.boxed(),
        work.boxed(),
        runs.boxed(),
        run.boxed(),
        reply.boxed(),
        diff.boxed(),
    ];
    let found =
        others.into_iter().fold(socket.boxed(), |found, route| found.or(route).unify().boxed());
    found.recover(explain).unify().map(guarded).boxed()
}

/// Accepts a request that shows the key, or both halves of a browser pass. Another site's page
/// cannot send the header without a CORS preflight, which is refused.
async fn authorize(
    shared: Arc<Shared>,
    peer: Peer,
    slot: PeerSlot,
    headers: HeaderMap,
) -> Result<Arc<Shared>, Rejection> {
    let key = headers.get(AUTHORIZATION).and_then(|header| header.to_str().ok());
    let credentials =
        Credentials { key: key.and_then(auth::bearer), cookies: browser_pass::cookies(&headers) };
    match auth::check(&shared, peer, credentials, &shared.stopping).await {
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

/// Turns a rejection into an error response.
async fn explain(rejection: Rejection) -> Result<Response, Infallible> {
    if let Some(NotAuthorized) = rejection.find() {
        return Ok(not_authorized());
    }
    let (status, words) = if rejection.find::<warp::reject::InvalidQuery>().is_some() {
        (StatusCode::BAD_REQUEST, "the query cannot be read")
    } else if rejection.find::<warp::reject::InvalidHeader>().is_some() {
        (StatusCode::BAD_REQUEST, "a header cannot be read")
    } else if rejection.find::<warp::reject::MethodNotAllowed>().is_some() {
        return Ok(method_not_allowed("GET, HEAD"));
    } else {
        (StatusCode::NOT_FOUND, "there is nothing here")
    };
    Ok(problem(status, words))
}

/// Leaves the methods of `/api/browser` to its own routes, and refuses all others.
async fn only_post_and_delete(method: Method) -> Result<Response, Rejection> {
    match method {
        Method::POST | Method::DELETE => Err(warp::reject::reject()),
        _ => Ok(method_not_allowed("POST, DELETE")),
    }
}

fn method_not_allowed(allowed: &str) -> Response {
    let words = format!("only {} are answered here", allowed.replace(", ", " and "));
    let mut answer = problem(StatusCode::METHOD_NOT_ALLOWED, &words);
    put(&mut answer, ALLOW, allowed);
    answer
}

fn not_authorized() -> Response {
    let mut answer =
        problem(StatusCode::UNAUTHORIZED, "send the header Authorization: Bearer <key>");
    put(&mut answer, WWW_AUTHENTICATE, "Bearer realm=\"surefire\"");
    answer
}

/// The response to a request that is not for this server, or not from one of its pages.
pub(in crate::server) fn reject_host(rejection: HostRejection) -> Response {
    guarded(match rejection {
        HostRejection::NoHost => {
            problem(StatusCode::BAD_REQUEST, "the request needs one Host header")
        }
        HostRejection::OtherHost => problem(
            StatusCode::FORBIDDEN,
            "this server does not answer to that name; start it with --allow-host to let it",
        ),
        HostRejection::OtherOrigin => {
            problem(StatusCode::FORBIDDEN, "pages of other sites may not use this server")
        }
    })
}

pub(in crate::server) fn took_too_long() -> Response {
    guarded(problem(StatusCode::SERVICE_UNAVAILABLE, "that took too long; try again"))
}

/// Adds headers that keep a browser from guessing another content type, and from revealing this
/// server to other sites.
fn guarded(mut answer: Response) -> Response {
    put(&mut answer, CONTENT_SECURITY_POLICY, console::POLICY);
    put(&mut answer, X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(&mut answer, CACHE_CONTROL, "no-store");
    put(&mut answer, REFERRER_POLICY, "no-referrer");
    put(&mut answer, CROSS_ORIGIN_RESOURCE_POLICY, "same-origin");
    answer
}

fn put(answer: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        answer.headers_mut().insert(name, value);
    }
}
