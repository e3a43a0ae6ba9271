//! What is public can grow: enums and options are `#[non_exhaustive]`, and no signature names a
//! type of a crate that only our own code needs.

use std::fs;

use super::{source, sources};

/// Enums that code outside matches without a `_` arm, because a further variant has to be an error
/// there.
const CLOSED: [(&str, &str); 11] = [
    ("Category", "the three ways to end are part of the protocol"),
    ("Next", "what follows an outcome; a driver follows all of it"),
    ("NextOutline", "the same, as data"),
    ("GraphNext", "the same, as stored"),
    ("AfterLimit", "the same, for a step that is full"),
    ("Guardrail", "the `End` of a recipe has a variant for each that can trip"),
    ("CommandLine", "a line for a shell, or a program"),
    ("Action", "a driver of a run carries out every action"),
    ("SessionAction", "a driver of a session carries out every action"),
    ("Change", "a store applies every change"),
    ("WrittenEvent", "a commit has events of runs and of sessions"),
];

/// Rooms whose public items cannot be reached from outside.
const INTERNAL: [&str; 2] = ["cli", "local"];

/// What only editors and generated code read.
const HIDDEN: [&str; 2] = ["recipe/editor.rs", "recipe/leads_to.rs"];

#[test]
fn an_enum_may_grow_unless_it_is_listed() {
    let mut listed = CLOSED.map(|(name, _)| (name, false));
    for (file, text) in public_files() {
        for (attributes, name) in items(&text, "enum") {
            let known = listed.iter_mut().find(|(closed, _)| *closed == name);
            let may_grow = attributes.contains("#[non_exhaustive]");
            assert_ne!(
                known.is_some(),
                may_grow,
                "{file}: `{name}` is `#[non_exhaustive]`, or has its reason in this file"
            );
            if let Some((_, found)) = known {
                *found = true;
            }
        }
    }
    for (name, found) in listed {
        assert!(found, "there is no public enum `{name}`: remove its row");
    }
}

#[test]
fn options_with_methods_may_grow() {
    let mut options = 0;
    for (file, text) in public_files() {
        let with_methods: Vec<_> = text.match_indices("\nsetters!(").collect();
        for (at, call) in with_methods {
            let rest = &text[at + call.len()..];
            let name = rest.split(' ').next().unwrap_or_default();
            let mut structs = items(&text, "struct");
            let found = structs.find(|(_, found)| *found == name);
            let attributes = found.map(|(attributes, _)| attributes).unwrap_or_default();
            assert!(attributes.contains("#[non_exhaustive]"), "{file}: `{name}` may get fields");
            options += 1;
        }
    }
    assert!(options > 10, "only {options} were found");
}

#[test]
fn strum_and_tokio_util_stay_inside() {
    for (file, text) in public_files() {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start();
            let is_public = ["pub fn", "pub const fn", "pub async fn", "pub trait", "pub type"]
                .iter()
                .any(|start| line.starts_with(start))
                || (line.starts_with("pub ") && line.ends_with(','));
            let foreign = ["strum", "CancellationToken", "TaskTracker", "VariantNames"];
            let found = foreign.iter().find(|name| line.contains(**name));
            assert!(!is_public || found.is_none(), "{file}:{number}: {line}");
        }
        // Parsing a name would otherwise fail with an error of strum.
        for (attributes, name) in items(&text, "enum") {
            assert!(
                !attributes.contains("EnumString") || attributes.contains("parse_err_ty"),
                "{file}: `{name}` has no error of ours for a name that it does not have"
            );
        }
    }
}

fn public_files() -> impl Iterator<Item = (String, String)> {
    let files = sources(&source()).into_iter();
    files.filter_map(|file| {
        let path = file.strip_prefix(source()).ok()?.display().to_string();
        let room = path.split('/').next()?;
        let is_internal = INTERNAL.contains(&room) || HIDDEN.contains(&path.as_str());
        (!is_internal).then(|| fs::read_to_string(&file).map(|text| (path, text)).ok())?
    })
}

/// The public items of this kind at the top level of a file, each with what stands in front of it.
fn items<'a>(text: &'a str, kind: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let start = format!("\npub {kind} ");
    let starts: Vec<_> = text.match_indices(&start).map(|(at, _)| at).collect();
    starts.into_iter().map(move |at| {
        let name = &text[at + kind.len() + "\npub  ".len()..];
        let end = name.find(|c: char| !c.is_alphanumeric()).unwrap_or(name.len());
        (text[..at].rsplit("\n\n").next().unwrap_or_default(), &name[..end])
    })
}
