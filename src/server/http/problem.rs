//! Error responses.

use serde_json::json;
use warp::http::StatusCode;
use warp::reply::{Reply, Response};

/// A response that says what is wrong.
pub(in crate::server) fn problem(status: StatusCode, message: &str) -> Response {
    warp::reply::with_status(warp::reply::json(&json!({ "error": message })), status)
        .into_response()
}
