//! `surefire serve`: the server.

use std::net::{Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::cli::context::Context;
use crate::cli::render::banner::{Banner, LAN, NOT_LAN, Room};
use crate::cli::settings::Rank;
use crate::cli::settings::data;
use crate::cli::settings::paths::Paths;
use crate::cli::settings::server_limits::ServerLimitOptions;
use crate::cli::signals::Signals;
use crate::cli::usage::bad_value::BadValue;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::{AgentOptions, AllowDirtyOption, OnEndOption, TurnLimitOptions};
use crate::cli::usage::program::program_name;
use crate::cli::wait::wait;
use crate::engine::{PromptFiles, Shutdown};
use crate::server::{BindError, Server, ServerBuilder};
use crate::store::StoreError;

/// The server's log file in the data directory.
const LOG_FILE: &str = "logs/surefire.log";

/// The first line of every error of this command.
const WHAT: &str = "the server cannot be started";

/// How often, and at which interval, to retry a data directory that another process holds.
const MAX_BIND_ATTEMPTS: u32 = 20;
const POLL_INTERVAL: Duration = Duration::from_millis(50);

const EXAMPLES: &str = "\
Examples:
  surefire serve                           serve this machine only
  surefire serve --listen 0.0.0.0:8080 --lan
                                           serve a phone in the same network
  surefire serve --agent rehearsal --rehearse one-fix
                                           try everything without an agent
  surefire serve --json > ready.json &     for scripts: the address, when it is ready";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct Serve {
    #[command(flatten)]
    options: ServeOptions,
    /// Hide the QR code of the key
    #[arg(long, help_heading = "Output")]
    no_qr: bool,
    /// Print one line of JSON when the server is ready
    #[arg(long, help_heading = "Output")]
    json: bool,
}

/// The options of a server, which `doctor` takes too.
#[derive(Debug, Clone, Args)]
pub(in crate::cli) struct ServeOptions {
    #[command(flatten)]
    pub(in crate::cli) listening: ListenOptions,
    #[command(flatten)]
    pub(in crate::cli) agent: AgentOptions,
    #[command(flatten)]
    turn_limits: TurnLimitOptions,
    #[command(flatten)]
    server: ServerLimitOptions,
    /// Number of agents that work at once
    #[arg(long, value_name = "N", default_value = "2", help_heading = "Agent")]
    #[arg(value_parser = at_least_one, allow_negative_numbers = true)]
    parallel: NonZeroUsize,
    /// Stop the agents when the server stops [default: they continue, and the next server adopts
    /// them]
    #[arg(long, help_heading = "Agent")]
    stop_agents: bool,
    #[command(flatten)]
    dirty: AllowDirtyOption,
    #[command(flatten)]
    on_end: OnEndOption,
    #[command(flatten)]
    pub(in crate::cli) paths: Paths,
    /// Log file of the server, of at most 10 MiB; one older file is kept [default: in `logs` in the
    /// data directory]
    #[arg(long, value_name = "FILE", help_heading = "Files")]
    log_file: Option<PathBuf>,
    /// Directory that agents may work in, including everything below it (repeatable) [default: your
    /// home]
    #[arg(long, value_name = "FOLDER", help_heading = "Files")]
    pub(in crate::cli) root: Vec<PathBuf>,
}

/// The network options.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Network")]
pub(in crate::cli) struct ListenOptions {
    /// Address to listen on; port 0 chooses a free port
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)))]
    #[arg(value_parser = address)]
    pub(in crate::cli) listen: SocketAddr,
    /// Allow connections from other machines, if `--listen` is reachable from them. The connection
    /// is not encrypted: anyone who can read the network traffic can read the key
    #[arg(long)]
    pub(in crate::cli) lan: bool,
    /// Additional host name that clients may use for this server (repeatable)
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    allow_host: Vec<String>,
}

