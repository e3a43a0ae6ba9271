//! The protocol's versions, and which one a client and this server negotiate.

use std::fmt;

/// A version of the protocol: exactly three numbers.
///
/// ```
/// use surefire::wire::ProtocolVersion;
///
/// let beta = ProtocolVersion::read("0.4.7-beta.2");
/// assert_eq!(ProtocolVersion::negotiate(beta).to_string(), "0.4.7");
/// assert_eq!(ProtocolVersion::negotiate(None), ProtocolVersion::OLDEST);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProtocolVersion(pub u32, pub u32, pub u32);

impl ProtocolVersion {
    /// The newest version that this server supports.
    pub const NEWEST: Self = Self(0, 5, 0);
    /// The oldest version that it supports.
    pub const OLDEST: Self = Self(0, 4, 0);

    /// Reads three numbers, and ignores a suffix after `-` or `+`.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let numbers = text.split(['-', '+']).next().unwrap_or_default();
        let mut parts = numbers.split('.').map(|part| {
            let plain = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            if plain { part.parse().ok() } else { None }
        });
        let mut next = || parts.next().flatten();
        let version = Self(next()?, next()?, next()?);
        if parts.next().is_some() { None } else { Some(version) }
    }

    /// Whether a client that announces this version is too old for this server.
    #[must_use]
    pub fn is_too_old(self) -> bool {
        self < Self::OLDEST
    }

    /// The version to use with a client that announces this one; `None` stands for a client that
    /// announces no readable version.
    #[must_use]
    pub fn negotiate(announced: Option<Self>) -> Self {
        announced
            .filter(|version| !version.is_too_old())
            .map_or(Self::OLDEST, |version| version.min(Self::NEWEST))
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_numbers_are_a_version_and_nothing_else_is() {
        let table = [
            ("0.5.0", Some((0, 5, 0))),
            ("0.4.0", Some((0, 4, 0))),
            ("10.20.30", Some((10, 20, 30))),
            ("0.5.0-beta.1", Some((0, 5, 0))),
            ("0.5.0+build-7", Some((0, 5, 0))),
            ("", None),
            ("0.5", None),
            ("0.5.0.1", None),
            ("v0.5.0", None),
            ("0.-5.0", None),
            ("+0.5.0", None),
            ("0.5.x", None),
            ("0.5.", None),
            ("0.5.99999999999", None),
            ("latest", None),
        ];
        for (text, version) in table {
            let expected =
                version.map(|(major, minor, patch)| ProtocolVersion(major, minor, patch));
            assert_eq!(ProtocolVersion::read(text), expected, "{text}");
        }
    }

    #[test]
    fn the_lower_version_is_spoken() {
        let table = [
            (Some(ProtocolVersion(0, 5, 0)), "0.5.0"),
            (Some(ProtocolVersion(0, 4, 0)), "0.4.0"),
            (Some(ProtocolVersion(0, 4, 9)), "0.4.9"),
            (Some(ProtocolVersion(0, 6, 1)), "0.5.0"),
            (Some(ProtocolVersion(1, 0, 0)), "0.5.0"),
            (Some(ProtocolVersion(0, 3, 9)), "0.4.0"),
            (None, "0.4.0"),
        ];
        for (announced, spoken) in table {
            assert_eq!(ProtocolVersion::negotiate(announced).to_string(), spoken, "{announced:?}");
        }
    }
}
