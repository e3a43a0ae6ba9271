//! What can be read over HTTP.

use serde_json::{Value, json};
use surefire::agent::Script;
use surefire::server::ServerLimits;
use surefire::view::RunView;
use surefire_testkit::app::{App, KEY, Serving};

use crate::raw::{ask, read};

const UNKNOWN: &str = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";

/// Runs this recipe in a new session, and returns its `recipe_exited`.
async fn run(server: &Serving, app: &mut App, recipe: &str) -> Value {
    run_about(server, app, recipe, None).await
}

/// The same with a task.
async fn run_about(server: &Serving, app: &mut App, recipe: &str, task: Option<&str>) -> Value {
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": recipe, "working_directory": server.project(),
        "prompt": task,
    });
    app.send(start).await;
    app.until("recipe_exited").await
}

#[tokio::test]
async fn everything_below_api_needs_the_key() {
    let limits = ServerLimits::default().max_wrong_keys(1000);
    let server = Serving::limited(limits).await;
    let paths = [
        "/api/recipes",
        "/api/recipes/implement-and-review",
        "/api/recipes/implement-and-review?format=gif",
        "/api/recipes/none",
        "/api/recipes/implement-and-review/prompt",
        "/api/recipes/none/prompt?about=it",
        "/api/exit-reasons",
        "/api/store",
        "/api/runs",
        "/api/runs?limit=many",
        "/api/work",
        "/api/runs/none",
        "/api/runs/none/reply",
        "/api/runs/none/diff",
        &format!("/api/runs/{UNKNOWN}/diff?turn=1"),
        &format!("/api/runs/{UNKNOWN}"),
    ];
    let (right, basic, padded) =
        (format!("Bearer {KEY}"), format!("Basic {KEY}"), format!("bearer   {KEY}  "));
    for path in paths {
        let line = format!("GET {path}");
        for wrong in
            ["", "Bearer", "Bearer ", "Bearer wrong", KEY, &basic, &right[..right.len() - 1]]
        {
            let answer = ask(server.address, &line, &[("Authorization", wrong)]).await;
            assert_eq!(answer.status(), 401, "{path} {wrong:?}: {answer:?}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"surefire\""));
            assert!(answer.json()["error"].is_string());
        }
        assert_eq!(ask(server.address, &line, &[]).await.status(), 401);
        for good in [&right, &padded] {
            let answer = ask(server.address, &line, &[("Authorization", good)]).await;
            assert_ne!(answer.status(), 401, "{path} {good:?}");
        }
    }
    let in_the_query = ask(server.address, &format!("GET /api/runs?api_key={KEY}"), &[]).await;
    assert_eq!(in_the_query.status(), 401);
    server.stop().await;
}

#[tokio::test]
async fn health_needs_no_key_and_returns_only_status_and_version() {
    let server = Serving::rehearsing(Script::Happy).await;
    let answer = ask(server.address, "GET /health", &[]).await;
    assert_eq!(answer.json(), json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }));
    server.stop().await;
}

