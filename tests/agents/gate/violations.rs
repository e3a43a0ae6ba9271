//! Which file changes break the rules of a run.

use std::ffi::OsStr;
use std::fmt::Write;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use surefire::gate::{GitError, MAX_LISTED_VIOLATIONS};
use surefire::{FileRules, FileScope};
use surefire_testkit::sandbox::GitSandbox;

fn rules(allow: &[&str], deny: &[&str]) -> FileRules {
    let patterns = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let scope = FileScope::EVERYTHING.allowing(patterns(allow)).denying(patterns(deny));
    FileRules { scopes: vec![scope], allow_lockfiles: false, may_edit: true }
}

/// The violations of a piece of work, as text.
async fn violations(sandbox: &GitSandbox, rules: FileRules, work: impl FnOnce()) -> Vec<String> {
    let before = sandbox.snapshot().await;
    work();
    broken(sandbox, &rules, &before.tree, &[]).await
}

async fn broken(
    sandbox: &GitSandbox,
    rules: &FileRules,
    from: &str,
    written: &[PathBuf],
) -> Vec<String> {
    let after = sandbox.snapshot().await;
    let found =
        sandbox.repository().await.violations(from, &after.tree, rules, written).await.unwrap();
    found.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_denied_file_a_lockfile_and_a_trusted_file_are_named() {
    let sandbox = GitSandbox::with_a_commit();
    let found = violations(&sandbox, rules(&[], &["dir/**"]), || {
        sandbox.write("a.txt", "changed\n");
        sandbox.write("dir/b.txt", "changed\n");
        sandbox.write("web/yarn.lock", "new\n");
        sandbox.write(".mcp.json", "{}");
    });
    let expected = [
        "`.mcp.json` (trust in the repository rests on it)",
        "`dir/b.txt` (denied by `dir/**`)",
        "`web/yarn.lock` (a lockfile)",
    ];
    assert_eq!(found.await, expected);
}

#[tokio::test]
async fn an_ignored_file_breaks_no_rule() {
    let sandbox = GitSandbox::with_a_commit();
    sandbox.write(".gitignore", "*.log\n");
    sandbox.commit("Ignore");
    let found =
        violations(&sandbox, rules(&["src/**"], &["*.log"]), || sandbox.write("noise.log", "x"));
    assert_eq!(found.await, Vec::<String>::new());
}

#[tokio::test]
async fn a_file_changed_and_changed_back_breaks_no_rule() {
    let sandbox = GitSandbox::with_a_commit();
    let rules = rules(&[], &["a.txt"]);
    let before = sandbox.snapshot().await;
    sandbox.write("a.txt", "changed\n");
    assert_eq!(broken(&sandbox, &rules, &before.tree, &[]).await, ["`a.txt` (denied by `a.txt`)"]);
    sandbox.write("a.txt", "one\ntwo\nthree\n");
    assert_eq!(broken(&sandbox, &rules, &before.tree, &[]).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_denied_change_is_a_violation_even_once_it_is_committed() {
    let sandbox = GitSandbox::with_a_commit();
    let found = violations(&sandbox, rules(&[], &["a.txt"]), || {
        sandbox.write("a.txt", "changed\n");
        sandbox.commit("Changed");
    });
    assert_eq!(found.await, ["`a.txt` (denied by `a.txt`)"]);
}

#[tokio::test]
async fn a_file_that_was_renamed_is_judged_at_both_places() {
    let rename = |sandbox: &GitSandbox, from: &str, to: &str| {
        std::fs::create_dir_all(sandbox.top().join(to).parent().unwrap()).unwrap();
        std::fs::rename(sandbox.top().join(from), sandbox.top().join(to)).unwrap();
    };
    // allowed, denied, from, to, broken
    let table = [
        (vec![], vec!["dir/**"], ["dir/b.txt", "b.txt"], "`dir/b.txt` (denied by `dir/**`)"),
        (vec![], vec!["new/**"], ["dir/b.txt", "new/b.txt"], "`new/b.txt` (denied by `new/**`)"),
        (vec!["dir/**"], vec![], ["dir/b.txt", "b.txt"], "`b.txt` (not in the allowed scope)"),
        // Only the case of a letter differs.
        (vec![], vec!["a.txt"], ["a.txt", "A.txt"], "`a.txt` (denied by `a.txt`)"),
    ];
    for (allow, deny, [from, to], expected) in table {
        let sandbox = GitSandbox::with_a_commit();
        let found = violations(&sandbox, rules(&allow, &deny), || rename(&sandbox, from, to)).await;
        assert_eq!(found, [expected], "{from} to {to}");
    }
}

#[tokio::test]
async fn a_case_only_rename_onto_a_denied_name_is_denied() {
    let sandbox = GitSandbox::with_a_commit();
    let found = violations(&sandbox, rules(&[], &["A.txt"]), || {
        std::fs::rename(sandbox.top().join("a.txt"), sandbox.top().join("A.txt")).unwrap();
    });
    assert_eq!(found.await, ["`A.txt` (denied by `A.txt`)"]);
}

#[tokio::test]
async fn a_link_that_leads_out_is_a_path_that_changed() {
    let sandbox = GitSandbox::with_a_commit();
    let link = |name: &str| std::os::unix::fs::symlink("/etc", sandbox.top().join(name)).unwrap();
    let before = sandbox.snapshot().await;
    link("out");
    assert_eq!(
        broken(&sandbox, &rules(&[], &["dir"]), &before.tree, &[]).await,
        Vec::<String>::new()
    );
    assert_eq!(
        broken(&sandbox, &rules(&[], &["out"]), &before.tree, &[]).await,
        ["`out` (denied by `out`)"]
    );
    // What is written through it would be denied.
    let denied = broken(&sandbox, &rules(&[], &["out/**"]), &before.tree, &[]).await;
    assert_eq!(denied, ["`out` (denied by `out/**`)"]);
    link(".claude");
    let trusted = broken(&sandbox, &rules(&[], &[]), &before.tree, &[]).await;
    assert_eq!(trusted, ["`.claude` (trust in the repository rests on it)"]);
}

#[tokio::test]
async fn a_name_that_is_not_utf_8_is_matched_in_its_lossy_form() {
    let sandbox = GitSandbox::with_a_commit();
    let name = OsStr::from_bytes(b"dir/\xffname.txt");
    let before = sandbox.snapshot().await;
    sandbox.write(Path::new(name), "x");
    let found = broken(&sandbox, &rules(&[], &["dir/?name.txt"]), &before.tree, &[]).await;
    assert_eq!(found, ["`dir/\u{fffd}name.txt` (denied by `dir/?name.txt`)"]);
    let reading = FileRules { may_edit: false, ..rules(&[], &[]) };
    let found = broken(&sandbox, &reading, &before.tree, &[sandbox.top().join(name)]).await;
    assert_eq!(found, ["`dir/\u{fffd}name.txt` (written in a step that may not edit)"]);
}

#[tokio::test]
async fn a_submodule_is_judged_by_its_own_path() {
    let sandbox = GitSandbox::with_a_commit();
    let library = sandbox.folder.path().join("library");
    sandbox.git(&["clone", "--quiet", sandbox.top().to_str().unwrap(), library.to_str().unwrap()]);
    sandbox.git(&["submodule", "--quiet", "add", library.to_str().unwrap(), "lib/sub"]);
    sandbox.commit("With a submodule");
    let sub = sandbox.top().join("lib/sub");
    let before = sandbox.snapshot().await;
    // A commit in the submodule, and then an uncommitted change in it.
    for work in 0..2 {
        if work == 0 {
            sandbox.git_in(&sub, &["commit", "--quiet", "--allow-empty", "--message", "Inside"]);
        } else {
            std::fs::write(sub.join("a.txt"), "changed\n").unwrap();
        }
        for deny in ["lib/sub", "sub/", "lib/sub/**"] {
            let found = broken(&sandbox, &rules(&[], &[deny]), &before.tree, &[]).await;
            assert_eq!(found, [format!("`lib/sub` (denied by `{deny}`)")], "{work}");
        }
        for allow in ["lib/sub", "sub/", "lib/**"] {
            let found = broken(&sandbox, &rules(&[allow], &[]), &before.tree, &[]).await;
            assert_eq!(found, Vec::<String>::new(), "{work}, {allow}");
        }
        let found = broken(&sandbox, &rules(&["lib/sub/a.txt"], &[]), &before.tree, &[]).await;
        assert_eq!(found, ["`lib/sub` (not in the allowed scope)"]);
        let reading = FileRules { may_edit: false, ..rules(&[], &[]) };
        let found = broken(&sandbox, &reading, &before.tree, &[sub.join("a.txt")]).await;
        assert_eq!(found, ["`lib/sub` (written in a step that may not edit)"]);
    }
}

#[tokio::test]
async fn in_a_step_that_may_not_edit_only_what_the_agents_tools_wrote_counts() {
    let sandbox = GitSandbox::with_a_commit();
    let reading = FileRules { may_edit: false, ..rules(&[], &[]) };
    let before = sandbox.snapshot().await;
    sandbox.write("a.txt", "by the agent\n");
    sandbox.write("dir/b.txt", "by a person\n");
    let written = [sandbox.top().join("a.txt"), "/etc/passwd".into(), "not/changed.txt".into()];
    let found = broken(&sandbox, &reading, &before.tree, &written).await;
    assert_eq!(found, ["`a.txt` (written in a step that may not edit)"]);
    let found = broken(&sandbox, &reading, &before.tree, &["dir/b.txt".into()]).await;
    assert_eq!(found, ["`dir/b.txt` (written in a step that may not edit)"]);
    assert_eq!(
        broken(&sandbox, &rules(&[], &[]), &before.tree, &written).await,
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn a_glob_that_cannot_be_parsed_is_an_error() {
    let sandbox = GitSandbox::with_a_commit();
    let tree = sandbox.snapshot().await.tree;
    let repository = sandbox.repository().await;
    let error =
        repository.violations(&tree, &tree, &rules(&[], &["src/[a"]), &[]).await.unwrap_err();
    assert!(matches!(error, GitError::Pattern(_)), "{error}");
    assert!(error.to_string().starts_with("`src/[a` is not a pattern of files: "), "{error}");
}

#[tokio::test]
async fn of_a_hundred_thousand_changed_files_the_first_are_listed_in_time() {
    const FILES: usize = 100_000;
    let sandbox = GitSandbox::with_a_commit();
    let blob = sandbox.git(&["rev-parse", "HEAD:a.txt"]);
    // Git trees without files: so many files would take longer to write than to judge.
    let folders: String = (0..FILES / 1000).fold(String::new(), |mut folders, folder| {
        let files: String =
            (0..1000).map(|file| format!("100644 blob {blob}\t{file:03}.rs\n")).collect();
        writeln!(folders, "040000 tree {}\tfolder{folder:03}", make_tree(&sandbox, &files))
            .unwrap();
        folders
    });
    let tree = make_tree(&sandbox, &folders);
    let empty = make_tree(&sandbox, "");
    let repository = sandbox.repository().await;
    let rules = rules(&["docs/**", "**/*.md", "src/**"], &["**/generated/**", "*.lock"]);
    let begin = Instant::now();
    let found = repository.violations(&empty, &tree, &rules, &[]).await.unwrap();
    assert!(begin.elapsed() < Duration::from_secs(60), "it took {:?}", begin.elapsed());
    assert_eq!(found.len(), MAX_LISTED_VIOLATIONS);
    assert_eq!(found[0].path, "folder000/000.rs");
    assert!(found.is_sorted_by_key(|violation| &violation.path));
}

/// Makes a tree of these lines.
fn make_tree(sandbox: &GitSandbox, lines: &str) -> String {
    let mut command = Command::new("git");
    command.arg("mktree").current_dir(sandbox.top()).env_clear().envs(sandbox.variables());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}
