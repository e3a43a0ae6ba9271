//! A session, a store that takes its commits, and an agent that exists only as a request in flight.

use std::collections::BTreeSet;
use std::time::Duration;

use surefire::recipes::BUNDLED;
use surefire::run::{
    AttemptId, ChangedPrompts, Limits, Permits, Project, Run, RunId, RunSpec, SessionId, Usage,
};
use surefire::session::{
    AgentTurn, ChatTurn, CheckRequest, NewSession, Profile, QueuedPrompt, RunStatus, Session,
    SessionAction, SessionDecision, SessionInput, SessionRefusal, Stored, StoredRun, TurnOrigin,
    Unreplayable,
};
use surefire::store::{Memory, QueuedPromptRecord, RunFilter, Store};
use uuid::Uuid;

/// The beginning of a prompt that is repeated because the agent may have received it before.
const AGAIN: &str = "This may have reached you before";

pub(crate) struct World {
    pub(crate) session: Session,
    pub(crate) store: Memory,
    /// The turn that an agent is working on, or the check that the engine is carrying out.
    pub(crate) in_flight: Option<InFlight>,
    /// The prompts that an agent has answered.
    pub(crate) answered: BTreeSet<String>,
    /// The prompts that an agent may have received, but has not answered.
    pub(crate) unsure: BTreeSet<String>,
    pub(crate) now: u64,
    /// The runs whose recipe has changed since they began.
    changed: BTreeSet<RunId>,
    ids: u128,
}

/// A turn or a check that the driver would have begun.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum InFlight {
    Turn(AgentTurn),
    Check(CheckRequest),
}

impl InFlight {
    pub(crate) fn attempt(&self) -> AttemptId {
        match self {
            Self::Turn(turn) => turn.attempt,
            Self::Check(check) => check.check.check,
        }
    }

    /// The agent's prompt; empty for a check.
    pub(crate) fn prompt(&self) -> &str {
        match self {
            Self::Turn(turn) => &turn.prompt,
            Self::Check(_) => "",
        }
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let id = Uuid::from_u128(0x5e55).into();
        Self {
            session: Session::load(Stored::new(id)),
            store: Memory::default(),
            in_flight: None,
            answered: BTreeSet::new(),
            unsure: BTreeSet::new(),
            now: 1_000,
            changed: BTreeSet::new(),
            ids: 0,
        }
    }

    pub(crate) fn id(&mut self) -> Uuid {
        self.ids += 1;
        Uuid::from_u128(self.ids)
    }

    /// Hands the session an input, persists its decision, and carries out the actions.
    pub(crate) fn handle(
        &mut self,
        input: SessionInput,
    ) -> Result<SessionDecision, SessionRefusal> {
        self.now += 1;
        let before = self.summary();
        let mut ids = self.ids;
        let decision = self.session.handle(input, self.now, &mut || {
            ids += 1;
            Uuid::from_u128(ids)
        });
        self.ids = ids;
        let decision = match decision {
            Ok(decision) => decision,
            Err(refusal) => {
                assert_eq!(
                    self.summary(),
                    before,
                    "a session that refuses is unchanged: {refusal}"
                );
                return Err(refusal);
            }
        };
        if !decision.commit.changes.is_empty() {
            self.store
                .commit(&decision.commit)
                .expect("a session decides nothing that the store contradicts");
            let again = self.store.commit(&decision.commit).expect_err("a commit is applied once");
            assert!(again.is_stale(), "{again}");
            self.session.persisted();
        }
        for action in &decision.actions {
            self.act(action);
        }
        if let Some(successor) = &decision.successor {
            let stored = Session::load(stored(&self.store, successor.id(), &self.changed));
            assert_eq!(
                summary(successor),
                summary(&stored),
                "the successor equals what is persisted"
            );
        }
        assert_eq!(self.session.in_flight(), self.in_flight.as_ref().map(InFlight::attempt));
        assert_eq!(self.summary(), self.reloaded().1, "the session equals what is persisted");
        let due = RunFilter::default().session(Some(self.session.id())).resume_due(true);
        let due: Vec<_> = self.store.runs(&due).unwrap().iter().map(|run| run.id).collect();
        assert_eq!(due, Vec::from_iter(self.paused()), "no other run waits to resume");
        Ok(decision)
    }

