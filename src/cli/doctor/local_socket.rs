//! Whether commands reach the server that holds the data directory by its own socket, which others cannot crowd.

use std::path::Path;

use super::finding::Finding;
use crate::local;
use crate::store::Holder;

const NAME: &str = "local socket";

/// Says something only where there is a server, and it has no such socket.
pub(super) async fn check(data: Option<&Path>, holder: Option<&Holder>) -> Option<Finding> {
    let (data, holder) = (data?, holder?);
    let address = holder.address.as_deref()?;
    let error = local::connect(data).await.err()?;
    let words =
        format!("{holder} cannot be reached by its socket ({error}), so commands have to use {address}");
    let fix = "restart it; if that does not help, name a folder with a shorter path, on a disk of this machine, with `--data`";
    Some(Finding::doubtful(NAME, words, fix))
}
