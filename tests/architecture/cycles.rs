//! Inside a room, imports go in one direction: no two files need each other, by whatever way round.
//!
//! A name that is imported through a `mod.rs` counts as one of the file that it is re-exported
//! from; a re-export itself is not an import. Unit tests may look at everything.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::{code, rooms, source, sources};

/// A module, as its path below `src/`.
type Module = Vec<String>;

#[test]
fn no_files_of_a_room_need_each_other() {
    for room in rooms() {
        let found = cycle(&imports(&room));
        assert_eq!(found, None, "files of `{room}` import each other, in this order");
    }
}

#[test]
fn every_way_to_import_is_seen() {
    let cases = [
        ("cli", "cli/usage/arguments", "a `use`, below a module that is there for tests only"),
        ("cli", "cli/logs", "a path from the module itself, where it is used"),
        ("cli/commands/run", "cli/connection/requests", "a `use` of what `mod.rs` re-exports"),
        ("outcome/ask", "outcome", "a `use` of what `mod.rs` defines"),
    ];
    for (from, to, how) in cases {
        let [from, to] =
            [from, to].map(|path| path.split('/').map(str::to_owned).collect::<Module>());
        let imports = imports(&from[0]);
        assert!(imports[&from].contains(&to), "{how}: {:?}", imports[&from]);
    }
}

/// Which module imports which, within a room.
fn imports(room: &str) -> BTreeMap<Module, BTreeSet<Module>> {
    let files: BTreeMap<Module, String> =
        sources(&source().join(room)).iter().map(|file| (module(file), production(file))).collect();
    let known: BTreeSet<_> = files.keys().cloned().collect();
    let mut exported = BTreeMap::new();
    for (module, text) in &files {
        for path in statements(text, true).iter().flat_map(|statement| paths(statement)) {
            if let (Some((target, _)), Some(name)) = (resolve(module, &path, &known), path.last()) {
                exported.insert((module.clone(), name.clone()), target);
            }
        }
    }
    let mut imports = BTreeMap::new();
    for (module, text) in &files {
        let mut found = BTreeSet::new();
        let used = statements(text, false)
            .iter()
            .flat_map(|statement| paths(statement))
            .collect::<Vec<_>>();
        let used = used.iter().filter_map(|path| resolve(module, path, &known));
        let written_out = inline(text);
        let written_out = written_out.iter().filter_map(|path| resolve(module, path, &known));
        // A path that ends with a module says who may see something, as in `pub(in crate::cli)`.
        for (mut target, rest) in used.chain(written_out.filter(|(_, rest)| !rest.is_empty())) {
            // Through as many `mod.rs` as re-export it.
            while let Some(next) =
                rest.first().and_then(|name| exported.get(&(target.clone(), name.clone())))
            {
                if *next == target {
                    break;
                }
                target.clone_from(next);
            }
            if target != *module && target.first().is_some_and(|first| first == room) {
                found.insert(target);
            }
        }
        imports.insert(module.clone(), found);
    }
    imports
}

/// Some modules that import each other, the first one again at the end.
fn cycle(imports: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<String>> {
    let mut done = BTreeSet::new();
    imports.keys().find_map(|module| walk(imports, module, &mut Vec::new(), &mut done))
}

fn walk(
    imports: &BTreeMap<Module, BTreeSet<Module>>,
    module: &Module,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
) -> Option<Vec<String>> {
    if let Some(begin) = way.iter().position(|earlier| earlier == module) {
        let circle = way[begin..].iter().chain([module]);
        return Some(circle.map(|module| module.join("/")).collect());
    }
    if !done.insert(module.clone()) {
        return None;
    }
    way.push(module.clone());
    let found = imports.get(module)?.iter().find_map(|next| walk(imports, next, way, done));
    way.pop();
    found
}

fn module(file: &Path) -> Module {
    let inner = file.strip_prefix(source()).expect("it is one of the sources").with_extension("");
    let mut parts: Vec<_> =
        inner.iter().filter_map(|part| Some(part.to_str()?.to_owned())).collect();
    parts.pop_if(|last| last == "mod");
    parts
}

/// The file without comments and unit tests.
fn production(file: &Path) -> String {
    let code = code(file);
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// The trees of `use` statements: those that re-export, or the others.
fn statements(text: &str, exporting: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        let is_export = line.starts_with("pub ") || line.starts_with("pub(");
        let begins = line.starts_with("use ") || (is_export && line.contains(" use "));
        if !begins {
            continue;
        }
        let mut statement = line.split_once("use ").map_or("", |(_, tree)| tree).to_owned();
        while !statement.contains(';') {
            let Some(more) = lines.next() else { break };
            statement.push_str(more.trim());
        }
        if is_export == exporting {
            found.push(statement.trim_end_matches(';').to_owned());
        }
    }
    found
}

/// `a::{b, c::d}` as `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<Module> {
    let tree = tree.trim();
    let Some((head, rest)) = tree.split_once('{') else {
        let plain = tree.split(" as ").next().unwrap_or_default();
        return vec![
            plain
                .split("::")
                .map(|part| part.trim().to_owned())
                .filter(|it| !it.is_empty())
                .collect(),
        ];
    };
    let body = rest.rsplit_once('}').map_or(rest, |(body, _)| body);
    let (mut parts, mut depth) = (vec![String::new()], 0);
    for letter in body.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if letter == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| paths(&format!("{head}{}", part.trim()))).collect()
}

/// Paths that are written out where they are used.
fn inline(text: &str) -> Vec<Module> {
    let is_path = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == ':';
    let outside =
        text.lines().filter(|line| !line.trim().starts_with("use ") && !line.contains(" use "));
    let words = outside.flat_map(|line| line.split(|letter| !is_path(letter)));
    let relative = words.filter(|word| word.contains("::") && !word.starts_with("::"));
    relative
        .map(|word| word.split("::").map(str::to_owned).filter(|it| !it.is_empty()).collect())
        .collect()
}

/// The module that a path leads to, and what is left of the path.
fn resolve(from: &Module, path: &Module, known: &BTreeSet<Module>) -> Option<(Module, Module)> {
    let mut at = from.clone();
    let mut rest = path.iter().peekable();
    match path.first().map(String::as_str) {
        Some("crate" | "surefire") => {
            at.clear();
            rest.next();
        }
        Some("self") => drop(rest.next()),
        _ => {
            while rest.next_if(|part| *part == "super").is_some() {
                at.pop();
            }
        }
    }
    let begin = at.len();
    while let Some(part) =
        rest.next_if(|part| known.contains(&[&at[..], &[(*part).clone()]].concat()))
    {
        at.push(part.clone());
    }
    let leads_somewhere =
        at.len() != begin || path.first().is_some_and(|first| first == "super" || first == "self");
    (leads_somewhere && known.contains(&at)).then(|| (at, rest.cloned().collect()))
}
