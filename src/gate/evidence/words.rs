//! Formats findings for people and agents.

use std::path::Path;

use crate::gate::git::{FoundCommit, TreeSnapshot};
use crate::gate::printable::printable_line;

/// How many files or commits are named.
const MAX_NAMED: usize = 5;
const MAX_PATH_CHARS: usize = 200;
const SHORT_ID_CHARS: usize = 7;

/// The beginning of an id, as git shows it.
pub(super) fn short(commit: Option<&str>) -> &str {
    commit.map_or("no commit", |id| id.get(..SHORT_ID_CHARS).unwrap_or(id))
}

/// Where HEAD was when the run began, after this verb.
pub(super) fn head(verb: &str, base: &TreeSnapshot) -> String {
    match &base.head.commit {
        Some(commit) => format!("{verb} {}, as when the run began", short(Some(commit))),
        None => format!("{verb} without a commit, as when the run began"),
    }
}

/// The first paths, and how many more there are.
pub(super) fn list(paths: &[impl AsRef<Path>]) -> String {
    let named: Vec<_> = paths.iter().take(MAX_NAMED).map(|it| path(it.as_ref())).collect();
    and_more(&named, paths.len())
}

/// The first commits by id and subject, and how many more there are.
pub(super) fn list_commits(commits: &[FoundCommit]) -> String {
    let name = |commit: &FoundCommit| format!("{} {:?}", short(Some(&commit.id)), commit.subject);
    let named: Vec<_> = commits.iter().take(MAX_NAMED).map(name).collect();
    let noun = if commits.len() == 1 { "commit" } else { "commits" };
    format!("{noun} {}", and_more(&named, commits.len()))
}

fn and_more(named: &[String], total: usize) -> String {
    let more = total.saturating_sub(named.len());
    let named = named.join(", ");
    if more == 0 { named } else { format!("{named} and {more} more") }
}

/// A path as printable text, on one line.
pub(super) fn path(path: &Path) -> String {
    printable_line(&path.to_string_lossy().replace('\n', " "), MAX_PATH_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paths_are_listed_and_the_rest_is_counted() {
        let names: Vec<_> = (1..=8).map(|number| format!("f{number}.rs")).collect();
        assert_eq!(list(&names[..2]), "f1.rs, f2.rs");
        assert_eq!(list(&names[..5]), "f1.rs, f2.rs, f3.rs, f4.rs, f5.rs");
        assert_eq!(list(&names), "f1.rs, f2.rs, f3.rs, f4.rs, f5.rs and 3 more");
        let commit =
            |id: &str| FoundCommit { id: id.repeat(10), subject: "Say \"hello\"".to_owned() };
        assert_eq!(list_commits(&[commit("1a2b")]), r#"commit 1a2b1a2 "Say \"hello\"""#);
        assert!(list_commits(&[commit("1a2b"), commit("3c4d")]).starts_with("commits 1a2b1a2 "));
    }

    #[test]
    fn a_path_contains_no_terminal_control_characters() {
        assert_eq!(path(Path::new("a\u{1b}[31mb\nc")), "ab c");
    }
}
