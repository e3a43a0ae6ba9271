//! What the documents show is what the compiler says.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_errors_in_the_readme_are_the_compilers_own() {
    let readme = fs::read_to_string(root().join("README.md")).expect("there is a README");
    let answer =
        fs::read_to_string(root().join("ui-tests/fail/first_mistakes.stderr")).expect("the suite has it");
    let answer = answer.replace("fail/first_mistakes.rs", "src/main.rs");
    assert!(readme.contains(answer.trim()), "the README shows something else than:\n{answer}");
}

/// The pages that people read, beside what `cargo doc` makes.
const PAGES: [&str; 13] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "README.md",
    "STANDARDS.md",
    "benches/README.md",
    "docs/OUTCOMES.md",
    "docs/architecture/macro.md",
    "docs/architecture/stop-reasons.md",
    "docs/faults.md",
    "docs/mistakes.md",
    "docs/store.md",
    "fuzz/README.md",
    "src/server/console/README.md",
];

#[test]
fn whatever_the_documents_link_to_is_there() {
    let mut seen = 0;
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        let links = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for link in links.filter(|link| !link.is_empty() && !link.contains("://")) {
            let folder = root().join(page).with_file_name("");
            assert!(folder.join(link).exists(), "{page} links to {link}");
            seen += 1;
        }
    }
    assert!(seen > 100, "the pages have lost their links");
}

/// Run with `UPDATE_DOCS=1` to write the page anew.
#[test]
fn the_table_of_mistakes_is_current() {
    let path = root().join("docs/mistakes.md");
    let page = mistakes();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).expect("the docs can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "{} is not current: run `UPDATE_DOCS=1 cargo test --test architecture readme`",
        path.display()
    );
}

fn mistakes() -> String {
    let entries = fs::read_dir(root().join("ui-tests/fail")).expect("the suite is here");
    let mut answers: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        .collect();
    answers.sort();
    let rows: String = answers.iter().map(|answer| row(answer)).collect();
    format!(
        "# Mistakes that do not compile\n\n\
         Each file in `ui-tests/fail/` is one kind of mistake, or several in one recipe; beside it stands the compiler's whole\n\
         answer, with the place. This page lists the messages. `UPDATE_DOCS=1 cargo test --test architecture readme` writes it, and a test\n\
         keeps it current.\n\n| mistake | what the compiler says |\n|---|---|\n{rows}"
    )
}

fn row(answer: &Path) -> String {
    let name = answer.file_stem().and_then(|name| name.to_str()).expect("file names are plain");
    let text = fs::read_to_string(answer).expect("it was just listed");
    let errors = text.lines().filter(|line| line.starts_with("error"));
    let errors: Vec<_> = errors.map(|line| line.replace('|', "\\|")).collect();
    format!("| [{}](../ui-tests/fail/{name}.rs) | {} |\n", name.replace('_', " "), errors.join("<br>"))
}

#[test]
fn every_test_that_the_page_about_faults_names_exists() {
    let page = fs::read_to_string(root().join("docs/faults.md")).expect("there is such a page");
    let named: Vec<_> = page.split('`').skip(1).step_by(2).filter(|text| text.contains("::")).collect();
    assert!(named.len() > 50, "the page has lost its tests");
    for name in named {
        let path: Vec<_> = name.split("::").collect();
        let (test, modules) = path.split_last().expect("it has a name");
        // The console's tests are written in its own language.
        let (ending, written) = match modules.first() {
            Some(&"browser") => ("test.mjs", vec![format!("test(\"{test}\",")]),
            _ => ("rs", vec![format!("fn {test}()"), format!("    {test}: {{"), format!("    {test}:")]),
        };
        let file = root().join("tests").join(modules.join("/")).with_extension(ending);
        let source = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert!(written.iter().any(|form| source.contains(form)), "there is no test {name}");
    }
}
