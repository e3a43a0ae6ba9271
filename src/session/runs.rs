//! Runs in a session: starting and resuming them, carrying out their decisions, and continuing them
//! in another session.

use std::collections::VecDeque;
use std::time::Duration;

use super::commit::Change;
use super::decision::{AgentTurn, CheckRequest, Draft, SessionAction};
use super::entries::{Reply, entries};
use super::event::SessionEvent;
use super::input::{SessionRefusal, TurnEnd};
use super::records::NewSession;
use super::state::{Active, Profile, QueuedPrompt, Session, Stored, TurnOrigin, Work};
use crate::run::{
    Action, AttemptId, CannotEndWorktree, CannotResume, Decision, Ending, Event, Input,
    PendingPrompts, PromptId, Purpose, Resume, ResumedBy, Run, RunSpec, Successor, TurnFacts,
    WorktreeEnd,
};
use crate::{AnyRecipe, Exit, ExitReason};

impl Session {
    pub(super) fn start(
        &mut self,
        draft: &mut Draft<'_>,
        recipe: &'static dyn AnyRecipe,
        spec: RunSpec,
        begins: Option<NewSession>,
    ) -> Result<(), SessionRefusal> {
        self.ensure_free()?;
        self.adopted = true;
        self.begin(draft, begins);
        self.displace_paused(draft);
        let (run, decision) = Run::start(recipe, spec, draft.new_ids());
        self.work = Work::Running(Active::new(run, 0));
        self.follow(draft, decision, None);
        Ok(())
    }

    /// Begins the session itself, if it does not exist yet.
    pub(super) fn begin(&mut self, draft: &mut Draft<'_>, begins: Option<NewSession>) {
        if let (None, Some(new)) = (&self.profile, begins) {
            let NewSession { directory, agent, system_prompt, .. } = new.clone();
            self.profile = Some(Profile { directory, agent, system_prompt });
            draft.changes.push(Change::session(self.id, draft.now, SessionEvent::Began(new)));
            draft.changes.push(Change::Expects { session: self.id, commits: self.commits });
        }
    }

    /// Ends a paused run for good, because another run replaces it: clients must not expect it to
    /// resume.
    fn displace_paused(&mut self, draft: &mut Draft<'_>) {
        self.give_up(draft, "another run took its place");
        draft.ended = None;
    }

    /// Ends a paused run for good, because it will not resume by itself.
    fn give_up(&mut self, draft: &mut Draft<'_>, why: &str) {
        let exit = |ending: Option<&Ending>| ending.map(|ending| ending.give_up(why));
        match &self.work {
            Work::Paused(active) => {
                if let Some(exit) = exit(active.run.ending()) {
                    self.notify_run(draft, Input::Cancelled { exit, took: Duration::ZERO });
                }
            }
            Work::Unreplayable(run) => {
                if let Some(exit) = exit(run.pause()) {
                    self.abandon(draft, &exit, false);
                }
            }
            Work::None | Work::Running(_) | Work::Orphaned(_) => {}
        }
    }

    fn ensure_free(&self) -> Result<(), SessionRefusal> {
        let holder = match &self.work {
            Work::Running(active) | Work::Orphaned(active) => active.run.spec().run,
            Work::Unreplayable(run) if run.pause().is_none() => run.run,
            Work::Paused(_) | Work::None | Work::Unreplayable(_) => return Ok(()),
        };
        Err(SessionRefusal::Busy { session: self.id, holder })
    }