#[tokio::test]
async fn recipes_are_listed_and_drawn() {
    let server = Serving::rehearsing(Script::Happy).await;
    let list = read(server.address, "/api/recipes").await.json();
    assert_eq!(list["enabled"], true);
    let recipes = list["recipes"].as_array().unwrap();
    assert_eq!(recipes.len(), 8);
    for recipe in recipes {
        let id = recipe["id"].as_str().unwrap();
        let outline = read(server.address, &format!("/api/recipes/{id}")).await;
        assert_eq!(outline.header("content-type"), Some("application/json"));
        assert_eq!(outline.json()["id"], id);
        assert!(outline.json()["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
        let same = read(server.address, &format!("/api/recipes/{id}?format=json")).await;
        assert_eq!(same.json(), outline.json());
        let table = [
            ("mermaid", "text/vnd.mermaid; charset=utf-8"),
            ("dot", "text/vnd.graphviz; charset=utf-8"),
        ];
        for (format, kind) in table {
            let drawn = read(server.address, &format!("/api/recipes/{id}?format={format}")).await;
            assert_eq!((drawn.status(), drawn.header("content-type")), (200, Some(kind)));
            let step = recipe["steps"][0].as_str().unwrap();
            assert!(drawn.text().contains(step), "{id}: {}", drawn.text());
        }
    }
    for format in ["gif", "", "JSON", "dot&format=json"] {
        let answer =
            read(server.address, &format!("/api/recipes/retrospective?format={format}")).await;
        assert_eq!(answer.status(), 400, "{format:?}: {answer:?}");
        assert!(answer.json()["error"].is_string());
    }
    let answer = read(server.address, "/api/recipes/implement-and-reveiw").await;
    assert_eq!(answer.status(), 404);
    let words = answer.json()["error"].as_str().unwrap().to_owned();
    assert!(words.contains("implement-and-review"), "{words}");
    assert_eq!(read(server.address, "/api/recipes/nothing-like-any-of-them").await.status(), 404);
    assert_eq!(
        read(server.address, &format!("/api/recipes/{}", "x".repeat(10_000))).await.status(),
        404
    );
    server.stop().await;
}

surefire::recipe! {
    /// Looks at everything once.
    recipe LookThrough {
        id: "durchsehen-für-alle",
        initial: Look,
        step Look { prompt: "Look at everything.", outcomes: [Complete], Complete => exit ChangesCommitted }
    }
}

#[tokio::test]
async fn a_recipe_is_found_however_its_id_is_percent_encoded() {
    let rehearsal = std::sync::Arc::new(surefire::agent::Rehearsal::default());
    let server =
        Serving::with(rehearsal, |builder| builder.recipes(surefire::catalog![LookThrough])).await;
    for id in ["durchsehen-f%C3%BCr-alle", "durchsehen%2df%c3%bcr-alle"] {
        let answer = read(server.address, &format!("/api/recipes/{id}")).await;
        assert_eq!(answer.json()["id"], "durchsehen-für-alle", "{id}");
    }
    for id in ["durchsehen-f%FCr-alle", "durchsehen-f%C3%BCr-alle%", "%", "%zz", "%00"] {
        assert_eq!(read(server.address, &format!("/api/recipes/{id}")).await.status(), 404, "{id}");
    }
    server.stop().await;
}

#[tokio::test]
async fn exit_reasons_are_listed_with_all_their_columns() {
    let server = Serving::rehearsing(Script::Happy).await;
    let reasons = read(server.address, "/api/exit-reasons").await.json();
    let reasons = reasons.as_array().unwrap();
    assert!(reasons.len() > 20, "{}", reasons.len());
    let columns: Vec<_> = reasons[0].as_object().unwrap().keys().collect();
    for reason in reasons {
        assert_eq!(reason.as_object().unwrap().keys().collect::<Vec<_>>(), columns);
    }
    server.stop().await;
}

#[tokio::test]
async fn runs_are_listed_and_filtered() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    assert_eq!(read(server.address, "/api/runs").await.json(), json!({ "runs": [] }));
    let mut app = App::connect(server.address).await;
    let first = run(&server, &mut app, "implement-and-review").await;
    let second = run(&server, &mut app, "retrospective").await;
    let (first_reason, second_reason) = (&first["reason"], &second["reason"]);
    assert_ne!(first_reason, second_reason);
    let session = first["session_id"].as_str().unwrap();
    let queries = [
        (String::new(), vec![&second, &first]),
        ("?recipe=".to_owned(), vec![&second, &first]),
        ("?recipe=implement-and-review".to_owned(), vec![&first]),
        ("?recipe=retrospective".to_owned(), vec![&second]),
        ("?recipe=none".to_owned(), vec![]),
        (format!("?reason={}", first_reason.as_str().unwrap()), vec![&first]),
        (format!("?recipe=retrospective&reason={}", first_reason.as_str().unwrap()), vec![]),
        ("?reason=max-total-steps".to_owned(), vec![]),
        ("?reason=%27%20OR%201%3D1%20--".to_owned(), vec![]),
        (format!("?session={session}"), vec![&first]),
        (format!("?session={UNKNOWN}"), vec![]),
        (format!("?id={}", &first["run_id"].as_str().unwrap()[..13]), vec![&first]),
        (format!("?id={}", first["run_id"].as_str().unwrap().to_uppercase()), vec![&first]),
        (format!("?id={UNKNOWN}"), vec![]),
        ("?id=".to_owned(), vec![&second, &first]),
        ("?open=false".to_owned(), vec![&second, &first]),
        ("?open=true".to_owned(), vec![]),
        ("?limit=1".to_owned(), vec![&second]),
        ("?limit=0".to_owned(), vec![]),
        (format!("?before={}", second["run_id"].as_str().unwrap()), vec![&first]),
        (format!("?before={}&limit=1", second["run_id"].as_str().unwrap()), vec![&first]),
        (format!("?before={}", first["run_id"].as_str().unwrap()), vec![]),
        ("?before=".to_owned(), vec![&second, &first]),
        ("?limit=1000000000000".to_owned(), vec![&second, &first]),
        ("?unknown=1".to_owned(), vec![&second, &first]),
    ];
    for (query, expected) in queries {
        let answer = read(server.address, &format!("/api/runs{query}")).await;
        let runs = answer.json()["runs"]
            .as_array()
            .unwrap_or_else(|| panic!("{query}: {answer:?}"))
            .clone();
        let ids: Vec<_> = runs.iter().map(|run| &run["run_id"]).collect();
        assert_eq!(ids, expected.iter().map(|run| &run["run_id"]).collect::<Vec<_>>(), "{query}");
        for (run, exited) in runs.iter().zip(expected) {
            assert_eq!(run["recipe_id"], exited["recipe_id"]);
            assert_eq!((&run["rehearsal"], &run["agent"]), (&json!(true), &json!("rehearsal")));
            assert_eq!(run["ending"]["reason"], exited["reason"]);
            assert_eq!(run["last_seq"], exited["seq"]);
        }
    }
    for query in [
        "?session=none",
        "?before=none",
        "?limit=-1",
        "?limit=many",
        "?limit=1&limit=2",
        "?id=3f2",
        "?id=3f2g",
        "?id=____",
        "?id=%25%25%25%25",
        "?id=%C3%A4%C3%A4",
        "?open=yes",
        "?open=",
    ] {
        let answer = read(server.address, &format!("/api/runs{query}")).await;
        assert_eq!(answer.status(), 400, "{query}: {answer:?}");
    }
    let gone = read(server.address, &format!("/api/runs?before={UNKNOWN}")).await;
    assert_eq!(gone.status(), 404, "{gone:?}");
    assert!(
        gone.json()["error"].as_str().unwrap().ends_with("; begin with the first page"),
        "{gone:?}"
    );
    server.stop().await;
}

#[tokio::test]
async fn runs_are_found_by_words_of_their_task_recipe_and_outcome() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut app = App::connect(server.address).await;
    let task = Some("Fix the ROUNDING in cart.rs");
    let first = run_about(&server, &mut app, "implement-and-review", task).await;
    let second = run_about(&server, &mut app, "review-and-commit", Some("cart: 100% tax")).await;
    let third = run(&server, &mut app, "retrospective").await;
    let [first_id, second_id, third_id] =
        [&first, &second, &third].map(|run| run["run_id"].as_str().unwrap());
    let table = [
        ("text=".to_owned(), vec![third_id, second_id, first_id]),
        ("text=rounding".to_owned(), vec![first_id]),
        ("text=RS%20fix".to_owned(), vec![first_id]),
        ("text=cart".to_owned(), vec![second_id, first_id]),
        ("text=cart&limit=1".to_owned(), vec![second_id]),
        (format!("text=cart&limit=1&before={second_id}"), vec![first_id]),
        ("text=cart&recipe=review-and-commit".to_owned(), vec![second_id]),
        ("text=100%25".to_owned(), vec![second_id]),
        ("text=task%20committed".to_owned(), vec![first_id]),
        (format!("text={}", &third_id[..8]), vec![third_id]),
        ("text=retrospective".to_owned(), vec![third_id]),
        ("text=project".to_owned(), vec![third_id, second_id, first_id]),
        ("text=%25".to_owned(), vec![second_id]),
        ("text=cart%20nothing".to_owned(), vec![]),
    ];
    for (query, expected) in table {
        let answer = read(server.address, &format!("/api/runs?{query}")).await.json();
        let runs = answer["runs"].as_array().unwrap_or_else(|| panic!("{query}: {answer}"));
        let ids: Vec<_> = runs.iter().map(|run| run["run_id"].as_str().unwrap()).collect();
        assert_eq!(ids, expected, "{query}");
    }
    let answer = read(server.address, "/api/runs").await.json();
    let tasks: Vec<_> = (0..3).map(|index| answer["runs"][index]["task"].as_str()).collect();
    assert_eq!(tasks, [None, Some("cart: 100% tax"), task]);
    server.stop().await;
}

