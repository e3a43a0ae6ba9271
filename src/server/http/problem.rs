//! Answers that say what is wrong.

use serde_json::json;
use warp::http::StatusCode;
use warp::reply::{Reply, Response};

/// An answer that says what is wrong.
pub(in crate::server) fn problem(status: StatusCode, words: &str) -> Response {
    warp::reply::with_status(warp::reply::json(&json!({ "error": words })), status).into_response()
}
