//! `STANDARDS.md` shows golden files unchanged, and links to every one of them.

use std::path::PathBuf;

use surefire::wire::{ClientMessage, ErrorCode, ServerMessage};

use super::golden::{Side, folder};

/// The line before a block that holds a file's text begins like this.
const MARK: &str = "<!-- golden: ";

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("STANDARDS.md")
}

fn page() -> String {
    std::fs::read_to_string(path()).expect("there is such a page")
}

/// The page with the current text of each block's file.
fn current(page: &str) -> String {
    let mut lines = page.lines();
    let mut written = Vec::new();
    while let Some(line) = lines.next() {
        written.push(line.to_owned());
        let Some(name) = line.strip_prefix(MARK) else { continue };
        let name = name.strip_suffix(" -->").expect("the mark ends");
        let text = std::fs::read_to_string(folder().join(name));
        let text = text.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(lines.next(), Some("```json"), "a block follows the mark of {name}");
        assert!(lines.any(|line| line == "```"), "the block of {name} ends");
        written.push(format!("```json\n{text}```"));
    }
    written.join("\n") + "\n"
}

/// Run with `UPDATE_DOCS=1` to rewrite the blocks.
#[test]
fn the_blocks_match_the_files() {
    let written = current(&page());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path(), &written).expect("the docs can be written");
    }
    assert!(
        page() == written,
        "STANDARDS.md is not current: run `UPDATE_DOCS=1 cargo test --test server wire`"
    );
    assert!(written.matches(MARK).count() >= 10, "the page has lost its blocks");
}

#[test]
fn every_json_block_has_a_file() {
    let page = page();
    let blocks = page.lines().filter(|line| *line == "```json").count();
    assert_eq!(blocks, page.matches(MARK).count());
}

#[test]
fn every_file_is_linked() {
    let page = page();
    for side in [Side::Client, Side::Server] {
        for file in side.files() {
            let link = format!("(tests/golden/{}/{file}.json)", side.name());
            assert!(page.contains(&link), "there is no link to {link}");
        }
    }
    for link in page.split("(tests/golden/").skip(1) {
        let file = link.split(')').next().expect("the link ends");
        assert!(folder().join(file).exists(), "there is no {file}");
    }
}

#[test]
fn every_type_and_every_code_has_a_row() {
    let page = page();
    let types = ClientMessage::TYPES.iter().chain(ServerMessage::TYPES).copied();
    for name in types.chain(ErrorCode::ALL.iter().map(<&str>::from)) {
        assert!(page.contains(&format!("\n| `{name}` |")), "no row begins with `{name}`");
    }
}
