use super::*;
use crate::ExitReason;
use crate::run::{CheckSubject, Ending, Event, Purpose, ResumedBy, RetryCause};
use crate::view::one_run::{
    after_start, changes, check_began, checked, ended, ending, found, missing, moved, passed,
    refused, replied, reported, result, resumed, retried, seen, tool, turn,
};
use crate::view::{ActionKind, RunView, Timeline};
use std::time::Duration;

const FAILED: CheckVerdict = CheckVerdict::Failed { status: Some(101) };

fn outcome() -> Event {
    check_began(CheckSubject::Outcome { outcome: "done".to_owned(), description: None })
}

fn details(timeline: &Timeline) -> Vec<String> {
    let details = timeline.view().details.iter();
    details.map(|Detail { label, text }| format!("{label}: {text}")).collect()
}

#[test]
fn a_run_that_only_commits_changed_no_files() {
    let timeline = after_start(&[seen(changes(0, 1))]);
    assert_eq!(details(&timeline), ["committed: 0000001 Fix 1"]);
}

#[test]
fn each_event_has_its_remark_and_its_detail() {
    let commit = tool("Bash", "git commit -m x", &["git commit *"]);
    let write = ToolRefusal { tool: "Write".to_owned(), input: None, allow: Vec::new() };
    let rehearsed = CheckResult { rehearsed: true, ..found("commit", "") };
    let table: [(&[Event], &[&str], &[&str]); 13] = [
        (&[seen(changes(0, 0))], &[], &[]),
        (&[seen(changes(1, 0))], &[], &["changed: 1 file, +1 −1 lines"]),
        (
            &[seen(changes(2, 1))],
            &[],
            &["changed: 2 files, +2 −2 lines", "committed: 0000001 Fix 1"],
        ),
        (
            &[seen(changes(2, 1)), seen(changes(3, 5))],
            &[],
            &[
                "changed: 3 files, +3 −3 lines",
                "committed: 0000001 Fix 1, 0000002 Fix 2, 0000003 Fix 3 and 2 more",
            ],
        ),
        (
            &[refused(&[commit.clone(), write]), refused(&[commit])],
            &[
                "the agent was refused Bash (`git commit -m x`)",
                "the agent was refused Write",
                "the agent was refused Bash (`git commit -m x`)",
            ],
            &["refused: Bash (`git commit -m x`), Write"],
        ),
        (&[outcome()], &[], &["waiting for: what the engine finds in the working directory"]),
        (
            &[check_began(CheckSubject::Command)],
            &[],
            &["waiting for: the command that this step runs"],
        ),
        (
            &[outcome(), checked(&[found("commit", ""), found("clean", "nothing is uncommitted")])],
            &["looked up `commit`: found", "looked up `clean`: nothing is uncommitted"],
            &["checked: 2 of 2 checks passed"],
        ),
        (
            &[outcome(), checked(&[missing("commit", "no new commit"), missing("clean", "")])],
            &["looked up `commit`, not found: no new commit", "looked up `clean`: not found"],
            &["checked: 0 of 2 checks passed, 2 did not pass"],
        ),
        (
            &[
                outcome(),
                checked(&[
                    passed(CheckKind::Verify, "cargo check"),
                    result(CheckKind::Verify, "cargo test", FAILED, "1 failed\n2 passed"),
                ]),
                retried(
                    1,
                    "`cargo test` failed with exit status 101: 1 failed\n2 passed",
                    RetryCause::Verify,
                ),
            ],
            &[
                "`cargo check` passed after 3 s",
                "`cargo test` failed with exit status 101 after 3 s",
                "asked again (1 of 3): `cargo test` failed with exit status 101: 1 failed",
            ],
            &["checked: 1 of 2 checks passed, 1 did not pass"],
        ),
        (
            &[checked(&[
                result(CheckKind::Run, "make", CheckVerdict::Failed { status: None }, ""),
                result(
                    CheckKind::Run,
                    "make",
                    CheckVerdict::TimedOut { limit: Duration::from_secs(10 * 60) },
                    "",
                ),
                result(CheckKind::Run, "make", CheckVerdict::Impossible, "no such file"),
                result(CheckKind::Run, "make", CheckVerdict::Unknown, ""),
            ])],
            &[
                "`make` failed after 3 s",
                "`make` took longer than 10 min",
                "`make` could not be run: no such file",
                "`make` was running when the server stopped, and how it ended is not known",
            ],
            &["checked: 0 of 4 checks passed, 4 did not pass"],
        ),
        (
            &[outcome(), checked(&[rehearsed])],
            &["rehearsed: looked up `commit`: found"],
            &["checked: nothing; 1 check rehearsed"],
        ),
        (
            &[turn(Purpose::Evidence { number: 1, problem: String::new() })],
            &[],
            &["waiting for: the agent's reply about the missing evidence"],
        ),
    ];
    for (events, remarks, lines) in table {
        let timeline = after_start(events);
        assert_eq!(timeline.view().visits[0].remarks, remarks);
        assert_eq!(details(&timeline), lines);
    }
}

