//! Judges changed paths.

use std::borrow::Cow;
use std::collections::HashSet;

use super::pattern::{PathKind, Pattern, PatternError};
use super::special::{is_lockfile, is_trusted};
use crate::{BrokenRule, FileRules, FileScope};

/// The rules of a turn, ready to judge any number of paths.
#[derive(Debug)]
pub(in crate::gate) struct Rules {
    scopes: Vec<Scope>,
    allow_lockfiles: bool,
    may_edit: bool,
}

#[derive(Debug)]
struct Scope {
    allow: Vec<Pattern>,
    deny: Vec<Pattern>,
}

impl Rules {
    /// Parses the patterns.
    pub(in crate::gate) fn new(rules: &FileRules) -> Result<Self, PatternError> {
        let FileRules { scopes, allow_lockfiles, may_edit } = rules;
        let scopes = scopes.iter().map(Scope::new).collect::<Result<_, _>>()?;
        Ok(Self { scopes, allow_lockfiles: *allow_lockfiles, may_edit: *may_edit })
    }

    /// The first rule that a change of this path breaks. `written` are the paths that the agent's
    /// own tools wrote.
    ///
    /// A denied path is denied even through a link or a repository that leads there; an allowed
    /// path has to be allowed itself.
    pub(in crate::gate) fn judge(
        &self,
        path: &str,
        kind: PathKind,
        written: &HashSet<String>,
    ) -> Option<BrokenRule> {
        let is_named =
            || self.scopes.iter().flat_map(|scope| &scope.allow).any(|pattern| pattern.names(path));
        if is_trusted(path) && !is_named() {
            return Some(BrokenRule::TrustedFile);
        }
        let mut denied = self.scopes.iter().flat_map(|scope| &scope.deny);
        if let Some(by) = denied.find(|it| it.matches(path, kind) || it.may_match_below(path, kind))
        {
            return Some(BrokenRule::Denied { pattern: by.text().to_owned() });
        }
        let allows = |scope: &Scope| {
            scope.allow.is_empty() || scope.allow.iter().any(|pattern| pattern.matches(path, kind))
        };
        if !self.scopes.iter().all(allows) {
            return Some(BrokenRule::NotAllowed);
        }
        if is_lockfile(path) && !self.allow_lockfiles && !is_named() {
            return Some(BrokenRule::Lockfile);
        }
        if !self.may_edit && is_written(path, kind, written) {
            return Some(BrokenRule::ReadOnlyStep);
        }
        None
    }
}

impl Scope {
    fn new(scope: &FileScope) -> Result<Self, PatternError> {
        let patterns = |texts: &[Cow<'static, str>]| -> Result<Vec<_>, _> {
            texts.iter().map(|text| Pattern::parse(text)).collect()
        };
        Ok(Self { allow: patterns(&scope.allow)?, deny: patterns(&scope.deny)? })
    }
}

/// Whether the agent's own tools wrote this path, or one below it.
fn is_written(path: &str, kind: PathKind, written: &HashSet<String>) -> bool {
    let below = |file: &String| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    written.contains(path) || (kind == PathKind::Repository && written.iter().any(below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(allow: &[&str], deny: &[&str]) -> FileScope {
        let patterns = |texts: &[&str]| {
            texts.iter().map(|text| (*text).to_owned().into()).collect::<Vec<_>>().into()
        };
        FileScope { allow: patterns(allow), deny: patterns(deny) }
    }

    fn editing(scopes: Vec<FileScope>) -> FileRules {
        FileRules { scopes, allow_lockfiles: false, may_edit: true }
    }

    fn judge(rules: &FileRules, path: &str) -> Option<BrokenRule> {
        let written = ["written.txt".to_owned(), "sub/inside.txt".to_owned()].into();
        let kind = if path == "sub" { PathKind::Repository } else { PathKind::File };
        Rules::new(rules).unwrap().judge(path, kind, &written)
    }

    fn denied(pattern: &str) -> BrokenRule {
        BrokenRule::Denied { pattern: pattern.to_owned() }
    }

    #[test]
    fn rules_are_checked_in_order() {
        use BrokenRule::{Lockfile, NotAllowed, ReadOnlyStep, TrustedFile};

        let free = editing(vec![]);
        let deny = editing(vec![scope(&[], &[".github/**", "*.lock"])]);
        let allow = editing(vec![scope(&["src/**"], &["src/gen/**"])]);
        let both = editing(vec![scope(&["src/**"], &[]), scope(&["*.rs"], &[])]);
        let named = editing(vec![scope(&["/Cargo.lock", "surefire.toml", "src/**"], &[])]);
        let globbed = editing(vec![scope(&["**"], &[])]);
        let reading = FileRules { may_edit: false, ..free.clone() };
        let with_deps = FileRules { allow_lockfiles: true, ..free.clone() };
        let table = [
            (&free, "anything", None),
            (&free, "Cargo.lock", Some(Lockfile)),
            (&free, "web/yarn.lock", Some(Lockfile)),
            (&with_deps, "Cargo.lock", None),
            (&free, "surefire.toml", Some(TrustedFile)),
            (&free, ".claude/settings.local.json", Some(TrustedFile)),
            (&free, ".claude", Some(TrustedFile)),
            (&deny, ".github/workflows/ci.yml", Some(denied(".github/**"))),
            (&deny, "src/a.rs", None),
            (&deny, "Cargo.lock", Some(denied("*.lock"))),
            (&allow, "src/a.rs", None),
            (&allow, "src/gen/a.rs", Some(denied("src/gen/**"))),
            (&allow, "docs/a.md", Some(NotAllowed)),
            (&allow, "Cargo.lock", Some(NotAllowed)),
            (&allow, "src/Cargo.lock", Some(Lockfile)),
            (&allow, ".mcp.json", Some(TrustedFile)),
            (&both, "src/a.rs", None),
            (&both, "src/a.md", Some(NotAllowed)),
            (&both, "build.rs", Some(NotAllowed)),
            (&named, "Cargo.lock", None),
            (&named, "src/Cargo.lock", Some(Lockfile)),
            (&named, "surefire.toml", None),
            (&globbed, "Cargo.lock", Some(Lockfile)),
            (&globbed, "surefire.toml", Some(TrustedFile)),
            (&reading, "written.txt", Some(ReadOnlyStep)),
            (&reading, "sub", Some(ReadOnlyStep)),
            (&reading, "saved-by-a-person.txt", None),
            (&reading, "Cargo.lock", Some(Lockfile)),
            (&free, "written.txt", None),
        ];
        for (rules, path, expected) in table {
            assert_eq!(judge(rules, path), expected, "{path} by {rules:?}");
        }
    }

    #[test]
    fn a_link_to_a_denied_path_is_denied() {
        let rules = Rules::new(&editing(vec![scope(&[], &[".github/**"])])).unwrap();
        assert!(rules.judge(".github", PathKind::Link, &HashSet::new()).is_some());
        assert_eq!(rules.judge(".github", PathKind::File, &HashSet::new()), None);
    }

    #[test]
    fn a_pattern_that_cannot_be_parsed_is_an_error_and_not_a_rule_that_matches_nothing() {
        let error = Rules::new(&editing(vec![scope(&[], &["src/[a"])])).unwrap_err();
        assert_eq!(error.pattern, "src/[a");
    }
}
