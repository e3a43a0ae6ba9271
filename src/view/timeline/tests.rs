use super::*;
use crate::run::{Exceeded, RetryCause, RunId};
use crate::view::ActionKind;
use crate::view::one_run::{
    OneStep, after, deliver, ended, ending, moved, prompt, queued, replied, resumed, retried,
    started, turn,
};
use crate::{Exit, Verdict};
use uuid::Uuid;

fn unread(number: u32) -> Event {
    retried(number, "there is no JSON object in it", RetryCause::Reply)
}

#[test]
fn each_event_adds_its_remark() {
    let wait = Ending { resume_at: Some(1_303_000), ..ending(ExitReason::RateLimited) };
    let table: [(&[Event], &[&str]); 7] = [
        (&[queued(1)], &["a prompt is queued for the agent"]),
        (&[deliver(1)], &["the agent is given a queued prompt"]),
        (&[turn(Purpose::Step), replied(0.0, &[])], &[]),
        (&[replied(0.0, &["a trailing comma"])], &["its reply was repaired (a trailing comma)"]),
        (
            &[unread(1), unread(2)],
            &[
                "asked again (1 of 3): there is no JSON object in it",
                "asked again (2 of 3): there is no JSON object in it",
            ],
        ),
        (
            &[ended(ExitReason::UserStopped), resumed(ResumedBy::User, 0)],
            &["stopped (user_stopped), then resumed by a client"],
        ),
        (
            &[Event::ended(wait), resumed(ResumedBy::Auto, 0)],
            &["stopped (rate_limited); resumes automatically in 20 min", "resumed automatically"],
        ),
    ];
    for (events, remarks) in table {
        let events: Vec<_> = std::iter::once(started()).chain(events.iter().cloned()).collect();
        let timeline = after(&events.into_iter().map(|event| (103, event)).collect::<Vec<_>>());
        assert_eq!(timeline.view().visits[0].remarks, remarks);
    }
}

#[test]
fn a_limit_of_a_step_says_when_the_run_left_it_and_where_it_went() {
    let limits = [
        (
            VisitLimit::Time,
            Exceeded::Time {
                limit: Duration::from_secs(30 * 60),
                observed: Duration::from_millis(1_800_040),
            },
            "left `rebase` after 30 min: its time limit",
        ),
        (
            VisitLimit::Retries,
            Exceeded::Count { limit: 2, observed: 2 },
            "left `rebase` after 2 retries: its retry limit",
        ),
        (
            VisitLimit::Budget,
            Exceeded::Cost { limit: 1.5, observed: 1.62 },
            "left `rebase` after $1.62: its budget limit",
        ),
    ];
    for (limit, exceeded, words) in limits {
        let reached = Event::LimitReached {
            step: "rebase".to_owned(),
            limit,
            exceeded: Box::new(exceeded),
            took: Duration::from_secs(40),
            cost_usd: Some(0.25),
        };
        let on = [started(), turn(Purpose::Step), reached.clone(), moved("fix", 2)];
        let timeline = after(&on.map(|event| (1, event)));
        let visits = &timeline.view().visits;
        assert_eq!(visits[0].remarks, [format!("{words}; on to `fix`")]);
        assert!(visits[1].remarks.is_empty());
        assert_eq!((timeline.view().cost_usd, timeline.used.time.as_secs()), (0.25, 40));

        let outcome = Some(limit.words().to_owned());
        let end = Event::ended(Ending { outcome, ..ending(ExitReason::MaxTicks) });
        let ended = after(&[started(), turn(Purpose::Step), reached, end].map(|event| (1, event)));
        assert_eq!(ended.view().visits[0].remarks, [words]);
        assert_eq!(ended.view().proof.rests_on, None, "no agent reported it");
    }
}

#[test]
fn a_step_s_own_budget_needs_no_more_money_for_the_run() {
    let labels = |exceeded: Option<Exceeded>| {
        let (ending, took) = (ending(ExitReason::CostBudget), Duration::ZERO);
        let exceeded = exceeded.map(Box::new);
        let (cost_usd, redeliver, withdrawn) = (None, false, Vec::new());
        let end = Event::Ended { ending, took, cost_usd, redeliver, withdrawn, exceeded };
        let mut timeline = after(&[(0, started()), (1, end)]);
        timeline.outline = Some(<OneStep as crate::Recipe>::OUTLINE);
        next_actions(&timeline).into_iter().map(|next| next.label).collect::<Vec<_>>()
    };
    let of_step = Exceeded::Cost { limit: 1.5, observed: 1.6 };
    assert_eq!(labels(Some(of_step)), ["Resume", "Start again"]);
    assert_eq!(labels(None), ["Allow $1.00 in all and resume", "Start again"]);
}

