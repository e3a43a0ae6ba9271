//! Attacks with a symbolic link instead of one of the store's files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use surefire::store::{Sqlite, Store, StoreError};
use surefire_testkit::fixtures::{commit, new_session, session};

use super::{folder, open};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_link_instead_of_a_file_is_refused_and_its_target_is_unchanged() {
    for name in ["surefire.db", "surefire.db-wal", "surefire.db-shm", "surefire.db-journal", "lock"]
    {
        let (folder, elsewhere) = (folder(), super::folder());
        commit(&open(&folder), [new_session(1, 1)]).unwrap();
        let (path, target) = (folder.path().join(name), elsewhere.path().join("precious"));
        let _ = fs::remove_file(&path);
        fs::write(&target, "another program's").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&target, &path).unwrap();
        let refused = Sqlite::open(folder.path()).unwrap_err();
        assert_eq!(refused, StoreError::Link { path: path.clone(), target: target.clone() });
        let words = refused.to_string();
        assert!(words.contains(name) && words.contains("precious"), "{words}");
        assert!(words.contains("; put the file itself in its place"), "{words}");
        assert_eq!(
            (mode(&target), fs::read(&target).unwrap()),
            (0o644, b"another program's".to_vec()),
            "{name}"
        );
        assert!(path.is_symlink(), "{name}");
        // An inspection reports the same.
        if name != "lock" {
            assert_eq!(Sqlite::inspect(folder.path()), Err(refused));
        }
    }
}

#[test]
fn nothing_is_created_behind_a_dangling_link() {
    for name in ["surefire.db", "lock"] {
        let (folder, elsewhere) = (folder(), super::folder());
        let target = elsewhere.path().join("not there");
        symlink(&target, folder.path().join(name)).unwrap();
        assert!(matches!(Sqlite::open(folder.path()), Err(StoreError::Link { .. })), "{name}");
        assert!(!target.exists(), "{name}");
    }
    let folder = folder();
    symlink("nowhere", folder.path().join("surefire.db")).unwrap();
    assert!(Sqlite::is_in(folder.path()), "a dangling link counts as a store");
}

#[test]
fn the_holder_of_a_directory_is_not_read_through_a_link() {
    let (folder, elsewhere) = (folder(), super::folder());
    let _other = open(&elsewhere);
    symlink(elsewhere.path().join("lock"), folder.path().join("lock")).unwrap();
    assert!(matches!(Sqlite::holder(folder.path()), Err(StoreError::Link { .. })));
}

#[test]
fn the_data_directory_itself_may_be_a_link() {
    let (folder, elsewhere) = (folder(), super::folder());
    let data = folder.path().join("data");
    symlink(elsewhere.path(), &data).unwrap();
    let store = Sqlite::open(&data).unwrap().store;
    commit(&store, [new_session(1, 1)]).unwrap();
    assert_eq!(store.path(), data.join("surefire.db"));
    assert_eq!(store.quarantined(), Ok(vec![]));
    assert!(
        matches!(Sqlite::open(elsewhere.path()), Err(StoreError::Held { .. })),
        "the link and its target are one directory"
    );
    drop(store);
    assert_eq!(Sqlite::inspect(&data), Ok(Some(vec![])));
    assert!(open(&elsewhere).session(session(1)).unwrap().is_some());
}

#[test]
fn a_pipe_instead_of_a_file_is_refused_at_once() {
    for name in ["surefire.db", "lock"] {
        let folder = folder();
        let pipe = folder.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let words = Sqlite::open(folder.path()).unwrap_err().to_string();
        assert!(words.contains("it is not a file"), "{words}");
    }
}
