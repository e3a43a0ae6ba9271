//! Where the operator's own prompts are: beside the configuration file.
//!
//! The platform's configuration directory belongs to the operator. A file that an option or a
//! variable names may lie in a repository, where anyone who can write to it could change
//! prompts; so no prompts are read beside such a file.

use std::path::{Path, PathBuf};

use super::file;
use super::surroundings::Surroundings;
use crate::engine::PromptFiles;

/// The folder beside the configuration file.
const FOLDER: &str = "prompts";

/// Where the operator's own prompts are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum PromptDirectory {
    /// In this directory, whether it exists or not.
    At(PathBuf),
    /// Nowhere: the named configuration file lies in a repository.
    InRepository {
        /// Where they would be.
        directory: PathBuf,
        /// The top of the work tree.
        top: PathBuf,
    },
    /// Nowhere: there is no home directory.
    NoHome,
}

impl PromptDirectory {
    /// The files, if there may be any.
    pub(in crate::cli) fn files(&self) -> Option<PromptFiles> {
        match self {
            Self::At(directory) => Some(PromptFiles::new(directory)),
            Self::InRepository { .. } | Self::NoHome => None,
        }
    }
}

/// The directory for the configuration file that is named, or else for the platform's.
pub(in crate::cli) fn prompt_directory(config: Option<&Path>) -> PromptDirectory {
    within(&Surroundings::of_process(), config)
}

fn within(surroundings: &Surroundings, config: Option<&Path>) -> PromptDirectory {
    let Some(place) = file::place(surroundings, config) else { return PromptDirectory::NoHome };
    let folder = place.path.parent().unwrap_or(&place.path);
    let directory = folder.join(FOLDER);
    let top = place.named.and_then(|_| top_of_work_tree(&directory));
    match top {
        Some(top) => PromptDirectory::InRepository { directory, top },
        None => PromptDirectory::At(directory),
    }
}

/// The top of the work tree that a directory is in, as it is written or behind its links.
fn top_of_work_tree(directory: &Path) -> Option<PathBuf> {
    let real = directory.ancestors().find_map(|it| it.canonicalize().ok());
    let written = directory.ancestors().map(Path::to_owned);
    let real = real.iter().flat_map(|real| real.ancestors()).map(Path::to_owned);
    written.chain(real).find(|it| it.join(".git").symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_in_a_repository_has_no_prompts_and_the_platforms_directory_has() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        for name in ["shop/.git", "shop/ci", "plain", ".config/surefire"] {
            std::fs::create_dir_all(base.join(name)).unwrap();
        }
        std::os::unix::fs::symlink(base.join("shop/ci"), base.join("link")).unwrap();
        let at = |config: Option<&str>, home: Option<&str>| {
            let variables = home.map(|home| ("XDG_CONFIG_HOME".into(), base.join(home).into()));
            let home = home.map(|home| base.join(home));
            let surroundings = Surroundings { variables: variables.into_iter().collect(), home };
            within(&surroundings, config.map(|config| base.join(config)).as_deref())
        };
        let top = base.join("shop");
        for config in ["shop/config.toml", "shop/ci/gone/config.toml", "link/config.toml"] {
            let found = at(Some(config), None);
            let directory = base.join(config).with_file_name(FOLDER);
            let expected = PromptDirectory::InRepository { directory, top: top.clone() };
            assert_eq!(found, expected, "{config}");
            assert_eq!(found.files(), None);
        }
        let expected = PromptDirectory::At(base.join("plain/prompts"));
        assert_eq!(at(Some("plain/config.toml"), None), expected);
        // The operator keeps the configuration directory itself in a repository.
        std::fs::create_dir(base.join(".config/.git")).unwrap();
        if cfg!(not(target_os = "macos")) {
            let expected = PromptDirectory::At(base.join(".config/surefire/prompts"));
            assert_eq!(at(None, Some(".config")), expected);
        }
        assert_eq!(at(None, None), PromptDirectory::NoHome);
    }
}
