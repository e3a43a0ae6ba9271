//! Which tools a call may use: those that the real CLI allows with the same flags, as far as plans
//! need it.

use std::path::{Component, Path};

use fake_claude::Try;

use crate::call::Call;

/// Commands that only read. Like the real CLI, the fake allows them without a rule.
const FREE: [&str; 14] = [
    "cat", "cd", "date", "echo", "find", "grep", "head", "ls", "pwd", "rg", "sort", "tail", "true",
    "wc",
];
const FREE_IN_GIT: [&str; 7] = ["branch", "diff", "log", "ls-files", "rev-parse", "show", "status"];
/// Commands that change files, which are allowed if the call may edit files.
const EDITING: [&str; 6] = ["cp", "mkdir", "mv", "rm", "sed", "touch"];

/// Whether a tool may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Allowed,
    /// It needs approval, and no person is there to give it.
    Denied,
    /// The tool is disabled: the model does not have it.
    Missing,
}

impl Verdict {
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Missing => "missing",
        }
    }
}

/// Whether this call may use this tool in this way.
pub(crate) fn judge(call: &Call, tool: &str, tried: &Try) -> Verdict {
    let permissions =
        Permissions { call, mode: call.permission_mode.as_deref().unwrap_or("default") };
    if call.disallowed_tools.iter().any(|name| name == tool) {
        return Verdict::Missing;
    }
    let allowed = permissions.mode == "bypassPermissions"
        || match tried {
            Try::Bash(line) => permissions.allows_line(line),
            Try::Write { path, .. } | Try::Edit { path, .. } => {
                permissions.allows_change(tool, path)
            }
            Try::WebFetch(_) => permissions.lists(tool),
        };
    if allowed { Verdict::Allowed } else { Verdict::Denied }
}

struct Permissions<'a> {
    call: &'a Call,
    mode: &'a str,
}

impl Permissions<'_> {
    fn edits(&self) -> bool {
        self.mode == "acceptEdits"
    }

    fn lists(&self, tool: &str) -> bool {
        self.call.allowed_tools.iter().any(|rule| rule == tool)
    }

    /// Only inside of the working directory, and never in the folders that decide what is allowed.
    fn allows_change(&self, tool: &str, path: &Path) -> bool {
        let mut parts = path.components();
        let first = parts.clone().next();
        let inside = parts.all(|part| matches!(part, Component::Normal(_)));
        let guarded =
            [".git", ".claude"].iter().any(|name| first == Some(Component::Normal(name.as_ref())));
        inside && !guarded && (self.edits() || self.lists(tool))
    }

    /// Each command of the line has to be allowed by itself.
    fn allows_line(&self, line: &str) -> bool {
        if self.lists("Bash") {
            return true;
        }
        parts(line)
            .is_some_and(|parts| !parts.is_empty() && parts.iter().all(|part| self.allows(part)))
    }

    fn allows(&self, part: &Part) -> bool {
        let mut words = part.text.split(' ');
        let (program, second) =
            (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let free = FREE.contains(&program) || (program == "git" && FREE_IN_GIT.contains(&second));
        let edits = self.edits() && EDITING.contains(&program);
        let listed = self.call.allowed_tools.iter().any(|rule| fits(rule, &part.text));
        (free || edits || listed) && (self.edits() || !part.writes)
    }
}

/// Whether a rule such as `Bash(cargo test *)` allows a command.
fn fits(rule: &str, command: &str) -> bool {
    let Some(pattern) = rule.strip_prefix("Bash(").and_then(|rule| rule.strip_suffix(')')) else {
        return false;
    };
    match pattern.strip_suffix(" *") {
        Some(prefix) => command
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
        None => command == pattern,
    }
}

/// One command of a line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Part {
    text: String,
    /// Whether its output goes into a file.
    writes: bool,
}

