//! Files that a run may change only with explicit permission.

/// The lockfiles of package managers, in any directory: changing one changes what a project depends
/// on.
pub const LOCKFILES: [&str; 29] = [
    "Cargo.lock",
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "deno.lock",
    "go.sum",
    "go.work.sum",
    "Gemfile.lock",
    "poetry.lock",
    "Pipfile.lock",
    "uv.lock",
    "pdm.lock",
    "composer.lock",
    "mix.lock",
    "pubspec.lock",
    "Podfile.lock",
    "Package.resolved",
    "Cartfile.resolved",
    "flake.lock",
    "gradle.lockfile",
    "buildscript-gradle.lockfile",
    "packages.lock.json",
    "paket.lock",
    ".terraform.lock.hcl",
    "conan.lock",
    "MODULE.bazel.lock",
];

/// The files that trust in a repository depends on, relative to its top and sorted by path: they
/// can name commands that run without confirmation.
pub const TRUSTED_FILES: [&str; 4] =
    [".claude/settings.json", ".claude/settings.local.json", ".mcp.json", "surefire.toml"];

/// Whether this path has the name of a lockfile.
pub(super) fn is_lockfile(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    LOCKFILES.contains(&name)
}

/// Whether this is one of the [`TRUSTED_FILES`], or leads to one: if `.claude` is a symbolic link,
/// the agent reads its settings from the target.
///
/// Case is ignored, because the file system that the repository is cloned to may ignore it too.
pub(super) fn is_trusted(path: &str) -> bool {
    TRUSTED_FILES.iter().any(|file| {
        let above = file.split_once('/').map(|(folder, _)| folder);
        path.eq_ignore_ascii_case(file)
            || above.is_some_and(|folder| path.eq_ignore_ascii_case(folder))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lockfile_is_recognized_in_every_directory() {
        for path in LOCKFILES {
            assert!(is_lockfile(path) && is_lockfile(&format!("crates/deep/{path}")), "{path}");
        }
        for path in ["cargo.lock", "Cargo.lock.orig", "Cargo.lock/x", "my-Cargo.lock", "lock"] {
            assert!(!is_lockfile(path), "{path}");
        }
    }

    #[test]
    fn only_files_at_the_top_affect_trust() {
        for path in
            TRUSTED_FILES.into_iter().chain([".claude", ".Claude/Settings.json", "Surefire.toml"])
        {
            assert!(is_trusted(path), "{path}");
        }
        for path in [
            "sub/surefire.toml",
            ".claude/commands/x.md",
            "claude",
            ".mcp.json/x",
            "surefire.toml.bak",
        ] {
            assert!(!is_trusted(path), "{path}");
        }
        assert!(TRUSTED_FILES.is_sorted());
    }
}
