//! The plain HTTP endpoints and their routes.

pub(super) mod api;
pub(super) mod problem;
pub(super) mod routes;
