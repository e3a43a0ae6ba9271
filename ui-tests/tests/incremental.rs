//! Incremental builds of a crate with a recipe, after its file has grown.
//!
//! The compiler compares everything that it reads back from the earlier build, and aborts if it
//! differs. By default it does so for a few items only, so that a mistake would be noticed now and
//! then.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const RECIPE: &str = r#"
surefire::recipe! {
    pub recipe Loaf {
        initial: Bake,
        guardrails: { max_step_visits: 3 },
        step Bake { prompt: "Bake.", outcomes: [Baked, Burnt], Baked => Taste, Burnt => Bake }
        step Taste { prompt: "Taste.", outcomes: [Good], Good => exit TaskCommitted }
    }
}
"#;

/// More than all sources of the library and its dependencies that lie behind the file in the
/// compiler's memory.
const GROWTH: usize = 4 << 20;

#[test]
fn a_file_that_grows_can_be_built_again() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("incremental");
    fs::create_dir_all(directory.join("src")).expect("the directory is writable");
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = format!(
        "[package]\nname = \"grows\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         [dependencies]\nsurefire = {{ path = {library:?}, default-features = false }}\n\n\
         [workspace]\n"
    );
    fs::write(directory.join("Cargo.toml"), manifest).expect("the directory is writable");
    fs::copy(library.join("Cargo.lock"), directory.join("Cargo.lock")).expect("it has a lock file");
    let build = |source: &str| {
        fs::write(directory.join("src/lib.rs"), source).expect("the directory is writable");
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo
            .args(["build", "--offline", "--quiet"])
            .current_dir(&directory)
            .env("CARGO_TARGET_DIR", directory.join("target"))
            .env("CARGO_INCREMENTAL", "1")
            // The stable compiler takes the option below only so.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", "-Zincremental-verify-ich");
        let output = cargo.output().expect("cargo can be started");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
    };
    build(RECIPE);
    build(&format!("{RECIPE}\n// {}\n", "longer ".repeat(GROWTH / 7)));
}
