//! The rules for every agent: a function for each, called with a [`Candidate`].
//!
//! [`agent_conformance!`](crate::agent_conformance) makes a test of each, and [`all`] calls one
//! after the other. The rules that they check are documented at [`Agent`], [`Turn`] and
//! [`TurnContext`](surefire::agent::TurnContext).

#![expect(missing_docs, reason = "each function is named after the rule that it checks")]
#![expect(clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::any::Any;
use std::fmt::{self, Debug, Formatter};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use surefire::agent::{Agent, AgentEvent, Failure, Fate, Reply, RepositorySettings, Turn};
use tempfile::TempDir;

use crate::wait::MAX_WAIT;
use crate::{Watcher, eventually, link, sandbox};

/// An agent to try, in two forms.
///
/// ```
/// use surefire::agent::{Rehearsal, Script};
/// use surefire_testkit::conformance::agent::Candidate;
///
/// Candidate::new(Rehearsal::new(Script::Happy), Rehearsal::new(Script::Slow));
/// ```
pub struct Candidate {
    answers: Arc<dyn Agent>,
    works: Arc<dyn Agent>,
    folder: TempDir,
    _kept: Box<dyn Any>,
}

impl Candidate {
    /// An agent that answers every prompt quickly, and one of the same kind that shows a sign of
    /// life and then works on every prompt until it is stopped.
    pub fn new(answers: impl Agent, works: impl Agent) -> Self {
        let folder = tempfile::tempdir().expect("there is room for tests");
        for name in ["project", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).expect("there is room for tests");
        }
        Self { answers: Arc::new(answers), works: Arc::new(works), folder, _kept: Box::new(()) }
    }

    /// Keeps a value alive while the agents are tested: a directory they need, for example.
    #[must_use]
    pub fn keeping(self, kept: impl Any) -> Self {
        Self { _kept: Box::new(kept), ..self }
    }

    /// A turn of a session of its own. Its prompt offers outcomes, as that of a step does.
    fn turn(&self) -> Turn {
        let turn = sandbox::turn(self.folder.path());
        let scratch = turn.scratch.join(turn.attempt.to_string());
        turn.scratch(scratch)
    }
}

impl Debug for Candidate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { answers, works: _, folder, _kept: _ } = self;
        f.debug_struct("Candidate")
            .field("agent", &answers.about())
            .field("folder", folder)
            .finish()
    }
}

/// A turn that a task takes.
struct Taken {
    turn: Turn,
    watcher: Watcher,
    task: tokio::task::JoinHandle<Result<Reply, Failure>>,
}

impl Taken {
    fn by(agent: &Arc<dyn Agent>, turn: Turn) -> Self {
        let watcher = Watcher::new();
        let task = tokio::spawn(agent.turn(turn.clone(), watcher.link.clone()));
        Self { turn, watcher, task }
    }

    async fn end(self) -> Result<Reply, Failure> {
        soon(self.task).await.expect("a turn does not panic")
    }
}

/// Waits for a future that has to complete in time.
async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(MAX_WAIT, what).await.expect("it takes no longer than twenty seconds")
}

/// The processes of a turn are gone soon after the turn has ended.
async fn nothing_is_left(turn: &Turn) {
    if cfg!(target_os = "linux") {
        eventually("no process of the turn is left", || sandbox::alive(turn.attempt).is_empty())
            .await;
    }
}

pub async fn its_info_is_the_same_every_time(candidate: Candidate) {
    let about = candidate.answers.about();
    assert_eq!(candidate.answers.about(), about);
    assert_eq!(candidate.works.about().name, about.name, "both forms are the same kind of agent");
    let plain =
        |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    assert!(
        !about.name.is_empty() && about.name.chars().all(plain),
        "{:?} is stored and typed",
        about.name
    );
}

pub async fn a_model_it_does_not_know_is_refused_with_those_it_does(candidate: Candidate) {
    let Err(unknown) = candidate.answers.knows_model("no such model") else {
        return; // It accepts any model.
    };
    assert_eq!(unknown.model, "no such model");
    // An ellipsis at the end of a name means that any suffix is accepted.
    for known in unknown.known.into_iter().filter(|name| !name.contains('…')) {
        assert_eq!(candidate.answers.knows_model(known), Ok(()), "{known}");
    }
}

/// These directories are new, so the user cannot have been asked about them.
pub async fn it_trusts_no_directory_that_the_user_was_never_asked_about(candidate: Candidate) {
    let folder = candidate.folder.path();
    for directory in [folder, &folder.join("project"), &folder.join("missing"), "".as_ref()] {
        assert!(!candidate.answers.trusts_directory(directory), "{}", directory.display());
    }
}

pub async fn it_answers_even_without_a_repositorys_settings(candidate: Candidate) {
    let turn = candidate.turn().repository(RepositorySettings::LeftOut);
    std::fs::write(turn.directory.join(".mcp.json"), "{}").expect("there is room for tests");
    Taken::by(&candidate.answers, turn).end().await.expect("it answers");
}