    pub(super) fn resume(
        &mut self,
        draft: &mut Draft<'_>,
        ended: Option<Box<(Run, u64)>>,
        resume: Resume,
    ) -> Result<(), SessionRefusal> {
        if let (None, Work::Orphaned(_)) = (&ended, &self.work) {
            // Its agent may have replied meanwhile, so it resumes exactly where it was.
            if resume != Resume::by(resume.by) {
                return Err(CannotResume::OnlyUnchanged.into());
            }
            self.adopted = true;
            self.drive_orphaned(draft);
            return Ok(());
        }
        self.ensure_free()?;
        let (mut active, was_paused) = match (ended, std::mem::replace(&mut self.work, Work::None))
        {
            (None, Work::Paused(active)) => (active, true),
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
        let pending = self.pending_prompts(&active.run, was_paused);
        match active.run.resume(resume, pending, draft.new_ids()) {
            Err(cannot) => {
                if was_paused && matches!(self.work, Work::None) {
                    self.work = Work::Paused(active);
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

    /// Records that the worktree of a run that has ended was merged or discarded.
    pub(super) fn worktree_ended(
        &mut self,
        draft: &mut Draft<'_>,
        (mut run, seq): (Run, u64),
        end: WorktreeEnd,
    ) -> Result<(), SessionRefusal> {
        let id = run.spec().run;
        if self.run().is_some_and(|it| it.spec().run == id) {
            return Err(CannotEndWorktree::StillRunning.into());
        }
        let event = run.end_worktree(end)?;
        draft.record_in_run(id, seq, vec![event.into()]);
        Ok(())
    }

    /// What happened to prompts since a run ended or paused. After its end, its queue is delivered
    /// outside of it; prompts that were sent while it was paused stay queued for it.
    fn pending_prompts(&self, run: &Run, was_paused: bool) -> PendingPrompts {
        let is_queued =
            |prompt: &PromptId| self.queue.iter().any(|queued| queued.prompt == *prompt);
        let known: Vec<_> = run.queued().map(|(prompt, _)| prompt).collect();
        let delivered = known.iter().copied().filter(|prompt| !is_queued(prompt)).collect();
        let queued = self.queue.iter().filter(|it| was_paused && !known.contains(&it.prompt));
        let queued = queued.map(|it| (it.prompt, it.delivered_text())).collect();
        PendingPrompts { delivered, queued }
    }

    /// Adopts what another driver left: the open run, open chat and queued prompts.
    pub(super) fn adopt(&mut self, draft: &mut Draft<'_>) {
        (self.adopted, self.held) = (true, false);
        match &self.work {
            Work::Orphaned(active) if active.resumes => self.drive_orphaned(draft),
            // A user has to decide how to proceed with it.
            Work::Unreplayable(run) if run.resumes && run.pause().is_none() => {
                let why = format!("the run cannot resume by itself: {}", run.why);
                self.abandon(draft, &Exit::because(ExitReason::Interrupted).describe(why), false);
            }
            _ => {}
        }
    }

    fn drive_orphaned(&mut self, draft: &mut Draft<'_>) {
        self.work = match std::mem::replace(&mut self.work, Work::None) {
            Work::Orphaned(active) => Work::Running(active),
            work => work,
        };
        self.hand_over(draft);
    }

    /// Prompts that were queued while the run was not driven move to the run's queue, before any
    /// that are queued later.
    pub(super) fn hand_over(&mut self, draft: &mut Draft<'_>) {
        let Work::Running(active) = &self.work else { return };
        let known = queued(&active.run);
        let others = self.queue.iter().filter(|queued| !known.contains(&queued.prompt));
        let others: Vec<_> =
            others.map(|queued| (queued.prompt, queued.delivered_text())).collect();
        for (prompt, text) in others {
            self.notify_run(draft, Input::Prompted { prompt, text });
        }
    }

    /// Passes an input to the run.
    pub(super) fn notify_run(&mut self, draft: &mut Draft<'_>, input: Input) {
        if let Some(active) = self.active() {
            let decision = active.run.handle(input, draft.new_ids());
            self.follow(draft, decision, None);
        }
    }

    pub(super) fn active(&mut self) -> Option<&mut Active> {
        match &mut self.work {
            Work::Running(active) | Work::Paused(active) | Work::Orphaned(active) => Some(active),
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
        let (input, reply) = match end {
            TurnEnd::Replied { text, already_streamed } => {
                let input = Input::Replied { attempt, text: text.clone(), facts };
                (input, Some((text, already_streamed)))
            }
            TurnEnd::Failed { exit, resume_at, .. } => {
                (Input::Failed { attempt, exit, resume_at, facts }, None)
            }
            TurnEnd::Unknown { resume_at } => {
                let why = "it is not known how far the agent got with this step before the server stopped";
                let exit = Exit::because(ExitReason::Interrupted).describe(why);
                let resume_at = Some(resume_at);
                (Input::Failed { attempt, exit, resume_at, facts }, None)
            }
        };
        let Some(active) = self.active() else { return };
        let decision = active.run.handle(input, draft.new_ids());
        let reply =
            reply.as_ref().map(|(text, streamed)| Reply { text, already_streamed: *streamed });
        self.follow(draft, decision, reply);
    }

    /// Carries out a decision of the run.
    fn follow(&mut self, draft: &mut Draft<'_>, decision: Decision, reply: Option<Reply<'_>>) {
        let session = self.id;
        let Some(active) = self.active() else { return };
        let after = active.seq;
        active.seq += decision.events.len() as u64;
        let Some(run) = self.run() else { return };
        let id = run.spec().run;
        let is_recorded =
            |prompt: &PromptId| self.queue.iter().any(|queued| queued.prompt == *prompt);
        let entries = entries(draft, run, &decision, reply, &is_recorded);
        let leaves = |event: &Event| matches!(event, Event::LimitReached { .. });
        let cuts =
            |event: &Event| leaves(event) || matches!(event, Event::Ended { redeliver: false, .. });
        if reply.is_none() && decision.events.iter().any(cuts) {
            self.cut_short(draft);
        }
        draft.record_in_run(id, after, entries);
        decision.events.iter().for_each(|event| self.apply_to_queue(event));
        if reply.is_some() && !self.opened {
            self.opened = true;
            draft.record(session, SessionEvent::Opened);
        }
        if decision.events.iter().any(leaves) {
            self.stop_turn(draft);
        }
        match decision.action {
            Action::Ask(_) | Action::Check(_) | Action::Wait => {}
            Action::End => self.run_ended(draft),
            Action::Restart(successor) => {
                // The run's queue moves to its successor, and is not delivered here as well.
                let prompts = self.active().map(|active| queued(&active.run)).unwrap_or_default();
                self.queue.retain(|it| !prompts.contains(&it.prompt));
                if !prompts.is_empty() {
                    draft.record(session, SessionEvent::PromptsWithdrawn { prompts });
                }
                self.run_ended(draft);
                let next = self.continue_in(draft, *successor);
                draft.successor = Some(Box::new(next));
            }
        }
    }

    /// Applies an event of the run to the queue.
    pub(super) fn apply_to_queue(&mut self, event: &Event) {
        let position = |queue: &VecDeque<QueuedPrompt>, prompt| {
            queue.iter().position(|it| it.prompt == prompt)
        };
        match event {
            Event::PromptQueued { prompt, text } if position(&self.queue, *prompt).is_none() => {
                self.enqueue(*prompt, text.clone());
            }
            Event::TurnBegan { purpose: Purpose::Deliver { prompt }, .. } => {
                let index = position(&self.queue, *prompt);
                self.delivering = index.and_then(|index| self.queue.remove(index));
            }
            Event::Ended { redeliver, withdrawn, .. } => {
                if let (Some(prompt), true) = (self.delivering.take(), *redeliver) {
                    self.requeue(QueuedPrompt { may_repeat: true, ..prompt });
                }
                self.queue.retain(|it| !withdrawn.contains(&it.prompt));
            }
            Event::Replied { .. } | Event::LimitReached { .. } => self.delivering = None,
            Event::PromptQueued { .. }
            | Event::TurnBegan { .. }
            | Event::TreeSeen { .. }
            | Event::RulesBroken { .. }
            | Event::WorktreeEnded { .. }
            | Event::ToolsRefused { .. }
            | Event::CheckBegan { .. }
            | Event::Checked { .. }
            | Event::Started { .. }
            | Event::Retried { .. }
            | Event::Moved { .. }
            | Event::Resumed { .. } => {}
        }
    }

    /// Stops the turn or the check of the run, if one is in flight. A chat turn in flight is not
    /// affected.
    fn stop_turn(&mut self, draft: &mut Draft<'_>) {
        if self.in_flight.is_some() && self.chats.is_empty() {
            self.in_flight = None;
            draft.actions.push(SessionAction::StopTurn);
        }
    }

    /// Handles that the run has ended or paused. If it has ended, queued prompts are delivered
    /// outside of it.
    fn run_ended(&mut self, draft: &mut Draft<'_>) {
        self.stop_turn(draft);
        self.work = match std::mem::replace(&mut self.work, Work::None) {
            Work::Running(active) | Work::Paused(active) | Work::Orphaned(active) => {
                draft.ended = active.run.ending().cloned();
                if active.run.is_paused() {
                    Work::Paused(active)
                } else {
                    self.held = false;
                    Work::None
                }
            }
            work @ (Work::None | Work::Unreplayable(_)) => work,
        };
    }

    /// The session in which the work continues, with its first turn begun.
    fn continue_in(&self, draft: &mut Draft<'_>, successor: Successor) -> Self {
        let Successor { recipe, spec, queued } = successor;
        let begins = NewSession {
            id: spec.session,
            name: recipe.outline().label.to_owned(),
            directory: spec.directory.clone(),
            agent: spec.agent.clone(),
            // The next session gets the same system prompt.
            system_prompt: self.profile.as_ref().and_then(|profile| profile.system_prompt.clone()),
            at: draft.now,
        };
        let mut next = Self::load(Stored::new(spec.session));
        next.begin(draft, Some(begins));
        next.persisted();
        let queued: Vec<_> = queued.into_iter().map(|text| (draft.id(), text)).collect();
        let (run, decision) = Run::start_after(recipe, spec, queued, draft.new_ids());
        (next.work, next.adopted) = (Work::Running(Active::new(run, 0)), true);
        let ended = draft.ended.take();
        next.follow(draft, decision, None);
        draft.ended = ended;
        next
    }

    /// Begins the turn or the check that the run waits for.
    pub(super) fn ask_run(&mut self, draft: &mut Draft<'_>) {
        let Work::Running(active) = &mut self.work else { return };
        let action = active.run.action();
        let origin = std::mem::replace(&mut active.origin, TurnOrigin::New);
        let spec = active.run.spec();
        let ask = match action {
            Action::Ask(ask) => ask,
            Action::Check(check) => {
                self.in_flight = Some(check.check);
                draft.actions.push(SessionAction::Check(Box::new(CheckRequest {
                    check: *check,
                    run: spec.run,
                    session: spec.session,
                    restarts: spec.restarts,
                    agent: spec.agent.clone(),
                    directory: spec.directory.clone(),
                    claim: active.run.tree_claim(),
                    origin,
                })));
                return;
            }
            Action::Wait | Action::End | Action::Restart(_) => return,
        };
        self.in_flight = Some(ask.attempt);
        draft.actions.push(SessionAction::Ask(Box::new(AgentTurn {
            attempt: ask.attempt,
            run: Some(spec.run),
            step: Some(ask.step),
            number: Some(ask.number),
            tools: ask.tools,
            allow_tools: spec.allow_tools.clone(),
            baseline: Some(ask.baseline),
            rules: Some(ask.rules),
            claim: active.run.tree_claim(),
            trusted: Some(spec.project.settings_are_used()),
            prompt: ask.prompt,
            system_prompt: self.profile.as_ref().and_then(|profile| profile.system_prompt.clone()),
            opened: self.opened,
            restarts: spec.restarts,
            agent: spec.agent.clone(),
            directory: spec.directory.clone(),
            model: ask.model,
            time_left: ask.time_left,
            budget_left: ask.budget_left,
            origin,
        })));
    }

    /// Resumes a paused run. If it cannot resume, ends it for good: clients must not expect it to
    /// resume later.
    pub(super) fn resume_due(&mut self, draft: &mut Draft<'_>, obstacle: Option<String>) {
        let obstacle = match (&self.work, obstacle) {
            (Work::Paused(_), None) => self
                .resume(draft, None, Resume::by(ResumedBy::Auto))
                .err()
                .map(|why| why.to_string()),
            (Work::Unreplayable(run), None) => Some(run.why.clone()),
            (_, obstacle) => obstacle,
        };
        if let Some(why) = obstacle {
            self.give_up(draft, &why);
        }
    }
}

/// The prompts in a run's queue.
pub(super) fn queued(run: &Run) -> Vec<PromptId> {
    run.queued().map(|(prompt, _)| prompt).collect()
}
