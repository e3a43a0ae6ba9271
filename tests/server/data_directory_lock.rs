//! The lock of a data directory, and the error for a second process.

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
async fn the_lock_names_its_holders_address_and_key_file() {
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
async fn the_lock_names_the_key_file_by_its_absolute_path() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    std::fs::create_dir(&data).unwrap();
    // Tests share one current directory, so this path leads out of it instead of changing it.
    let up = std::env::current_dir()
        .unwrap()
        .components()
        .skip(1)
        .map(|_| "..")
        .collect::<std::path::PathBuf>();
    let relative = up.join(data.strip_prefix("/").unwrap()).join("key");
    let _server = builder(&data).key_file(&relative).bind().await.unwrap();
    let recorded = Sqlite::holder(&data).unwrap().unwrap().key_file.unwrap();
    assert!(recorded.is_absolute(), "{}", recorded.display());
    assert_eq!(recorded.canonicalize().unwrap(), relative.canonicalize().unwrap());
}

#[tokio::test]
async fn a_locked_directory_is_reported_before_a_port_in_use() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let first = builder(&data).bind().await.unwrap();
    for address in [first.address(), ([127, 0, 0, 1], 0).into()] {
        let refused = builder(&data).listen(address).bind().await.unwrap_err();
        let BindError::Store(StoreError::Held { path, holder }) = refused else {
            panic!("{refused}")
        };
        assert_eq!((path, holder.address), (data.clone(), Some(first.address().to_string())));
    }
}

#[tokio::test]
async fn a_port_in_use_leaves_the_data_unchanged() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    drop(builder(&data).bind().await.unwrap());
    let files = || -> BTreeMap<_, _> {
        let files = std::fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path());
        files
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), std::fs::read(path).unwrap()))
            .collect()
    };
    let before = files();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let refused = builder(&data).listen(taken.local_addr().unwrap()).bind().await.unwrap_err();
    assert!(matches!(refused, BindError::Address { .. }), "{refused}");
    assert!(before.len() > 2 && before == files());
}