/// The commands of a line, or `None` if it uses syntax that the real CLI refuses despite any rule.
fn parts(line: &str) -> Option<Vec<Part>> {
    let (mut parts, mut part, mut quote) = (Vec::new(), Part::default(), None);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match quote {
            // A message in a quoted heredoc is allowed.
            Some('"') if rest.starts_with("$(cat <<'") => length = rest.find(")\"")? + 1,
            Some('"') if rest.starts_with("$(") || c == '`' => return None,
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            None if rest.starts_with("<<'") => {
                // The lines of a heredoc are input, not commands.
                rest = rest.split('\n').next().unwrap_or_default();
            }
            None if rest.starts_with("2>&1") => length = 4,
            None if rest.starts_with("2>/dev/null") => length = 11,
            None if c == '>' => part.writes = true,
            None if rest.starts_with("&&") || rest.starts_with("||") => {
                parts.push(std::mem::take(&mut part));
                rest = &rest[2..];
                continue;
            }
            None if c == ';' || c == '|' || c == '\n' => {
                parts.push(std::mem::take(&mut part));
                rest = &rest[1..];
                continue;
            }
            None if "(){}&`".contains(c) || rest.starts_with("$(") => return None,
            Some(_) | None => {}
        }
        part.text.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    parts.push(part);
    for part in &mut parts {
        part.text = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    parts.retain(|part| !part.text.is_empty());
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(mode: &str, allowed: &[&str], disallowed: &[&str]) -> Call {
        let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        Call {
            permission_mode: Some(mode.to_owned()),
            allowed_tools: owned(allowed),
            disallowed_tools: owned(disallowed),
            ..Call::default()
        }
    }

    /// As measured with the real CLI, in both of its versions.
    #[test]
    fn commands_are_judged_as_by_the_real_cli() {
        let rules = ["Bash(cargo test *)", "Bash(git add *)", "Bash(git commit *)", "Bash(make)"];
        let table = [
            // command, in `acceptEdits`, in `default`
            ("cargo test", true, true),
            ("cargo test --all 2>&1 | tail -5", true, true),
            ("cargo tests", false, false),
            ("cargo build", false, false),
            ("make", true, true),
            ("make all", false, false),
            ("git status && git log", true, true),
            ("git add -A && git commit -m 'a && b'", true, true),
            ("git add -A && git push", false, false),
            ("git commit -m \"$(cat <<'EOF'\nFix; and more\nEOF\n)\"", true, true),
            ("git commit -F - <<'EOF'\nrm -rf\nEOF", true, true),
            ("git commit -m \"$(date)\"", false, false),
            ("git commit-tree x", false, false),
            ("git -C . commit", false, false),
            ("(cargo test)", false, false),
            ("cargo test &", false, false),
            ("cargo test > out", true, false),
            ("mkdir x", true, false),
            ("sed -i s/a/b/ f", true, false),
            ("bash -c 'cargo test'", false, false),
            ("", false, false),
        ];
        for (command, edits, plain) in table {
            for (mode, expected) in
                [("acceptEdits", edits), ("default", plain), ("bypassPermissions", true)]
            {
                let verdict =
                    judge(&call(mode, &rules, &[]), "Bash", &Try::Bash(command.to_owned()));
                assert_eq!(verdict == Verdict::Allowed, expected, "{command} in {mode}");
            }
        }
    }

    #[test]
    fn files_and_pages() {
        let write = |path: &str| Try::Write { path: path.into(), content: String::new() };
        let page = Try::WebFetch("http://localhost/".to_owned());
        let table = [
            (call("acceptEdits", &[], &[]), "Write", write("src/x.rs"), Verdict::Allowed),
            (call("acceptEdits", &[], &[]), "Write", write("../x.rs"), Verdict::Denied),
            (call("acceptEdits", &[], &[]), "Write", write("/tmp/x.rs"), Verdict::Denied),
            (call("acceptEdits", &[], &[]), "Write", write(".git/config"), Verdict::Denied),
            (call("default", &[], &[]), "Write", write("x"), Verdict::Denied),
            (call("bypassPermissions", &[], &["Write"]), "Write", write("x"), Verdict::Missing),
            (call("default", &["WebFetch"], &[]), "WebFetch", page.clone(), Verdict::Allowed),
            (call("default", &[], &[]), "WebFetch", page.clone(), Verdict::Denied),
            (call("default", &["WebFetch"], &["WebFetch"]), "WebFetch", page, Verdict::Missing),
        ];
        for (call, tool, tried, verdict) in table {
            assert_eq!(judge(&call, tool, &tried), verdict, "{tried:?} with {call:?}");
        }
    }
}