#[test]
fn turns_costs_and_retries_are_counted() {
    let events = [started(), turn(Purpose::Step), replied(0.25, &[]), unread(1), moved("fix", 2)];
    let timeline = after(&events.map(|event| (1, event)));
    let view = timeline.view();
    assert_eq!((view.turns, view.cost_usd, view.visits[0].retries), (1, 0.25, 1));
    assert_eq!(view.task.as_deref(), Some("the login page"));
    let taken: Vec<_> =
        view.transitions.iter().map(|it| (it.from.as_str(), it.outcome.as_str())).collect();
    assert_eq!(taken, [("rebase", "conflicts")]);
    assert_eq!(
        (view.status, view.end.is_none(), view.next.is_empty()),
        (Status::Running, true, true)
    );
    let nonsense = after(&[(0, started()), (1, replied(-1.0, &[])), (2, replied(f64::NAN, &[]))]);
    assert!(nonsense.view().cost_usd.abs() < f64::EPSILON);
}

#[test]
fn the_time_until_an_ended_run_is_resumed_does_not_count_as_visit_time() {
    let end = ended(ExitReason::UserStopped);
    let timeline = after(&[
        (1, moved("fix", 2)),
        (3, end.clone()),
        (3600, resumed(ResumedBy::User, 0)),
        (3601, end.clone()),
        (3700, end),
        (7200, resumed(ResumedBy::User, 0)),
        (7204, moved("commit", 3)),
    ]);
    let visits = &timeline.view().visits;
    assert_eq!(visits[0].took(7_204_000), Duration::from_secs(2 + 1 + 4));
    assert_eq!(visits[1].took(7_205_000), Duration::from_secs(1));
}

#[test]
fn a_prompt_is_queued_until_it_is_delivered_or_withdrawn() {
    let mut timeline = after(&[(0, started()), (1, queued(1)), (2, queued(2)), (3, deliver(1))]);
    assert_eq!(timeline.view().queued, [prompt(2)]);
    // The agent may not have received the prompt that was being delivered.
    let paused = Ending { resume_at: Some(9000), ..ending(ExitReason::Interrupted) };
    let cut_short = Event::Ended {
        ending: paused,
        took: Duration::ZERO,
        cost_usd: None,
        redeliver: true,
        withdrawn: Vec::new(),
        exceeded: None,
    };
    timeline.apply(5, 5000, &cut_short);
    assert_eq!(timeline.view().queued, [prompt(1), prompt(2)]);
    // The second was delivered outside of the run.
    timeline.apply(6, 6000, &resumed(ResumedBy::Auto, 0));
    assert_eq!(timeline.view().queued, [prompt(1)]);
    let stopped = Event::Ended {
        ending: ending(ExitReason::UserRequested),
        took: Duration::ZERO,
        cost_usd: None,
        redeliver: false,
        withdrawn: vec![prompt(1)],
        exceeded: None,
    };
    timeline.apply(7, 7000, &stopped);
    assert_eq!(
        (timeline.view().queued.len(), timeline.view().withdrawn.as_slice()),
        (0, &[prompt(1)][..])
    );
}

#[test]
fn an_end_is_shown_until_the_run_is_resumed() {
    let next: RunId = Uuid::from_u128(4).into();
    let restarted = Ending { continued_by: Some(next), ..ending(ExitReason::RestartNewSession) };
    let mut timeline = after(&[(0, started()), (2, Event::ended(restarted))]);
    assert_eq!(timeline.view().status, Status::Ended(Verdict::Completed));
    assert_eq!(timeline.view().next[0].action, ActionKind::Follow { run_id: next });
    assert!(timeline.is_over() && !timeline.is_paused());
    let end = timeline.view().end.as_ref().unwrap();
    assert_eq!(end.summary, "rebase took 1 step in 2 s");
    assert_eq!(end.why, "it stopped at `fix`: restart-new-session (completed), exit status 0");
    timeline.apply(3, 3000, &resumed(ResumedBy::User, 2));
    let view = timeline.view();
    assert_eq!((view.status, &view.end, view.raised), (Status::Running, &None, true));
    assert!(view.next.is_empty() && timeline.ending().is_none());
}

