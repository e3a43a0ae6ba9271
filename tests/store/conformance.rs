//! Both stores pass the conformance tests that every store must pass.

mod memory {
    use surefire::store::Memory;

    surefire_testkit::store_conformance!(|test| test(&Memory::default()));
}

mod sqlite {
    use surefire::store::Sqlite;

    surefire_testkit::store_conformance!(|test| {
        let folder = tempfile::tempdir().unwrap();
        test(&Sqlite::open(folder.path()).unwrap().store);
    });
}
