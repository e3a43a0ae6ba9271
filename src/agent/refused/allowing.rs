//! Which permissions would allow a refused tool. The names are Claude Code's.

use super::shell::{Part, parts};
use crate::Tool;

/// Commands that the agent's program runs without permission if they only read in the working
/// directory.
const FREE: [&str; 24] = [
    "[", "basename", "cat", "cd", "date", "diff", "dirname", "echo", "false", "find", "grep",
    "head", "jq", "ls", "pwd", "rg", "sort", "stat", "tail", "test", "true", "uname", "wc",
    "which",
];
const FREE_IN_GIT: [&str; 8] =
    ["blame", "branch", "diff", "log", "ls-files", "rev-parse", "show", "status"];

/// Commands that need no permission of their own in a turn that may edit files.
const EDITING: [&str; 7] = ["cp", "mkdir", "mv", "rm", "rmdir", "sed", "touch"];

/// Commands that run their arguments, so a rule for one of them would allow everything.
const ANYTHING: [&str; 14] = [
    ".", "bash", "builtin", "command", "doas", "env", "eval", "exec", "fish", "sh", "source", "su",
    "sudo", "zsh",
];

/// Commands that run a file or a script from the command line.
const INTERPRETERS: [&str; 8] = ["bun", "deno", "node", "perl", "php", "python", "python3", "ruby"];

/// Programs whose second word says what they do.
const WITH_SUBCOMMANDS: [&str; 38] = [
    "apt",
    "apt-get",
    "bd",
    "brew",
    "bundle",
    "bun",
    "cargo",
    "composer",
    "deno",
    "docker",
    "dotnet",
    "gh",
    "git",
    "go",
    "gradle",
    "helm",
    "just",
    "kubectl",
    "make",
    "mix",
    "mvn",
    "nix",
    "npm",
    "pip",
    "pip3",
    "pnpm",
    "podman",
    "poetry",
    "rails",
    "rake",
    "rustup",
    "swift",
    "systemctl",
    "terraform",
    "tox",
    "uv",
    "xcodebuild",
    "yarn",
];

/// Wrappers before a command that the agent's program ignores.
const WRAPPERS: [&str; 4] = ["nice", "nohup", "time", "timeout"];

/// Shell keywords before a command.
const KEYWORDS: [&str; 9] = ["!", "do", "elif", "else", "if", "then", "until", "while", "{"];
/// Shell keywords that do not begin a command.
const NO_COMMANDS: [&str; 7] = ["case", "done", "esac", "fi", "for", "function", "}"];

/// Variables that may be set before a command without being part of its rule.
const FREE_VARIABLES: [&str; 6] =
    ["CI", "NODE_ENV", "NO_COLOR", "RUST_BACKTRACE", "RUST_LOG", "TZ"];

pub(super) fn tools(tool: &str, input: Option<&str>) -> Vec<Tool> {
    match tool {
        "Bash" => of_command_line(input.unwrap_or_default()),
        "Edit" | "MultiEdit" | "NotebookEdit" | "Write" => vec![Tool::Edit],
        "WebFetch" | "WebSearch" => vec![Tool::Web],
        _ => Vec::new(),
    }
}

fn of_command_line(line: &str) -> Vec<Tool> {
    let mut needed = Vec::new();
    for part in parts(line) {
        let writes = part.writes.then_some(Tool::Edit);
        for tool in of_command(&part).into_iter().chain(writes) {
            if !needed.contains(&tool) {
                needed.push(tool);
            }
        }
    }
    needed
}

fn of_command(part: &Part) -> Option<Tool> {
    let words: Vec<&str> = part.words.iter().map(String::as_str).collect();
    let (variables, words) = without_prefixes(&words);
    let (&program, arguments) = words.split_first()?;
    if NO_COMMANDS.contains(&program) || ANYTHING.contains(&program) {
        return None;
    }
    // A rule would need quotes, substitutions and escapes in their original form, which is lost.
    if !variables.iter().chain([&program]).all(|word| is_simple(word)) {
        return None;
    }
    let subcommand = arguments.first().copied().filter(|word| is_plain(word));
    let free_in_git =
        program == "git" && subcommand.is_some_and(|word| FREE_IN_GIT.contains(&word));
    if variables.is_empty() && (FREE.contains(&program) || free_in_git) {
        return None;
    }
    if EDITING.contains(&program) {
        return Some(Tool::Edit);
    }
    let mut pattern = variables;
    pattern.push(program);
    if INTERPRETERS.contains(&program) {
        pattern.extend(what_it_runs(arguments)?);
    } else if WITH_SUBCOMMANDS.contains(&program) {
        pattern.extend(subcommand);
        // `npm run build` is one command of many, `npm run` is all of them.
        if subcommand == Some("run") {
            pattern.extend(arguments.get(1).filter(|word| is_plain(word)));
        }
    }
    pattern.push("*");
    // No rule is proposed if it would not be valid.
    pattern.join(" ").parse().ok().filter(|tool| matches!(tool, Tool::Command(_)))
}

