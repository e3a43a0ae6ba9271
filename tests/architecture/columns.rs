//! Prose is wrapped: pages and comments fit into 100 columns.

use std::fs;
use std::path::{Path, PathBuf};

const COLUMNS: usize = 100;

/// Not ours, generated, or sources whose lines a snapshot counts.
const LEFT_OUT: [&str; 8] =
    [".git", "target", "vendor", "node_modules", "corpus", "golden", "snapshots", "fail"];

/// Pages for an agent, or written by a test from longer texts.
const OTHER_PAGES: [&str; 2] = ["src/recipes", "docs/mistakes.md"];

#[test]
fn prose_is_wrapped() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    collect(root, &mut files);
    let (mut read, mut long) = (0, Vec::new());
    for file in files {
        let name = file.strip_prefix(root).expect("it was found there");
        let Some(comment) = comment(name) else { continue };
        let text = fs::read_to_string(&file).expect("sources are text");
        read += 1;
        for (row, line) in prose(&text, comment) {
            if line.chars().count() > COLUMNS {
                long.push(format!("{}:{row}", name.display()));
            }
        }
    }
    assert!(read > 500, "the sources have moved");
    assert_eq!(long, [""; 0], "wrap these lines at {COLUMNS} columns");
}

#[test]
fn code_and_tables_are_not_prose() {
    let long = "word ".repeat(30);
    let found = |text: &str, comment| prose(text, comment).count();
    for (text, comment) in [
        (format!("a\n```\n{long}\n```\nb"), ""),
        (format!("| {long} |\nb\nc"), ""),
        (format!("/// a\n/// ```\n/// {long}\n/// ```\n//! b\nlet a = \"{long}\";"), "//"),
        (format!("a = [\n  # a\n\"{long}\"]\n# b"), "#"),
    ] {
        assert!(prose(&text, comment).all(|(_, line)| !line.contains(&long)), "{text}");
        assert_eq!(found(&text, comment), 2, "{text}");
    }
}

/// How a line of prose begins in a file with this name; `None` if the file has no prose of ours.
fn comment(name: &Path) -> Option<&'static str> {
    if OTHER_PAGES.iter().any(|page| name.starts_with(page)) && is(name, "md") {
        return None;
    }
    match name.extension().and_then(|ending| ending.to_str()) {
        Some("md") => Some(""),
        Some("rs" | "js" | "mjs") => Some("//"),
        Some("toml" | "yml") => Some("#"),
        None if name.starts_with("scripts") => Some("#"),
        _ => None,
    }
}

fn is(name: &Path, ending: &str) -> bool {
    name.extension().is_some_and(|found| found == ending)
}

/// The lines of prose with their numbers, without blocks of code and tables.
fn prose<'t>(text: &'t str, comment: &'static str) -> impl Iterator<Item = (usize, &'t str)> {
    let mut is_code = false;
    text.lines().zip(1..).filter_map(move |(line, row)| {
        let words = line.trim_start().strip_prefix(comment)?;
        let words = words.trim_start_matches(['/', '!', ' ']);
        if words.starts_with("```") {
            is_code = !is_code;
            return None;
        }
        (!is_code && !words.starts_with('|')).then_some((row, line))
    })
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("it is a folder") {
        let path = entry.expect("it can be read").path();
        let left_out = path.file_name().is_some_and(|name| LEFT_OUT.iter().any(|out| name == *out));
        match (left_out, path.is_dir()) {
            (true, _) => {}
            (false, true) => collect(&path, files),
            (false, false) => files.push(path),
        }
    }
}