#[test]
fn the_turns_of_the_whole_chain_count_when_the_limit_is_raised() {
    let mut timeline =
        after(&[(0, started()), (1, turn(Purpose::Step)), (2, turn(Purpose::Continue))]);
    timeline.outline = Some(<OneStep as crate::Recipe>::OUTLINE);
    timeline.apply(4, 4000, &ended(ExitReason::MaxTicks));
    assert_eq!(timeline.view().next[0].label, "Allow 10 turns in all and resume");
}

#[test]
fn other_is_shown_in_the_agents_words() {
    let other = Exit::because(ExitReason::UserProvidedOther).describe("The key is missing.");
    let timeline =
        after(&[(0, started()), (1, Event::ended(Ending::new(&other, "rebase", 1, true)))]);
    let end = timeline.view().end.as_ref().unwrap();
    assert_eq!(end.message, "The agent stopped:");
    assert_eq!(end.description.as_deref(), Some("The key is missing."));
    assert_eq!(end.rehearsal.as_deref(), Some("This was a rehearsal: nothing was changed."));
}

#[test]
fn merging_changes_into_a_view_gives_the_next_view() {
    let wait = Ending { resume_at: Some(60_000), ..ending(ExitReason::RateLimited) };
    let refused = Ending {
        outcome: Some("complete".to_owned()),
        ..ending(ExitReason::MaxStepVisitsExceeded)
    };
    let events = [
        started(),
        turn(Purpose::Step),
        queued(1),
        unread(1),
        replied(0.5, &["x"]),
        moved("fix", 2),
        deliver(1),
        Event::ended(wait),
        resumed(ResumedBy::Auto, 0),
        Event::ended(refused),
        resumed(ResumedBy::User, 2),
        moved("commit", 3),
        ended(ExitReason::RebaseComplete),
    ];
    let events: Vec<_> = (0..).zip(events).collect();
    let views: Vec<_> =
        (0..=events.len()).map(|until| after(&events[..until]).view().clone()).collect();
    for (from, old) in views.iter().enumerate() {
        for new in &views[from..] {
            let mut merged = old.clone();
            merged.merge(new.changed_since(old.seq));
            assert_eq!(&merged, new, "from {from} to {}", new.seq);
        }
    }
    assert_eq!(
        views[6].changed_since(5).visits.len(),
        2,
        "the visit that was left, and the visit that was entered"
    );
    assert_eq!(views[7].changed_since(6).visits.len(), 1);
    let last = serde_json::to_string(&views[13]).unwrap();
    assert_eq!(serde_json::from_str::<RunView>(&last).unwrap(), views[13]);
}

#[test]
fn what_a_run_waits_for_is_known_while_it_is_open() {
    let waits_for = |events: &[(u64, Event)]| {
        let details = after(events).view().details.clone();
        details
            .into_iter()
            .map(|Detail { label, text }| format!("{label} {text}"))
            .collect::<Vec<_>>()
    };
    let asked = |purpose| (1, turn(purpose));
    let again = Purpose::Remind { number: 1, problem: "no JSON".to_owned() };
    assert_eq!(waits_for(&[(0, started())]), [""; 0]);
    assert_eq!(
        waits_for(&[(0, started()), asked(Purpose::Step)]),
        ["waiting for the agent's reply"]
    );
    assert_eq!(
        waits_for(&[(0, started()), asked(again)]),
        ["waiting for the agent's reply to a retry"]
    );
    assert_eq!(
        waits_for(&[(0, started()), asked(Purpose::Deliver { prompt: prompt(1) })]),
        ["waiting for the agent's answer to a prompt"]
    );
    let paused = Ending { resume_at: Some(9000), ..ending(ExitReason::RateLimited) };
    assert_eq!(
        waits_for(&[(0, started()), (1, Event::ended(paused))]),
        ["waiting for the time at which it is resumed automatically"]
    );
    let over = Event::ended(ending(ExitReason::UserRequested));
    assert_eq!(waits_for(&[(0, started()), asked(Purpose::Step), (2, over)]), [""; 0]);
}
