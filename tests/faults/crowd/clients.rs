//! What the clients do: a seeded script, which depends on nothing but the sessions that they find.

use std::path::PathBuf;
use std::time::Duration;

use surefire::ExitReason;
use surefire::engine::{
    Engine, NewSessionSpec, ResumeError, SendPrompt, SendPromptError, Start, StartError,
};
use surefire::run::{Limits, Permits, Resume, ResumedBy, RunId, SessionId};
use surefire::store::{RunFilter, Store};

use super::journal::{Answer, Entry, Journal, Request};
use crate::campaign::Dice;

/// The longest pause between two requests of a client.
const MAX_PAUSE_MILLIS: u64 = 200;

/// How many runs may be open before clients start no more: more than there are agents, since some
/// runs are always between two turns.
const MAX_RUNS: usize = 10;

/// How many of the sessions that changed last are in use.
const SESSIONS_IN_USE: usize = 12;

/// How many turns a chain of restarts may take: it would have fifty runs otherwise.
const MAX_CHAIN_TICKS: u32 = 11;

const RESTARTS: &str = "implement-and-review-all";
const RECIPES: [&str; 8] = [
    "implement-and-review",
    RESTARTS,
    "rebase",
    "retrospective",
    "review-and-commit",
    "document-design",
    "break-down-tasks",
    "refine-design",
];

pub(super) struct Client {
    name: String,
    engine: Engine,
    journal: Journal,
    project: PathBuf,
    dice: Dice,
    asked: u32,
}

impl Client {
    pub(super) fn new(name: &str, engine: Engine, journal: Journal, project: PathBuf) -> Self {
        // FNV-1a, so that each client of each server has its own script.
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let mut dice = Dice(seed);
        // The first numbers after similar seeds are similar.
        (0..8).for_each(|_| _ = dice.throw(2));
        Self { name: name.to_owned(), engine, journal, project, dice, asked: 0 }
    }

    pub(super) async fn act_for_ever(mut self) {
        loop {
            self.act().await;
            tokio::time::sleep(Duration::from_millis(self.dice.throw(MAX_PAUSE_MILLIS))).await;
        }
    }

    async fn act(&mut self) {
        let Some(session) = self.session().await else { return self.start(new_session()).await };
        let may_start = self.open_runs().await < MAX_RUNS;
        match self.dice.throw(20) {
            0..=5 if may_start => self.start(new_session()).await,
            6..=8 if may_start => self.start(session).await,
            0..=8 => {}
            9..=12 => self.prompt(session).await,
            13 => self.prompt(new_session()).await,
            14 => self.ask(session, Request::Exit).await,
            15 => self.ask(session, Request::Kill).await,
            16 | 17 => self.resume(session).await,
            // Two clients at once: either may be first.
            18 => self.prompt_and(session, Request::Exit).await,
            _ => self.prompt_and(session, Request::Kill).await,
        }
    }

    /// One of the sessions that are in use.
    async fn session(&mut self) -> Option<SessionId> {
        let sessions = self.read(|store| store.sessions(SESSIONS_IN_USE)).await;
        let chosen = self.dice.throw(SESSIONS_IN_USE as u64);
        sessions.get(usize::try_from(chosen).ok()?).or(sessions.last()).map(|session| session.id)
    }

    async fn open_runs(&self) -> usize {
        let open = RunFilter::default().open(Some(true));
        self.read(move |store| store.runs(&open)).await.len()
    }

    async fn start(&mut self, session: SessionId) {
        let recipe =
            RECIPES[usize::try_from(self.dice.throw(RECIPES.len() as u64)).unwrap_or_default()];
        self.ask(session, Request::Start { recipe: recipe.to_owned() }).await;
    }

    async fn prompt(&mut self, session: SessionId) {
        let request = self.words();
        self.ask(session, request).await;
    }

    async fn prompt_and(&mut self, session: SessionId, stop: Request) {
        let prompt = self.words();
        let (first, second) = (self.id(), self.id());
        tokio::join!(self.carry_out(first, session, prompt), self.carry_out(second, session, stop));
    }

    async fn resume(&mut self, session: SessionId) {
        if let Some(run) = self.last_run(session).await {
            self.ask(session, Request::Resume { run }).await;
        }
    }

    pub(super) async fn last_run(&self, session: SessionId) -> Option<RunId> {
        let last = RunFilter::default().session(Some(session)).limit(Some(1));
        self.read(move |store| store.runs(&last)).await.first().map(|run| run.id)
    }

    pub(super) async fn ask(&mut self, session: SessionId, request: Request) {
        let id = self.id();
        self.carry_out(id, session, request).await;
    }

    fn id(&mut self) -> String {
        self.asked += 1;
        format!("{}-{}", self.name, self.asked)
    }

    /// A prompt with a unique name, short enough to be quoted whole.
    fn words(&mut self) -> Request {
        let id = self.id();
        let pace = if self.dice.throw(3) == 0 { "take your time" } else { "be quick" };
        Request::Prompt(format!("[prompt {id}] {pace}"))
    }

    async fn carry_out(&self, id: String, session: SessionId, request: Request) {
        self.journal.write(&Entry::Asked { id: id.clone(), session, request: request.clone() });
        let answer = self.request(session, request).await;
        self.journal.write(&Entry::Answered { id, answer });
    }

    async fn request(&self, session: SessionId, request: Request) -> Answer {
        let engine = &self.engine;
        match request {
            Request::Prompt(text) => {
                let begin = Some(NewSessionSpec::default().directory(Some(self.project.clone())));
                let said: Result<_, SendPromptError> =
                    engine.send_prompt(SendPrompt::new(session, text).begin(begin)).await;
                said.map_or_else(|error| Answer::Failed(error.to_string()), |_| Answer::Done)
            }
            Request::Start { recipe } => {
                let max_ticks = (recipe == RESTARTS).then_some(MAX_CHAIN_TICKS);
                let limits = Limits::default().max_ticks(max_ticks);
                // All of them work in one work tree.
                let permits = Permits { force_parallel: true, ..Permits::default() };
                let start = Start::new(recipe, &self.project)
                    .session(Some(session))
                    .limits(limits)
                    .permits(permits);
                match engine.start(start).await {
                    Ok(_) => Answer::Done,
                    Err(busy @ StartError::Busy { .. }) => Answer::Refused(busy.to_string()),
                    Err(error) => Answer::Failed(error.to_string()),
                }
            }
            Request::Resume { run } => {
                match engine.resume(run, Resume::by(ResumedBy::User)).await {
                    Ok(_) => Answer::Done,
                    Err(error @ (ResumeError::Cannot(_) | ResumeError::Busy { .. })) => {
                        Answer::Refused(error.to_string())
                    }
                    Err(error) => Answer::Failed(error.to_string()),
                }
            }
            Request::Exit => done(engine.exit(session, ExitReason::UserStopped).await),
            Request::Kill => done(engine.kill(session).await),
        }
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&dyn Store) -> Result<T, surefire::store::StoreError> + Send + 'static,
    ) -> T {
        self.engine.read(read).await.expect("the store works")
    }
}

fn done<T, E: std::fmt::Display>(result: Result<T, E>) -> Answer {
    result.map_or_else(|error| Answer::Failed(error.to_string()), |_| Answer::Done)
}

fn new_session() -> SessionId {
    uuid::Uuid::new_v4().into()
}
