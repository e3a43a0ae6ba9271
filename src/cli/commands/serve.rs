//! `surefire serve`: the server.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::cli::context::Context;
use crate::cli::render::banner::{LAN, NOT_LAN, Room, Welcome};
use crate::cli::settings::Rank;
use crate::cli::settings::data;
use crate::cli::settings::paths::Places;
use crate::cli::settings::server_limits::ServerLimitOptions;
use crate::cli::signals::Signals;
use crate::cli::usage::bad_value::BadValue;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::options::{AgentOptions, AllowDirtyOption, OnEndOption, PatienceOptions};
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::Shutdown;
use crate::server::{BindError, Server, ServerBuilder};
use crate::store::StoreError;

/// What stands before every reason for not serving.
const WHAT: &str = "the server cannot be started";

/// How often, and how soon, a data directory is tried again that somebody holds for a moment.
const LOOKS: u32 = 20;
const LOOK_AGAIN: Duration = Duration::from_millis(50);

const EXAMPLES: &str = "\
Examples:
  surefire serve                           for this machine alone
  surefire serve --listen 0.0.0.0:8080 --lan
                                           for a phone in the same network
  surefire serve --agent rehearsal --rehearse one-fix
                                           to try everything without an agent
  surefire serve --json > ready.json &     for scripts: where it is, once it is";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Serve {
    #[command(flatten)]
    options: ServeOptions,
    /// Does not show the key as a QR code
    #[arg(long, help_heading = "Output")]
    no_qr: bool,
    /// Prints one line of JSON once it is ready
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// Everything that decides what is served, to whom, and how.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct ServeOptions {
    #[command(flatten)]
    pub(in crate::cli) listening: ListenOptions,
    #[command(flatten)]
    pub(in crate::cli) agent: AgentOptions,
    #[command(flatten)]
    patience: PatienceOptions,
    #[command(flatten)]
    server: ServerLimitOptions,
    /// How many agents may work at once
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Agent")]
    #[arg(value_parser = at_least_one, allow_negative_numbers = true)]
    parallel: NonZeroUsize,
    /// Stops agents when the server stops; without this they work on, and the next server takes up what they did
    #[arg(long, help_heading = "Agent")]
    stop_agents: bool,
    #[command(flatten)]
    dirty: AllowDirtyOption,
    #[command(flatten)]
    on_end: OnEndOption,
    #[command(flatten)]
    pub(in crate::cli) places: Places,
    /// A directory that agents may work in, and below (repeatable); your home unless told otherwise
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    pub(in crate::cli) root: Vec<PathBuf>,
}

/// Who can connect.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Network")]
pub(in crate::cli) struct ListenOptions {
    /// Where to listen; port 0 takes one that is free
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)))]
    #[arg(value_parser = address)]
    pub(in crate::cli) listen: SocketAddr,
    /// Lets other machines connect, where it listens at an address that they can reach. There is no encryption: whoever can read
    /// the network can read the key
    #[arg(long)]
    pub(in crate::cli) lan: bool,
    /// Another name that this server may be called by (repeatable)
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    allow_host: Vec<String>,
}

impl Serve {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, Complaint> {
        let agent = self.options.agent.clone().settled(context)?;
        let options = ServeOptions { agent, ..self.options };
        wait(Self { options, ..self }.serve(context))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn serve(&self, context: &Context) -> Result<(), Complaint> {
        // From the first moment on, so that a server that is still coming up can be stopped as well.
        let mut signals =
            Signals::new().map_err(|error| Complaint::advised(WHAT, error.to_string(), None))?;
        let chosen = self.options.agent.choose(true).map_err(|failure| Complaint::about(WHAT, &failure))?;
        let data = self.options.places.data()?;
        let key_file = self.options.places.key_file()?;
        let describe = || {
            let builder = Server::builder().recipes(context.catalog).agent(chosen.agent.clone());
            self.options.describe(builder.data(&data).key_file(&key_file))
        };
        let server = tokio::select! {
            server = bind(describe) => server.map_err(|error| Complaint::about(WHAT, &error))?,
            _ = signals.asked() => return Ok(()),
        };
        let about = chosen.agent.about();
        let welcome = Welcome {
            listening: server.address(),
            key: server.key(),
            key_file: &key_file,
            data: &data,
            agent: about.name,
            agent_words: &chosen.words,
            key_command: &key_command(context),
        };
        self.greet(context, &welcome);
        serve(server, signals).await;
        Ok(())
    }

