//! What a session does about runs: starting, resuming, following what they decide, continuing them elsewhere.

use std::collections::VecDeque;
use std::time::Duration;

use super::commit::Change;
use super::decision::{Action, CheckRequest, Draft, TurnRequest};
use super::entries::{Reply, entries};
use super::event::SessionEvent;
use super::input::{Refusal, TurnEnd};
use super::records::NewSession;
use super::state::{Active, Profile, QueuedPrompt, Session, Stored, TurnOrigin, Work};
use crate::run::{
    AttemptId, CannotEndWorktree, CannotResume, Decision, Ending, Event, Input, Meanwhile, Order, PromptId,
    Purpose, Resume, ResumedBy, Run, Successor, Todo, TurnFacts, WorktreeEnd,
};
use crate::{AnyRecipe, Exit, ExitReason};

impl Session {
    pub(super) fn start(
        &mut self,
        draft: &mut Draft<'_>,
        recipe: &'static dyn AnyRecipe,
        order: Order,
        begins: Option<NewSession>,
    ) -> Result<(), Refusal> {
        self.is_free()?;
        self.adopted = true;
        self.begin(draft, begins);
        self.displace_paused(draft);
        let (run, decision) = Run::start(recipe, order, draft.fresh());
        self.work = Work::Running(Active::new(run, 0));
        self.follow(draft, decision, None);
        Ok(())
    }

    /// Begins the session itself, where it is not there yet.
    pub(super) fn begin(&mut self, draft: &mut Draft<'_>, begins: Option<NewSession>) {
        if let (None, Some(new)) = (&self.profile, begins) {
            let NewSession { directory, agent, system_prompt, .. } = new.clone();
            self.profile = Some(Profile { directory, agent, system_prompt });
            draft.changes.push(Change::session(self.id, draft.now, SessionEvent::Began(new)));
            draft.changes.push(Change::Expects { session: self.id, commits: self.commits });
        }
    }

    /// Another run takes the place of one that is paused, which ends for good: clients must not be told that it resumes.
    fn displace_paused(&mut self, draft: &mut Draft<'_>) {
        self.give_up(draft, "another run took its place");
        draft.ended = None;
    }

    /// A paused run ends for good, because it cannot resume by itself.
    fn give_up(&mut self, draft: &mut Draft<'_>, why: &str) {
        let exit = |ending: Option<&Ending>| ending.map(|ending| ending.give_up(why));
        match &self.work {
            Work::Waiting(active) => {
                if let Some(exit) = exit(active.run.ending()) {
                    self.tell_run(draft, Input::Cancelled { exit, took: Duration::ZERO });
                }
            }
            Work::Unreplayable(run) => {
                if let Some(exit) = exit(run.pause()) {
                    self.abandon(draft, &exit, false);
                }
            }
            Work::None | Work::Running(_) | Work::Left(_) => {}
        }
    }

    fn is_free(&self) -> Result<(), Refusal> {
        let holder = match &self.work {
            Work::Running(active) | Work::Left(active) => active.run.order().run,
            Work::Unreplayable(run) if run.pause().is_none() => run.run,
            Work::Waiting(_) | Work::None | Work::Unreplayable(_) => return Ok(()),
        };
        Err(Refusal::Busy { session: self.id, holder })
    }

    pub(super) fn resume(
        &mut self,
        draft: &mut Draft<'_>,
        ended: Option<Box<(Run, u64)>>,
        resume: Resume,
    ) -> Result<(), Refusal> {
        if let (None, Work::Left(_)) = (&ended, &self.work) {
            // Its agent may have replied meanwhile, so it goes on just where it was.
            if resume != Resume::by(resume.by) {
                return Err(CannotResume::AsItIs.into());
            }
            self.adopted = true;
            self.drive_left(draft);
            return Ok(());
        }
        self.is_free()?;
        let (mut active, was_paused) = match (ended, std::mem::replace(&mut self.work, Work::None)) {
            (None, Work::Waiting(active)) => (active, true),
            (None, work) => {
                self.work = work;
                return Err(CannotResume::StillRunning.into());
            }
            (Some(ended), work) => {
                self.work = work;
                let (run, seq) = *ended;
                let was_paused = run.is_paused();
                (Active::new(run, seq), was_paused)
            }
        };
        let meanwhile = self.meanwhile(&active.run, was_paused);
        match active.run.resume(resume, meanwhile, draft.fresh()) {
            Err(cannot) => {
                if was_paused && matches!(self.work, Work::None) {
                    self.work = Work::Waiting(active);
                }
                Err(cannot.into())
            }
            Ok(decision) => {
                (active.origin, active.resumes, self.adopted) = (TurnOrigin::New, true, true);
                self.displace_paused(draft);
                self.work = Work::Running(active);
                self.follow(draft, decision, None);
                Ok(())
            }
        }
    }

