//! Where things are kept.

use std::path::PathBuf;

/// The platform's directory for a program's data.
pub(super) fn usual_directory() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    if cfg!(target_os = "macos") {
        return Some(home.join("Library/Application Support/surefire"));
    }
    let named = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    Some(named.unwrap_or_else(|| home.join(".local/share")).join("surefire"))
}
