//! Checks whether commands reach the server through its Unix socket, where other users cannot use
//! up the connection limit.

use std::path::Path;

use super::finding::Finding;
use crate::local;
use crate::store::Holder;

const CHECK: &str = "local socket";

/// Reports only a running server whose socket cannot be reached.
pub(super) async fn check(data: Option<&Path>, holder: Option<&Holder>) -> Option<Finding> {
    let (data, holder) = (data?, holder?);
    let address = holder.address.as_deref()?;
    let error = local::connect(data).await.err()?;
    let words = format!(
        "{holder} cannot be reached through its socket ({error}), so commands use {address}"
    );
    let fix = "restart it; if that does not help, choose a directory with a shorter path on a \
               local disk with `--data`";
    Some(Finding::doubtful(CHECK, words, fix))
}
