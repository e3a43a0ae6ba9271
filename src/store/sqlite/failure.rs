//! Converting SQLite's errors.

use rusqlite::ErrorCode;

use crate::store::StoreError;

/// A [`StoreError`] inside this module. It lets `?` convert SQLite's errors without making them
/// part of the public API.
#[derive(Debug)]
pub(super) struct Failure(StoreError);

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        failure.0
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        if is_damage(&error) {
            return Self(StoreError::Damaged { what: error.to_string() });
        }
        if is_unreadable(&error) {
            return Self(StoreError::Unreadable { what: error.to_string() });
        }
        Self(match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked,
            _ => StoreError::Failed { why: error.to_string() },
        })
    }
}

/// Whether the file itself is damaged, not just this attempt to use it.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Whether a row cannot be decoded, while the file itself is intact.
pub(super) fn is_unreadable(error: &rusqlite::Error) -> bool {
    matches!(
        error,
        rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::Utf8Error(..)
    )
}
