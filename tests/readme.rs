//! What the README shows is what the compiler says.

use std::fs;
use std::path::Path;

#[test]
fn the_errors_in_the_readme_are_the_compilers_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("there is a README");
    let answer =
        fs::read_to_string(root.join("ui-tests/fail/first_mistakes.stderr")).expect("the suite has it");
    let answer = answer.replace("fail/first_mistakes.rs", "src/main.rs");
    assert!(readme.contains(answer.trim()), "the README shows something else than:\n{answer}");
}
