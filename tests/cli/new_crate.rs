//! `surefire new`: a crate with a recipe. `scripts/package` builds one, and runs its tests.

use crate::command::Place;

#[test]
fn a_new_crate_has_a_recipe_its_prompts_and_a_main() {
    let place = Place::new();
    let output = place.run(&["new", "my-recipes"]).ok();
    assert!(output.contains("\n  cd my-recipes\n  cargo test\n"), "{output}");
    let read = |file| std::fs::read_to_string(place.project().join("my-recipes").join(file));
    let manifest = read("Cargo.toml").unwrap();
    assert!(manifest.contains("name = \"my-recipes\"\n"), "{manifest}");
    let path = format!("surefire = {{ path = {:?} }}\n", env!("CARGO_MANIFEST_DIR"));
    assert!(manifest.contains(&path), "{manifest}");
    let main = read("src/main.rs").unwrap();
    assert!(main.contains("surefire::cli::main(surefire::catalog![TidyUp])"), "{main}");
    for file in ["src/improve.md", "src/review.md", "src/commit.md", ".gitignore"] {
        let text = read(file).unwrap();
        assert!(!text.is_empty() && !text.contains("{{"), "{file}");
    }
}

#[test]
fn a_folder_with_something_in_it_and_a_bad_name_are_refused() {
    let place = Place::new();
    std::fs::create_dir(place.project().join("full")).unwrap();
    std::fs::write(place.project().join("full/notes"), "mine").unwrap();
    let error = place.run(&["new", "full"]).failure(64);
    assert!(error.contains("`full` exists and is not empty"), "{error}");
    assert_eq!(std::fs::read_dir(place.project().join("full")).unwrap().count(), 1);
    let error = place.run(&["new", "2nd try"]).failure(64);
    assert!(error.contains("`2nd try` is not a valid crate name"), "{error}");
    assert!(error.contains("`surefire new my-2nd-try`"), "{error}");
    assert!(!place.project().join("2nd try").exists());
    std::fs::create_dir(place.project().join("empty")).unwrap();
    place.run(&["new", "empty"]).ok();
}
