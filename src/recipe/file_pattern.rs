//! Which texts can name files, with the syntax of `.gitignore`.
//!
//! This file is in the library and in the macro crate, word for word, because the macro cannot
//! import the library: a pattern means the same in a recipe and in a project's own file. A test in
//! `tests/architecture/` compares the two.
//!
//! A pattern with a slash at its start or in its middle begins at the top of the work tree; any
//! other is looked for in every directory. One that names a directory names all that is below it,
//! and with a slash at its end it names directories alone. `*` and `?` stay between two slashes,
//! `**` does not; matching is case-sensitive.

/// Why this pattern matches no file, or not those that its author means.
pub(crate) fn flaw(pattern: &str) -> Option<&'static str> {
    if pattern.trim().is_empty() {
        return Some("it is empty");
    }
    if pattern.chars().any(char::is_control) {
        return Some("it has a line break or another control character");
    }
    if pattern.trim() != pattern {
        return Some("it begins or ends with a space");
    }
    if pattern.starts_with('!') {
        return Some(
            "there is no `!`: write what may be changed under `allow`, and what may not under `deny`",
        );
    }
    if pattern.contains('\\') {
        return Some(
            "there is no backslash: write `[*]` for the sign itself, and `/` between directories",
        );
    }
    if pattern.starts_with("~/") {
        return Some("it leads out of the work tree: paths begin at its top");
    }
    let path = pattern.strip_prefix('/').unwrap_or(pattern);
    let path = path.strip_suffix('/').unwrap_or(path);
    if path.is_empty() {
        return Some("it names the top alone: write `**` for every file");
    }
    path.split('/').find_map(part_flaw)
}

/// Why nothing between two slashes can match this.
fn part_flaw(part: &str) -> Option<&'static str> {
    match part {
        "" => return Some("it has two slashes in a row"),
        "." | ".." => {
            return Some("it has a `.` or `..` part: write the path from the top of the work tree");
        }
        "**" => return None,
        _ => {}
    }
    let mut rest = part;
    while let Some(sign) = rest.chars().next() {
        rest = &rest[sign.len_utf8()..];
        match sign {
            '*' if rest.starts_with('*') => {
                return Some("`**` stands alone between slashes: `src/**` or `**/name`");
            }
            '[' => match bracket(rest) {
                Ok(behind) => rest = behind,
                Err(why) => return Some(why),
            },
            '{' if is_choice(rest) => {
                return Some(
                    "there are no choices such as `{a,b}`: list a pattern for each of them",
                );
            }
            _ => {}
        }
    }
    None
}

/// The text after the bracket that opened just before it, or what is wrong with the bracket.
fn bracket(inside: &str) -> Result<&str, &'static str> {
    const OPEN: &str = "a `[` is not closed before the next slash: write `[[]` for the sign itself";
    if inside.starts_with('^') {
        return Err("a bracket is turned around by `!`: write `[!a-z]`");
    }
    let inside = inside.strip_prefix('!').unwrap_or(inside);
    if inside.starts_with("[:") {
        return Err(
            "there are no classes such as `[:alpha:]`: write the characters, e.g. `[a-zA-Z]`",
        );
    }
    // A `]` that comes first is one of the characters.
    let first = inside.chars().next().ok_or(OPEN)?.len_utf8();
    let end = first + inside[first..].find(']').ok_or(OPEN)?;
    let mut characters = inside[..end].chars();
    while let Some(from) = characters.next() {
        let mut ahead = characters.clone();
        if let (Some('-'), Some(to)) = (ahead.next(), ahead.next()) {
            if from > to {
                return Err("a range in brackets runs backwards: write `[a-z]`");
            }
            characters = ahead;
        }
    }
    Ok(&inside[end + 1..])
}

/// Whether a brace that opened just before holds a comma.
fn is_choice(inside: &str) -> bool {
    inside.split_once('}').is_some_and(|(inside, _)| inside.contains(','))
}

#[cfg(test)]
mod tests {
    use super::flaw;

    #[test]
    fn a_pattern_that_names_no_file_has_a_flaw() {
        let table = [
            ("", "empty"),
            (" \t", "empty"),
            ("src\n", "control character"),
            ("a\0b", "control character"),
            (" src", "a space"),
            ("src/ ", "a space"),
            ("!src/**", "no `!`"),
            ("docs/\\*.md", "no backslash"),
            ("src\\main.rs", "no backslash"),
            ("~/notes", "out of the work tree"),
            ("/", "the top alone"),
            ("//", "the top alone"),
            ("///", "two slashes"),
            ("src//main.rs", "two slashes"),
            ("src//", "two slashes"),
            (".", "`.` or `..`"),
            ("./src", "`.` or `..`"),
            ("../other/**", "`.` or `..`"),
            ("src/../docs", "`.` or `..`"),
            ("docs/..", "`.` or `..`"),
            ("src**", "stands alone"),
            ("**.rs", "stands alone"),
            ("src/a**b/c", "stands alone"),
            ("***", "stands alone"),
            ("src/***", "stands alone"),
            ("[a-z", "not closed"),
            ("[", "not closed"),
            ("[]", "not closed"),
            ("[!]", "not closed"),
            ("[!", "not closed"),
            ("a[b/c]d", "not closed"),
            ("[^a]", "`[!a-z]`"),
            ("[[:alpha:]]", "no classes"),
            ("[![:alpha:]]", "no classes"),
            ("[z-a]", "backwards"),
            ("[!9-0]", "backwards"),
            ("[a-cz-x]", "backwards"),
            ("src/*.{ts,tsx}", "no choices"),
            ("{a,b}/**", "no choices"),
        ];
        for (pattern, why) in table {
            let found = flaw(pattern).unwrap_or_else(|| panic!("{pattern:?} has no flaw"));
            assert!(found.contains(why), "{pattern:?}: {found}");
        }
    }

    #[test]
    fn a_pattern_that_names_files_has_none() {
        let patterns = [
            "src/**",
            "/src/",
            "src",
            "**",
            "/**",
            "**/",
            "**/.env*",
            ".github/**",
            "**/generated/**/*.rs",
            "*.lock",
            "*~",
            "~x",
            "file name.txt",
            "[a-z]?.md",
            "[!a-z]",
            "[]]",
            "[!]]",
            "[]-a]",
            "[a-]",
            "[-a]",
            "[*]",
            "[**]",
            "[[]",
            "[!^]",
            "[{]a,b}",
            "{{cookiecutter.slug}}/**",
            "..hidden",
            "...",
            "a..b/c",
            "#notes",
            "grün/ö[ä-ü]*",
        ];
        for pattern in patterns {
            assert_eq!(flaw(pattern), None, "{pattern:?}");
        }
    }
}