    fn act(&mut self, action: &SessionAction) {
        match action {
            SessionAction::Ask(request) => {
                assert_eq!(self.in_flight, None, "at most one turn is in flight");
                let prompt = &request.prompt;
                let is_clients = prompt.starts_with("word ");
                assert!(
                    is_clients || request.run.is_some() || prompt.starts_with(AGAIN),
                    "{prompt}"
                );
                assert!(
                    !is_clients || !self.answered.contains(prompt),
                    "{prompt} was answered before"
                );
                assert!(
                    !is_clients || !self.unsure.contains(prompt),
                    "{prompt} is repeated without notice"
                );
                self.in_flight = Some(InFlight::Turn(AgentTurn::clone(request)));
            }
            SessionAction::Check(request) => {
                assert_eq!(self.in_flight, None, "at most one turn or check is in flight");
                let check = &request.check;
                assert!(
                    !check.evidence.is_empty() || !check.commands.is_empty(),
                    "a check has evidence or commands"
                );
                self.in_flight = Some(InFlight::Check(CheckRequest::clone(request)));
            }
            SessionAction::StopTurn => {
                assert!(self.in_flight.is_some(), "only a turn in flight is stopped");
                self.in_flight = None;
            }
        }
    }

    /// The run that is paused.
    pub(crate) fn paused(&self) -> Option<RunId> {
        match self.session.status() {
            RunStatus::Paused(run) => Some(run),
            RunStatus::Unreplayable(run) => self.session.resume_at().map(|_| run),
            _ => None,
        }
    }

    /// The recipe of the run changes before the next driver takes over.
    pub(crate) fn change_recipe(&mut self) {
        match self.session.status() {
            RunStatus::Driven(run) | RunStatus::Orphaned(run) | RunStatus::Paused(run) => {
                self.changed.insert(run);
            }
            _ => {}
        }
        self.restart();
    }

    /// The driver is killed, and another one loads what is persisted without adopting it.
    pub(crate) fn reload(&mut self) {
        self.session = self.reloaded().0;
        self.in_flight = None;
    }

    /// The session's decision cannot be persisted, so the session is reloaded.
    pub(crate) fn refuse(&mut self, input: SessionInput) {
        let mut ids = u128::MAX;
        let _ = self.session.handle(input, self.now, &mut || {
            ids -= 1;
            Uuid::from_u128(ids)
        });
        self.reload();
    }

    /// The driver is killed, and another one takes over from what is persisted.
    pub(crate) fn restart(&mut self) {
        self.reload();
        let _ = self.handle(SessionInput::Adopt).expect("a persisted session can be adopted");
    }

    pub(crate) fn spec(&mut self) -> RunSpec {
        RunSpec {
            run: self.id().into(),
            session: self.session.id(),
            agent: "fake".into(),
            rehearsal: false,
            script: None,
            directory: "/projects".into(),
            task: None,
            model: None,
            prompts: ChangedPrompts::default(),
            allow_tools: Vec::new(),
            permits: Permits::default(),
            project: Project::default(),
            worktree: None,
            limits: Limits::default().time(Some(Duration::from_secs(60 * 60))),
            spent: Usage::default(),
            restarts: 0,
            continues: None,
        }
    }

    pub(crate) fn begins(&self) -> NewSession {
        NewSession {
            id: self.session.id(),
            name: "session".into(),
            directory: "/projects".into(),
            agent: "fake".into(),
            system_prompt: None,
            at: self.now,
        }
    }

    /// The run that began last, as stored, if it has ended and its recipe has not changed.
    pub(crate) fn last_ended(&self) -> Option<(Run, u64)> {
        let last = RunFilter::default().session(Some(self.session.id())).limit(Some(1));
        let record = self.store.runs(&last).unwrap().pop().filter(|run| run.ending.is_some())?;
        if self.changed.contains(&record.id) {
            return None;
        }
        Some(replayed(&self.store, record.id))
    }