pub async fn it_is_ready_and_answers_a_prompt(candidate: Candidate) {
    candidate.answers.ready().expect("it is ready");
    let turn = candidate.turn();
    let reply = Taken::by(&candidate.answers, turn.clone()).end().await.expect("it answers");
    assert!(!reply.text.trim().is_empty(), "a reply has text");
    let cost = reply.cost_usd.unwrap_or_default();
    assert!(cost.is_finite() && cost >= 0.0, "{cost} is a sum of money");
    nothing_is_left(&turn).await;
}

pub async fn it_answers_again_in_the_same_session(candidate: Candidate) {
    let first = candidate.turn();
    let session = first.session;
    Taken::by(&candidate.answers, first).end().await.expect("it answers");
    let second = candidate.turn().session(session).opened(true);
    Taken::by(&candidate.answers, second).end().await.expect("it answers again");
}

pub async fn a_process_that_is_not_recorded_is_given_no_prompt_and_ends(candidate: Candidate) {
    let turn = candidate.turn();
    let (link, mut events) = link(16);
    let task = tokio::spawn(candidate.answers.turn(turn.clone(), link));
    let mut spawned = false;
    while let Some(sign) = soon(events.recv()).await {
        // Dropping `go` is what an engine does that could not record the process.
        spawned |= matches!(sign, AgentEvent::Spawned { .. });
    }
    let ended = soon(task).await.expect("a turn does not panic");
    assert!(
        !(spawned && ended.is_ok()),
        "it answered a prompt that it should not have received: {ended:?}"
    );
    nothing_is_left(&turn).await;
}

pub async fn a_turn_that_is_stopped_ends_and_leaves_nothing_running(candidate: Candidate) {
    let taken = Taken::by(&candidate.works, candidate.turn());
    taken.watcher.sees_life().await;
    taken.watcher.link.stop.cancel();
    let turn = taken.turn.clone();
    let ended = taken.end().await;
    assert!(matches!(ended, Err(Failure::Stopped)), "{ended:?}");
    nothing_is_left(&turn).await;
}

pub async fn a_turn_with_a_fast_stop_ends_too(candidate: Candidate) {
    let taken = Taken::by(&candidate.works, candidate.turn());
    taken.watcher.sees_life().await;
    taken.watcher.link.fast_stop.cancel();
    taken.watcher.link.stop.cancel();
    let turn = taken.turn.clone();
    let ended = taken.end().await;
    assert!(matches!(ended, Err(Failure::Stopped)), "{ended:?}");
    nothing_is_left(&turn).await;
}

pub async fn a_turn_that_was_stopped_before_it_began_does_not_begin(candidate: Candidate) {
    let (turn, watcher) = (candidate.turn(), Watcher::new());
    watcher.link.stop.cancel();
    let ended = soon(candidate.answers.turn(turn.clone(), watcher.link.clone())).await;
    assert!(matches!(ended, Err(Failure::Stopped | Failure::StoppedBeforePrompt)), "{ended:?}");
    nothing_is_left(&turn).await;
}

pub async fn a_turn_that_is_both_stopped_and_detached_is_stopped(candidate: Candidate) {
    let taken = Taken::by(&candidate.works, candidate.turn());
    taken.watcher.sees_life().await;
    taken.watcher.link.stop.cancel();
    taken.watcher.link.detach.cancel();
    let turn = taken.turn.clone();
    let ended = taken.end().await;
    assert!(matches!(ended, Err(Failure::Stopped)), "{ended:?}");
    nothing_is_left(&turn).await;
}

pub async fn a_detached_turn_can_be_found_and_stopped_later(candidate: Candidate) {
    let taken = Taken::by(&candidate.works, candidate.turn());
    taken.watcher.sees_life().await;
    taken.watcher.link.detach.cancel();
    let (turn, process) = (taken.turn.clone(), taken.watcher.process());
    let ended = taken.end().await;
    assert!(matches!(ended, Err(Failure::Detached)), "{ended:?}");

    let later = Watcher::new();
    later.link.stop.cancel();
    let fate = soon(candidate.works.recover(turn.clone(), process, later.link.clone())).await;
    assert!(!matches!(fate, Fate::Ended(Ok(_))), "it had not answered: {fate:?}");
    nothing_is_left(&turn).await;
}

pub async fn a_turn_that_takes_too_long_ends(candidate: Candidate) {
    let mut turn = candidate.turn();
    turn.limits.duration = Duration::from_millis(100);
    let ended = Taken::by(&candidate.works, turn.clone()).end().await;
    assert!(matches!(ended, Err(Failure::TookTooLong { .. })), "{ended:?}");
    nothing_is_left(&turn).await;
}

