//! The server that is killed: the engine with a real store and the fake CLI, and its clients.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use surefire::agent::{Claude, ClaudeSettings};
use surefire::engine::{Engine, Options, Shutdown, Update};
use surefire::store::{Sqlite, Store};
use surefire_testkit::unproved;

use super::clients::Client;
use super::finish;
use super::journal::{Entry, Journal};
use super::place::journal_path;

/// The test that is this server.
pub(super) const TEST: &str = "crowd::server::eight_clients_until_it_is_killed";

pub(super) const PLACE_VARIABLE: &str = "SUREFIRE_CROWD_PLACE";
pub(super) const AGENT_VARIABLE: &str = "SUREFIRE_CROWD_AGENT";

/// The number of this server, or [`FINISH`].
pub(super) const LIFE_VARIABLE: &str = "SUREFIRE_CROWD_LIFE";
pub(super) const FINISH: &str = "finish";

/// How many clients act at once, and how many agents may work.
const CROWD: usize = 8;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "is the server that the campaign starts and kills, as a process of its own"]
async fn eight_clients_until_it_is_killed() {
    let variable = |name| std::env::var(name).unwrap_or_default();
    let (folder, life) = (variable(PLACE_VARIABLE), variable(LIFE_VARIABLE));
    if folder.is_empty() {
        return;
    }
    if std::env::var_os("RUST_LOG").is_some() {
        tracing_subscriber::fmt().with_ansi(false).with_writer(std::io::stderr).init();
    }
    let folder = Path::new(&folder);
    let engine = open(folder).await;
    let journal = Journal::open(&journal_path(folder));
    tokio::spawn(listen(engine.clone(), journal.clone()));
    let project = folder.join("project");
    let clients = (0..CROWD).map(|number| {
        let name = format!("{life}-{number}");
        Client::new(&name, engine.clone(), journal.clone(), project.clone())
    });
    if life == FINISH {
        finish::finish(&engine, &journal, clients.collect()).await;
        engine.shut_down(Shutdown::StopAgents).await;
        return;
    }
    for client in clients.map(|client| tokio::spawn(client.act_for_ever())).collect::<Vec<_>>() {
        client.await.expect("a client only ends with its server");
    }
}

async fn open(folder: &Path) -> Engine {
    let data = folder.join("data");
    let opened = Sqlite::open(&data).expect("the store can be opened");
    assert!(opened.quarantined.is_none(), "no kill damages the store");
    let program = std::env::var_os(AGENT_VARIABLE).expect("the campaign names it");
    let quick = Duration::from_millis(10);
    let settings = ClaudeSettings::default().max_poll_interval(quick);
    let claude =
        Claude::find(Some(Path::new(&program))).expect("the fake is there").settings(settings);
    let store: Arc<dyn Store> = Arc::new(opened.store);
    let mut options = Options::new(unproved(), Arc::new(claude), store, data);
    options.roots = vec![folder.join("project")];
    options.locks = folder.join("locks");
    options.parallel = CROWD;
    Engine::open(options).await.expect("the engine opens, whatever happened before")
}

/// Records the endings that clients are notified of and that the store does not have.
async fn listen(engine: Engine, journal: Journal) {
    let mut updates = engine.subscribe();
    while let Ok(update) = updates.next().await {
        if let Update::NotPersisted { run, ending, .. } = update {
            let reason =
                format!("{}: {}", ending.reason, ending.description.as_deref().unwrap_or_default());
            journal.write(&Entry::NotPersisted { run, reason });
        }
    }
}
