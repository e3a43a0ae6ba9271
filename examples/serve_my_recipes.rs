//! Serves a recipe of your own to browsers and the iOS app: `cargo run --example serve_my_recipes`,
//! and Ctrl-C to stop.

use std::error::Error;
use std::sync::Arc;

use surefire::agent::Rehearsal;
use surefire::server::Server;

surefire::recipe! {
    /// Writes a greeting and has it checked.
    recipe Greet {
        initial: Write,
        guardrails: { max_step_visits: 3 },

        step Write {
            prompt: "Write a greeting for a newcomer to this project.",
            outcomes: [Complete],
            Complete => Check,
        }
        step Check {
            prompt: "Read the greeting as a newcomer would. Is it friendly, and is it true?",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit ChangesCommitted,
            IssuesFound => Write,
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder()
        .recipes(surefire::catalog![Greet])
        .agent(Arc::new(Rehearsal::default())) // `Claude::find(None)?` does the work for real
        .data(std::env::temp_dir().join("surefire-serve-my-recipes"))
        .listen(([127, 0, 0, 1], 0))
        .bind()
        .await?;
    let (address, key) = (server.address(), server.key().reveal());
    println!(
        "in a browser: http://{address}/#key={key}\nin the app:   ws://{address} with the key {key}"
    );
    server.serve(async { drop(tokio::signal::ctrl_c().await) }).await;
    Ok(())
}
