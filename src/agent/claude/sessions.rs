//! The conversations that the CLI has stored.

use std::path::PathBuf;

use uuid::Uuid;

use super::arguments::spelled;
use super::environment::Environment;

/// Whether the CLI has a conversation with this id. It stores one under the directory it began in,
/// and finds it from any other, so all folders are searched.
///
/// A conversation can exist although no turn of it ever succeeded: the CLI stores it before it logs
/// in.
pub(super) fn exists(session: Uuid, environment: &Environment) -> bool {
    let Some(projects) = configuration(environment).map(|folder| folder.join("projects")) else {
        return false;
    };
    let name = format!("{}.jsonl", spelled(session));
    let folders = std::fs::read_dir(projects).into_iter().flatten().flatten();
    folders.map(|folder| folder.path().join(&name)).any(|file| file.is_file())
}

fn configuration(environment: &Environment) -> Option<PathBuf> {
    let chosen = environment.get("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    chosen.or_else(|| Some(PathBuf::from(environment.get("HOME")?).join(".claude")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_found_wherever_it_began() {
        let home = tempfile::tempdir().unwrap();
        let (known, unknown) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let folder = home.path().join(".claude/projects/-some-where");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{known}.jsonl")), "").unwrap();

        let plain: Environment = [("HOME".into(), home.path().into())].into_iter().collect();
        assert!(exists(known, &plain));
        assert!(!exists(unknown, &plain));

        let moved = [
            ("HOME", "/nowhere".into()),
            ("CLAUDE_CONFIG_DIR", home.path().join(".claude").into_os_string()),
        ];
        let moved: Environment =
            moved.map(|(name, value)| (name.into(), value)).into_iter().collect();
        assert!(exists(known, &moved));
        assert!(!exists(known, &Environment::default()));
    }
}
