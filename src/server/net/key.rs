//! The key that a client has to know.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::process::geteuid;
use subtle::ConstantTimeEq;

use crate::recipe::advice;
use crate::{Advise, Remedy};

/// What every key begins with; the app accepts no other.
const PREFIX: &str = "untethered-";

/// How many hexadecimal digits follow: 128 bits.
const DIGITS: usize = 32;

/// Hexadecimal digits from the system's source of randomness: 128 bits.
pub(super) fn random_digits() -> Result<String, KeyError> {
    let mut bytes = [0; DIGITS / 2];
    getrandom::fill(&mut bytes)
        .map_err(|error| KeyError::NoRandomness { why: error.to_string() })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A key: `untethered-` and 32 lowercase hexadecimal digits.
///
/// It is never shown by accident: `Debug` hides it, and there is no `Display`.
///
/// ```
/// use surefire::server::ApiKey;
///
/// let key = ApiKey::parse("untethered-00112233445566778899aabbccddeeff").unwrap();
/// assert!(key.matches("untethered-00112233445566778899aabbccddeeff"));
/// assert!(!key.matches("untethered-"));
/// assert_eq!(format!("{key:?}"), "ApiKey(…)");
/// ```
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// A new key, from the system's source of randomness.
    ///
    /// # Errors
    /// The system's source of randomness failed.
    pub fn generate() -> Result<Self, KeyError> {
        Ok(Self(format!("{PREFIX}{}", random_digits()?)))
    }

    /// Parses a key; `None` if it is not one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let plain = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        (digits.len() == DIGITS && plain).then(|| Self(text.to_owned()))
    }

    /// Whether this is the key, compared in constant time.
    #[must_use]
    pub fn matches(&self, candidate: &str) -> bool {
        self.0.as_bytes().ct_eq(candidate.as_bytes()).into()
    }

    /// The key itself, to be shown to its owner.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Reads the key in this file; if the file does not exist, creates it with a new key.
    ///
    /// Only its owner can read the file from the moment it is created; a file that other users can
    /// read is refused, and so is a link.
    ///
    /// # Errors
    /// The file cannot be created or read, is a link, can be read by other users, or holds no key.
    pub fn in_file(path: &Path) -> Result<Self, KeyError> {
        let unusable = unusable(path);
        if std::fs::symlink_metadata(path).is_ok() {
            return Self::read(path);
        }
        create_parent(path).map_err(&unusable)?;
        let key = Self::generate()?;
        // A hard link fails if the file exists: of several processes that create a key at once, one
        // succeeds and the others read its key.
        match key.write_and_place(path, |temporary, path| std::fs::hard_link(temporary, path)) {
            Ok(()) => Ok(key),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Self::read(path),
            Err(error) => Err(unusable(error)),
        }
    }

    /// Writes a new key to this file, whatever was in it before. A process that reads the file
    /// meanwhile gets the old key or the new one, never a part of one.
    ///
    /// A running server keeps the key that it has read.
    ///
    /// # Errors
    /// The file cannot be created, or is a link. In both cases nothing has changed.
    ///
    /// ```
    /// use surefire::server::ApiKey;
    ///
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let path = folder.path().join("api-key");
    /// let old = ApiKey::in_file(&path)?;
    /// let new = ApiKey::rotate(&path)?;
    /// assert!(!new.matches(old.reveal()) && new.matches(ApiKey::read(&path)?.reveal()));
    /// # Ok::<(), surefire::server::KeyError>(())
    /// ```
    pub fn rotate(path: &Path) -> Result<Self, KeyError> {
        let unusable = unusable(path);
        if let Some(link) = link(path) {
            return Err(link);
        }
        create_parent(path).map_err(&unusable)?;
        let key = Self::generate()?;
        key.write_and_place(path, |temporary, path| std::fs::rename(temporary, path))
            .map_err(unusable)?;
        Ok(key)
    }

    /// Reads the key in this file, which has to exist and be private to its owner.
    ///
    /// # Errors
    /// The file cannot be read, is a link, belongs to another user, can be read by other users, or
    /// holds no key.
    pub fn read(path: &Path) -> Result<Self, KeyError> {
        let unusable = unusable(path);
        // NONBLOCK, because opening a named pipe would block.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let opened = OpenOptions::new().read(true).custom_flags(flags).open(path);
        let file = opened.map_err(|error| match link(path) {
            Some(link) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => link,
            Some(_) | None => unusable(error),
        })?;
        // Of the open file, not of the path, which may name another file by now.
        let metadata = file.metadata().map_err(&unusable)?;
        // The remedy (chmod) must never be suggested for a directory or a device.
        if !metadata.is_file() {
            return Err(unusable(std::io::Error::other("it is not a file")));
        }
        // The file's owner can read and change the key. Root is allowed because system services
        // write keys as root.
        if ![geteuid().as_raw(), 0].contains(&metadata.uid()) {
            return Err(unusable(std::io::Error::other("it belongs to another user")));
        }
        let mode = metadata.mode();
        if mode & 0o077 != 0 {
            return Err(KeyError::Readable { path: path.to_owned(), mode: mode & 0o777 });
        }
        let mut text = String::new();
        file.take(1024).read_to_string(&mut text).map_err(unusable)?;
        Self::parse(text.trim()).ok_or_else(|| KeyError::NoKey { path: path.to_owned() })
    }

    /// Writes the key to a temporary file beside this one, then moves it into place: no process
    /// ever reads half a key.
    fn write_and_place(
        &self,
        path: &Path,
        place: fn(&Path, &Path) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}", uuid::Uuid::new_v4().simple()));
        let temporary = path.with_file_name(name);
        let result = create(&temporary)
            .and_then(|file| self.write(file))
            .and_then(|()| place(&temporary, path));
        // After a rename there is nothing left to remove.
        let _ = std::fs::remove_file(&temporary);
        result
    }

    fn write(&self, mut file: File) -> std::io::Result<()> {
        writeln!(file, "{}", self.0)?;
        file.sync_all()
    }
}

