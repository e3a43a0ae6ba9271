//! Inspects everything that the campaign left: the store, the journal, the fake CLI's log of calls,
//! and processes.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use surefire::run::{AttemptId, SessionId};
use surefire::store::{Attempt, RunFilter, Sqlite, Store};

use super::journal::{self, Answer, Entry, Line, Request};
use super::place::Crowd;
use super::wrong::{Findings, Wrong};
use super::{prompts, runs};

/// The beginning of a prompt that the agent may have got before.
pub(super) const NOTICE: &str = "This may have reached you before";

/// Everything that the checks read.
pub(super) struct Evidence {
    pub(super) store: Sqlite,
    pub(super) lines: Vec<Line>,
    /// The prompts that agents really got.
    pub(super) calls: Vec<Call>,
    /// The attempts whose agent was killed.
    pub(super) killed: BTreeSet<String>,
    /// Those of them whose agent may have got its prompt.
    pub(super) killed_with_prompt: BTreeSet<String>,
}

pub(super) struct Call {
    pub(super) id: String,
    pub(super) session: String,
    /// The first 200 characters.
    pub(super) prompt: String,
    /// What the store knows of its attempt.
    pub(super) attempt: Option<Attempt>,
}

pub(super) fn look(crowd: &Crowd) -> Findings {
    let evidence = gather(crowd);
    let mut findings = Findings::default();
    prompts::look(&evidence, &mut findings);
    let all = evidence.store.runs(&RunFilter::default()).expect("the store works");
    for run in &all {
        runs::look(&evidence, run, &mut findings);
    }
    runs::compare_with_requests(&evidence, &all, &mut findings);
    look_at_calls(&evidence, &mut findings);
    for line in &evidence.lines {
        match &line.entry {
            Entry::NotPersisted { run, reason } => {
                findings.add(Wrong::SpuriousEnding, format!("run {run}: {reason}"));
            }
            Entry::Answered { id, answer: Answer::Failed(words) } => {
                findings.add(Wrong::UnexplainedError, format!("request {id}: {words}"));
            }
            Entry::Stuck(words) => findings.add(Wrong::Stuck, words),
            Entry::Asked { .. }
            | Entry::Answered { .. }
            | Entry::AgentKilled { .. }
            | Entry::ServerKilled => {}
        }
    }
    for pid in crowd.place.agents() {
        findings.add(Wrong::Orphan, format!("process {pid}"));
    }
    let sessions = evidence.store.session_count().expect("the store works");
    findings.sessions = usize::try_from(sessions).unwrap_or(usize::MAX);
    (findings.runs, findings.calls) = (all.len(), evidence.calls.len());
    findings
}

fn gather(crowd: &Crowd) -> Evidence {
    let store = Sqlite::open(&crowd.place.data()).expect("the store can be opened").store;
    let lines = journal::read(&crowd.journal_path());
    let logged = crowd.calls();
    let calls =
        logged.iter().filter(|it| it["phase"] == "began").map(|it| call(&store, it)).collect();
    let (mut killed, mut killed_with_prompt) = (BTreeSet::new(), BTreeSet::new());
    for line in &lines {
        if let Entry::AgentKilled { attempt, may_have_prompt } = &line.entry {
            killed.insert(attempt.clone());
            killed_with_prompt.extend(may_have_prompt.then(|| attempt.clone()));
        }
    }
    Evidence { store, lines, calls, killed, killed_with_prompt }
}

fn call(store: &Sqlite, call: &Value) -> Call {
    let text = |name: &str| call[name].as_str().unwrap_or_default().to_owned();
    let id = text("attempt");
    let known = id.parse::<AttemptId>().ok().map(|id| store.attempt(id).expect("the store works"));
    Call { id, session: text("session"), prompt: text("prompt"), attempt: known.flatten() }
}

impl Evidence {
    /// The clients' requests: the line of the request, its session, the request itself, and the
    /// line of the answer if it succeeded.
    pub(super) fn requests(
        &self,
    ) -> impl Iterator<Item = (&Line, SessionId, &Request, Option<&Line>)> {
        let answered = self.lines.iter().filter_map(|line| match &line.entry {
            Entry::Answered { id, answer: Answer::Done } => Some((id, line)),
            _ => None,
        });
        let answers: BTreeMap<_, _> = answered.collect();
        self.lines.iter().filter_map(move |line| match &line.entry {
            Entry::Asked { id, session, request } => {
                Some((line, *session, request, answers.get(id).copied()))
            }
            _ => None,
        })
    }
}

fn look_at_calls(evidence: &Evidence, findings: &mut Findings) {
    let mut called = BTreeSet::new();
    for call in &evidence.calls {
        let id = &call.id;
        match &call.attempt {
            Some(attempt) if attempt.session.to_string() == call.session => {}
            Some(attempt) => {
                let words =
                    format!("attempt {id} of session {} in {}", attempt.session, call.session);
                findings.add(Wrong::CallUnaccounted, words);
            }
            None => findings.add(Wrong::CallUnaccounted, format!("attempt {id}: {}", call.prompt)),
        }
        // Outside of a run, a prompt whose turn has an unknown fate is sent again under the same
        // attempt, with a notice.
        let is_chat = call.attempt.as_ref().is_some_and(|attempt| attempt.run.is_none());
        let has_notice = is_chat && call.prompt.starts_with(NOTICE);
        if !called.insert(id) && !has_notice {
            findings.add(Wrong::AttemptCalledTwice, format!("attempt {id}: {}", call.prompt));
        }
    }
}
