//! Lists the tools that agents may use here in addition to those that each step declares.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::finding::Finding;
use crate::Tool;
use crate::cli::usage::program::program_name;

const CHECK: &str = "tools";

/// Rules that allow every command. Rules for editing tools do not matter: a step that may not edit
/// never gets those tools.
const EVERY_COMMAND: [&str; 4] = ["Bash", "Bash(*)", "Bash(:*)", "*"];

/// The part of Claude Code's settings that matters here.
#[derive(Deserialize, Default)]
#[serde(default)]
struct ClaudeSettings {
    permissions: Permissions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Permissions {
    allow: Vec<String>,
    deny: Vec<String>,
}

/// `allowed` is what the operator adds for all recipes. The user's Claude Code rules apply only if
/// Claude Code is the agent.
pub(super) fn check(allowed: &[Tool], claude: bool) -> Finding {
    let mut words = vec![format!("each step lists its own: `{} show <recipe>`", program_name())];
    if !allowed.is_empty() {
        words.push(format!(
            "allowed by your settings: {}",
            listed(allowed.iter().map(Tool::to_string))
        ));
    }
    let file = settings_file().filter(|_| claude).unwrap_or_default();
    let Permissions { allow, deny } = match rules(&file) {
        Ok(rules) => rules,
        Err(why) => {
            return Finding::doubtful(CHECK, why, "fix that file; Claude Code reads it too");
        }
    };
    let wide: Vec<_> =
        allow.iter().filter(|rule| EVERY_COMMAND.contains(&rule.as_str())).cloned().collect();
    for (what, rules) in [("allowed", allow), ("denied", deny)] {
        if !rules.is_empty() {
            words.push(format!(
                "{what} by your Claude Code settings: {}",
                listed(rules.into_iter())
            ));
        }
    }
    let words = words.join("; ");
    if wide.is_empty() {
        return Finding::good(CHECK, words);
    }
    let fix = format!(
        "while {} is allowed, even steps that may not edit can write files with commands; allow \
         narrower patterns in `{}`",
        listed(wide.into_iter()),
        file.display()
    );
    Finding::doubtful(CHECK, words, fix)
}

fn listed(rules: impl Iterator<Item = String>) -> String {
    rules.map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", ")
}

/// The file with the user's Claude Code settings.
fn settings_file() -> Option<PathBuf> {
    let chosen = std::env::var_os("CLAUDE_CONFIG_DIR")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from);
    let folder = chosen.or_else(|| std::env::home_dir().map(|home| home.join(".claude")))?;
    Some(folder.join("settings.json"))
}

/// The rules in that file; none if it does not exist.
fn rules(file: &Path) -> Result<Permissions, String> {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(Permissions::default());
        }
        Err(error) => return Err(format!("`{}` cannot be read: {error}", file.display())),
    };
    let settings = serde_json::from_str::<ClaudeSettings>(&text);
    settings
        .map(|settings| settings.permissions)
        .map_err(|error| format!("`{}` cannot be understood: {error}", file.display()))
}
