//! The cost of a client that never reads on a busy server: for the server, and for the other
//! clients.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::Result;
use crate::all_clients::{PACE, run};
use crate::client::{Audience, Client};
use crate::figures::{self, Spread};
use crate::servers::{Contender, Serving};

const OTHERS: usize = 50;
/// Concurrent runs, whose events all clients receive.
const RUNNERS: usize = 8;
/// Concurrent conversations, whose messages only their subscribers receive.
const TALKERS: usize = 16;
const WORDS: usize = 200_000;

const CALM: Duration = Duration::from_secs(8);
const TIMEOUT: Duration = Duration::from_secs(2 * 60);

pub(crate) async fn measure(below: &Path) -> Result<()> {
    let server = Arc::new(Serving::paced(Contender::Ours, below, PACE)?);
    let others = Audience::of(Client::many(&server, OTHERS).await?);
    let mut busy = JoinSet::new();
    for _ in 0..RUNNERS {
        busy.spawn(run_for_ever(Arc::clone(&server)));
    }
    let sessions: Vec<Uuid> = (0..TALKERS).map(|_| Uuid::new_v4()).collect();
    for session in sessions.clone() {
        busy.spawn(talk_for_ever(Arc::clone(&server), session));
    }
    // The cost of warming up is not measured.
    tokio::time::sleep(CALM).await;
    others.delays()?;
    let calm = server.memory()?;
    tokio::time::sleep(CALM).await;
    let mut without = others.delays()?;

    let (before, files) = (server.memory()?, server.open_files()?);
    let mut silent = Client::connect(&server).await?;
    for session in sessions {
        silent.send(&json!({ "type": "subscribe", "session_id": session })).await?;
    }
    let (begun, mut most) = (Instant::now(), before);
    while server.open_files()? > files {
        if begun.elapsed() > TIMEOUT {
            return Err("the client that never reads was not disconnected".into());
        }
        if let Some(ended) = busy.try_join_next() {
            ended??;
        }
        most = most.max(server.memory()?);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let took = begun.elapsed();
    let mut with = others.delays()?;
    let growth = format!(
        "{:.1} MB in {:.1} s ({:.1} MB in {CALM:?} without it)",
        (most - before) / 1e6,
        took.as_secs_f64(),
        (before - calm) / 1e6
    );
    figures::alone(
        "a client that never reads: the server's memory until it is disconnected",
        &growth,
        "< 16 MB",
    );
    figures::alone(
        "the other clients before it connected",
        &Spread::of(&mut without).to_string(),
        "",
    );
    figures::alone(
        "the other clients while it was connected",
        &Spread::of(&mut with).to_string(),
        "as before",
    );
    Ok(())
}

async fn run_for_ever(server: Arc<Serving>) -> Result<()> {
    let mut starter = Client::connect(&server).await?;
    loop {
        run(&mut starter, &server).await?;
    }
}

async fn talk_for_ever(server: Arc<Serving>, session: Uuid) -> Result<()> {
    let directory = server.folder.path().canonicalize()?;
    let prompt = json!({
        "type": "prompt", "new_session_id": session, "working_directory": directory, "text": "many words ".repeat(WORDS / 11),
    });
    let mut talker = Client::connect(&server).await?;
    loop {
        talker.send(&prompt).await?;
        talker.until_about("turn_complete", session).await?;
    }
}
