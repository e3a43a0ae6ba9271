//! What is kept in memory, and what each change does to it.

use std::sync::Arc;

use crate::run::{AttemptId, Event, Order, PromptId, RunId, SessionId};
use crate::store::rules::{cost, may_follow, missing, passed, taken, text_of, twice};
use crate::store::{
    Attempt, Change, Committed, Message, NewMessage, Recorded, RunRecord, Session, StoreError, Waiting,
};

/// All that is remembered. A commit works on a copy, which takes the place of the original if nothing was refused.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept {
    pub(super) sessions: Vec<Session>,
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) runs: Vec<RunRecord>,
    pub(super) events: Vec<Arc<Recorded>>,
    pub(super) attempts: Vec<Attempt>,
    pub(super) prompts: Vec<Prompt>,
    pub(super) last_place: u64,
    /// Recipes are switched off everywhere.
    pub(super) off: bool,
    /// Recipes are switched off in these sessions.
    pub(super) off_in: Vec<SessionId>,
    /// The runs that were set aside, with the last event they had then, and why.
    pub(super) quarantined: Vec<(RunId, u64, String)>,
}

#[derive(Debug, Clone)]
pub(super) struct Prompt {
    pub(super) session: SessionId,
    pub(super) run: Option<RunId>,
    pub(super) taken: bool,
    pub(super) waiting: Waiting,
}

impl Kept {
    pub(super) fn apply(&mut self, change: &Change, committed: &mut Committed) -> Result<(), StoreError> {
        match change {
            Change::Session(new) => {
                text_of(&new.directory)?;
                if self.session(new.id).is_err() {
                    let session = Session {
                        id: new.id,
                        name: new.name.clone(),
                        directory: new.directory.clone(),
                        agent: new.agent.clone(),
                        system_prompt: new.system_prompt.clone(),
                        created_at: new.at,
                        changed_at: new.at,
                        messages: 0,
                        opened: false,
                        run: None,
                    };
                    committed.sessions.push(session.clone());
                    self.sessions.push(session);
                }
            }
            Change::Events { run, after, events, at } => {
                committed.events.extend(self.append(*run, *after, events, *at)?);
            }
            Change::Message(message) => committed.messages.push(self.say(message)?),
            Change::Spawned { attempt, process } => {
                let found = self.attempts.iter_mut().find(|it| it.id == *attempt);
                found.ok_or_else(|| missing("attempt", &attempt))?.process = Some(process.clone());
            }
            Change::Queued { prompt, session, text, at } => {
                self.touch(*session, *at)?;
                if self.prompts.iter().any(|it| it.waiting.prompt == *prompt) {
                    return Err(twice("prompt", &prompt));
                }
                self.queue(*prompt, *session, None, text, *at);
            }
            Change::ChatBegan { attempt, session, prompt, at } => {
                self.touch(*session, *at)?;
                if let Some(holder) = self.holder(*session) {
                    return Err(StoreError::Busy { session: *session, holder });
                }
                self.begin_attempt(*attempt, None, *session, Some(*prompt), *at)?;
            }
            Change::ChatEnded { attempt, unheard } => {
                self.end_attempt(*attempt, None)?;
                let told = self.attempts.iter().find(|it| it.id == *attempt).and_then(|it| it.prompt);
                for prompt in self.prompts.iter_mut().filter(|it| *unheard && Some(it.waiting.prompt) == told)
                {
                    prompt.taken = false;
                }
            }
            Change::Withdrawn { prompts } => {
                for prompt in self.prompts.iter_mut().filter(|it| prompts.contains(&it.waiting.prompt)) {
                    prompt.taken = true;
                }
            }
            Change::Opened { session } => self.session(*session)?.opened = true,
            Change::Orchestration { session: None, enabled } => self.off = !enabled,
            Change::Orchestration { session: Some(session), enabled } => {
                self.session(*session)?;
                self.off_in.retain(|off| off != session);
                if !enabled {
                    self.off_in.push(*session);
                }
            }
            Change::Forgotten { session } => {
                self.forget(*session)?;
                committed.sessions.retain(|begun| begun.id != *session);
            }
        }
        Ok(())
    }

