//! The forms that a field of a client's message may have beyond its Rust type, for
//! `#[serde(deserialize_with)]`.

use std::path::PathBuf;

use serde::de::{Deserialize, Deserializer, Error, Unexpected};

use super::fields::THIS_FIELD;
use crate::run::RunId;

/// Stands for a value that has the right type and is still invalid.
const VALUE: Unexpected<'static> = Unexpected::Other("value");

/// A required text; a blank one counts as missing.
pub(super) fn words<'de, D: Deserializer<'de>>(field: D) -> Result<String, D::Error> {
    let text = String::deserialize(field)?;
    if text.trim().is_empty() { Err(D::Error::missing_field(THIS_FIELD)) } else { Ok(text) }
}

/// The id of a run; a blank one counts as missing.
pub(super) fn run_id<'de, D: Deserializer<'de>>(field: D) -> Result<RunId, D::Error> {
    words(field)?.parse().map_err(D::Error::custom)
}

/// A required path; a blank one counts as missing.
pub(super) fn path<'de, D: Deserializer<'de>>(field: D) -> Result<PathBuf, D::Error> {
    words(field).map(PathBuf::from)
}

/// An optional text; a blank one counts as left out.
pub(super) fn not_blank<'de, D, T>(field: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: From<String>,
{
    let text = Option::<String>::deserialize(field)?;
    Ok(text.filter(|text| !text.trim().is_empty()).map(T::from))
}

/// A value for which no message is rejected: one of the wrong type counts as left out.
#[expect(clippy::unnecessary_wraps, reason = "serde asks for a `Result`")]
pub(super) fn lenient<'de, D, T>(field: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Option::deserialize(field).ok().flatten())
}

/// A value that defaults if it is left out.
pub(super) fn or_default<'de, D, T>(field: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(Option::deserialize(field)?.unwrap_or_default())
}

/// A required whole number from 1 on.
pub(super) fn positive<'de, D: Deserializer<'de>>(field: D) -> Result<u32, D::Error> {
    maybe_positive(field)?.ok_or_else(|| D::Error::missing_field(THIS_FIELD))
}

/// An optional whole number from 1 on.
pub(super) fn maybe_positive<'de, D: Deserializer<'de>>(field: D) -> Result<Option<u32>, D::Error> {
    let wrong = |_| D::Error::invalid_value(VALUE, &"a positive whole number");
    let number = Option::<u32>::deserialize(field).map_err(wrong)?;
    if number == Some(0) {
        Err(D::Error::invalid_value(VALUE, &"a positive whole number"))
    } else {
        Ok(number)
    }
}

/// An optional number above 0.
pub(super) fn amount<'de, D: Deserializer<'de>>(field: D) -> Result<Option<f64>, D::Error> {
    let wrong = || D::Error::invalid_value(VALUE, &"a positive number");
    let number = Option::<f64>::deserialize(field).map_err(|_| wrong())?;
    if number.is_some_and(|number| !number.is_finite() || number <= 0.0) {
        Err(wrong())
    } else {
        Ok(number)
    }
}

/// A duration as a number of seconds.
pub(super) mod seconds {
    use std::time::Duration;

    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    use super::{THIS_FIELD, VALUE};

    pub(in crate::wire) fn serialize<S: Serializer>(
        time: &Duration,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(time.as_secs_f64())
    }

    pub(in crate::wire) fn deserialize<'de, D: Deserializer<'de>>(
        field: D,
    ) -> Result<Duration, D::Error> {
        maybe_seconds::deserialize(field)?.ok_or_else(|| D::Error::missing_field(THIS_FIELD))
    }

    /// The same, if it may be left out.
    pub(in crate::wire) mod maybe_seconds {
        use super::{Deserializer, Duration, Error, Serializer, VALUE};

        #[expect(clippy::ref_option, reason = "serde hands the field over like this")]
        pub(in crate::wire) fn serialize<S: Serializer>(
            time: &Option<Duration>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match time {
                Some(time) => super::serialize(time, serializer),
                None => serializer.serialize_none(),
            }
        }

        pub(in crate::wire) fn deserialize<'de, D: Deserializer<'de>>(
            field: D,
        ) -> Result<Option<Duration>, D::Error> {
            let Some(seconds) = crate::wire::forms::amount(field)? else { return Ok(None) };
            // A duration that rounds to zero is invalid.
            let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
            time.map(Some).ok_or_else(|| D::Error::invalid_value(VALUE, &"a positive number"))
        }
    }
}