pub async fn sessions_take_turns_concurrently(candidate: Candidate) {
    let first = Taken::by(&candidate.works, candidate.turn());
    let second = Taken::by(&candidate.works, candidate.turn());
    first.watcher.sees_life().await;
    second.watcher.sees_life().await;
    first.watcher.link.stop.cancel();
    let ended = first.end().await;
    assert!(matches!(ended, Err(Failure::Stopped)), "{ended:?}");
    assert!(!second.task.is_finished(), "the other session is not stopped");
    second.watcher.link.stop.cancel();
    let turn = second.turn.clone();
    let ended = second.end().await;
    assert!(matches!(ended, Err(Failure::Stopped)), "{ended:?}");
    nothing_is_left(&turn).await;
}

pub async fn a_turn_ends_when_its_watcher_is_gone(candidate: Candidate) {
    let turn = candidate.turn();
    let (link, events) = link(1);
    drop(events);
    // It may answer anyway.
    let _ = soon(candidate.answers.turn(turn.clone(), link)).await;
    nothing_is_left(&turn).await;
}

pub async fn a_turn_that_never_ran_has_no_reply(candidate: Candidate) {
    let fate = soon(candidate.answers.recover(candidate.turn(), None, Watcher::new().link)).await;
    assert!(!matches!(fate, Fate::Ended(_)), "{fate:?}");
}

pub async fn a_reply_that_is_found_again_is_the_same(candidate: Candidate) {
    let taken = Taken::by(&candidate.answers, candidate.turn());
    let (turn, watcher) = (taken.turn.clone(), taken.watcher.clone());
    let reply = taken.end().await.expect("it answers");
    let later = Watcher::new().link;
    match soon(candidate.answers.recover(turn.clone(), watcher.process(), later)).await {
        Fate::Ended(found) => assert_eq!(found.expect("it had answered").text, reply.text),
        // The agent cannot know, or it did nothing that may not be repeated.
        Fate::Unknown | Fate::NeverBegan => {}
        other => panic!("a turn that ended became {other:?}"),
    }
    nothing_is_left(&turn).await;
}

/// Lists the tests once, for the function that calls them all and for the macro that makes tests of
/// them.
macro_rules! suite {
    ($($test:ident,)*) => {
        /// Calls every function of this module, each with a candidate of its own.
        ///
        /// ```
        /// use surefire::agent::{Rehearsal, Script};
        /// use surefire_testkit::conformance::agent::{self, Candidate};
        ///
        /// agent::all(|| {
///     Candidate::new(Rehearsal::new(Script::Happy), Rehearsal::new(Script::Slow))
/// });
        /// ```
        pub fn all(candidate: impl Fn() -> Candidate) {
            $(run($test, &candidate);)*
        }

        /// Makes a test of each function of [`conformance::agent`](crate::conformance::agent), for
        /// one agent.
        ///
        /// It is given a function that makes a [`Candidate`](crate::conformance::agent::Candidate).
        /// Each agent has a module of its own:
        ///
        /// ```
        /// mod rehearsal {
        ///     use surefire::agent::{Rehearsal, Script};
        ///     use surefire_testkit::conformance::agent::Candidate;
        ///
        ///     surefire_testkit::agent_conformance!(|| {
        ///         Candidate::new(Rehearsal::new(Script::Happy), Rehearsal::new(Script::Slow))
        ///     });
        /// }
        /// ```
        #[macro_export]
        macro_rules! agent_conformance {
            ($candidate:expr) => {
                $(#[test]
                fn $test() {
                    $crate::conformance::agent::run($crate::conformance::agent::$test, $candidate);
                })*
            };
        }
    };
}

suite! {
    its_info_is_the_same_every_time,
    a_model_it_does_not_know_is_refused_with_those_it_does,
    it_trusts_no_directory_that_the_user_was_never_asked_about,
    it_answers_even_without_a_repositorys_settings,
    it_is_ready_and_answers_a_prompt,
    it_answers_again_in_the_same_session,
    a_process_that_is_not_recorded_is_given_no_prompt_and_ends,
    a_turn_that_is_stopped_ends_and_leaves_nothing_running,
    a_turn_with_a_fast_stop_ends_too,
    a_turn_that_was_stopped_before_it_began_does_not_begin,
    a_turn_that_is_both_stopped_and_detached_is_stopped,
    a_detached_turn_can_be_found_and_stopped_later,
    a_turn_that_takes_too_long_ends,
    sessions_take_turns_concurrently,
    a_turn_ends_when_its_watcher_is_gone,
    a_turn_that_never_ran_has_no_reply,
    a_reply_that_is_found_again_is_the_same,
}

/// Calls one function of this module on a new runtime; `candidate` is called inside of it.
pub fn run<F: Future<Output = ()>>(
    test: impl FnOnce(Candidate) -> F,
    candidate: impl FnOnce() -> Candidate,
) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime can be made").block_on(async { test(candidate()).await });
}