    /// Nobody has to read any of it; a server that nobody looks at serves all the same.
    fn greet(&self, context: &Context, welcome: &Welcome<'_>) {
        let console = context.console;
        if !welcome.listening.ip().to_canonical().is_loopback() {
            console.warn(LAN);
        } else if self.options.listening.lan && context.rank("lan") == Rank::CommandLine {
            console.warn(NOT_LAN);
        }
        if self.json {
            console.say(welcome.json());
        } else if console.is_terminal() {
            let room = if self.no_qr { Room::NoPicture } else { Room::Terminal(console.size()) };
            console.put(welcome.on_terminal(room));
        } else {
            console.say(welcome.plain());
        }
    }
}

impl ServeOptions {
    fn describe(&self, builder: ServerBuilder) -> ServerBuilder {
        let builder = builder.listen(self.listening.listen).lan(self.listening.lan);
        let builder = self.listening.allow_host.iter().fold(builder, ServerBuilder::allow_host);
        let builder = self.root.iter().fold(builder, ServerBuilder::root).limits(self.server.limits());
        let how = if self.stop_agents { Shutdown::StopAgents } else { Shutdown::LeaveAgents };
        let (parallel, turn) = (self.parallel.get(), self.patience.limits());
        let (allow_tools, allow_dirty) = (self.agent.allow_tool.clone(), self.dirty.allow_dirty);
        let (on_end, program) = (self.on_end.command(), program_name());
        let named_data = self.places.data().ok().and_then(|data| data::unusual(&data));
        builder.on_shutdown(how).tune(move |options| {
            (options.parallel, options.turn, options.allow_tools) = (parallel, turn, allow_tools);
            options.allow_dirty = allow_dirty;
            (options.on_end, options.program, options.named_data) = (on_end, program, named_data);
        })
    }
}

/// The command that shows the key as a picture. What was said here about where things are has to be said again.
fn key_command(context: &Context) -> String {
    let given = ["data", "key-file", "config"].into_iter();
    let given =
        given.filter(|long| context.rank(long) == Rank::CommandLine).map(|long| format!(" --{long} …"));
    format!("{} key --qr{}", program_name(), given.collect::<String>())
}

/// Nothing would ever be done by no agent at all.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "it is no number from 1 on".to_owned())
}

/// An address and a port. Names are not looked up: what one stands for may change, and be reached by others.
fn address(text: &str) -> Result<SocketAddr, BadValue> {
    const FIX: &str = "write one such as 127.0.0.1:8080, or 0.0.0.0:8080 for all of this machine's";
    text.parse().map_err(|_| BadValue::new("it is no address with a port").fix(FIX))
}

/// Brings the server up. Whoever holds the data directory and listens nowhere may only look something up, and is waited for.
async fn bind(describe: impl Fn() -> ServerBuilder) -> Result<Server, BindError> {
    for _ in 0..LOOKS {
        match describe().bind().await {
            Err(BindError::Store(StoreError::Held { holder, .. })) if holder.address.is_none() => {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            bound => return bound,
        }
    }
    describe().bind().await
}

/// Serves until it is asked to stop, and for as long as that takes.
async fn serve(server: Server, mut signals: Signals) {
    let (done, waiting) = tokio::sync::oneshot::channel();
    let serving = server.serve(async {
        let _ = waiting.await;
    });
    let mut serving = std::pin::pin!(serving);
    let mut done = Some(done);
    loop {
        tokio::select! {
            () = serving.as_mut() => return,
            status = signals.asked() => match done.take() {
                Some(done) => drop(done.send(())),
                // Whoever asks twice does not want to wait.
                None => std::process::exit(status.into()),
            }
        }
    }
}