    /// The worktree of a run that has ended was merged, or thrown away.
    pub(super) fn worktree_ended(
        &mut self,
        draft: &mut Draft<'_>,
        (mut run, seq): (Run, u64),
        end: WorktreeEnd,
    ) -> Result<(), Refusal> {
        let id = run.order().run;
        if self.run().is_some_and(|it| it.order().run == id) {
            return Err(CannotEndWorktree::StillRunning.into());
        }
        let event = run.end_worktree(end)?;
        draft.happened_in_run(id, seq, vec![event.into()]);
        Ok(())
    }

    /// What became of prompts since a run ended. What it had queued is delivered outside of it; but what is queued while it
    /// is paused waits with it, and is the run's to pass on.
    fn meanwhile(&self, run: &Run, was_paused: bool) -> Meanwhile {
        let is_queued = |prompt: &PromptId| self.queue.iter().any(|queued| queued.prompt == *prompt);
        let known: Vec<_> = run.waiting().map(|(prompt, _)| prompt).collect();
        let told = known.iter().copied().filter(|prompt| !is_queued(prompt)).collect();
        let said = self.queue.iter().filter(|queued| was_paused && !known.contains(&queued.prompt));
        Meanwhile { told, said: said.map(|queued| (queued.prompt, queued.words())).collect() }
    }

    /// Drives what another driver left: the open run, open chat, and what is queued.
    pub(super) fn adopt(&mut self, draft: &mut Draft<'_>) {
        (self.adopted, self.held) = (true, false);
        match &self.work {
            Work::Left(active) if active.resumes => self.drive_left(draft),
            // It is for a person to decide about.
            Work::Unreplayable(run) if run.resumes && run.pause().is_none() => {
                let words = format!("the run cannot go on by itself: {}", run.why);
                self.abandon(draft, &Exit::because(ExitReason::Interrupted).describe(words), false);
            }
            _ => {}
        }
    }

    fn drive_left(&mut self, draft: &mut Draft<'_>) {
        self.work = match std::mem::replace(&mut self.work, Work::None) {
            Work::Left(active) => Work::Running(active),
            work => work,
        };
        self.hand_over(draft);
    }

    /// What was queued while the run was not driven becomes the run's to pass on, before anything that is queued later.
    pub(super) fn hand_over(&mut self, draft: &mut Draft<'_>) {
        let Work::Running(active) = &self.work else { return };
        let known = queued(&active.run);
        let others = self.queue.iter().filter(|queued| !known.contains(&queued.prompt));
        let others: Vec<_> = others.map(|queued| (queued.prompt, queued.words())).collect();
        for (prompt, text) in others {
            self.tell_run(draft, Input::Prompted { prompt, text });
        }
    }

    /// Tells the run what happened.
    pub(super) fn tell_run(&mut self, draft: &mut Draft<'_>, input: Input) {
        if let Some(active) = self.active() {
            let decision = active.run.handle(input, draft.fresh());
            self.follow(draft, decision, None);
        }
    }

    pub(super) fn active(&mut self) -> Option<&mut Active> {
        match &mut self.work {
            Work::Running(active) | Work::Waiting(active) | Work::Left(active) => Some(active),
            Work::None | Work::Unreplayable(_) => None,
        }
    }