#[test]
fn an_end_says_what_it_is_based_on() {
    let committed = || reported(ExitReason::TaskCommitted);
    let commit = || checked(&[found("commit", "")]);
    let verify = || checked(&[passed(CheckKind::Verify, "cargo test")]);
    let step = || turn(Purpose::Step);
    let again = || retried(1, "no new commit", RetryCause::Evidence);
    let no_commit = || checked(&[missing("commit", "no new commit")]);
    let limit = Ending { outcome: Some("done".to_owned()), ..ending(ExitReason::MaxTotalSteps) };
    let rehearsed = |reason| Event::ended(Ending { rehearsal: true, ..ending(reason) });
    let table = [
        (vec![step(), replied(0.0, &[]), committed()], Some(RestsOn::Agent)),
        (
            vec![step(), replied(0.0, &[]), outcome(), commit(), committed()],
            Some(RestsOn::Evidence),
        ),
        (vec![step(), outcome(), verify(), committed()], Some(RestsOn::Command)),
        (
            vec![
                step(),
                outcome(),
                checked(&[found("commit", ""), passed(CheckKind::Verify, "cargo test")]),
                committed(),
            ],
            Some(RestsOn::Evidence),
        ),
        (
            vec![
                check_began(CheckSubject::Command),
                checked(&[result(CheckKind::Run, "make", FAILED, "")]),
                committed(),
            ],
            Some(RestsOn::Command),
        ),
        // Checks for an earlier outcome say nothing about a later one.
        (vec![step(), outcome(), no_commit(), again(), step(), committed()], Some(RestsOn::Agent)),
        (
            vec![step(), outcome(), commit(), moved("fix", 2), step(), committed()],
            Some(RestsOn::Agent),
        ),
        // The engine itself ends the run, because of what it found.
        (
            vec![step(), outcome(), no_commit(), ended(ExitReason::VerificationFailed)],
            Some(RestsOn::Evidence),
        ),
        (vec![step(), outcome(), no_commit(), again(), ended(ExitReason::MaxTicks)], None),
        (vec![step(), outcome(), commit(), ended(ExitReason::UserStopped)], None),
        (vec![step(), outcome(), commit(), Event::ended(limit)], None),
        (vec![step(), rehearsed(ExitReason::TaskCommitted)], Some(RestsOn::Rehearsal)),
        (vec![step(), rehearsed(ExitReason::Timeout)], Some(RestsOn::Rehearsal)),
    ];
    for (events, rests_on) in table {
        let timeline = after_start(&events);
        assert_eq!(timeline.view().proof.rests_on, rests_on, "{events:?}");
        let line = rests_on.map(|it| format!("rests on: {}", it.words()));
        assert_eq!(
            details(&timeline).last().filter(|last| last.starts_with("rests")),
            line.as_ref()
        );
        let mut again = timeline;
        again.apply(90, 90_000, &resumed(ResumedBy::User, 0));
        assert_eq!(again.view().proof.rests_on, None, "a resumed run is not based on anything yet");
    }
}

#[test]
fn a_rehearsal_says_that_nothing_was_checked() {
    let end = Event::ended(Ending { rehearsal: true, ..ending(ExitReason::TaskCommitted) });
    let lines = details(&after_start(&[end]));
    assert_eq!(lines, ["rests on: a rehearsal's script; nothing was checked"]);
}

#[test]
fn a_tool_that_is_refused_again_is_listed_once_with_the_option_that_allows_it() {
    let add = tool("Bash", "git add -A", &["git add *"]);
    let commit = tool("Bash", "git add -A && git commit", &["git add *", "git commit *"]);
    let timeline = after_start(&[
        refused(&[add.clone(), commit.clone()]),
        moved("fix", 2),
        refused(&[add, commit]),
        ended(ExitReason::PermissionDenied),
    ]);
    let shown = &timeline.view().proof.refused;
    let shown: Vec<_> = shown
        .iter()
        .map(|it| (it.visit, it.step.as_str(), it.times, it.options.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            (1, "rebase", 2, Some("--allow-tool 'git add *'")),
            (1, "rebase", 2, Some("--allow-tool 'git add *' --allow-tool 'git commit *'")),
        ]
    );
    assert_eq!(timeline.view().proof.missing_permissions(), ["git add *", "git commit *"]);
}

