//! A prompt that begins its session.

use std::path::PathBuf;
use std::sync::Arc;

use surefire::agent::Claude;
use surefire::engine::{
    EngineError, NewSessionSpec, PromptSent, SendPrompt, SendPromptError, Shutdown, StartError,
    Update,
};
use surefire::run::SessionId;
use surefire::store::Role;
use surefire_testkit::{Act, FakeAgent, Harness};
use uuid::Uuid;

fn session() -> SessionId {
    Uuid::from_u128(7).into()
}

fn sends(text: &str, begin: impl Into<Option<NewSessionSpec>>) -> SendPrompt {
    SendPrompt::new(session(), text).begin(begin.into())
}

fn at(directory: impl Into<PathBuf>) -> NewSessionSpec {
    NewSessionSpec::default().directory(Some(directory.into()))
}

#[tokio::test(start_paused = true)]
async fn a_session_begins_with_its_first_prompt() {
    let harness = Harness::new(FakeAgent::new([Act::Says("Forty-two.".into())])).await;
    let mut updates = harness.engine.subscribe();
    let sent = harness
        .engine
        .send_prompt(sends("How many?\nAnd why?", at(harness.directory())))
        .await
        .unwrap();
    assert!(sent.new_session);
    let Update::SessionBegan(begun) = updates.next().await.unwrap() else {
        panic!("the session is published first")
    };
    assert_eq!((begun.id, begun.name.as_str(), begun.messages), (session(), "How many?", 1));
    assert_eq!((begun.directory.clone(), begun.agent.as_str()), (harness.directory(), "fake"));
    assert_eq!((begun.system_prompt.clone(), begun.opened, begun.run), (None, false, None));
    for (role, text) in [(Role::User, "How many?\nAnd why?"), (Role::Assistant, "Forty-two.")] {
        let Update::Message(message) = updates.next().await.unwrap() else { panic!("no {text}") };
        assert_eq!((message.role, message.text.as_str()), (role, text));
    }
    assert!(matches!(updates.next().await.unwrap(), Update::ChatEnded { aborted: false, .. }));
    assert_eq!(harness.store.prompt(sent.prompt).unwrap().unwrap().text, "How many?\nAnd why?");
}

#[tokio::test(start_paused = true)]
async fn an_existing_session_only_gets_the_prompt() {
    let harness = Harness::new(FakeAgent::new([])).await;
    harness.engine.send_prompt(sends("First.", at(harness.directory()))).await.unwrap();
    let before = harness.store.session(session()).unwrap().unwrap();
    let other = NewSessionSpec::default()
        .directory(Some("/nowhere".into()))
        .provider(Some("cursor".into()))
        .system_prompt(Some("Be rude.".into()));
    for begin in [Some(other), Some(NewSessionSpec::default()), None] {
        let sent = harness.engine.send_prompt(sends("More.", begin)).await.unwrap();
        assert!(!sent.new_session);
    }
    harness.agent.asked(4).await;
    let after = harness.store.session(session()).unwrap().unwrap();
    assert_eq!(
        (after.name, after.directory, after.system_prompt),
        (before.name, before.directory, None)
    );
    assert_eq!(harness.store.session_count(), Ok(1));
}

#[tokio::test(start_paused = true)]
async fn a_session_that_cannot_begin_is_refused_with_the_cause_and_not_persisted() {
    let store = Arc::new(surefire::store::Memory::default());
    let missing: Arc<dyn surefire::agent::Agent> =
        Arc::new(Claude::with_environment("/nowhere/claude", []));
    let harness =
        Harness::with(FakeAgent::new([]), store, |options| options.agents.push(missing)).await;
    let place = harness.directory();
    let by = |provider: &str| at(place.clone()).provider(Some(provider.into()));
    let table = [
        (None, format!("there is no session {}", session())),
        (Some(NewSessionSpec::default()), "working_directory required for new session".into()),
        (
            Some(at("relative")),
            "working directory `relative` is relative; give an absolute path".into(),
        ),
        (Some(at("/")), "working directory `/` is outside of the allowed roots".into()),
        (
            Some(at(place.join("missing"))),
            "missing` does not exist; create it, or name another one".into(),
        ),
        (
            Some(by("cursor")),
            "there is no agent `cursor` here; choose one with `--agent`: fake, claude".into(),
        ),
        (Some(by("claude")), "/nowhere/claude".into()),
    ];
    for (begin, words) in table {
        let error =
            harness.engine.send_prompt(sends("Hello?", begin)).await.unwrap_err().to_string();
        assert!(error.contains(&words), "{error}");
        assert_eq!(
            (harness.store.session_count(), harness.agent.turns().len()),
            (Ok(0), 0),
            "{error}"
        );
    }
    let exactly =
        harness.engine.send_prompt(sends("Hello?", NewSessionSpec::default())).await.unwrap_err();
    assert_eq!(exactly.to_string(), "working_directory required for new session");
    harness.engine.shut_down(Shutdown::StopAgents).await;
    let late = harness.engine.send_prompt(sends("Hello?", at(place.clone()))).await.unwrap_err();
    assert!(
        matches!(late, SendPromptError::Engine(EngineError::ShuttingDown | EngineError::Bug(_))),
        "{late}"
    );
}