#[tokio::test]
async fn an_intact_store_has_no_quarantined_rows() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let mut app = App::connect(server.address).await;
    run(&server, &mut app, "implement-and-review").await;
    assert_eq!(read(server.address, "/api/store").await.json(), json!({ "set_aside": [] }));
    server.stop().await;
}

#[tokio::test]
async fn a_runs_events_can_be_read_from_any_sequence_number() {
    let server = Serving::rehearsing(Script::OneFix).await;
    let mut app = App::connect(server.address).await;
    let exited = run(&server, &mut app, "implement-and-review").await;
    let id = exited["run_id"].as_str().unwrap();
    let all = read(server.address, &format!("/api/runs/{id}")).await.json();
    assert_eq!((&all["run"]["run_id"], &all["run"]["step"]), (&json!(id), &exited["step"]));
    let seqs = |journal: &Value| -> Vec<u64> {
        let events = journal["events"].as_array().unwrap_or_else(|| panic!("{journal}"));
        events.iter().map(|event| event["seq"].as_u64().unwrap()).collect()
    };
    let last = exited["seq"].as_u64().unwrap();
    assert_eq!(seqs(&all), (1..=last).collect::<Vec<_>>());
    for event in all["events"].as_array().unwrap() {
        assert!(event["at"].as_str().is_some_and(|at| at.ends_with('Z')), "{event}");
    }
    for since in
        [0, 1, last - 1, last, last + 1, u64::from(u32::MAX), 1 << 53, u64::MAX >> 1, u64::MAX]
    {
        let part = read(server.address, &format!("/api/runs/{id}?since={since}")).await.json();
        assert_eq!(
            seqs(&part),
            (1..=last).filter(|seq| *seq > since).collect::<Vec<_>>(),
            "{since}"
        );
    }
    // A view merged with the changes since then is the whole view, from any sequence number.
    let whole: RunView = serde_json::from_value(all["view"].clone()).unwrap();
    assert_eq!((whole.seq, whole.visits.len(), whole.status.name()), (last, 5, "completed"));
    assert_eq!(all["run"]["status"], all["view"]["status"]);
    let mut merged = whole.clone();
    for since in [1, last - 1, last] {
        let part = read(server.address, &format!("/api/runs/{id}?since={since}")).await.json();
        let part: RunView = serde_json::from_value(part["view"].clone()).unwrap();
        assert!(part.visits.iter().all(|visit| visit.seq > since), "{part:?}");
        merged.merge(part);
    }
    assert_eq!(merged, whole);
    for since in ["-1", "x", "1.5", "99999999999999999999999"] {
        let answer = read(server.address, &format!("/api/runs/{id}?since={since}")).await;
        assert_eq!(answer.status(), 400, "{since}: {answer:?}");
    }
    assert_eq!(
        read(server.address, &format!("/api/runs/{}", id.to_uppercase())).await.status(),
        200
    );
    let missing = read(server.address, &format!("/api/runs/{UNKNOWN}")).await;
    assert_eq!(missing.status(), 404);
    assert!(missing.json()["error"].as_str().unwrap().contains(UNKNOWN));
    for bad in ["none", "1", "%00", "..", &"x".repeat(5000)] {
        let answer = read(server.address, &format!("/api/runs/{bad}")).await;
        assert_eq!(answer.status(), 400, "{bad}: {answer:?}");
        assert!(answer.json()["error"].as_str().unwrap().contains("is not a run id"));
    }
    server.stop().await;
}

