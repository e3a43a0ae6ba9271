//! The operator's own prompts: read when a run begins, checked, and kept for as long as it lasts.

use std::fs;
use std::path::{Path, PathBuf};

use surefire::engine::{
    CannotEject, Options, PromptDefect, PromptFileError, PromptFiles, PromptSource, StartError,
};
use surefire::recipes::{ImplementAndReview, RebaseOnMain};
use surefire::run::{Resume, ResumedBy};
use surefire::{Advise, Catalog, ExitReason, catalog};
use surefire_testkit::{Act, FakeAgent, Harness};

const OURS: &str = "Implement it our way.";

surefire::recipe! {
    /// Restarts as another recipe.
    recipe First {
        initial: Plan,
        guardrails: { max_restarts: 1 },
        step Plan { prompt: "Plan.", outcomes: [Complete], Complete => restart Second }
    }
}

surefire::recipe! {
    /// What the first one continues as.
    recipe Second {
        initial: Build,
        guardrails: { max_restarts: 1 },
        step Build { run: "make", Passed => Look, Failed => exit ImplementationBlocked }
        step Look { prompt: "Look.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

static CHAIN: Catalog = catalog![First, Second];

/// An engine with a directory for prompts, and that directory.
async fn harness(acts: impl IntoIterator<Item = Act>) -> (Harness, PathBuf) {
    let harness = Harness::new(FakeAgent::new([])).await;
    let folder = harness.place.path().join("prompts");
    acts.into_iter().for_each(|act| harness.agent.then(act));
    let files = PromptFiles::new(&folder);
    (harness.again_with(|options: &mut Options| options.prompts = Some(files)).await, folder)
}

/// Writes the prompt of a step.
fn write(folder: &Path, step: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(step);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

#[tokio::test(start_paused = true)]
async fn what_is_written_is_used_by_the_next_run_without_a_restart() {
    let (harness, folder) = harness([Act::Outcome("no-tasks"), Act::Outcome("no-tasks")]).await;
    harness.run().await;
    write(&folder, "implement-and-review/implement.md", format!("\u{feff}{OURS}\r\nTest it.\r\n"));
    let (started, _) = harness.run().await;
    let turns = harness.agent.turns();
    assert!(!turns[0].prompt.contains(OURS));
    assert!(turns[1].prompt.starts_with(&format!("{OURS}\nTest it.\n\n")), "{}", turns[1].prompt);
    let changed = harness.engine.read(move |store| store.events(started.run, 0, 1)).await.unwrap();
    let surefire::run::Event::Started { spec, .. } = &changed[0].event else { panic!() };
    assert_eq!(spec.prompts.steps("implement-and-review").collect::<Vec<_>>(), ["implement"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_keeps_its_prompts_after_a_crash_and_when_it_is_resumed() {
    let (harness, folder) = harness([Act::Hangs]).await;
    let file = write(&folder, "implement-and-review/implement.md", OURS);
    let started = harness.start().await;
    harness.agent.asked(1).await;
    fs::write(&file, "Something else.").unwrap();
    // The server is killed; the next one does not even have a directory for prompts.
    harness.agent.then(Act::Hangs);
    let harness = harness.again().await;
    harness.agent.asked(2).await;
    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    harness.agent.then(Act::Outcome("no-tasks"));
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    harness.ended(started).await;
    let turns = harness.agent.turns();
    assert_eq!(turns.len(), 3);
    assert!(turns.iter().all(|turn| turn.prompt.contains(OURS)), "{turns:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_that_cannot_be_used_refuses_the_start_and_no_turn_is_taken() {
    let (harness, folder) = harness([]).await;
    let outside = write(harness.place.path(), "shop/implement.md", OURS);
    let file = folder.join("implement-and-review/implement.md");
    let large = "x".repeat((64 << 10) + 1);
    let table: [(&dyn Fn(), PromptDefect); 8] = [
        (&|| drop(write(&folder, "implement-and-review/implement.md", "")), PromptDefect::Blank),
        (&|| fs::write(&file, " \n\t\u{feff}\n").unwrap(), PromptDefect::Blank),
        (&|| fs::write(&file, b"Implement \xff it.").unwrap(), PromptDefect::NotText),
        (&|| fs::write(&file, "Implement \0 it.").unwrap(), PromptDefect::NotText),
        (&|| fs::write(&file, &large).unwrap(), PromptDefect::TooLarge),
        (&|| fs::create_dir(&file).unwrap(), PromptDefect::NotAFile),
        (
            &|| std::os::unix::fs::symlink(&outside, &file).unwrap(),
            PromptDefect::Outside { target: outside.canonicalize().unwrap() },
        ),
        (
            &|| std::os::unix::fs::symlink("/nowhere/at/all", &file).unwrap(),
            PromptDefect::Unreadable { why: "No such file or directory (os error 2)".to_owned() },
        ),
    ];
    for (make, expected) in table {
        let _ = fs::remove_file(&file).or_else(|_| fs::remove_dir(&file));
        make();
        let error = harness.engine.start(harness.start_request()).await.unwrap_err();
        let StartError::Prompt(PromptFileError::Defective { path, defect, .. }) = &error else {
            panic!("{error}")
        };
        assert_eq!((path, defect), (&file, &expected));
        let remedy = error.remedy().unwrap().to_string();
        let command = "`surefire prompts implement-and-review --reset --step implement`";
        assert!(remedy.contains(command), "{remedy}");
        assert_eq!(error.exit().unwrap().code(), "no-prompt");
    }
    fs::remove_file(&file).unwrap();
    fs::write(&file, "x".repeat(64 << 10)).unwrap();
    harness.agent.then(Act::Outcome("no-tasks"));
    harness.run().await;
    assert_eq!(harness.agent.turns().len(), 1, "64 KiB are read, and no other run began");
}

#[tokio::test(start_paused = true)]
async fn a_folder_that_leads_into_a_repository_is_refused() {
    let (harness, folder) = harness([]).await;
    write(harness.place.path(), "shop/implement.md", OURS);
    fs::create_dir(&folder).unwrap();
    let link = folder.join("implement-and-review");
    std::os::unix::fs::symlink(harness.place.path().join("shop"), &link).unwrap();
    let error = harness.engine.start(harness.start_request()).await.unwrap_err();
    assert!(error.to_string().contains("leads out of the directory for prompts"), "{error}");
    // Nothing is written or deleted there.
    let files = PromptFiles::new(&folder);
    let recipe = ImplementAndReview::OUTLINE;
    assert!(matches!(files.eject(recipe, &["fix"], true), Err(CannotEject::Unwritable { .. })));
    assert!(files.reset(recipe, &[]).is_err());
    let shop: Vec<_> = fs::read_dir(harness.place.path().join("shop")).unwrap().collect();
    assert_eq!(shop.len(), 1, "{shop:?}");
}

#[tokio::test(start_paused = true)]
async fn a_file_for_no_step_is_refused_and_the_closest_name_is_suggested() {
    let (harness, folder) = harness([]).await;
    let folder = folder.join("implement-and-review");
    for (name, suggestion) in [
        ("implemnt.md", "did you mean `implement.md`?"),
        ("implement.markdown", "did you mean `implement.md`?"),
        (
            "notes.txt",
            "rename it to one of implement.md, code-review.md, fix.md, commit.md, or remove it",
        ),
    ] {
        let file = write(&folder, name, OURS);
        let error = harness.engine.start(harness.start_request()).await.unwrap_err().to_string();
        assert!(error.contains(name) && error.contains(suggestion), "{error}");
        fs::remove_file(file).unwrap();
    }
    // What editors and systems leave behind.
    for name in [".implement.md.swp", "implement.md~", "#implement.md#", ".DS_Store"] {
        write(&folder, name, OURS);
    }
    harness.agent.then(Act::Outcome("no-tasks"));
    harness.run().await;
    assert!(!harness.agent.turns()[0].prompt.contains(OURS));
}

#[test]
fn a_chain_has_the_prompts_of_each_recipe_that_it_may_restart() {
    let place = tempfile::tempdir().unwrap();
    let files = PromptFiles::new(place.path());
    write(place.path(), "second/look.md", "Look closely.");
    let prompts = files.for_run(CHAIN.get("first").unwrap()).unwrap();
    assert_eq!(prompts.steps("second").collect::<Vec<_>>(), ["look"]);
    // A step that is a command has no prompt.
    let path = write(place.path(), "second/build.md", "Build it.");
    let error = files.for_run(CHAIN.get("first").unwrap()).unwrap_err();
    let names = vec!["look.md".to_owned()];
    assert_eq!(error, PromptFileError::NoStep { recipe: "second", path, closest: None, names });
}

#[test]
fn an_ejected_prompt_that_is_not_edited_follows_the_recipe() {
    let place = tempfile::tempdir().unwrap();
    let (files, recipe) = (PromptFiles::new(place.path()), RebaseOnMain::OUTLINE);
    let steps: Vec<_> = recipe.steps.iter().map(|step| step.name).collect();
    let ejected = files.eject(recipe, &[], false).unwrap();
    assert_eq!(ejected.len(), steps.len());
    assert!(ejected.iter().all(|it| it.written));
    assert!(files.for_run(&RebaseOnMain).unwrap().is_empty());

    // As if an older version had ejected them: one was edited since, the other was not.
    let rebase = write(place.path(), "rebase/rebase.md", "The prompt of old.\n");
    write(place.path(), "rebase/.ejected/rebase.md", "The prompt of old.\n");
    assert_eq!(files.of(recipe).steps[0].source, Ok(PromptSource::NotEdited));
    assert!(files.for_run(&RebaseOnMain).unwrap().is_empty(), "the compiled prompt is used");
    fs::write(&rebase, "The prompt of old, edited.\n").unwrap();
    let source = PromptSource::Changed {
        text: "The prompt of old, edited.".to_owned(),
        outdated: Some("The prompt of old.".to_owned()),
    };
    assert_eq!(files.of(recipe).steps[0].source, Ok(source));

    // Written again, only if nothing is lost or the operator says so.
    let CannotEject::Edited(edited) = files.eject(recipe, &[], false).unwrap_err() else {
        panic!("it was edited")
    };
    assert_eq!(edited, std::slice::from_ref(&rebase));
    assert!(files.eject(recipe, &steps[1..2], false).unwrap().iter().all(|it| !it.written));
    files.eject(recipe, &[], true).unwrap();
    assert_eq!(fs::read_to_string(&rebase).unwrap().trim(), recipe.steps[0].prompt.trim());

    let note = write(place.path(), "rebase/notes.txt", "Mine.");
    assert_eq!(files.reset(recipe, &[]).unwrap().len(), steps.len());
    assert!(note.exists(), "what was not ejected stays");
    fs::remove_file(note).unwrap();
    files.reset(recipe, &[]).unwrap();
    assert!(!place.path().join("rebase").exists());
    assert!(files.of(recipe).steps.iter().all(|it| it.source == Ok(PromptSource::Compiled)));
}
