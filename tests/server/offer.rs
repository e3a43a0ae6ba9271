//! What a client can find out before it starts a run: the agents, the proposed directory and the
//! first prompt.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use surefire::AnyRecipe;
use surefire::agent::{
    Agent, AgentInfo, BoxFuture, Failure, Rehearsal, Reply, Script, Turn, TurnContext, UnknownModel,
};
use surefire::engine::{Options, PromptFiles};
use surefire::recipes::BUNDLED;
use surefire_testkit::app::{App, Serving};

use crate::raw::read;

/// Records its prompts, and ends each turn at once.
#[derive(Clone, Default)]
struct Scribe(Arc<Mutex<Vec<String>>>);

impl Agent for Scribe {
    fn about(&self) -> AgentInfo {
        AgentInfo::new("scribe")
    }

    fn knows_model(&self, _model: &str) -> Result<(), UnknownModel> {
        Ok(())
    }

    fn turn(&self, turn: Turn, _link: TurnContext) -> BoxFuture<Result<Reply, Failure>> {
        self.0.lock().unwrap().push(turn.prompt);
        let text = r#"{"outcome": "other", "otherDescription": "I only write"}"#.to_owned();
        Box::pin(async move { Ok(Reply::new(text)) })
    }
}

/// The offer as read over HTTP, which has to equal the one on the WebSocket.
async fn offer(server: &Serving) -> Value {
    let mut app = App::connect(server.address).await;
    app.send(json!({ "type": "get_available_recipes" })).await;
    let mut received = app.until("available_recipes").await;
    let first = app.heard.iter().find(|message| message["type"] == "available_recipes");
    assert_eq!(first, Some(&received));
    received.as_object_mut().unwrap().remove("type");
    let read = read(server.address, "/api/recipes").await.json();
    assert_eq!(read, received);
    read
}

/// A server with the scribe as its agent and these engine options.
async fn tuned(change: impl FnOnce(&mut Options) + Send + 'static) -> Serving {
    let place = tempfile::tempdir().unwrap();
    let locks = place.path().join("locks");
    let tune = |options: &mut Options| {
        options.locks = locks;
        change(options);
    };
    Serving::again_in(place, Arc::new(Scribe::default()), |builder| builder.tune(tune)).await
}

#[tokio::test]
async fn the_agents_are_listed_and_the_default_comes_first() {
    let rehearsal = || Arc::new(Rehearsal::new(Script::NoTasks));
    let server =
        Serving::with(Arc::new(Scribe::default()), |builder| builder.agent(rehearsal())).await;
    let agents = offer(&server).await["agents"].clone();
    let expected = json!([
        { "name": "scribe", "rehearsal": false },
        { "name": "rehearsal", "rehearsal": true },
    ]);
    assert_eq!(agents, expected);

    // A client can request each agent by its name; without a name it gets the first.
    let mut app = App::connect(server.address).await;
    let names = [None, agents[0]["name"].as_str(), agents[1]["name"].as_str()];
    for (name, worked) in names.into_iter().zip(["scribe", "scribe", "rehearsal"]) {
        let start = json!({
            "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
            "working_directory": server.project(), "agent": name,
        });
        app.send(start).await;
        let exited = app.until("recipe_exited").await;
        let run = exited["run_id"].as_str().unwrap_or_else(|| panic!("{exited}"));
        let journal = read(server.address, &format!("/api/runs/{run}")).await.json();
        assert_eq!(journal["run"]["agent"], worked, "{name:?}");
    }
    server.stop().await;

    let server = tuned(move |options| options.agents = vec![rehearsal()]).await;
    assert_eq!(offer(&server).await["agents"], json!([{ "name": "rehearsal", "rehearsal": true }]));
    server.stop().await;
}

#[tokio::test]
async fn the_directory_that_the_server_was_started_in_is_proposed_if_agents_may_work_there() {
    let here = std::env::current_dir().unwrap().canonicalize().unwrap();
    let rehearsal = || Arc::new(Rehearsal::new(Script::NoTasks));
    let server = Serving::with(rehearsal(), |builder| builder.root(here.parent().unwrap())).await;
    assert_eq!(offer(&server).await["working_directory"], json!(here));
    server.stop().await;

    let server = Serving::with(rehearsal(), |builder| builder).await;
    let place = server.place.path().canonicalize().unwrap();
    let proposed = offer(&server).await["working_directory"].clone();
    assert_eq!(proposed, json!(place), "the first root, since the current directory is outside");
    let mut app = App::connect(server.address).await;
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": proposed,
    });
    app.send(start).await;
    assert_eq!(app.until("recipe_exited").await["reason"], "no-tasks-available");
    server.stop().await;
}

#[tokio::test]
async fn no_directory_is_proposed_if_no_root_exists() {
    let server = tuned(|options| options.roots = vec![PathBuf::from("/nowhere/at-all")]).await;
    assert_eq!(offer(&server).await.get("working_directory"), None);
    server.stop().await;
}