    pub(super) fn run_turn_ended(
        &mut self,
        draft: &mut Draft<'_>,
        attempt: AttemptId,
        end: TurnEnd,
        facts: TurnFacts,
    ) {
        let (input, said) = match end {
            TurnEnd::Replied { text, already_said } => {
                let input = Input::Replied { attempt, text: text.clone(), facts };
                (input, Some((text, already_said)))
            }
            TurnEnd::Failed { exit, resume_at, .. } => {
                (Input::Failed { attempt, exit, resume_at, facts }, None)
            }
            TurnEnd::Unknown { resume_at } => {
                let words = "it is not known how far the agent got with this step before the server stopped";
                let exit = Exit::because(ExitReason::Interrupted).describe(words);
                let resume_at = Some(resume_at);
                (Input::Failed { attempt, exit, resume_at, facts }, None)
            }
        };
        let Some(active) = self.active() else { return };
        let decision = active.run.handle(input, draft.fresh());
        let reply = said.as_ref().map(|(text, already_said)| Reply { text, already_said: *already_said });
        self.follow(draft, decision, reply);
    }

    /// Takes in what the run decided.
    fn follow(&mut self, draft: &mut Draft<'_>, decision: Decision, reply: Option<Reply<'_>>) {
        let session = self.id;
        let Some(active) = self.active() else { return };
        let after = active.seq;
        active.seq += decision.events.len() as u64;
        let Some(run) = self.run() else { return };
        let id = run.order().run;
        let is_said = |prompt: &PromptId| self.queue.iter().any(|queued| queued.prompt == *prompt);
        let entries = entries(draft, run, &decision, reply, &is_said);
        let cuts = |event: &Event| matches!(event, Event::Ended { unheard: false, .. });
        if reply.is_none() && decision.events.iter().any(cuts) {
            self.cut_short(draft);
        }
        draft.happened_in_run(id, after, entries);
        decision.events.iter().for_each(|event| self.queue_follows(event));
        if reply.is_some() && !self.opened {
            self.opened = true;
            draft.happened(session, SessionEvent::Opened);
        }
        match decision.todo {
            Todo::Ask(_) | Todo::Check(_) | Todo::Wait => {}
            Todo::End => self.run_ended(draft),
            Todo::Restart(successor) => {
                // What the run had queued follows the work, and is not delivered here as well.
                let prompts = self.active().map(|active| queued(&active.run)).unwrap_or_default();
                self.queue.retain(|it| !prompts.contains(&it.prompt));
                if !prompts.is_empty() {
                    draft.happened(session, SessionEvent::PromptsWithdrawn { prompts });
                }
                self.run_ended(draft);
                let next = self.continue_in(draft, *successor);
                draft.successor = Some(Box::new(next));
            }
        }
    }

    /// What an event of the run does to the queue.
    pub(super) fn queue_follows(&mut self, event: &Event) {
        let place = |queue: &VecDeque<QueuedPrompt>, prompt| queue.iter().position(|it| it.prompt == prompt);
        match event {
            Event::PromptQueued { prompt, text } if place(&self.queue, *prompt).is_none() => {
                self.enqueue(*prompt, text.clone());
            }
            Event::TurnBegan { purpose: Purpose::Pass { prompt }, .. } => {
                let place = place(&self.queue, *prompt);
                self.passing = place.and_then(|place| self.queue.remove(place));
            }
            Event::Ended { unheard, withdrawn, .. } => {
                if let (Some(prompt), true) = (self.passing.take(), *unheard) {
                    self.requeue(QueuedPrompt { again: true, ..prompt });
                }
                self.queue.retain(|it| !withdrawn.contains(&it.prompt));
            }
            Event::Replied { .. } => self.passing = None,
            Event::PromptQueued { .. }
            | Event::TurnBegan { .. }
            | Event::TreeSeen { .. }
            | Event::RulesBroken { .. }
            | Event::WorktreeEnded { .. }
            | Event::ToolsRefused { .. }
            | Event::CheckBegan { .. }
            | Event::Checked { .. }
            | Event::Started { .. }
            | Event::Reasked { .. }
            | Event::Moved { .. }
            | Event::Resumed { .. } => {}
        }
    }

