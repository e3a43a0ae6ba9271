//! Rooms look at each other in one direction only.
//!
//! Each folder of `src/` is a room; `ARCHITECTURE.md` says which rooms it may import, and this test reads the imports.

use std::path::{Path, PathBuf};

/// A room, and the rooms it may import.
const MAY_IMPORT: [(&str, &[&str]); 2] = [("recipe", &[]), ("recipes", &["recipe"])];

#[test]
fn imports_follow_the_table() {
    for room in rooms() {
        let (_, allowed) = MAY_IMPORT.iter().find(|(name, _)| *name == room).unwrap_or_else(|| {
            panic!("room `{room}` is not in the table: add it here and in ARCHITECTURE.md")
        });
        for file in sources(&source().join(&room)) {
            let text = std::fs::read_to_string(&file).expect("it was just listed");
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                for other in
                    rooms().iter().filter(|other| **other != room && !allowed.contains(&other.as_str()))
                {
                    let reaches = line.contains(&format!("crate::{other}::"))
                        || line.contains(&format!("surefire::{other}::"));
                    assert!(!reaches, "{} may not look into `{other}`: {line}", file.display());
                }
            }
        }
    }
}

#[test]
fn the_vocabulary_does_no_io() {
    const FORBIDDEN: [&str; 8] =
        ["std::fs", "std::io", "std::net", "std::process", "std::env", "std::time", "async fn", "println!"];
    for file in sources(&source().join("recipe")) {
        let text = std::fs::read_to_string(&file).expect("it was just listed");
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let found = FORBIDDEN.iter().find(|word| line.contains(**word));
            assert_eq!(found, None, "{}: {line}", file.display());
        }
    }
}

#[test]
fn rooms_open_with_what_they_answer() {
    for room in rooms() {
        let opening =
            std::fs::read_to_string(source().join(&room).join("mod.rs")).expect("every room has a mod.rs");
        let sentences =
            opening.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join(" ");
        assert!(
            sentences.matches(['.', ':', ';']).count() >= 3,
            "`{room}` says what it does, what not, and where to start"
        );
    }
}

fn source() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rooms() -> Vec<String> {
    let entries = std::fs::read_dir(source()).expect("the sources are here");
    let folders = entries.map(|entry| entry.expect("it can be read").path()).filter(|path| path.is_dir());
    let mut rooms: Vec<_> = folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
    rooms.sort();
    rooms
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a room is a folder") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