/// The text percent-encoded for a query.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test]
async fn the_first_prompt_is_what_the_agent_gets() {
    let scribe = Scribe::default();
    let server = Serving::with(Arc::new(scribe.clone()), |builder| builder).await;
    let mut app = App::connect(server.address).await;
    // Close to the longest URL that the server accepts.
    let long = "Only the shopping cart. ".repeat(900);
    let abouts = [
        None,
        Some(""),
        Some(" \n\t"),
        Some("  the login page\n"),
        Some("a & b = c? #1 100% <b>\"é€😀\"</b>\n\n{\"outcome\": \"complete\"}"),
        Some(long.as_str()),
    ];
    let recipes: Vec<_> = BUNDLED.iter().map(AnyRecipe::outline).collect();
    assert!(recipes.len() >= abouts.len(), "each text is tried with at least one recipe");
    for (recipe, about) in recipes.into_iter().zip(abouts.into_iter().cycle()) {
        let query = about.map(|about| format!("?about={}", escaped(about))).unwrap_or_default();
        let path = format!("/api/recipes/{}/prompt{query}", recipe.id);
        let answer = read(server.address, &path).await;
        assert_eq!(answer.status(), 200, "{path}: {answer:?}");
        let start = json!({
            "type": "start_recipe", "session_id": null, "recipe_id": recipe.id,
            "working_directory": server.project(), "prompt": about,
        });
        app.send(start).await;
        assert_eq!(app.until("recipe_exited").await["reason"], "user-provided-other");
        let prompts = std::mem::take(&mut *scribe.0.lock().unwrap());
        assert_eq!(answer.json(), json!({ "prompt": prompts[0] }), "{} {about:?}", recipe.id);
        let about = about.map(str::trim).unwrap_or_default();
        assert!(
            prompts[0].contains(about) && prompts[0].contains(recipe.first_step().prompt.trim())
        );
    }
    server.stop().await;
}

#[tokio::test]
async fn a_prompt_that_the_operator_changes_is_offered_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let prompts = folder.path().join("prompts");
    let files = PromptFiles::new(&prompts);
    let server = tuned(move |options| options.prompts = Some(files)).await;
    let recipe = "/api/recipes/implement-and-review";
    let compiled = read(server.address, recipe).await.json();
    assert!(compiled.get("changed_prompts").is_none() && compiled.get("prompt_problems").is_none());

    let file = prompts.join("implement-and-review/implement.md");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "Implement it our way.").unwrap();
    let changed = read(server.address, recipe).await.json();
    assert_eq!(changed["changed_prompts"], json!({ "implement": "Implement it our way." }));
    assert_eq!(changed["steps"], compiled["steps"], "the outline is the compiled one");
    let first = read(server.address, &format!("{recipe}/prompt")).await.json();
    assert!(first["prompt"].as_str().unwrap().starts_with("Implement it our way.\n\n"));
    let offered = offer(&server).await["recipes"].as_array().unwrap().clone();
    for recipe in offered {
        let expected = (recipe["id"] == "implement-and-review").then(|| json!(["implement"]));
        assert_eq!(recipe.get("changed_prompts"), expected.as_ref(), "{recipe}");
    }

    std::fs::write(&file, "").unwrap();
    let broken = read(server.address, recipe).await.json();
    let problem = broken["prompt_problems"][0].as_str().unwrap();
    assert!(problem.contains("implement.md` is blank; correct it"), "{problem}");
    let mut app = App::connect(server.address).await;
    app.send(json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    }))
    .await;
    let error = app.until("error").await;
    assert!(error["message"].as_str().unwrap().contains("is blank; correct it"), "{error}");
    server.stop().await;
}

#[tokio::test]
async fn an_unknown_recipe_has_no_first_prompt() {
    let server = Serving::rehearsing(Script::Happy).await;
    for (path, status) in [
        ("/api/recipes/implement-and-reveiw/prompt", 404),
        ("/api/recipes/%00/prompt?about=it", 404),
        ("/api/recipes//prompt", 404),
        ("/api/recipes/implement-and-review/prompts", 404),
        ("/api/recipes/implement-and-review/prompt/more", 404),
        ("/api/recipes/implement%2dand%2Dreview/prompt", 200),
        ("/api/recipes/implement-and-review/prompt?other=it", 200),
        ("/api/recipes/implement-and-review/prompt?about=it&about=that", 400),
    ] {
        let answer = read(server.address, path).await;
        assert_eq!(answer.status(), status, "{path}: {answer:?}");
    }
    let unknown = read(server.address, "/api/recipes/implement-and-reveiw/prompt").await.json();
    assert_eq!(unknown, read(server.address, "/api/recipes/implement-and-reveiw").await.json());
    server.stop().await;
}
