//! Rooms look at each other in one direction only.
//!
//! Each folder of `src/` is a room; `ARCHITECTURE.md` says which rooms it may import, and this test
//! reads the imports.
//!
//! A binary of its own: it reads sources and pages as text and links nothing of the library, so it
//! is there in a moment.

mod columns;
mod cycles;
mod names;
mod readme;
mod scripts;
mod surface;

use std::path::{Path, PathBuf};

/// A room, and the rooms it may import.
const MAY_IMPORT: [(&str, &[&str]); 17] = [
    ("recipe", &[]),
    ("paths", &["recipe"]),
    ("outcome", &["recipe"]),
    ("run", &["recipe", "outcome"]),
    ("session", &["recipe", "run"]),
    ("view", &["recipe", "run", "session"]),
    ("recipes", &["recipe"]),
    ("process", &[]),
    ("gate", &["recipe", "process"]),
    ("local", &[]),
    ("agent", &["recipe", "paths", "process"]),
    ("store", &["recipe", "run", "session"]),
    ("engine", &["recipe", "run", "session", "view", "process", "local", "agent", "gate", "store"]),
    ("wire", &["recipe", "outcome", "run", "session", "view"]),
    ("client", &["local", "wire", "run", "session"]),
    ("server", &["recipe", "run", "session", "view", "local", "agent", "store", "engine", "wire"]),
    (
        "cli",
        &[
            "recipe", "paths", "outcome", "run", "session", "view", "recipes", "process", "local",
            "agent", "store", "engine", "wire", "client", "server",
        ],
    ),
];

/// The rooms that only think.
const PURE: [&str; 6] = ["recipe", "paths", "outcome", "run", "session", "view"];

#[test]
fn imports_follow_the_table() {
    for room in rooms() {
        let (_, allowed) = MAY_IMPORT.iter().find(|(name, _)| *name == room).unwrap_or_else(|| {
            panic!("room `{room}` is not in the table: add it here and in ARCHITECTURE.md")
        });
        for file in sources(&source().join(&room)) {
            for path in imported(&file, &["crate", "surefire"]) {
                let other = rooms().into_iter().find(|other| *other == path && *other != room);
                let allowed = other.as_deref().is_none_or(|other| allowed.contains(&other));
                assert!(allowed, "{} may not look into `{path}`", file.display());
            }
        }
    }
}

#[test]
fn the_rooms_that_only_think_do_no_io_and_read_no_clock() {
    const MODULES: [&str; 6] = ["fs", "io", "net", "process", "env", "thread"];
    const WORDS: [&str; 7] =
        ["async ", ".await", "println!", "eprintln!", "tracing::", "Instant", "SystemTime"];
    for file in PURE.iter().flat_map(|room| sources(&source().join(room))) {
        for path in imported(&file, &["std"]) {
            assert!(!MODULES.contains(&path.as_str()), "{} uses std::{path}", file.display());
        }
        let code = code(&file);
        let found = WORDS.into_iter().find(|word| code.contains(word));
        assert_eq!(found, None, "{}", file.display());
    }
}

#[test]
fn only_the_server_serves_and_only_the_client_asks() {
    const SERVES: [&str; 3] = ["warp::", "hyper::server", "TcpListener"];
    const ASKS: [&str; 2] = ["hyper::", "tungstenite"];
    let client = source().join("client");
    for room in rooms().into_iter().filter(|room| room != "server") {
        for file in sources(&source().join(room)) {
            let code = code(&file);
            let asks = ASKS.iter().filter(|_| !file.starts_with(&client));
            let found = SERVES.iter().chain(asks).find(|word| code.contains(**word));
            assert_eq!(found, None, "{}", file.display());
        }
    }
}

#[test]
fn no_remedy_is_searched_for_in_an_errors_text() {
    for file in rooms().into_iter().flat_map(|room| sources(&source().join(room))) {
        let code = code(&file);
        // `split`, `split_once`, `rsplit_once`, `find` and the like.
        let found = code.lines().find(|line| {
            line.split("(\"; \")").next().is_some_and(|before| {
                before.len() < line.len() && (before.contains("split") || before.ends_with("find"))
            })
        });
        assert_eq!(found, None, "{}: use `Advise::remedy` and `Advise::problem`", file.display());
    }
}

#[test]
fn the_macro_and_the_library_agree_on_patterns() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    for file in ["tool_pattern.rs", "file_pattern.rs"] {
        let library =
            std::fs::read_to_string(source().join("recipe").join(file)).expect("it is there");
        let macros =
            std::fs::read_to_string(root.join("macros/src").join(file)).expect("it is there");
        assert!(
            library == macros,
            "copy one `{file}` over the other: the macro cannot import the library"
        );
    }
}

#[test]
fn a_folder_in_a_room_is_part_of_it() {
    let room = source().join("server");
    let files = sources(&room);
    for inner in ["handlers/mod.rs", "console/mod.rs"] {
        assert!(files.contains(&room.join(inner)), "{inner} is held to the table as well");
    }
    assert!(!rooms().contains(&"console".to_owned()));
}

#[test]
fn rooms_open_with_what_they_answer() {
    for room in rooms() {
        let opening = std::fs::read_to_string(source().join(&room).join("mod.rs"))
            .expect("every room has a mod.rs");
        let words = opening
            .lines()
            .map_while(|line| line.strip_prefix("//!"))
            .collect::<Vec<_>>()
            .join(" ");
        let sentences = words
            .split(['.', ';'])
            .filter(|sentence| sentence.split_whitespace().count() > 2)
            .count();
        assert!(
            sentences >= 3,
            "`{room}` says what it answers, what it does not do, and where to start reading"
        );
    }
}

/// The names that stand directly below one of these roots, as in `root::name` or
/// `root::{name::…, name}`.
fn imported(file: &Path, roots: &[&str]) -> Vec<String> {
    let code = code(file);
    let mut names = Vec::new();
    for root in roots {
        for after in code.split(&format!("{root}::")).skip(1) {
            let group =
                after.strip_prefix('{').map(|group| group.split('}').next().unwrap_or(group));
            let entries = group.unwrap_or(after).split(',').take(if group.is_some() {
                usize::MAX
            } else {
                1
            });
            let name = |entry: &str| {
                entry.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
            };
            names.extend(entries.map(name));
        }
    }
    names
}

/// The file without its comments.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).expect("it was just listed");
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn source() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rooms() -> Vec<String> {
    let entries = std::fs::read_dir(source()).expect("the sources are here");
    let folders =
        entries.map(|entry| entry.expect("it can be read").path()).filter(|path| path.is_dir());
    let mut rooms: Vec<_> =
        folders.filter_map(|path| Some(path.file_name()?.to_str()?.to_owned())).collect();
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