/// Creates the directory of a key file.
fn create_parent(path: &Path) -> std::io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder),
        None => Ok(()),
    }
}

/// Creates a new file that is private to its owner from the start.
fn create(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// The error for a key file that is a link, if it is one.
fn link(path: &Path) -> Option<KeyError> {
    let target = std::fs::read_link(path).ok()?;
    Some(KeyError::Link { path: path.to_owned(), target })
}

fn unusable(path: &Path) -> impl Fn(std::io::Error) -> KeyError {
    move |error| KeyError::Unusable { path: path.to_owned(), why: error.to_string() }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Why the key cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The system's source of randomness failed.
    #[error("a key could not be made: {why}{}", advice(self))]
    NoRandomness {
        /// The system's error message.
        why: String,
    },
    /// The file cannot be used.
    #[error("the key file `{}` cannot be used: {why}{}", path.display(), advice(self))]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The system's error message.
        why: String,
    },
    /// The file is a link.
    #[error(
        "the key file `{}` is a link to `{}`, and may not be one{}",
        path.display(), target.display(), advice(self)
    )]
    Link {
        /// The link.
        path: PathBuf,
        /// Its target.
        target: PathBuf,
    },
    /// Other users can read the file.
    #[error("the key file `{}` can be read by others (mode {mode:o}){}", path.display(), advice(self))]
    Readable {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// There is no key in the file.
    #[error("the key file `{}` holds no key{}", path.display(), advice(self))]
    NoKey {
        /// The file.
        path: PathBuf,
    },
}