#[tokio::test]
async fn invalid_and_oversized_http_requests_are_refused() {
    let server = Serving::rehearsing(Script::Happy).await;
    let huge = "x".repeat(1 << 20);
    let many: String = (0..500).map(|n| format!("X-{n}: 1\r\n")).collect();
    let table = [
        ("nonsense\r\n\r\n".to_owned(), 400),
        ("GET / HTTP/3.0\r\n\r\n".to_owned(), 400),
        (format!("GET /{huge} HTTP/1.1\r\nHost: localhost\r\n\r\n"), 414),
        (format!("GET / HTTP/1.1\r\nHost: localhost\r\nX: {huge}\r\n\r\n"), 431),
        (format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n"), 431),
    ];
    for (request, status) in table {
        let mut raw = crate::raw::Raw::dial(server.address).await;
        raw.send(&request).await;
        let answer = String::from_utf8_lossy(&raw.rest().await).into_owned();
        // If the server closes before it has read everything, the answer may be lost.
        let received = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
        assert!(
            received.is_none_or(|code: u16| code == status || code == 431),
            "{status}: {answer}"
        );
        assert!(received.is_some() || request.len() > 10_000);
    }
    assert_eq!(ask(server.address, "GET /health", &[]).await.status(), 200);
    server.stop().await;
}
