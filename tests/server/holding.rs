//! Who holds a data directory, and what somebody else who wants it is told.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{ApiKey, BindError, Server, ServerBuilder};
use surefire::store::{Holder, Sqlite, StoreError};
use surefire_testkit::app::KEY;

fn builder(data: &Path) -> ServerBuilder {
    let agent = Arc::new(Rehearsal::new(Script::Happy));
    Server::builder().recipes(BUNDLED).agent(agent).data(data).listen(([127, 0, 0, 1], 0))
}

#[tokio::test]
async fn whoever_holds_the_data_says_where_it_is_and_which_file_has_the_key() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let key = || ApiKey::parse(KEY).unwrap();
    let elsewhere = place.path().join("key");
    let table = [
        (builder(&data), Some(data.join("api-key"))),
        (builder(&data).key_file(&elsewhere), Some(elsewhere)),
        (builder(&data).key(key()), None),
    ];
    for (builder, key_file) in table {
        let server = builder.bind().await.unwrap();
        let address = Some(server.address().to_string());
        let holder = Holder { pid: Some(std::process::id()), address, key_file };
        assert_eq!(Sqlite::holder(&data), Ok(Some(holder)));
        drop(server);
        assert_eq!(Sqlite::holder(&data), Ok(None));
    }
}

#[tokio::test]
async fn a_key_file_is_named_so_that_it_is_found_from_everywhere() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    std::fs::create_dir(&data).unwrap();
    // Nobody's directory may be changed in the middle of a test, so this one leads out of wherever this runs.
    let up =
        std::env::current_dir().unwrap().components().skip(1).map(|_| "..").collect::<std::path::PathBuf>();
    let relative = up.join(data.strip_prefix("/").unwrap()).join("key");
    let _server = builder(&data).key_file(&relative).bind().await.unwrap();
    let noted = Sqlite::holder(&data).unwrap().unwrap().key_file.unwrap();
    assert!(noted.is_absolute(), "{}", noted.display());
    assert_eq!(noted.canonicalize().unwrap(), relative.canonicalize().unwrap());
}

#[tokio::test]
async fn a_directory_that_is_held_is_named_before_a_port_that_is_taken() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let first = builder(&data).bind().await.unwrap();
    for address in [first.address(), ([127, 0, 0, 1], 0).into()] {
        let refused = builder(&data).listen(address).bind().await.unwrap_err();
        let BindError::Store(StoreError::Held { path, holder }) = refused else { panic!("{refused}") };
        assert_eq!((path, holder.address), (data.clone(), Some(first.address().to_string())));
    }
}

#[tokio::test]
async fn a_port_that_is_taken_leaves_the_data_as_it_was() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    drop(builder(&data).bind().await.unwrap());
    let files = || -> BTreeMap<_, _> {
        let files = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
        files.filter(|path| path.is_file()).map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
    };
    let before = files();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = builder(&data).listen(taken.local_addr().unwrap()).bind().await.unwrap_err();
    assert!(matches!(refused, BindError::Address { .. }), "{refused}");
    assert!(before.len() > 2 && before == files());
}
