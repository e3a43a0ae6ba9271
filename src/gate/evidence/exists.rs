//! Whether a path exists.

use std::path::{Component, Path};

use super::looked::Looked;
use super::words::path as shown;

/// Whether a file or directory exists, relative to the working directory and inside `top`. A
/// symbolic link counts as its target; a target outside does not count, because it would prove
/// something about another place.
pub(super) async fn exists(directory: &Path, top: &Path, path: &str) -> Looked {
    let relative = Path::new(path);
    let inside =
        relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let named = shown(relative);
    if !inside || path.is_empty() {
        return Looked::missing(format!("`{named}` is not a path inside of the working directory"));
    }
    let joined = directory.join(relative);
    let (Ok(top), found) =
        (tokio::fs::canonicalize(top).await, tokio::fs::canonicalize(&joined).await)
    else {
        return Looked::missing(format!("`{}`, the working directory, is not there", shown(top)));
    };
    match found {
        Ok(found) if found.starts_with(&top) => Looked::met(format!("`{named}` is there")),
        Ok(_) => Looked::missing(format!(
            "`{named}` leads out of the work tree, through a symbolic link"
        )),
        Err(_) if joined.is_symlink() => {
            Looked::missing(format!("`{named}` is a symbolic link that leads nowhere"))
        }
        Err(_) => Looked::missing(format!("`{named}` is not there")),
    }
}
