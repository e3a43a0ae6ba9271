//! The key that a client has to know.

use std::fmt;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use subtle::ConstantTimeEq;

/// What every key begins with. The app takes nothing else for one.
const PREFIX: &str = "untethered-";

/// How many hexadecimal digits follow: 128 bits.
const DIGITS: usize = 32;

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
    /// The system has no randomness to give.
    pub fn generate() -> Result<Self, KeyError> {
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes).map_err(|error| KeyError::NoRandomness { why: error.to_string() })?;
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self(format!("{PREFIX}{digits}")))
    }

    /// A key that somebody has written down; `None` where it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(PREFIX)?;
        let plain = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
        (digits.len() == DIGITS && plain).then(|| Self(text.to_owned()))
    }

    /// Whether somebody knows the key. This takes as long for a key that is nearly right as for any other.
    #[must_use]
    pub fn matches(&self, candidate: &str) -> bool {
        self.0.as_bytes().ct_eq(candidate.as_bytes()).into()
    }

    /// The key itself, to be shown to its owner.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The key in this file, which is made with a new key if it is not there.
    ///
    /// Only its owner may read the file, from the moment it is made; one that others can read is refused.
    ///
    /// # Errors
    /// The file cannot be made or read, others can read it, or there is no key in it.
    pub fn in_file(path: &Path) -> Result<Self, KeyError> {
        let unusable =
            |error: std::io::Error| KeyError::Unusable { path: path.to_owned(), why: error.to_string() };
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(unusable)?;
        }
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
            Ok(mut file) => {
                let key = Self::generate()?;
                writeln!(file, "{}", key.0).and_then(|()| file.sync_all()).map_err(unusable)?;
                Ok(key)
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Self::read(path),
            Err(error) => Err(unusable(error)),
        }
    }

    fn read(path: &Path) -> Result<Self, KeyError> {
        let unusable =
            |error: std::io::Error| KeyError::Unusable { path: path.to_owned(), why: error.to_string() };
        let file = OpenOptions::new().read(true).open(path).map_err(unusable)?;
        // Of the open file, not of its name: that may be another one by now.
        let mode = file.metadata().map_err(unusable)?.mode();
        if mode & 0o077 != 0 {
            return Err(KeyError::Readable { path: path.to_owned(), mode: mode & 0o777 });
        }
        let mut text = String::new();
        file.take(1024).read_to_string(&mut text).map_err(unusable)?;
        Self::parse(text.trim()).ok_or_else(|| KeyError::NoKey { path: path.to_owned() })
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Why there is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The system has no randomness to give.
    #[error("a key could not be made: {why}")]
    NoRandomness {
        /// In its words.
        why: String,
    },
    /// The file cannot be used.
    #[error("the key file `{}` cannot be used: {why}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// In the system's words.
        why: String,
    },
    /// Others can read the file.
    #[error(
        "the key file `{}` can be read by others (mode {mode:o}); run `chmod 600` on it, and make a new key if somebody may have read it",
        path.display()
    )]
    Readable {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// There is no key in the file.
    #[error("the key file `{}` holds no key; delete it to have a new one made", path.display())]
    NoKey {
        /// The file.
        path: PathBuf,
    },
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
    fn a_key_file_is_made_once_and_belongs_to_its_owner_alone() {
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
}
