//! Saying something in a session that begins with it.

use std::path::PathBuf;
use std::sync::Arc;

use surefire::agent::Claude;
use surefire::engine::{Begin, EngineError, Notice, Said, Say, SayError, Shutdown, Start, StartError};
use surefire::run::SessionId;
use surefire::store::Role;
use surefire_testkit::{Act, FakeAgent, Harness};
use uuid::Uuid;

fn session() -> SessionId {
    Uuid::from_u128(7).into()
}

fn says(text: &str, begin: impl Into<Option<Begin>>) -> Say {
    Say { session: session(), text: text.to_owned(), begin: begin.into() }
}

fn at(directory: impl Into<PathBuf>) -> Begin {
    Begin { directory: Some(directory.into()), ..Begin::default() }
}

#[tokio::test(start_paused = true)]
async fn a_session_begins_with_its_first_prompt() {
    let harness = Harness::new(FakeAgent::new([Act::Says("Forty-two.".into())])).await;
    let mut feed = harness.engine.listen();
    let said = harness.engine.say(says("How many?\nAnd why?", at(harness.directory()))).await.unwrap();
    assert!(said.new_session);
    let Notice::SessionBegan(begun) = feed.next().await.unwrap() else { panic!("it is told first") };
    assert_eq!((begun.id, begun.name.as_str(), begun.messages), (session(), "How many?", 1));
    assert_eq!((begun.directory.clone(), begun.agent.as_str()), (harness.directory(), "fake"));
    assert_eq!((begun.system_prompt.clone(), begun.opened, begun.run), (None, false, None));
    for (role, text) in [(Role::User, "How many?\nAnd why?"), (Role::Assistant, "Forty-two.")] {
        let Notice::Said(message) = feed.next().await.unwrap() else { panic!("{text} is told") };
        assert_eq!((message.role, message.text.as_str()), (role, text));
    }
    assert!(matches!(feed.next().await.unwrap(), Notice::ChatEnded { aborted: false, .. }));
    assert_eq!(harness.store.prompt(said.prompt).unwrap().unwrap().text, "How many?\nAnd why?");
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_there_is_simply_talked_to() {
    let harness = Harness::new(FakeAgent::new([])).await;
    harness.engine.say(says("First.", at(harness.directory()))).await.unwrap();
    let before = harness.store.session(session()).unwrap().unwrap();
    let other = Begin {
        directory: Some("/nowhere".into()),
        provider: Some("cursor".into()),
        system_prompt: Some("Be rude.".into()),
    };
    for begin in [Some(other), Some(Begin::default()), None] {
        let said = harness.engine.say(says("More.", begin)).await.unwrap();
        assert!(!said.new_session);
    }
    harness.agent.asked(4).await;
    let after = harness.store.session(session()).unwrap().unwrap();
    assert_eq!((after.name, after.directory, after.system_prompt), (before.name, before.directory, None));
    assert_eq!(harness.store.session_count(), Ok(1));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_begin_says_why_and_leaves_nothing() {
    let store = Arc::new(surefire::store::Memory::default());
    let missing: Arc<dyn surefire::agent::Agent> = Arc::new(Claude::with_environment("/nowhere/claude", []));
    let harness = Harness::with(FakeAgent::new([]), store, |options| options.agents.push(missing)).await;
    let place = harness.directory();
    let by = |provider: &str| Begin { provider: Some(provider.into()), ..at(place.clone()) };
    let table = [
        (None, format!("there is no session {}", session())),
        (Some(Begin::default()), "working_directory required for new session".into()),
        (Some(at("relative")), "working directory `relative` is relative; give an absolute path".into()),
        (Some(at("/")), "working directory `/` is outside of the allowed roots".into()),
        (Some(at(place.join("missing"))), "missing` does not exist; create it, or name another one".into()),
        (
            Some(by("cursor")),
            "there is no agent `cursor` here; choose one of those that are: fake, claude".into(),
        ),
        (Some(by("claude")), "/nowhere/claude".into()),
    ];
    for (begin, words) in table {
        let error = harness.engine.say(says("Hello?", begin)).await.unwrap_err().to_string();
        assert!(error.contains(&words), "{error}");
        assert_eq!((harness.store.session_count(), harness.agent.turns().len()), (Ok(0), 0), "{error}");
    }
    let exactly = harness.engine.say(says("Hello?", Begin::default())).await.unwrap_err();
    assert_eq!(exactly.to_string(), "working_directory required for new session");
    harness.engine.shut_down(Shutdown::StopAgents).await;
    let late = harness.engine.say(says("Hello?", at(place.clone()))).await.unwrap_err();
    assert!(matches!(late, SayError::Engine(EngineError::ShuttingDown | EngineError::Broken(_))), "{late}");
}

#[tokio::test(start_paused = true)]
async fn of_many_who_begin_a_session_one_does_and_the_others_talk_in_it() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let mut feed = harness.engine.listen();
    let saying: Vec<_> = (0..20)
        .map(|n| {
            let (engine, say) = (harness.engine.clone(), says(&format!("{n}"), at(harness.directory())));
            tokio::spawn(async move { engine.say(say).await.unwrap() })
        })
        .collect();
    let mut said: Vec<Said> = Vec::new();
    for saying in saying {
        said.push(saying.await.unwrap());
    }
    assert_eq!(said.iter().filter(|said| said.new_session).count(), 1);
    harness.agent.asked(20).await;
    let (mut begun, mut ended) = (0, 0);
    while ended < 20 {
        match feed.next().await.unwrap() {
            Notice::SessionBegan(_) => begun += 1,
            Notice::ChatEnded { .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!((begun, harness.store.session(session()).unwrap().unwrap().messages), (1, 40));
}

#[tokio::test(start_paused = true)]
async fn a_run_and_a_prompt_that_begin_the_same_session_agree_on_where_it_works() {
    for _ in 0..20 {
        let harness = Harness::new(FakeAgent::new([])).await;
        let other = harness.directory().join("other");
        std::fs::create_dir(&other).unwrap();
        let wish = Start { session: Some(session()), ..harness.wish() };
        let (said, started) =
            tokio::join!(harness.engine.say(says("Hello.", at(other))), harness.engine.start(wish));
        let known = harness.store.session(session()).unwrap().unwrap();
        match started {
            Ok(started) => assert_eq!(harness.record(started.run).directory, known.directory),
            Err(error) => assert!(matches!(error, StartError::Elsewhere { .. }), "{error}"),
        }
        assert_eq!(said.unwrap().new_session, known.directory != harness.directory());
    }
}

#[tokio::test(start_paused = true)]
async fn a_system_prompt_goes_along_with_every_turn_of_its_session() {
    let harness = Harness::new(FakeAgent::new([Act::Says("Yes.".into()), Act::Hangs])).await;
    let mut feed = harness.engine.listen();
    let begin = Begin { system_prompt: Some("Be brief.".into()), ..at(harness.directory()) };
    harness.engine.say(says("Hello?", begin)).await.unwrap();
    while !matches!(feed.next().await.unwrap(), Notice::ChatEnded { .. }) {}
    let wish = Start { session: Some(session()), ..harness.wish() };
    let started =
        harness.engine.start(Start { recipe: "implement-and-review-all".into(), ..wish }).await.unwrap();
    harness.agent.asked(2).await;

    // Also where the run is taken up by another engine, resumed, and restarted in a fresh session.
    let harness = harness.again().await;
    let first = loop {
        let ending = harness.ended(started).await;
        if let Some(next) = ending.continued_by {
            break next;
        }
        tokio::time::sleep(surefire_testkit::SECOND).await;
    };
    harness.agent.then(Act::Outcome("no-tasks"));
    harness.engine.ended(first).await.unwrap();
    let next = harness.store.session(harness.record(first).session).unwrap().unwrap();
    assert_eq!((next.system_prompt.as_deref(), next.id == session()), (Some("Be brief."), false));
    let told = harness.agent.turns();
    assert!(told.len() > 5 && harness.agent.recovered().len() == 1);
    assert!(told.iter().all(|turn| turn.system_prompt.as_deref() == Some("Be brief.")));
    assert_eq!(harness.agent.recovered()[0].turn.system_prompt.as_deref(), Some("Be brief."));
}

#[tokio::test(start_paused = true)]
async fn a_blank_system_prompt_is_none() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let begin = Begin { system_prompt: Some(" \n".into()), ..at(harness.directory()) };
    harness.engine.say(says("Hello?", begin)).await.unwrap();
    assert_eq!(harness.store.session(session()).unwrap().unwrap().system_prompt, None);
}
