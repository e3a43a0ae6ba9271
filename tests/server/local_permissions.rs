//! Only processes of the server's own user may extend what an agent is allowed.

use surefire::Tool;
use surefire::agent::Script;
use surefire::client::{Client, ClientError, Endpoint};
use surefire::run::{Event, Permits};
use surefire::wire::{ErrorCode, ResumeRun, StartRecipe};
use surefire_testkit::app::{KEY, Serving};

fn start(server: &Serving) -> StartRecipe {
    let tools = ["npm test *", "edit"].map(|tool| tool.parse::<Tool>().expect("it is a tool"));
    StartRecipe::new("retrospective")
        .working_directory(Some(server.project()))
        .allow_tools(tools.to_vec())
}

#[tokio::test]
async fn a_network_client_cannot_allow_tools_even_with_the_key() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut client =
        Client::connect(Endpoint::at(server.address, KEY)).await.expect("it has the key");
    let refused = client.start_recipe(start(&server)).await.expect_err("it is not allowed to");
    let ClientError::Refused(error) = refused else { panic!("{refused}") };
    assert_eq!(error.code, Some(ErrorCode::NotSupported));
    assert!(error.message.contains("surefire run --allow-tool"), "{}", error.message);
    let without = start(&server).allow_tools(Vec::new());
    client.start_recipe(without).await.expect("it may start runs");
    server.stop().await;
}

#[tokio::test]
async fn a_network_client_cannot_allow_tools_when_it_resumes_a_run() {
    let server = Serving::rehearsing(Script::LoggedOut).await;
    let data = server.place.path().join("data");
    let own = Endpoint::in_directory(data, KEY);
    let mut same_user = Client::connect(own.clone()).await.expect("it is the same user");
    let without = start(&server).allow_tools(Vec::new());
    let run = same_user.start_recipe(without).await.unwrap_or_else(|error| panic!("{error}")).run;
    let ended = |endings| async move {
        let ends = |event: &Event| matches!(event, Event::Ended { .. });
        loop {
            let journal = own.journal(run, 0).await.expect("it can be read").expect("it is there");
            if journal.events.iter().filter(|it| ends(&it.event)).count() == endings {
                return journal;
            }
            tokio::task::yield_now().await;
        }
    };
    ended.clone()(1).await;
    let resume = ResumeRun::new(run)
        .allow_tools(start(&server).allow_tools)
        .allow_deps(true)
        .force_parallel(true);
    let mut client =
        Client::connect(Endpoint::at(server.address, KEY)).await.expect("it has the key");
    let refused = client.resume_run(resume.clone()).await.expect_err("it is not allowed to");
    let ClientError::Refused(error) = refused else { panic!("{refused}") };
    for option in ["--allow-tool", "--allow-deps", "--force-parallel"] {
        assert!(
            error.message.contains(&format!("`surefire resume {option}`")),
            "{}",
            error.message
        );
    }
    same_user.resume_run(resume.clone()).await.unwrap_or_else(|error| panic!("{error}"));
    let journal = ended(2).await;
    let allowed = journal.events.iter().find_map(|it| match &it.event {
        Event::Resumed { allow_tools, permits, .. } => Some((allow_tools.clone(), *permits)),
        _ => None,
    });
    let permits = Permits { allow_deps: true, force_parallel: true, ..Permits::default() };
    assert_eq!(allowed, Some((resume.allow_tools, permits)));
    server.stop().await;
}

#[tokio::test]
async fn a_process_of_the_same_user_can_allow_tools_and_the_run_records_them() {
    let server = Serving::rehearsing(Script::Happy).await;
    let endpoint = Endpoint::in_directory(server.place.path().join("data"), KEY);
    let mut client = Client::connect(endpoint.clone()).await.expect("it is the same user");
    let asked = start(&server);
    let started =
        client.start_recipe(asked.clone()).await.unwrap_or_else(|error| panic!("{error}"));
    let journal =
        endpoint.journal(started.run, 0).await.expect("it can be read").expect("it is there");
    let Event::Started { spec, .. } = &journal.events[0].event else {
        panic!("{:?}", journal.events[0])
    };
    assert_eq!(spec.allow_tools, asked.allow_tools);
    server.stop().await;
}
