//! How long an answer of two messages takes, without other clients.

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::Result;
use crate::client::Client;
use crate::figures::{self, Spread};
use crate::servers::{Contender, Serving};

const REQUESTS: usize = 2000;

pub(crate) async fn measure(below: &Path) -> Result<()> {
    let server = Serving::start(Contender::Ours, below)?;
    let mut client = Client::connect(&server).await?;
    let mut times = Vec::with_capacity(REQUESTS);
    for _ in 0..REQUESTS {
        let begun = Instant::now();
        client.send(&json!({ "type": "refresh_sessions", "recent_sessions_limit": 5 })).await?;
        client.until("session_list").await?;
        client.until("recent_sessions").await?;
        times.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    figures::alone(
        "until the second of two answers",
        &Spread::of(&mut times).to_string(),
        "p50 and p99 < 2 ms",
    );
    Ok(())
}
