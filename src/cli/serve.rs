//! `surefire serve`: the server.

use std::error::Error;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::agent::{self, Choice};
use super::data;
use crate::Catalog;
use crate::agent::Script;
use crate::engine::Shutdown;
use crate::server::Server;

/// The exit statuses of a process that a signal ended.
const INTERRUPTED: i32 = 130;
const TERMINATED: i32 = 143;

/// What `--lan` means.
const LAN: &str = "Other machines can connect. There is no encryption: whoever can read the network can read the key, \
    and use this machine's agent";

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Where to listen; port 0 takes one that is free
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)))]
    listen: SocketAddr,
    /// Lets other machines connect. There is no encryption: whoever can read the network can read the key
    #[arg(long)]
    lan: bool,
    /// Another name that this server may be called by (repeatable)
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Which agent does the work
    #[arg(long, value_enum, default_value = "auto")]
    agent: Choice,
    /// The agent's program, where it is not found by itself
    #[arg(long, value_name = "FILE")]
    agent_path: Option<PathBuf>,
    /// What the rehearsal plays
    #[arg(long, value_name = "SCRIPT", default_value_t = Script::default())]
    rehearse: Script,
    /// How long a rehearsal takes for a turn, in milliseconds
    #[arg(long, value_name = "MS")]
    pace_ms: Option<u64>,
    /// Where everything is kept; the platform's data directory unless told otherwise
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// A directory that agents may work in, and below (repeatable); your home unless told otherwise
    #[arg(long, value_name = "FOLDER")]
    root: Vec<PathBuf>,
    /// The file with the key, which is made if it is not there
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// How many agents may work at once
    #[arg(long, value_name = "N", default_value_t = 2)]
    parallel: usize,
    /// Stops agents when the server stops; without this they work on, and the next server takes up what they did
    #[arg(long)]
    stop_agents: bool,
    /// Prints one line of JSON once it is ready
    #[arg(long)]
    json: bool,
}

impl Serve {
    pub(super) async fn run(self, catalog: Catalog) -> Result<(), Box<dyn Error>> {
        // From the first moment on, so that a server that is still coming up can be stopped as well.
        let mut stop = Stop::new()?;
        let pace = self.pace_ms.map(Duration::from_millis);
        let chosen = agent::choose(self.agent, self.agent_path.as_ref(), self.rehearse, pace)?;
        let data = self.data.or_else(data::usual_directory);
        let data = data.ok_or("there is no home to keep data in; name a folder with --data")?;
        let data = std::path::absolute(data)?;
        let name = chosen.agent.about().name;
        let mut builder =
            Server::builder().recipes(catalog).agent(chosen.agent).data(&data).listen(self.listen);
        builder = builder.lan(self.lan);
        for root in self.root {
            builder = builder.root(root);
        }
        for host in self.allow_host {
            builder = builder.allow_host(host);
        }
        let key_file = self.key_file.map_or_else(|| Ok(data.join("api-key")), std::path::absolute)?;
        let how = if self.stop_agents { Shutdown::StopAgents } else { Shutdown::LeaveAgents };
        let parallel = self.parallel;
        let builder =
            builder.key_file(&key_file).on_shutdown(how).tune(move |options| options.parallel = parallel);
        let server = tokio::select! {
            server = builder.bind() => server?,
            _ = stop.asked() => return Ok(()),
        };
        let address = server.address();
        let (key_file, data) = (key_file.display().to_string(), data.display().to_string());
        let ready = if self.json {
            json!({
                "url": format!("http://{address}"),
                "ws_url": format!("ws://{address}"),
                "key_file": key_file,
                "data_dir": data,
                "agent": name,
                "version": env!("CARGO_PKG_VERSION"),
            })
            .to_string()
        } else {
            let words = chosen.words;
            format!("Surefire listens at ws://{address}\nThe key is in {key_file}\nThe agent is {words}")
        };
        // Nobody has to read any of it; a server that nobody looks at serves all the same.
        if !address.ip().to_canonical().is_loopback() {
            let _ = writeln!(std::io::stderr(), "{LAN}");
        }
        let _ = writeln!(std::io::stdout(), "{ready}");
        let (done, waiting) = tokio::sync::oneshot::channel();
        let serving = server.serve(async {
            let _ = waiting.await;
        });
        let mut serving = std::pin::pin!(serving);
        let mut done = Some(done);
        loop {
            tokio::select! {
                () = serving.as_mut() => return Ok(()),
                status = stop.asked() => match done.take() {
                    Some(done) => drop(done.send(())),
                    // Whoever asks twice does not want to wait.
                    None => std::process::exit(status),
                }
            }
        }
    }
}

/// The signals that ask a server to stop.
struct Stop {
    interrupt: Signal,
    terminate: Signal,
}

impl Stop {
    fn new() -> std::io::Result<Self> {
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Waits for one of them, and says which exit status belongs to it.
    async fn asked(&mut self) -> i32 {
        tokio::select! {
            _ = self.interrupt.recv() => INTERRUPTED,
            _ = self.terminate.recv() => TERMINATED,
        }
    }
}