    /// The run is over, or paused. Where it ended for good, what is queued is delivered outside of it.
    fn run_ended(&mut self, draft: &mut Draft<'_>) {
        // Its turn may still be in flight; chat may be as well, and is none of its business.
        if self.in_flight.is_some() && self.chats.is_empty() {
            self.in_flight = None;
            draft.actions.push(Action::StopTurn);
        }
        self.work = match std::mem::replace(&mut self.work, Work::None) {
            Work::Running(active) | Work::Waiting(active) | Work::Left(active) => {
                draft.ended = active.run.ending().cloned();
                if active.run.is_paused() {
                    Work::Waiting(active)
                } else {
                    self.held = false;
                    Work::None
                }
            }
            work @ (Work::None | Work::Unreplayable(_)) => work,
        };
    }

    /// The session in which the work goes on, with its first turn begun.
    fn continue_in(&self, draft: &mut Draft<'_>, successor: Successor) -> Self {
        let Successor { recipe, order, said } = successor;
        let begins = NewSession {
            id: order.session,
            name: recipe.outline().label.to_owned(),
            directory: order.directory.clone(),
            agent: order.agent.clone(),
            // What the agent is told beside its prompts goes on with the work.
            system_prompt: self.profile.as_ref().and_then(|profile| profile.system_prompt.clone()),
            at: draft.now,
        };
        let mut next = Self::load(Stored::new(order.session));
        next.begin(draft, Some(begins));
        next.persisted();
        let said: Vec<_> = said.into_iter().map(|text| (draft.id(), text)).collect();
        let (run, decision) = Run::start_after(recipe, order, said, draft.fresh());
        (next.work, next.adopted) = (Work::Running(Active::new(run, 0)), true);
        let ended = draft.ended.take();
        next.follow(draft, decision, None);
        draft.ended = ended;
        next
    }

    /// Begins what the run waits for: a turn, or a check.
    pub(super) fn ask_run(&mut self, draft: &mut Draft<'_>) {
        let Work::Running(active) = &mut self.work else { return };
        let todo = active.run.todo();
        let origin = std::mem::replace(&mut active.origin, TurnOrigin::New);
        let order = active.run.order();
        let ask = match todo {
            Todo::Ask(ask) => ask,
            Todo::Check(check) => {
                self.in_flight = Some(check.check);
                let (run, agent, directory) = (order.run, order.agent.clone(), order.directory.clone());
                let session = order.session;
                let claim = active.run.tree_claim();
                let request = CheckRequest { check: *check, run, session, agent, directory, claim, origin };
                draft.actions.push(Action::Check(Box::new(request)));
                return;
            }
            Todo::Wait | Todo::End | Todo::Restart(_) => return,
        };
        self.in_flight = Some(ask.attempt);
        draft.actions.push(Action::Ask(Box::new(TurnRequest {
            attempt: ask.attempt,
            run: Some(order.run),
            step: Some(ask.step),
            tools: ask.tools,
            allow_tools: order.allow_tools.clone(),
            baseline: Some(ask.baseline),
            rules: Some(ask.rules),
            claim: active.run.tree_claim(),
            trusted: Some(order.project.settings_are_used()),
            prompt: ask.prompt,
            system_prompt: self.profile.as_ref().and_then(|profile| profile.system_prompt.clone()),
            opened: self.opened,
            agent: order.agent.clone(),
            directory: order.directory.clone(),
            model: ask.model,
            time_left: ask.time_left,
            budget_left: ask.budget_left,
            origin,
        })));
    }

    /// A paused run resumes by itself, or ends for good where it cannot: clients must not be told that it will.
    pub(super) fn resume_due(&mut self, draft: &mut Draft<'_>, obstacle: Option<String>) {
        let obstacle = match (&self.work, obstacle) {
            (Work::Waiting(_), None) => {
                self.resume(draft, None, Resume::by(ResumedBy::Auto)).err().map(|why| why.to_string())
            }
            (Work::Unreplayable(run), None) => Some(run.why.clone()),
            (_, obstacle) => obstacle,
        };
        if let Some(why) = obstacle {
            self.give_up(draft, &why);
        }
    }
}

/// What a run has queued.
pub(super) fn queued(run: &Run) -> Vec<PromptId> {
    run.waiting().map(|(prompt, _)| prompt).collect()
}
