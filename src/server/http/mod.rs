//! What is answered over plain HTTP, and the routes to it.

pub(super) mod api;
pub(super) mod problem;
pub(super) mod routes;