/// The variables that a rule has to name, and the command without its prefixes.
fn without_prefixes<'a>(mut words: &[&'a str]) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut variables = Vec::new();
    while let Some((&word, rest)) = words.split_first() {
        words = rest;
        if let Some((name, _)) = word.split_once('=').filter(|(name, _)| is_variable(name)) {
            if !FREE_VARIABLES.contains(&name) {
                variables.push(word);
            }
        } else if WRAPPERS.contains(&word) {
            // Skip options, and the duration or niceness.
            let number = |word: &str| word.starts_with(|c: char| c == '-' || c.is_ascii_digit());
            let end = rest.iter().position(|word| !number(word)).unwrap_or(rest.len());
            words = &rest[end..];
        } else if !KEYWORDS.contains(&word) {
            return (variables, std::iter::once(word).chain(rest.iter().copied()).collect());
        }
    }
    (variables, Vec::new())
}

/// The file, module or script that an interpreter runs. `None` for code on the command line, which
/// can be anything.
fn what_it_runs<'a>(arguments: &[&'a str]) -> Option<Vec<&'a str>> {
    match arguments {
        [module @ "-m", name, ..] => Some(vec![module, name]),
        ["run", name, ..] if is_plain(name) => Some(vec!["run", name]),
        [file, ..] if !file.starts_with('-') => Some(vec![file]),
        _ => None,
    }
}

fn is_simple(word: &str) -> bool {
    word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./:=,+@%~".contains(c))
}

fn is_variable(name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(word) && !name.starts_with(|c: char| c.is_ascii_digit())
}

/// Whether a word can be a subcommand: `commit`, `lint:fix`, not `--all`, `./x` or `$x`.
fn is_plain(word: &str) -> bool {
    let letters = |c: char| c.is_ascii_alphanumeric() || "-_:.".contains(c);
    word.starts_with(|c: char| c.is_ascii_alphanumeric()) && word.chars().all(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refused_command_names_what_would_allow_it() {
        let table: [(&str, &[&str]); 28] = [
            ("git push origin", &["git push *"]),
            ("git add -A && git commit -m 'x' && git status", &["git add *", "git commit *"]),
            ("git -C sub commit", &["git *"]),
            ("cargo", &["cargo *"]),
            ("cargo test 2>&1 | tail -5", &["cargo test *"]),
            ("cargo test > out.txt", &["cargo test *", "edit"]),
            ("npm run lint:fix -- --all", &["npm run lint:fix *"]),
            ("./scripts/check --all", &["./scripts/check *"]),
            ("/usr/local/bin/tool x", &["/usr/local/bin/tool *"]),
            ("timeout 60 cargo test", &["cargo test *"]),
            ("timeout -k 5 60s make -j4", &["make *"]),
            ("RUST_LOG=debug cargo test", &["cargo test *"]),
            ("RUSTFLAGS=-g cargo test", &["RUSTFLAGS=-g cargo test *"]),
            ("sed -i s/a/b/ f && rm g", &["edit"]),
            ("echo x > f", &["edit"]),
            ("for f in *; do wget $f; done", &["wget *"]),
            ("if make; then git push; fi", &["make *", "git push *"]),
            ("(cd sub && make)", &["make *"]),
            ("python3 -m pytest -q", &["python3 -m pytest *"]),
            ("node scripts/x.js", &["node scripts/x.js *"]),
            ("RUSTFLAGS='-C x' cargo test", &[]),
            ("$TOOL x", &[]),
            // Nothing is proposed that would allow everything.
            ("python3 -c 'import os'", &[]),
            ("bash -c 'git push'", &[]),
            ("sudo make install", &[]),
            ("env X=1 make", &[]),
            // This one was refused because of its path, not because of the command.
            ("cat /etc/passwd", &[]),
            ("", &[]),
        ];
        for (command, expected) in table {
            let needed: Vec<_> =
                tools("Bash", Some(command)).iter().map(ToString::to_string).collect();
            assert_eq!(needed, expected, "{command}");
        }
    }

    #[test]
    fn each_other_tool_has_one_permission() {
        for tool in ["Edit", "Write", "NotebookEdit", "MultiEdit"] {
            assert_eq!(tools(tool, Some("src/lib.rs")), [Tool::Edit]);
        }
        for tool in ["WebFetch", "WebSearch"] {
            assert_eq!(tools(tool, None), [Tool::Web]);
        }
        for tool in ["Read", "Task", "mcp__tracker__close", "Nonsense"] {
            assert_eq!(tools(tool, Some("x")), [], "{tool}");
        }
    }
}
