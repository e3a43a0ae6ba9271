//! A moment, as clients read it.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde::de::{self, Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// A moment in milliseconds since 1970, written as `YYYY-MM-DDTHH:MM:SS.mmmZ`.
///
/// The three digits are always written, even for a whole second: the iOS app reads nothing else.
///
/// ```
/// use surefire::wire::Stamp;
///
/// assert_eq!(Stamp(1_750_000_000_000).to_string(), "2025-06-15T15:06:40.000Z");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(pub u64);

/// The last millisecond of the year 9999: later years have more than four digits.
const MAX_MILLIS: u64 = 253_402_300_799_999;

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(self.0.min(MAX_MILLIS));
        humantime::format_rfc3339_millis(moment).fmt(f)
    }
}

impl Serialize for Stamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Stamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let moment = humantime::parse_rfc3339(&text).map_err(de::Error::custom)?;
        let since = moment.duration_since(SystemTime::UNIX_EPOCH).map_err(de::Error::custom)?;
        u64::try_from(since.as_millis()).map(Self).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_always_have_three_digits_after_the_second() {
        let table = [
            (0, "1970-01-01T00:00:00.000Z"),
            (7, "1970-01-01T00:00:00.007Z"),
            (1_709_210_096_120, "2024-02-29T12:34:56.120Z"),
            (1_709_210_096_000, "2024-02-29T12:34:56.000Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ];
        for (at, text) in table {
            assert_eq!(Stamp(at).to_string(), text);
            let read: Stamp = serde_json::from_value(text.into()).unwrap();
            assert_eq!(read.to_string(), text);
        }
    }
}
