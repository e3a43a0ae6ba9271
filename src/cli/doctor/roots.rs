//! Whether the directories that agents may work in are there.

use std::path::PathBuf;

use super::finding::Finding;

const NAME: &str = "roots";

pub(super) fn check(roots: &[PathBuf]) -> Vec<Finding> {
    let home = std::env::home_dir();
    let roots: Vec<_> = if roots.is_empty() { home.into_iter().collect() } else { roots.to_vec() };
    let (there, missing): (Vec<_>, Vec<_>) = roots.iter().partition(|root| root.is_dir());
    let names = |roots: &[&PathBuf]| {
        roots.iter().map(|root| format!("`{}`", root.display())).collect::<Vec<_>>().join(", ")
    };
    let mut findings = Vec::new();
    if there.is_empty() {
        let fix = "name a folder that agents may work in with `--root`";
        findings.push(Finding::bad(NAME, "there is no folder that agents may work in", fix));
    } else {
        findings.push(Finding::good(NAME, format!("agents may work below {}", names(&there))));
    }
    if !missing.is_empty() {
        let words = format!("no such folder: {}", names(&missing));
        findings.push(Finding::doubtful(NAME, words, "make it, or take it out of the roots"));
    }
    findings
}