    fn append(
        &mut self,
        run: RunId,
        after: u64,
        events: &[Event],
        at: u64,
    ) -> Result<Vec<Recorded>, StoreError> {
        match (self.runs.iter().find(|it| it.id == run), events.first()) {
            (Some(found), _) if found.last_seq != after => {
                return Err(StoreError::Stale { run, expected: after, found: found.last_seq });
            }
            (Some(_), _) => {}
            (None, Some(Event::Started { recipe, step, order, .. })) if after == 0 => {
                self.begin_run(run, recipe, step, order, at)?;
            }
            (None, _) => return Err(missing("run", &run)),
        }
        events.iter().map(|event| self.append_one(run, event, at)).collect()
    }

    fn begin_run(
        &mut self,
        run: RunId,
        recipe: &str,
        step: &str,
        order: &Order,
        at: u64,
    ) -> Result<(), StoreError> {
        self.take_session(order.session, run)?;
        self.session(order.session)?;
        text_of(&order.directory)?;
        self.runs.push(RunRecord {
            id: run,
            session: order.session,
            recipe: recipe.to_owned(),
            directory: order.directory.clone(),
            agent: order.agent.clone(),
            rehearsal: order.rehearsal,
            continues: order.continues,
            started_at: at,
            changed_at: at,
            step: step.to_owned(),
            steps: 1,
            last_seq: 0,
            cost_usd: 0.0,
            ending: None,
        });
        Ok(())
    }

    fn append_one(&mut self, id: RunId, event: &Event, at: u64) -> Result<Recorded, StoreError> {
        let index = self.runs.iter().position(|run| run.id == id).ok_or_else(|| missing("run", &id))?;
        let mut run = self.runs[index].clone();
        let turn = self.attempts.iter().find(|it| it.run == Some(id) && !it.ended).map(|it| it.id);
        may_follow(id, run.last_seq, run.ending.is_some(), turn, event)?;
        run.last_seq += 1;
        run.changed_at = run.changed_at.max(at);
        match event {
            Event::Started { .. } | Event::Reasked { .. } => {}
            Event::TurnBegan { attempt, purpose, .. } => {
                self.begin_attempt(*attempt, Some(id), run.session, passed(purpose), at)?;
            }
            Event::Replied { attempt, cost_usd, .. } => {
                self.end_attempt(*attempt, Some(id))?;
                run.cost_usd += cost(*cost_usd);
            }
            Event::Moved { to, number, .. } => (run.step, run.steps) = (to.clone(), *number),
            Event::PromptQueued { prompt, text } => {
                match self.prompts.iter_mut().find(|it| it.waiting.prompt == *prompt) {
                    Some(it) if it.session == run.session => (it.run, it.taken) = (Some(id), false),
                    Some(_) => return Err(twice("prompt", &prompt)),
                    None => self.queue(*prompt, run.session, Some(id), text, at),
                }
            }
            Event::Ended { ending, unheard, cost_usd, .. } => {
                self.cut_short(id, *unheard);
                run.cost_usd += cost(*cost_usd);
                run.ending = Some(ending.clone());
            }
            Event::Resumed { .. } => {
                self.take_session(run.session, id)?;
                run.ending = None;
            }
        }
        self.touch(run.session, at)?;
        self.last_place += 1;
        let recorded = Recorded {
            place: self.last_place,
            run: id,
            session: run.session,
            seq: run.last_seq,
            at,
            event: event.clone(),
        };
        self.events.push(Arc::new(recorded.clone()));
        self.runs[index] = run;
        Ok(recorded)
    }

    fn say(&mut self, new: &NewMessage) -> Result<Message, StoreError> {
        let last = self.messages.iter().rfind(|message| message.session == new.session);
        let at = new.at.max(last.map_or(0, |message| message.at));
        self.touch(new.session, at)?;
        let session = self.session(new.session)?;
        let offset = session.messages;
        session.messages += 1;
        let NewMessage { session, id, role, attempt, run, .. } = *new;
        let message = Message { session, offset, id, role, text: new.text.clone(), at, attempt, run };
        self.messages.push(Arc::new(message.clone()));
        Ok(message)
    }

    fn session(&mut self, id: SessionId) -> Result<&mut Session, StoreError> {
        self.sessions.iter_mut().find(|session| session.id == id).ok_or_else(|| missing("session", &id))
    }