#[tokio::test(start_paused = true)]
async fn of_many_prompts_that_begin_one_session_the_first_does_and_the_others_are_queued() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let mut updates = harness.engine.subscribe();
    let sending: Vec<_> = (0..20)
        .map(|n| {
            let (engine, prompt) =
                (harness.engine.clone(), sends(&format!("{n}"), at(harness.directory())));
            tokio::spawn(async move { engine.send_prompt(prompt).await.unwrap() })
        })
        .collect();
    let mut sent: Vec<PromptSent> = Vec::new();
    for sending in sending {
        sent.push(sending.await.unwrap());
    }
    assert_eq!(sent.iter().filter(|sent| sent.new_session).count(), 1);
    harness.agent.asked(20).await;
    let (mut begun, mut ended) = (0, 0);
    while ended < 20 {
        match updates.next().await.unwrap() {
            Update::SessionBegan(_) => begun += 1,
            Update::ChatEnded { .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!((begun, harness.store.session(session()).unwrap().unwrap().messages), (1, 40));
}

#[tokio::test(start_paused = true)]
async fn a_run_and_a_prompt_that_begin_the_same_session_agree_on_its_directory() {
    for _ in 0..20 {
        let harness = Harness::new(FakeAgent::new([])).await;
        let other = harness.directory().join("other");
        std::fs::create_dir(&other).unwrap();
        let request = harness.start_request().session(Some(session()));
        let (sent, started) = tokio::join!(
            harness.engine.send_prompt(sends("Hello.", at(other))),
            harness.engine.start(request)
        );
        let known = harness.store.session(session()).unwrap().unwrap();
        match started {
            Ok(started) => assert_eq!(harness.record(started.run).directory, known.directory),
            Err(error) => assert!(matches!(error, StartError::OtherDirectory { .. }), "{error}"),
        }
        assert_eq!(sent.unwrap().new_session, known.directory != harness.directory());
    }
}

#[tokio::test(start_paused = true)]
async fn a_system_prompt_is_sent_with_every_turn_of_its_session() {
    let harness = Harness::new(FakeAgent::new([Act::Says("Yes.".into()), Act::Hangs])).await;
    let mut updates = harness.engine.subscribe();
    let begin = at(harness.directory()).system_prompt(Some("Be brief.".into()));
    harness.engine.send_prompt(sends("Hello?", begin)).await.unwrap();
    while !matches!(updates.next().await.unwrap(), Update::ChatEnded { .. }) {}
    let request = harness.start_request().session(Some(session()));
    let started =
        harness.engine.start(request.recipe("implement-and-review-all".into())).await.unwrap();
    harness.agent.asked(2).await;

    // This also holds after another engine has adopted the run, and after it restarted in a fresh
    // session.
    let harness = harness.again().await;
    let first = loop {
        let ending = harness.ended(started).await;
        if let Some(next) = ending.continued_by {
            break next;
        }
        tokio::time::sleep(surefire_testkit::SECOND).await;
    };
    harness.agent.then(Act::Outcome("no-tasks"));
    harness.engine.wait_until_ended(first).await.unwrap();
    let next = harness.store.session(harness.record(first).session).unwrap().unwrap();
    assert_eq!((next.system_prompt.as_deref(), next.id == session()), (Some("Be brief."), false));
    let turns = harness.agent.turns();
    assert!(turns.len() > 5 && harness.agent.recovered().len() == 1);
    assert!(turns.iter().all(|turn| turn.system_prompt.as_deref() == Some("Be brief.")));
    assert_eq!(harness.agent.recovered()[0].turn.system_prompt.as_deref(), Some("Be brief."));
}

#[tokio::test(start_paused = true)]
async fn a_blank_system_prompt_counts_as_missing() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let begin = at(harness.directory()).system_prompt(Some(" \n".into()));
    harness.engine.send_prompt(sends("Hello?", begin)).await.unwrap();
    assert_eq!(harness.store.session(session()).unwrap().unwrap().system_prompt, None);
}