    /// The relevant state of a session, as text.
    fn summary(&self) -> String {
        summary(&self.session)
    }

    fn reloaded(&self) -> (Session, String) {
        let session = Session::load(stored(&self.store, self.session.id(), &self.changed));
        let summary = summary(&session);
        (session, summary)
    }
}

fn summary(session: &Session) -> String {
    let queue: Vec<_> = session.queue().map(|queued| (&queued.text, queued.may_repeat)).collect();
    let chats: Vec<_> =
        session.chats().map(|chat| (chat.attempt, chat.prompt.may_repeat)).collect();
    let run = session.run().map(|run| {
        let queued: Vec<_> = run.queued().map(|(_, text)| text.to_owned()).collect();
        (run.spec().run, run.ending().cloned(), run.position().steps(), queued, run.spent())
    });
    let known = (session.profile(), session.opened(), session.commits());
    // Whether a run is driven or not is not persisted.
    let status = match session.status() {
        RunStatus::Orphaned(run) => RunStatus::Driven(run),
        status => status,
    };
    format!("{known:?} {status:?} {run:?} {queue:?} {chats:?}")
}

fn replayed(store: &Memory, id: RunId) -> (Run, u64) {
    let events = store.events(id, 0, usize::MAX).unwrap();
    let recipe = BUNDLED.get(&store.run(id).unwrap().unwrap().recipe).unwrap();
    let run = Run::replay(recipe, events.iter().map(|recorded| &recorded.event)).unwrap();
    (run, events.last().unwrap().seq)
}

fn unreplayable(store: &Memory, run: RunId) -> StoredRun {
    let events = store.events(run, 0, usize::MAX).unwrap();
    let (seq, why) = (events.last().unwrap().seq, "its recipe has changed".into());
    let events = events.into_iter().map(|recorded| recorded.event).collect();
    StoredRun::Unreplayable(Unreplayable { run, seq, events, why, resumes: true })
}

fn queued(
    QueuedPromptRecord { prompt, text, again, number, .. }: QueuedPromptRecord,
) -> QueuedPrompt {
    QueuedPrompt { prompt, text, may_repeat: again, number }
}

fn stored(store: &Memory, id: SessionId, changed: &BTreeSet<RunId>) -> Stored {
    let Some(found) = store.session(id).unwrap() else { return Stored::new(id) };
    let open = store.open_attempts().unwrap();
    let of_session = open.iter().filter(|attempt| attempt.session == id);
    let chats = of_session.clone().filter(|attempt| attempt.run.is_none()).map(|attempt| {
        let prompt = store.prompt(attempt.prompt.unwrap()).unwrap().unwrap();
        ChatTurn {
            attempt: attempt.id,
            prompt: queued(prompt),
            origin: TurnOrigin::Adopted(attempt.process.clone()),
        }
    });
    let of_it = RunFilter::default().session(Some(id));
    let open = store.runs(&of_it.clone().open(Some(true))).unwrap().pop();
    let paused = store.runs(&of_it.resume_due(true)).unwrap().pop();
    let run = open.or(paused).map_or(StoredRun::None, |record| {
        let process = of_session
            .clone()
            .find(|it| it.run == Some(record.id))
            .and_then(|it| it.process.clone());
        if changed.contains(&record.id) {
            return unreplayable(store, record.id);
        }
        let (run, seq) = replayed(store, record.id);
        StoredRun::Replayed { run: Box::new(run), seq, process, resumes: true }
    });
    let queue = store.queued_prompts(id).unwrap();
    let delivering = of_session.clone().find(|it| it.run.is_some()).and_then(|it| it.prompt);
    let delivering = delivering.and_then(|prompt| store.prompt(prompt).unwrap());
    Stored {
        id,
        profile: Some(Profile {
            directory: found.directory,
            agent: found.agent,
            system_prompt: found.system_prompt,
        }),
        commits: found.commits,
        opened: found.opened,
        run,
        chats: chats.collect(),
        queue: queue.into_iter().map(queued).collect(),
        delivering: delivering.map(queued),
    }
}
