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
fn the_key_is_made_once_for_its_owner_alone_and_the_server_takes_it() {
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
    let complaint = place.run(&words).complaint(1);
    assert!(complaint.contains("can be read by others") && !complaint.contains(old.trim()), "{complaint}");

    let said = place.run(&["key", "--rotate", "--key-file", file.to_str().unwrap()]);
    assert!(said.status == 0 && said.out != old && said.out.lines().count() == 1, "{said:?}");
    assert!(said.err.contains("every client has to pair again"), "{}", said.err);
    assert!(said.err.contains("until it is restarted"), "{}", said.err);
    assert_eq!(mode(&file), 0o600);
    assert_eq!(place.run(&words).ok(), said.out);
    assert!(!place.data().exists(), "everything that is kept is elsewhere");
}

#[test]
fn whoever_makes_a_new_key_learns_which_server_still_has_the_old_one() {
    let place = Place::new();
    let server = Serving::begin(&place, &[]);
    let said = place.run(&["key", "--rotate"]);
    let words = format!("Restart the server with pid {} at 127.0.0.1:", server.child.id());
    assert!(said.status == 0 && said.err.contains(&words), "{}", said.err);
}

#[test]
fn nobody_is_told_to_change_the_rights_of_a_folder() {
    let place = Place::new();
    for words in [&["key", "--key-file", "."][..], &["key", "--key-file", "/dev/null"]] {
        let complaint = place.run(words).complaint(1);
        assert!(complaint.contains("it is no file") && !complaint.contains("chmod"), "{complaint}");
    }
    let complaint = place.run(&["key", "--rotate", "--key-file", "/dev/null/key"]).complaint(1);
    assert!(complaint.starts_with("error: there is no new key\n"), "{complaint}");
}

#[test]
fn a_picture_that_does_not_fit_is_not_shown_without_a_word() {
    let place = Place::new();
    let narrow = in_terminal(&mut place.surefire(&["key", "--qr"]), 36, "").1;
    assert!(narrow.contains("The picture needs 37 columns"), "{narrow}");
    assert!(!in_terminal(&mut place.surefire(&["key", "--qr"]), 37, "").1.contains("columns"));
}

#[test]
fn the_picture_is_shown_instead_of_the_key() {
    let place = Place::new();
    let key = place.run(&["key"]).ok();
    let picture = place.run(&["key", "--qr"]).ok();
    assert!(!picture.contains(key.trim()) && picture.lines().count() == 19, "{picture}");
    assert!(picture.lines().all(|line| line.chars().all(|c| " ▀▄█".contains(c))), "{picture}");
    assert_eq!(place.run(&["key", "--qr"]).ok(), picture);
    assert_ne!(place.run(&["key", "--qr", "--rotate"]).out, picture);
}