#[test]
fn what_was_refused_is_allowed_next_where_that_stopped_the_run() {
    let commit = refused(&[tool("Bash", "git commit", &["git commit *"])]);
    let unknown = refused(&[tool("mcp__x", "y", &[])]);
    let next = |events: &[Event]| {
        let outline = Some(<crate::view::one_run::OneStep as crate::Recipe>::OUTLINE);
        let mut timeline = Timeline::new(crate::view::one_run::facts(), outline);
        for (seq, event) in (1..).zip(events) {
            timeline.apply(seq, 0, event);
        }
        timeline.view().next.first().map(|next| next.action.clone())
    };
    let start = crate::view::one_run::started();
    let denied = ended(ExitReason::PermissionDenied);
    let allow = ActionKind::Allow { tools: vec!["git commit *".to_owned()] };
    assert_eq!(next(&[start.clone(), commit.clone(), denied.clone()]), Some(allow.clone()));
    assert_ne!(next(&[start.clone(), unknown, denied]), Some(allow.clone()));
    assert_ne!(next(&[start, commit, ended(ExitReason::UserStopped)]), Some(allow));
}

#[test]
fn long_lists_and_texts_stay_bounded() {
    let long = "x\n".repeat(10_000);
    let check = || checked(&[result(CheckKind::Verify, &long, FAILED, &long)]);
    let refusal =
        |number: u32| refused(&[tool("Bash", &format!("{number} {}", "y".repeat(5000)), &[])]);
    let mut events: Vec<_> = (0..100).map(|_| check()).chain((0..100).map(refusal)).collect();
    events.extend([seen(changes(200, 90)), retried(1, &long, RetryCause::Verify)]);
    events.push(ended(ExitReason::VerificationFailed));
    let timeline = after_start(&events);
    let Proof { checks, passed, failed, refused, more_refused, changes, more_commits, .. } =
        &timeline.view().proof;
    assert_eq!((checks.len(), *passed, *failed), (MAX_CHECKS, 0, 100));
    assert_eq!((refused.len(), *more_refused), (MAX_REFUSED, 80));
    let changes = changes.as_ref().unwrap();
    assert_eq!((changes.files.len(), changes.total_files), (MAX_FILES, 200));
    assert_eq!((changes.commits.len(), *more_commits), (MAX_COMMITS, 70));
    for line in details(&timeline) {
        assert!(line.chars().count() < 1000 && !line.contains('\n'), "{line}");
    }
    for remark in &timeline.view().visits[0].remarks {
        assert!(remark.chars().count() < 600 && !remark.contains('\n'), "{remark}");
    }
    assert!(serde_json::to_string(&timeline.view().proof).unwrap().len() < 200_000);
}

#[test]
fn merging_changes_into_a_view_with_proof_gives_the_next_view() {
    let events = [
        turn(Purpose::Step),
        refused(&[tool("Bash", "git commit", &["git commit *"])]),
        seen(changes(1, 0)),
        replied(0.5, &[]),
        outcome(),
        checked(&[missing("commit", "no new commit")]),
        retried(1, "`commit` was not found", RetryCause::Evidence),
        turn(Purpose::Evidence { number: 1, problem: "`commit` was not found".to_owned() }),
        refused(&[tool("Bash", "git commit", &["git commit *"])]),
        seen(changes(2, 1)),
        outcome(),
        checked(&[found("commit", "")]),
        moved("fix", 2),
        reported(ExitReason::TaskCommitted),
        resumed(ResumedBy::User, 1),
        ended(ExitReason::UserStopped),
    ];
    let views: Vec<_> =
        (0..=events.len()).map(|until| after_start(&events[..until]).view().clone()).collect();
    for (from, old) in views.iter().enumerate() {
        for new in &views[from..] {
            let mut merged = old.clone();
            merged.merge(new.changed_since(old.seq));
            assert_eq!(&merged, new, "from {from} to {}", new.seq);
        }
    }
    let last = serde_json::to_string(views.last().unwrap()).unwrap();
    assert_eq!(serde_json::from_str::<RunView>(&last).unwrap(), *views.last().unwrap());
    let before_proof: RunView =
        serde_json::from_value(without_proof(serde_json::to_value(&views[1]).unwrap())).unwrap();
    assert_eq!(before_proof.proof, Proof::default(), "an older server sends no proof");
}

fn without_proof(mut view: serde_json::Value) -> serde_json::Value {
    view.as_object_mut().unwrap().remove("proof");
    view
}