impl Advise for KeyError {
    fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::NoRandomness { .. } => Remedy::Again,
            Self::Unusable { .. } => Remedy::OtherKeyFile,
            Self::Link { .. } => Remedy::LinkedKeyFile,
            Self::Readable { .. } => Remedy::RestrictKeyFile,
            Self::NoKey { .. } => Remedy::DeleteKeyFile,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn keys_have_one_form() {
        let good = format!("{PREFIX}{}", "0a".repeat(16));
        let table = [
            (good.clone(), true),
            (good.to_uppercase(), false),
            (good[..good.len() - 1].to_owned(), false),
            (format!("{good}0"), false),
            (format!("{good} "), false),
            ("0a".repeat(16), false),
            (String::new(), false),
        ];
        for (text, is_key) in table {
            assert_eq!(ApiKey::parse(&text).is_some(), is_key, "{text}");
        }
        let (one, other) = (ApiKey::generate().unwrap(), ApiKey::generate().unwrap());
        assert_eq!(one.reveal().len(), 43);
        assert!(ApiKey::parse(one.reveal()).is_some() && !one.matches(other.reveal()));
    }

    #[test]
    fn a_key_file_is_created_once_and_is_private_to_its_owner() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data/api-key");
        let key = ApiKey::in_file(&path).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert!(ApiKey::in_file(&path).unwrap().matches(key.reveal()));

        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let refused = ApiKey::in_file(&path).unwrap_err();
        assert_eq!(refused, KeyError::Readable { path: path.clone(), mode: 0o640 });
        assert!(!refused.to_string().contains(key.reveal()));

        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        std::fs::write(&path, "secret").unwrap();
        assert_eq!(ApiKey::in_file(&path).unwrap_err(), KeyError::NoKey { path });
    }

    #[test]
    fn callers_that_create_a_key_at_once_all_get_the_same_one() {
        for _ in 0..50 {
            let place = tempfile::tempdir().unwrap();
            let path = place.path().join("data/api-key");
            let keys: Vec<_> = std::thread::scope(|scope| {
                let makers: Vec<_> =
                    (0..4).map(|_| scope.spawn(|| ApiKey::in_file(&path))).collect();
                makers.into_iter().map(|maker| maker.join().unwrap().unwrap()).collect()
            });
            assert!(keys.iter().all(|key| key.matches(keys[0].reveal())));
            assert_eq!(
                std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
                1,
                "nothing else is left"
            );
        }
    }

    #[test]
    fn only_a_file_is_a_key_file() {
        let place = tempfile::tempdir().unwrap();
        for path in [place.path(), Path::new("/dev/null")] {
            let refused = ApiKey::in_file(path).unwrap_err().to_string();
            assert!(refused.contains("cannot be used: it is not a file; "), "{refused}");
        }
    }

    #[test]
    fn a_key_that_is_rotated_leaves_nothing_of_the_old_one() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("data/api-key");
        let first = ApiKey::rotate(&path).unwrap();
        // Even if others could read the old file: that is a good reason to rotate the key.
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        let second = ApiKey::rotate(&path).unwrap();
        assert!(
            !second.matches(first.reveal())
                && ApiKey::read(&path).unwrap().matches(second.reveal())
        );
        assert_eq!(
            std::fs::read_dir(path.parent().unwrap()).unwrap().count(),
            1,
            "nothing else is left"
        );
    }

    #[test]
    fn a_key_file_that_is_a_link_is_refused_and_its_target_stays() {
        let place = tempfile::tempdir().unwrap();
        let (path, link) = (place.path().join("real"), place.path().join("api-key"));
        let key = ApiKey::in_file(&path).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let expected = KeyError::Link { path: link.clone(), target: path.clone() };
        for refused in [ApiKey::in_file(&link), ApiKey::read(&link), ApiKey::rotate(&link)] {
            assert_eq!(refused.unwrap_err(), expected);
        }
        assert!(
            expected.to_string().contains("; name the file itself with --key-file"),
            "{expected}"
        );
        assert!(link.is_symlink() && ApiKey::read(&path).unwrap().matches(key.reveal()));
        // A dangling link does not create its target.
        std::fs::remove_file(&path).unwrap();
        assert_eq!(ApiKey::in_file(&link).unwrap_err(), expected);
        assert!(!path.exists());
    }

    #[test]
    fn a_key_that_cannot_be_rotated_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("api-key");
        std::fs::create_dir(&path).unwrap();
        assert!(matches!(ApiKey::rotate(&path), Err(KeyError::Unusable { .. })));
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 1, "nothing else is left");
    }
}
