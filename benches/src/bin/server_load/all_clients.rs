//! How long it takes until all clients have received the events of a run.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use uuid::Uuid;

use crate::client::{Audience, Client};
use crate::figures::{self, Spread};
use crate::servers::{Contender, Serving};
use crate::{CLIENTS, Result};

const RUNS: usize = 5;

/// Longer than the minimum time that the server leaves between a run's last step and its end, so
/// that no message is delayed by it.
pub(crate) const PACE: Duration = Duration::from_millis(300);

const TIMEOUT: Duration = Duration::from_secs(60);

pub(crate) async fn measure(below: &Path) -> Result<()> {
    let server = Serving::paced(Contender::Ours, below, PACE)?;
    let audience = Audience::of(Client::many(&server, CLIENTS).await?);
    let mut starter = Client::connect(&server).await?;
    for _ in 0..RUNS {
        run(&mut starter, &server).await?;
    }
    let all_received = async {
        while audience.ends() < RUNS * CLIENTS {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(TIMEOUT, all_received)
        .await
        .map_err(|_| "some clients did not receive the end of a run")?;
    let mut delays = audience.delays()?;
    let what =
        format!("until each of {CLIENTS} clients has received an event (including its commit)");
    figures::alone(&what, &Spread::of(&mut delays).to_string(), "p99 < 100 ms");
    Ok(())
}

/// Starts a run in a new session, and waits for its end.
pub(crate) async fn run(starter: &mut Client, server: &Serving) -> Result<()> {
    let (session, directory) = (Uuid::new_v4(), server.folder.path().canonicalize()?);
    let start = json!({
        "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review",
        "working_directory": directory,
    });
    starter.send(&start).await?;
    starter.until_about("recipe_exited", session).await
}
