//! Checks each prompt: what clients know, what agents got, and what the conversation says.

use std::collections::{BTreeMap, BTreeSet};

use surefire::run::SessionId;
use surefire::store::{Message, Store};

use super::journal::Request;
use super::look::{Evidence, NOTICE};
use super::wrong::{Findings, Wrong};

/// The beginnings of the messages about a prompt that was withdrawn, one whose turn was cut short
/// with its run, and one that the agent did not answer outside of a run.
const WITHDRAWN: &str = "Not delivered:";
const CUT_SHORT: &str = "Not answered:";
const UNANSWERED: &str = "This prompt was not answered";

/// One prompt.
#[derive(Default)]
struct Prompt {
    /// When its client got the acknowledgement that it is persisted.
    acknowledged_at: Option<u64>,
    session: Option<SessionId>,
    /// The calls that gave it to an agent, as indices into the log.
    calls: Vec<usize>,
    /// The messages that mark it as withdrawn or unanswered.
    withdrawn: Vec<Message>,
    unanswered: Vec<Message>,
    is_queued: bool,
}

/// Stops of sessions: when each `kill_session`, which leaves nothing queued, was requested and
/// answered; and all sessions with a stop of any kind.
#[derive(Default)]
struct Stops {
    kills: BTreeMap<SessionId, Vec<(u64, u64)>>,
    sessions: BTreeSet<SessionId>,
}

pub(super) fn look(evidence: &Evidence, findings: &mut Findings) {
    let mut prompts = known_to_clients(evidence);
    for (index, call) in evidence.calls.iter().enumerate() {
        if let Some(prompt) = named(&mut prompts, &call.prompt) {
            prompt.calls.push(index);
        }
    }
    read_store(evidence, &mut prompts);
    let stops = stops(evidence);
    for (words, prompt) in &prompts {
        look_at_deliveries(evidence, words, prompt, findings);
        look_after_stops(evidence, words, prompt, &stops, findings);
        look_at_marks(evidence, words, prompt, &stops, findings);
        findings.prompts += usize::from(prompt.acknowledged_at.is_some());
        findings.delivered += usize::from(!prompt.calls.is_empty());
        findings.withdrawn += usize::from(!prompt.withdrawn.is_empty());
    }
}

fn known_to_clients(evidence: &Evidence) -> BTreeMap<String, Prompt> {
    let mut prompts = BTreeMap::<String, Prompt>::new();
    for (_, session, request, answer) in evidence.requests() {
        if let Request::Prompt(text) = request {
            let words = name(text).expect("clients name their prompts");
            let acknowledged_at = answer.map(|line| line.at);
            let prompt = Prompt { acknowledged_at, session: Some(session), ..Prompt::default() };
            prompts.insert(words.to_owned(), prompt);
        }
    }
    prompts
}

fn read_store(evidence: &Evidence, prompts: &mut BTreeMap<String, Prompt>) {
    let store = &evidence.store;
    for session in store.sessions(usize::MAX).expect("the store works") {
        for message in store.messages(session.id, 0, usize::MAX).expect("the store works") {
            let text = &message.text;
            if text.starts_with(WITHDRAWN) {
                named(prompts, text).expect("it names its prompt").withdrawn.push(message);
            } else if text.starts_with(CUT_SHORT) {
                named(prompts, text).expect("it names its prompt").unanswered.push(message);
            } else if text.starts_with(UNANSWERED) {
                let passed = delivered_by(store, &message);
                named(prompts, &passed).expect("it answers a prompt").unanswered.push(message);
            }
        }
        for queued in store.queued_prompts(session.id).expect("the store works") {
            named(prompts, &queued.text).expect("clients sent it").is_queued = true;
        }
    }
}

