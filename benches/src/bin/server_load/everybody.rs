//! How long it takes until everybody has heard of what happens in a run.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use uuid::Uuid;

use crate::client::{Audience, Client};
use crate::figures::{self, Spread};
use crate::servers::{Contender, Serving};
use crate::{CLIENTS, Result};

const RUNS: usize = 5;

/// Longer than the server keeps a run's end apart from its last step, so that nothing waits for that.
pub(crate) const PACE: Duration = Duration::from_millis(300);

const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) async fn measure(below: &Path) -> Result<()> {
    let server = Serving::paced(Contender::Ours, below, PACE)?;
    let audience = Audience::of(Client::many(&server, CLIENTS).await?);
    let mut starter = Client::connect(&server).await?;
    for _ in 0..RUNS {
        run(&mut starter, &server).await?;
    }
    let all_heard = async {
        while audience.ends() < RUNS * CLIENTS {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(PATIENCE, all_heard).await.map_err(|_| "some clients were not told of an end")?;
    let mut delays = audience.delays()?;
    let what = format!(
        "until each of {CLIENTS} clients has heard of an event (since its time stamp, written down included)"
    );
    figures::alone(&what, &Spread::of(&mut delays).to_string(), "p99 < 100 ms");
    Ok(())
}

/// Starts a run in a session of its own, and waits for its end.
pub(crate) async fn run(starter: &mut Client, server: &Serving) -> Result<()> {
    let (session, directory) = (Uuid::new_v4(), server.folder.path().canonicalize()?);
    let start = json!({
        "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review",
        "working_directory": directory,
    });
    starter.send(&start).await?;
    starter.until_about("recipe_exited", session).await
}
