//! Talks to a server as a program of your own would: starts a run, follows it, reads its journal.
//! `cargo run --example talk_to_a_server` starts a server with the rehearsal agent, and connects to
//! it.

use std::error::Error;
use std::sync::Arc;

use surefire::agent::Rehearsal;
use surefire::client::{Client, Endpoint};
use surefire::recipes::BUNDLED;
use surefire::server::Server;
use surefire::wire::{ServerMessage, StartRecipe};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let place = std::env::temp_dir().join("surefire-talk-to-a-server");
    let server = Server::builder()
        .recipes(BUNDLED)
        .agent(Arc::new(Rehearsal::default()))
        .data(&place)
        .root(&place)
        .listen(([127, 0, 0, 1], 0))
        .bind()
        .await?;
    // From another machine, `Endpoint::at` is enough. On this one, other users cannot exhaust the
    // connections of the socket in the data directory.
    let endpoint = Endpoint::at(server.address(), server.key().reveal()).or_in(&place);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve(async { drop(stopped.await) }));

    let mut client = Client::connect(endpoint).await?;
    let start = StartRecipe::new("implement-and-review").working_directory(Some(place));
    let started = client.start_recipe(start).await?;
    println!("started run {}", started.run);
    loop {
        match client.next().await? {
            ServerMessage::RecipeStepTransition(moved) if moved.of.run_id == started.run => {
                println!("{}: {} → {}", moved.from_step, moved.outcome, moved.to_step);
            }
            ServerMessage::RecipeExited(exited)
                if exited.of.is_some_and(|of| of.run_id == started.run) =>
            {
                println!("{}: {}", exited.title, exited.message);
                break;
            }
            _ => {}
        }
    }
    let journal = client.endpoint().journal(started.run, 0).await?;
    println!("{} events in its journal", journal.map_or(0, |journal| journal.events.len()));

    drop(stop);
    serving.await?;
    Ok(())
}
