//! One name for one public type, and pages that name what exists.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::{MAY_IMPORT, code, source, sources};

/// `pub` without restriction counts, wherever it stands: a type that is re-exported later needs no
/// new name then. Items that only a room can see (`pub(super)`, `pub(in …)`) may repeat a name.
#[test]
fn no_two_public_types_have_one_name() {
    let mut declared: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in sources(&source()) {
        for name in public_types(&code(&file)) {
            declared.entry(name).or_default().push(file.clone());
        }
    }
    assert!(declared.len() > 300, "the types are not found any more");
    declared.retain(|_, files| files.len() > 1);
    assert_eq!(declared, BTreeMap::new(), "rename all but one of each");
}

#[test]
fn every_form_of_a_public_type_is_found() {
    let text = "pub struct A;\n    pub enum B<T> {\npub type C = u8;\npub trait D: E {\n\
                pub unsafe trait F {}\npub(super) struct G;\nstruct H;\npub fn i() {}\n\
                pub struct $name(u8);\npub use crate::store::Session as J;";
    assert_eq!(public_types(text), ["A", "B", "C", "D", "F", "J"]);
}

/// The public types that a file declares, or re-exports by another name.
fn public_types(code: &str) -> Vec<String> {
    const KINDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];
    let public = code.lines().filter_map(|line| line.trim_start().strip_prefix("pub "));
    let names = public.filter_map(|item| {
        let item = item.strip_prefix("unsafe ").unwrap_or(item);
        let declared = KINDS.iter().find_map(|kind| item.strip_prefix(kind));
        let renamed = || item.strip_prefix("use ")?.split_once(" as ").map(|(_, name)| name);
        declared.or_else(renamed)
    });
    names.map(identifier).filter(|name| name.starts_with(char::is_uppercase)).collect()
}

fn identifier(text: &str) -> String {
    text.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

#[test]
fn the_page_has_the_table_that_is_enforced() {
    let page = page();
    for (room, allowed) in MAY_IMPORT {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{room}` | ")));
        let row = row.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for `{room}`"));
        let last = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let written: BTreeSet<_> = last.split('`').skip(1).step_by(2).collect();
        assert_eq!(written, allowed.iter().copied().collect(), "what `{room}` may import");
    }
}

#[test]
fn every_path_on_the_page_exists() {
    let page = page();
    let paths: Vec<_> =
        quoted(&page).flat_map(|text| braces(&text)).filter(|text| is_path(text)).collect();
    assert!(paths.len() > 60, "the page has lost its paths: {paths:?}");
    for path in paths {
        // Below `src/`, a path may leave out `src/` and `.rs`.
        let found = [root(), source()].iter().any(|folder| {
            folder.join(&path).exists() || folder.join(format!("{path}.rs")).exists()
        });
        assert!(found || is_inside_a_folder(&path), "ARCHITECTURE.md names `{path}`");
    }
}

#[test]
fn every_file_in_the_diagrams_exists() {
    let page = page();
    let diagrams = page.split("```").skip(1).step_by(2).collect::<String>();
    let words =
        diagrams.split(|letter: char| !(letter.is_alphanumeric() || "_./".contains(letter)));
    let files: BTreeSet<_> =
        words.filter(|word| Path::new(word).extension().is_some_and(|end| end == "rs")).collect();
    assert!(files.len() > 10, "the page has lost its diagrams");
    for file in files {
        assert!(is_inside_a_folder(file), "a diagram of ARCHITECTURE.md names {file}");
    }
}

#[test]
fn every_type_on_the_page_exists() {
    let code: String = ["src", "macros/src"]
        .iter()
        .flat_map(|folder| sources(&root().join(folder)))
        .map(|file| code(&file))
        .collect();
    let words: BTreeSet<_> =
        code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')).collect();
    let page = page();
    let mut seen = 0;
    for text in quoted(&page).filter(|text| is_item(text)) {
        for part in text.split("::") {
            let name = identifier(part);
            assert!(words.contains(name.as_str()), "ARCHITECTURE.md names `{text}`");
            seen += 1;
        }
    }
    assert!(seen > 30, "the page has lost its types");
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn page() -> String {
    std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("there is such a page")
}

/// What stands in backticks, outside of diagrams.
fn quoted(page: &str) -> impl Iterator<Item = String> {
    let prose: String = page.split("```").step_by(2).collect();
    let quoted: Vec<_> = prose
        .split('`')
        .skip(1)
        .step_by(2)
        .map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    quoted.into_iter()
}

/// `a/{b, c}` as `a/b` and `a/c`.
fn braces(text: &str) -> Vec<String> {
    let group = text.split_once('{').and_then(|(head, rest)| Some((head, rest.strip_suffix('}')?)));
    match group {
        Some((head, names)) => {
            names.split(',').map(|name| format!("{head}{}", name.trim())).collect()
        }
        None => vec![text.to_owned()],
    }
}

/// Whether this is a path of the repository: not a command, and not a file that a run makes.
fn is_path(text: &str) -> bool {
    const ENDINGS: [&str; 4] = [".rs", ".md", ".js", ".mjs"];
    const OF_A_RUN: [&str; 1] = ["runs/"];
    let path = text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending));
    let plain = !text.contains([' ', ':', '<']) && text.len() > ENDINGS[0].len();
    path && plain && !OF_A_RUN.iter().any(|begin| text.starts_with(begin))
}

/// Whether this is an item of the library: a path whose last part but one, or only part, is a type.
fn is_item(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_alphanumeric() || "_:<>".contains(letter));
    let types = text.split("::").any(|part| {
        part.starts_with(char::is_uppercase) && part.contains(|letter: char| letter.is_lowercase())
    });
    plain && types
}

/// Whether some folder of the sources has this below it, as `turn/in_flight.rs` or `main.js`.
fn is_inside_a_folder(path: &str) -> bool {
    fn below(folder: &Path, path: &str) -> bool {
        folder.join(path).exists()
            || std::fs::read_dir(folder).is_ok_and(|entries| {
                entries.filter_map(Result::ok).any(|entry| {
                    entry.file_type().is_ok_and(|kind| kind.is_dir()) && below(&entry.path(), path)
                })
            })
    }
    below(&source(), path)
}
