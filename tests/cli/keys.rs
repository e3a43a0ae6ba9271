//! `surefire key`.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use crate::command::Place;
use crate::serving::Serving;
use crate::terminal::in_terminal;

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").mode() & 0o777
}

#[test]
fn the_key_is_created_once_for_its_owner_only_and_the_server_accepts_it() {
    let place = Place::new();
    let key = place.run(&["key"]).ok();
    assert!(key.starts_with("untethered-") && key.trim_end().len() == 43, "{key}");
    assert_eq!((mode(&place.data()), mode(&place.data().join("api-key"))), (0o700, 0o600));
    assert_eq!(place.run(&["key"]).ok(), key);

    let server = Serving::begin(&place, &["--json"]);
    let ready: serde_json::Value = serde_json::from_str(&server.lines[0]).unwrap();
    let file = std::fs::read_to_string(ready["key_file"].as_str().unwrap()).unwrap();
    assert_eq!(file, key);
}

#[test]
fn a_new_key_replaces_the_old_one() {
    let place = Place::new();
    let file = place.path().join("my-key");
    let words = ["key", "--key-file", file.to_str().unwrap()];
    let old = place.run(&words).ok();
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    let error = place.run(&words).failure(1);
    assert!(error.contains("can be read by others") && !error.contains(old.trim()), "{error}");

    let output = place.run(&["key", "--rotate", "--key-file", file.to_str().unwrap()]);
    assert!(
        output.status == 0 && output.stdout != old && output.stdout.lines().count() == 1,
        "{output:?}"
    );
    assert!(output.stderr.contains("every client has to pair again"), "{}", output.stderr);
    assert!(output.stderr.contains("until it is restarted"), "{}", output.stderr);
    assert_eq!(mode(&file), 0o600);
    assert_eq!(place.run(&words).ok(), output.stdout);
    assert!(!place.data().exists(), "the data directory is not created for that");
}

#[test]
fn rotating_the_key_names_the_server_that_still_uses_the_old_one() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let output = place.run(&["key", "--rotate"]);
    let words = format!("Restart the server with pid {} at 127.0.0.1:", server.child.id());
    assert!(output.status == 0 && output.stderr.contains(&words), "{}", output.stderr);
}

#[test]
fn a_key_path_that_is_not_a_file_does_not_suggest_chmod() {
    let place = Place::new();
    for words in [&["key", "--key-file", "."][..], &["key", "--key-file", "/dev/null"]] {
        let error = place.run(words).failure(1);
        assert!(error.contains("it is not a file") && !error.contains("chmod"), "{error}");
    }
    let error = place.run(&["key", "--rotate", "--key-file", "/dev/null/key"]).failure(1);
    assert!(error.starts_with("error: the key was not replaced\n"), "{error}");
}

#[test]
fn a_qr_code_that_does_not_fit_the_terminal_is_reported() {
    let place = Place::new();
    let narrow = in_terminal(&mut place.surefire(&["key", "--qr"]), 36, "").1;
    assert!(narrow.contains("The QR code needs 37 columns"), "{narrow}");
    assert!(!in_terminal(&mut place.surefire(&["key", "--qr"]), 37, "").1.contains("columns"));
}

#[test]
fn the_qr_code_is_shown_instead_of_the_key() {
    let place = Place::new();
    let key = place.run(&["key"]).ok();
    let picture = place.run(&["key", "--qr"]).ok();
    assert!(!picture.contains(key.trim()) && picture.lines().count() == 19, "{picture}");
    assert!(picture.lines().all(|line| line.chars().all(|c| " ▀▄█".contains(c))), "{picture}");
    assert_eq!(place.run(&["key", "--qr"]).ok(), picture);
    assert_ne!(place.run(&["key", "--qr", "--rotate"]).stdout, picture);
}