    fn touch(&mut self, session: SessionId, at: u64) -> Result<(), StoreError> {
        let session = self.session(session)?;
        session.changed_at = session.changed_at.max(at);
        Ok(())
    }

    fn holder(&self, session: SessionId) -> Option<RunId> {
        self.runs.iter().find(|run| run.session == session && run.ending.is_none()).map(|run| run.id)
    }

    pub(super) fn with_run(&self, session: &Session) -> Session {
        Session { run: self.holder(session.id), ..session.clone() }
    }

    fn take_session(&self, session: SessionId, run: RunId) -> Result<(), StoreError> {
        match self.holder(session).filter(|holder| *holder != run) {
            Some(holder) => Err(StoreError::Busy { session, holder }),
            None => Ok(()),
        }
    }

    fn queue(&mut self, prompt: PromptId, session: SessionId, run: Option<RunId>, text: &str, at: u64) {
        let waiting = Waiting { prompt, text: text.to_owned(), at };
        self.prompts.push(Prompt { session, run, taken: false, waiting });
    }

    fn begin_attempt(
        &mut self,
        id: AttemptId,
        run: Option<RunId>,
        session: SessionId,
        prompt: Option<PromptId>,
        at: u64,
    ) -> Result<(), StoreError> {
        if let Some(prompt) = prompt {
            let found =
                self.prompts.iter_mut().find(|it| it.waiting.prompt == prompt && it.session == session);
            let found = found.ok_or_else(|| missing("prompt", &prompt))?;
            if std::mem::replace(&mut found.taken, true) {
                return Err(taken(prompt));
            }
        }
        if self.attempts.iter().any(|attempt| attempt.id == id) {
            return Err(twice("attempt", &id));
        }
        self.attempts.push(Attempt { id, run, session, prompt, began_at: at, process: None, ended: false });
        Ok(())
    }

    fn end_attempt(&mut self, id: AttemptId, run: Option<RunId>) -> Result<(), StoreError> {
        let found = self.attempts.iter_mut().find(|attempt| attempt.id == id && attempt.run == run);
        found.ok_or_else(|| missing("attempt", &id))?.ended = true;
        Ok(())
    }

    /// Ends the turn that is going on. What the agent may not have heard waits again.
    fn cut_short(&mut self, run: RunId, unheard: bool) {
        for attempt in self.attempts.iter_mut().filter(|it| it.run == Some(run) && !it.ended) {
            attempt.ended = true;
            for prompt in self.prompts.iter_mut().filter(|it| Some(it.waiting.prompt) == attempt.prompt) {
                prompt.taken = !unheard;
            }
        }
    }

    pub(super) fn forget(&mut self, session: SessionId) -> Result<(), StoreError> {
        if let Some(holder) = self.holder(session) {
            return Err(StoreError::Busy { session, holder });
        }
        self.session(session)?;
        self.sessions.retain(|it| it.id != session);
        self.messages.retain(|it| it.session != session);
        self.runs.retain(|it| it.session != session);
        self.events.retain(|it| it.session != session);
        self.attempts.retain(|it| it.session != session);
        self.prompts.retain(|it| it.session != session);
        self.off_in.retain(|it| *it != session);
        Ok(())
    }

    pub(super) fn prune(&mut self, before: u64) -> u64 {
        let over = |run: &&RunRecord| {
            let waited_for = |at: Option<u64>| at.is_some_and(|at| at >= before);
            run.changed_at < before && run.ending.as_ref().is_some_and(|it| !waited_for(it.resume_at))
        };
        let gone: Vec<RunId> = self.runs.iter().filter(over).map(|run| run.id).collect();
        let is_gone = |run: Option<RunId>| run.is_some_and(|run| gone.contains(&run));
        self.runs.retain(|it| !gone.contains(&it.id));
        self.events.retain(|it| !gone.contains(&it.run));
        self.attempts.retain(|it| !is_gone(it.run));
        // What somebody said and nobody has heard yet is not part of a run's history.
        self.prompts.retain(|it| !it.taken || !is_gone(it.run));
        for prompt in self.prompts.iter_mut().filter(|it| is_gone(it.run)) {
            prompt.run = None;
        }
        gone.len() as u64
    }
}