impl Serve {
    pub(in crate::cli) fn run(self, context: &Context) -> Result<ExitCode, CliError> {
        let agent = self.options.agent.clone().resolved(context)?.check_list(None)?;
        let options = ServeOptions { agent, ..self.options };
        wait(Self { options, ..self }.serve(context))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn serve(&self, context: &Context) -> Result<(), CliError> {
        // Registered first, so that a signal stops even a server that is still starting.
        let mut signals =
            Signals::new().map_err(|error| CliError::advised(WHAT, error.to_string(), None))?;
        let chosen =
            self.options.agent.choose(true).map_err(|failure| CliError::about(WHAT, &failure))?;
        let data = self.options.paths.data()?;
        let key_file = self.options.paths.key_file()?;
        let log_file = self.options.log_file()?;
        let describe = || {
            let builder = Server::builder().recipes(context.catalog).agent(chosen.agent.clone());
            let prompts = context.prompts().files();
            self.options.describe(builder.data(&data).key_file(&key_file), prompts)
        };
        let server = tokio::select! {
            server = bind(describe) => server.map_err(|error| CliError::about(WHAT, &error))?,
            _ = signals.asked() => return Ok(()),
        };
        // Only after binding: only the server that holds the data directory writes its log there.
        if let Err(error) = context.log_file.open(&log_file) {
            tracing::error!(path = %log_file.display(), %error, "failed to open log file");
        }
        let about = chosen.agent.about();
        let banner = Banner {
            listening: server.address(),
            key: server.key(),
            key_file: &key_file,
            data: &data,
            log_file: &log_file,
            agent: about.name,
            agent_words: &chosen.words,
            key_command: &key_command(context),
        };
        self.print_banner(context, &banner);
        serve(server, signals).await;
        Ok(())
    }

    /// A closed standard output does not stop the server.
    fn print_banner(&self, context: &Context, banner: &Banner<'_>) {
        let console = context.console;
        if !banner.listening.ip().to_canonical().is_loopback() {
            console.warn(LAN);
        } else if self.options.listening.lan && context.rank("lan") == Rank::CommandLine {
            console.warn(NOT_LAN);
        }
        if self.json {
            console.say(banner.json());
        } else if console.is_terminal() {
            let room = if self.no_qr { Room::NoPicture } else { Room::Terminal(console.size()) };
            console.put(banner.on_terminal(room));
        } else {
            console.say(banner.plain());
        }
    }
}

impl ServeOptions {
    /// The server's log file.
    pub(in crate::cli) fn log_file(&self) -> Result<PathBuf, CliError> {
        match &self.log_file {
            Some(path) => Ok(path.clone()),
            None => Ok(self.paths.data()?.join(LOG_FILE)),
        }
    }

    fn describe(&self, builder: ServerBuilder, prompts: Option<PromptFiles>) -> ServerBuilder {
        let builder = builder.listen(self.listening.listen).lan(self.listening.lan);
        let builder = self.listening.allow_host.iter().fold(builder, ServerBuilder::allow_host);
        let builder =
            self.root.iter().fold(builder, ServerBuilder::root).limits(self.server.limits());
        let how = if self.stop_agents { Shutdown::StopAgents } else { Shutdown::DetachAgents };
        let (parallel, turn) = (self.parallel.get(), self.turn_limits.limits());
        let (allow_tools, allow_dirty) = (self.agent.allow_tool.clone(), self.dirty.allow_dirty);
        let (on_end, program) = (self.on_end.command(), program_name());
        let named_data = self.paths.data().ok().and_then(|data| data::unusual(&data));
        builder.on_shutdown(how).tune(move |options| {
            (options.parallel, options.turn, options.allow_tools) = (parallel, turn, allow_tools);
            (options.allow_dirty, options.prompts) = (allow_dirty, prompts);
            (options.on_end, options.program, options.named_data) = (on_end, program, named_data);
        })
    }
}

/// The command that shows the key as a QR code, with the same data directory and key file.
fn key_command(context: &Context) -> String {
    let given = ["data", "key-file", "config"].into_iter();
    let given = given
        .filter(|long| context.rank(long) == Rank::CommandLine)
        .map(|long| format!(" --{long} …"));
    format!("{} key --qr{}", program_name(), given.collect::<String>())
}

/// Without any agent, no run would make progress.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number of at least 1".to_owned())
}

/// An address and a port. Names are not resolved: a name may later resolve to an address that other
/// machines can reach.
fn address(text: &str) -> Result<SocketAddr, BadValue> {
    const FIX: &str =
        "write one such as 127.0.0.1:8080, or 0.0.0.0:8080 for all addresses of this machine";
    text.parse().map_err(|_| BadValue::new("expected an address with a port").fix(FIX))
}

/// Binds the server. A process that holds the data directory without listening may be a short
/// command such as `surefire runs`, so it is retried.
async fn bind(describe: impl Fn() -> ServerBuilder) -> Result<Server, BindError> {
    for _ in 0..MAX_BIND_ATTEMPTS {
        match describe().bind().await {
            Err(BindError::Store(StoreError::Held { holder, .. })) if holder.address.is_none() => {
                tokio::time::sleep(POLL_INTERVAL).await;
            }
            bound => return bound,
        }
    }
    describe().bind().await
}

/// Serves until a signal asks it to stop, and finishes the shutdown.
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
                // A second signal means that the user does not want to wait.
                None => std::process::exit(status.into()),
            }
        }
    }
}
