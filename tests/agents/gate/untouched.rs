//! Checks change nothing in a repository, and start nothing that it configures.

use std::os::unix::fs::PermissionsExt;

use surefire_testkit::sandbox::{GitSandbox, listing};

/// Runs each kind of check once.
async fn look_at_everything(sandbox: &GitSandbox) {
    let repository = sandbox.repository().await;
    let base = repository.baseline().await.unwrap();
    let window = surefire::gate::CommitRange { before: None, after: base.head.commit.clone() };
    sandbox.write("a.txt", "changed meanwhile\n");
    let now = repository.snapshot().await.unwrap();
    assert_eq!(repository.changes(&base.tree, &now.tree).await.unwrap().total_files, 1);
    assert!(!repository.diff(&base.tree, &now.tree, 1 << 20).await.unwrap().text.is_empty());
    let commits = repository.commits(None, now.head.commit.as_deref(), &[window]).await.unwrap();
    assert!(!commits.is_empty());
    repository.main_branch().await.unwrap();
}

#[tokio::test]
async fn nothing_is_written_into_the_repository() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write("untracked.txt", "new\n");
    sandbox.write("staged.txt", "new\n");
    sandbox.git(&["add", "staged.txt"]);
    sandbox.write("dir/b.txt", "changed\n");
    // An index that is out of date would be refreshed by an ordinary `git status`.
    sandbox.write("a.txt", "one\ntwo\nthree\n");
    let git = sandbox.top().join(".git");
    let before = listing(&git);
    look_at_everything(&sandbox).await;
    let after = listing(&git);
    let names = |listing: &[(std::path::PathBuf, Vec<u8>)]| {
        listing.iter().map(|(path, content)| (path.clone(), content.len())).collect::<Vec<_>>()
    };
    assert_eq!(names(&after), names(&before));
    assert!(after == before, "a file has other content");
}

#[tokio::test]
async fn a_lock_on_the_index_does_not_matter() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write(".git/index.lock", "");
    look_at_everything(&sandbox).await;
    assert!(sandbox.top().join(".git/index.lock").exists());
}

/// A repository and its user can configure programs that git starts: hooks, a file system monitor,
/// pagers, diff programs, aliases.
#[tokio::test]
async fn nothing_that_is_configured_is_started() {
    let sandbox = GitSandbox::with_a_commit();
    let trap = sandbox.folder.path().join("trap");
    let evidence = sandbox.folder.path().join("was started");
    std::fs::write(
        &trap,
        format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\nexit 1\n", evidence.display()),
    )
    .unwrap();
    std::fs::set_permissions(&trap, std::fs::Permissions::from_mode(0o755)).unwrap();
    let trap = trap.to_str().unwrap();
    for hook in [
        "post-index-change",
        "fsmonitor-watchman",
        "pre-commit",
        "reference-transaction",
        "pre-auto-gc",
    ] {
        std::fs::copy(trap, sandbox.top().join(".git/hooks").join(hook)).unwrap();
    }
    std::fs::create_dir(sandbox.folder.path().join("hooks")).unwrap();
    for (name, value) in [
        ("core.fsmonitor", trap),
        ("core.pager", trap),
        ("pager.log", trap),
        ("pager.status", trap),
        ("diff.external", trap),
        ("diff.trapped.command", trap),
        ("diff.trapped.textconv", trap),
        ("core.sshCommand", trap),
        ("gpg.program", trap),
        ("alias.status", &format!("!{trap}")),
        ("log.showSignature", "true"),
        ("status.submoduleSummary", "true"),
    ] {
        sandbox.git(&["config", name, value]);
    }
    sandbox.write(".gitattributes", "* diff=trapped\n");
    look_at_everything(&sandbox).await;
    let started = std::fs::read_to_string(&evidence).unwrap_or_default();
    assert_eq!(started, "", "these were started");

    // The traps do work.
    sandbox.try_git(&sandbox.top(), &["-c", "pager.status=false", "status"]);
    assert!(evidence.exists(), "an ordinary `git status` asks the file system monitor");
}

/// A server that was started by a git hook has these variables in its environment.
#[tokio::test]
async fn the_environment_leads_into_no_other_repository() {
    let sandbox = GitSandbox::with_a_commit();
    let other = GitSandbox::new();
    let led = other.top().join(".git").into_os_string();
    let mut variables = sandbox.variables();
    for name in
        ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"]
    {
        variables.push((name.into(), led.clone()));
    }
    let git = surefire::gate::Git::new(&variables.into_iter().collect());
    let repository = git.find(&sandbox.top(), &sandbox.objects()).await.unwrap().unwrap();
    assert_eq!(repository.snapshot().await.unwrap(), sandbox.snapshot().await);
}
