//! Checks whether the directories that agents may work in exist.

use std::path::PathBuf;

use super::finding::Finding;

const CHECK: &str = "roots";

pub(super) fn check(roots: &[PathBuf]) -> Vec<Finding> {
    let home = std::env::home_dir();
    let roots: Vec<_> = if roots.is_empty() { home.into_iter().collect() } else { roots.to_vec() };
    let (there, missing): (Vec<_>, Vec<_>) = roots.iter().partition(|root| root.is_dir());
    let names = |roots: &[&PathBuf]| {
        roots.iter().map(|root| format!("`{}`", root.display())).collect::<Vec<_>>().join(", ")
    };
    let mut findings = Vec::new();
    if there.is_empty() {
        let fix = "name a directory that agents may work in: `--root <FOLDER>`";
        findings.push(Finding::bad(CHECK, "there is no directory that agents may work in", fix));
    } else {
        findings.push(Finding::good(CHECK, format!("agents may work below {}", names(&there))));
    }
    if !missing.is_empty() {
        let words = format!("no such directory: {}", names(&missing));
        findings.push(Finding::doubtful(CHECK, words, "create it, or remove it from the roots"));
    }
    findings
}