/// The prompt that the attempt of a message was to deliver.
fn delivered_by(store: &dyn Store, message: &Message) -> String {
    let attempt = message.attempt.and_then(|id| store.attempt(id).expect("the store works"));
    let prompt =
        attempt.and_then(|attempt| store.prompt(attempt.prompt?).expect("the store works"));
    prompt.expect("a turn outside of a run passes a prompt on").text
}

fn stops(evidence: &Evidence) -> Stops {
    let mut stops = Stops::default();
    for (asked, session, request, answer) in evidence.requests() {
        if let (Request::Kill, Some(answer)) = (request, answer) {
            stops.kills.entry(session).or_default().push((asked.at, answer.at));
        }
        if matches!(request, Request::Kill | Request::Exit) {
            stops.sessions.insert(session);
        }
    }
    stops
}

/// An acknowledged prompt is delivered, queued, or marked; it is delivered once, or again with a
/// notice.
fn look_at_deliveries(evidence: &Evidence, words: &str, prompt: &Prompt, findings: &mut Findings) {
    let is_marked = !prompt.withdrawn.is_empty() || !prompt.unanswered.is_empty();
    if prompt.acknowledged_at.is_some()
        && prompt.calls.is_empty()
        && !prompt.is_queued
        && !is_marked
    {
        findings.add(Wrong::PromptLost, words);
    }
    for call in prompt.calls.iter().skip(1).map(|index| &evidence.calls[*index]) {
        if call.prompt.starts_with(NOTICE) {
            findings.delivered_again += 1;
        } else {
            findings.add(Wrong::PromptRepeated, format!("{words} in attempt {}", call.id));
        }
    }
}

/// A prompt that was queued when its session was stopped must not reach an agent by an attempt that
/// begins later.
fn look_after_stops(
    evidence: &Evidence,
    words: &str,
    prompt: &Prompt,
    stops: &Stops,
    findings: &mut Findings,
) {
    let kills = prompt.session.and_then(|session| stops.kills.get(&session));
    for call in prompt.calls.iter().map(|index| &evidence.calls[*index]) {
        let Some(attempt) = &call.attempt else { continue };
        let withdrawn = prompt.withdrawn.iter().any(|mark| attempt.began_at > mark.at);
        // A run that a restart continues in another session is not stopped with the first one.
        let killed = Some(attempt.session) == prompt.session
            && kills.into_iter().flatten().any(|(asked, answered)| {
                prompt.acknowledged_at.is_some_and(|at| at < *asked) && attempt.began_at > *answered
            });
        if withdrawn || killed {
            findings.add(Wrong::PromptAfterStop, format!("{words} in attempt {}", call.id));
        }
    }
}

/// Only a stop withdraws prompts, and only a stop or the death of an agent leaves one without an
/// answer.
fn look_at_marks(
    evidence: &Evidence,
    words: &str,
    prompt: &Prompt,
    stops: &Stops,
    findings: &mut Findings,
) {
    let was_stopped = |mark: &Message| stops.sessions.contains(&mark.session);
    for mark in prompt.withdrawn.iter().filter(|mark| !was_stopped(mark)) {
        findings.add(
            Wrong::PromptLost,
            format!("{words}, withdrawn in {} without a stop", mark.session),
        );
    }
    let has_died = |mark: &Message| {
        mark.attempt.is_some_and(|attempt| evidence.killed.contains(&attempt.to_string()))
    };
    for mark in prompt.unanswered.iter().filter(|mark| !was_stopped(mark) && !has_died(mark)) {
        findings.add(Wrong::SpuriousEnding, format!("{words}: {}", mark.text));
    }
}

fn named<'a>(prompts: &'a mut BTreeMap<String, Prompt>, text: &str) -> Option<&'a mut Prompt> {
    name(text).and_then(|words| prompts.get_mut(words))
}

/// The name that a client gave to its prompt: `[prompt 12-3-4]`.
fn name(text: &str) -> Option<&str> {
    let from = text.find("[prompt ")?;
    let length = text[from..].find(']')?;
    Some(&text[from..=from + length])
}
