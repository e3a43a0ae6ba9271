//! Names: how they are spelled on the wire and as methods, and which one the author probably meant.

use heck::{ToKebabCase, ToSnakeCase, ToUpperCamelCase};
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

use crate::place;

/// The name on the wire: kebab-case, without the `r#` of a raw identifier.
pub(crate) fn wire(name: &Ident) -> String {
    name.unraw().to_string().to_kebab_case()
}

/// The name as a method or module, raw if it would be a keyword; `None` if it is not a valid Rust
/// name.
pub(crate) fn snake(name: &Ident) -> Option<Ident> {
    identifier(&name.unraw().to_string().to_snake_case(), name.span())
}

/// The name as the prefix of a generated type's name.
pub(crate) fn camel(name: &Ident) -> String {
    name.unraw().to_string().to_upper_camel_case()
}

/// The same name at another place, so that an editor finds its definition from there too.
pub(crate) fn at(name: &Ident, place: Option<Span>) -> Ident {
    let mut name = name.clone();
    if let Some(place) = place {
        name.set_span(place);
    }
    name
}

/// The name of a generated item.
pub(crate) fn defined(name: &Ident) -> Ident {
    at(name, Some(place::of_definition(name.span())))
}

/// An identifier with this text, raw if necessary; `None` if it is not a valid one.
pub(crate) fn identifier(text: &str, span: Span) -> Option<Ident> {
    // A keyword since edition 2024, which syn does not count as one.
    if text == "gen" {
        return Some(Ident::new_raw(text, span));
    }
    let text = if is_identifier(text) { text.to_owned() } else { format!("r#{text}") };
    match text.strip_prefix("r#") {
        None => Some(Ident::new(&text, span)),
        Some(raw) => is_identifier(&text).then(|| Ident::new_raw(raw, span)),
    }
}

/// Whether this text is a valid identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    is_plain(text) || syn::parse_str::<Ident>(text).is_ok()
}

/// Whether a text is clearly an identifier. Most names are, and parsing takes long where the macro
/// is not optimised.
fn is_plain(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !KEYWORDS.contains(&text)
}

/// The words that are no identifiers, or are not in every edition.
#[rustfmt::skip] // In lines, as in Rust's reference.
const KEYWORDS: &[&str] = &[
    "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
    "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub",
    "ref", "return", "self", "Self", "static", "struct", "super", "trait", "true", "type", "union",
    "unsafe", "use", "where", "while",
    "abstract", "become", "box", "do", "final", "gen", "macro", "override", "priv", "try", "typeof",
    "unsized", "virtual", "yield", "raw",
];

/// How many pairs of letters are compared for one name.
const MAX_EFFORT: usize = 50_000;

/// The candidate that `name` is probably a misspelling of.
pub(crate) fn closest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let written = name.to_lowercase();
    let candidates: Vec<_> = candidates.into_iter().collect();
    // In a long list only names with the same beginning are compared, or a thousand mistakes would
    // take minutes.
    let is_long = candidates.len() > 200;
    let mut effort = 0;
    let near = candidates.into_iter().filter_map(|candidate| {
        let first = candidate.chars().next().map(|first| first.to_lowercase().to_string());
        if is_long && first != written.chars().next().map(String::from) {
            return None;
        }
        // Long names take much longer to compare.
        effort += candidate.len() * written.len();
        if effort > MAX_EFFORT {
            return None;
        }
        let known = candidate.to_lowercase();
        let distance = strsim::osa_distance(&written, &known);
        // For a very short name, one letter more or less is another word.
        let allowed = match written.chars().count().max(known.chars().count()) {
            0..=2 => 0,
            length => (length / 3).max(1),
        };
        let contained = known.len() > 3 && written.contains(&known)
            || written.len() > 3 && known.contains(&written);
        (distance <= allowed || contained).then_some((distance, candidate))
    });
    // `min_by_key` keeps the first of equals, so the answer does not depend on anything but the
    // order of declaration.
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// The end of an error about an unknown name: the name that was probably meant, and the list of
/// names if it is short.
pub(crate) fn advice<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str> + Clone,
    what: &str,
) -> String {
    let meant = closest(name, candidates.clone()).map(|meant| format!("; did you mean `{meant}`?"));
    let list = short_list(candidates)
        .map(|list| format!("{} {what}: {list}", if meant.is_some() { "" } else { ";" }));
    match (meant, list) {
        (Some(meant), Some(list)) => format!("{meant} ({})", list.trim_start()),
        (meant, list) => meant.or(list).unwrap_or_default(),
    }
}

/// The names in backticks, unless there are too many to read at a glance.
pub(crate) fn short_list<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let names = names.into_iter().take(15);
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    (1..=14).contains(&names.len()).then(|| names.join(", "))
}

/// "`a`, `b` or `c`".
pub(crate) fn alternatives(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("`{only}`"),
        [most @ .., last] => {
            let most: Vec<_> = most.iter().map(|name| format!("`{name}`")).collect();
            format!("{} or `{last}`", most.join(", "))
        }
    }
}

/// A path that fits on a line or two; the middle of a long one is left out.
pub(crate) fn shortened(path: &[String]) -> String {
    if path.len() <= 12 {
        return path.join(" → ");
    }
    format!("{} → … → {}", path[..6].join(" → "), path[path.len() - 5..].join(" → "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_names_and_methods() {
        let table = [
            ("NoTasks", "no-tasks", Some("no_tasks")),
            ("HTTPReview", "http-review", Some("http_review")),
            ("r#match", "match", Some("r#match")),
            ("Match", "match", Some("r#match")),
            ("Überprüfen", "überprüfen", Some("überprüfen")),
            ("Super", "super", None),
            ("Gen", "gen", Some("r#gen")),
            ("_1", "1", None),
            ("__", "", None),
        ];
        for (name, on_the_wire, method) in table {
            let name = syn::parse_str::<Ident>(name).expect("the table holds identifiers");
            assert_eq!(wire(&name), on_the_wire);
            assert_eq!(snake(&name).map(|method| method.to_string()).as_deref(), method);
        }
    }

    #[test]
    fn a_keyword_is_not_taken_for_a_plain_name() {
        let words = "as async await break const continue crate dyn else enum extern false fn for \
                     if impl in let loop match mod move mut pub ref return self Self static struct \
                     super trait true type unsafe use where while abstract become box do final \
                     macro override priv try typeof unsized virtual yield";
        for word in words.split_whitespace() {
            assert!(!is_identifier(word), "{word}");
            let raw = identifier(word, Span::call_site()).map(|ident| ident.to_string());
            let can_be_raw = !["crate", "self", "Self", "super"].contains(&word);
            assert_eq!(raw, can_be_raw.then(|| format!("r#{word}")));
        }
        for name in ["next", "union", "fix_2", "Überprüfen", "_1"] {
            assert!(is_identifier(name), "{name}");
        }
        for text in ["", "_", "2fix", "no-tasks", "a b"] {
            assert!(!is_identifier(text), "{text}");
        }
    }

    #[test]
    fn the_closest_name_is_close() {
        let steps = ["Implement", "CodeReview", "Fix", "Commit"];
        let table = [
            ("CodeRevew", Some("CodeReview")),
            ("Review", Some("CodeReview")),
            ("Comit", Some("Commit")),
            ("Fxi", Some("Fix")),
            ("commit", Some("Commit")),
            ("Deploy", None),
            ("B", None),
        ];
        for (written, meant) in table {
            assert_eq!(closest(written, steps), meant, "{written}");
        }
    }
}
