//! Pages and workflows name scripts that exist.

use std::fs;
use std::path::Path;

/// Subcommands that come with cargo, and those that a workflow or a page installs first.
const CARGO: [&str; 14] = [
    "build",
    "check",
    "clippy",
    "doc",
    "fmt",
    "fuzz",
    "install",
    "package",
    "pkgid",
    "publish",
    "run",
    "semver-checks",
    "test",
    "tree",
];

#[test]
fn scripts_that_pages_and_workflows_name_exist_and_can_be_run() {
    let mut seen = 0;
    for (name, text) in pages().into_iter().chain(workflows()) {
        for rest in text.split("scripts/").skip(1) {
            let script = word(rest);
            if script.is_empty() {
                continue;
            }
            let path = root().join("scripts").join(script);
            assert!(path.is_file(), "{name} names scripts/{script}");
            assert!(can_be_run(&path), "scripts/{script} is not executable");
            seen += 1;
        }
    }
    assert!(seen > 10, "the pages have lost their scripts");
}

#[test]
fn workflows_call_cargo_by_subcommands_that_exist() {
    let mut seen = 0;
    for (name, text) in workflows() {
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            for rest in line.split("cargo ").skip(1) {
                // `+nightly` or `"+$version"` chooses a compiler; the subcommand follows.
                let mut words = rest.split_whitespace().filter(|word| !word.contains('+'));
                let subcommand = words.next().unwrap_or_default();
                assert!(CARGO.contains(&subcommand), "{name} calls `cargo {subcommand}`");
                seen += 1;
            }
        }
    }
    assert!(seen > 5, "the workflows have lost their commands");
}

#[test]
fn archives_have_the_name_that_binstall_looks_for() {
    let manifest = read("Cargo.toml");
    let release = read(".github/workflows/release.yml");
    assert!(manifest.contains("/{ name }-{ target }-v{ version }.tgz\""));
    // The tag is `v` and the version.
    assert!(release.contains("name=\"surefire-${{ matrix.target }}-$GITHUB_REF_NAME\""));
    assert!(release.contains("tar -czf \"$name.tgz\" \"$name\""));
}

fn pages() -> Vec<(String, String)> {
    let names = ["README.md", "CONTRIBUTING.md", "RELEASING.md", "SECURITY.md"];
    names.into_iter().map(|name| (name.to_owned(), read(name))).collect()
}

fn workflows() -> Vec<(String, String)> {
    let folder = root().join(".github/workflows");
    let entries = fs::read_dir(folder).expect("there are workflows");
    entries
        .map(|entry| {
            let path = entry.expect("it can be read").path();
            let text = fs::read_to_string(&path).expect("it was just listed");
            (path.display().to_string(), text)
        })
        .collect()
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

fn can_be_run(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
