//! The cost of an idle client.

use std::path::Path;
use std::time::Duration;

use crate::client::Client;
use crate::servers::{Contender, Serving};
use crate::{CLIENTS, Result, figures};

/// Clients that connect before the measurement, so that the extra cost of the first one is not
/// counted.
const BEFORE: usize = 20;

pub(crate) async fn measure(below: &Path) -> Result<()> {
    let (ours, stock) =
        (a_client(Contender::Ours, below).await?, a_client(Contender::Stock, below).await?);
    figures::compare("memory of an idle client (VmRSS)", "KB", ours, stock, "≤ 0.2");
    Ok(())
}

/// Kilobytes.
async fn a_client(contender: Contender, below: &Path) -> Result<f64> {
    let server = Serving::start(contender, below)?;
    let _before = Client::many(&server, BEFORE).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let memory = server.memory()?;
    let _clients = Client::many(&server, CLIENTS).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    Ok((server.memory()? - memory) / CLIENTS as f64 / 1e3)
}
