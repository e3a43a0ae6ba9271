//! How long something may take: `90s`, `10m`, `2h`.

use syn::LitInt;

/// Longer than any command should run, and short enough for every clock.
const MAX_SECONDS: u64 = 30 * 24 * 60 * 60;
/// The same as text.
pub(crate) const MAX_TIME: &str = "720h";

/// What is wrong with a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeFlaw {
    /// It is zero or less.
    Zero,
    /// It is longer than [`MAX_TIME`].
    TooLong,
    /// A number alone.
    NoUnit,
    /// Neither `s`, `m` nor `h`.
    Unit,
}

/// The time in seconds.
pub(crate) fn seconds(written: &LitInt) -> Result<u64, TimeFlaw> {
    let unit = match written.suffix() {
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "" => return Err(TimeFlaw::NoUnit),
        _ => return Err(TimeFlaw::Unit),
    };
    if written.base10_digits().starts_with('-') {
        return Err(TimeFlaw::Zero);
    }
    let number = written.base10_parse::<u64>().map_err(|_| TimeFlaw::TooLong)?;
    match number.checked_mul(unit) {
        Some(0) => Err(TimeFlaw::Zero),
        Some(seconds @ ..=MAX_SECONDS) => Ok(seconds),
        Some(_) | None => Err(TimeFlaw::TooLong),
    }
}

/// A time as a person writes it, in the largest unit that divides it.
pub(crate) fn written(seconds: u64) -> String {
    match seconds {
        whole if whole % 3600 == 0 => format!("{}h", whole / 3600),
        whole if whole % 60 == 0 => format!("{}m", whole / 60),
        whole => format!("{whole}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_with_a_unit() {
        let table = [
            ("90s", Ok(90)),
            ("10m", Ok(600)),
            ("2h", Ok(7_200)),
            ("1_0m", Ok(600)),
            ("720h", Ok(MAX_SECONDS)),
            ("721h", Err(TimeFlaw::TooLong)),
            ("18446744073709551615h", Err(TimeFlaw::TooLong)),
            ("99999999999999999999s", Err(TimeFlaw::TooLong)),
            ("0s", Err(TimeFlaw::Zero)),
            ("-5m", Err(TimeFlaw::Zero)),
            ("10", Err(TimeFlaw::NoUnit)),
            ("10min", Err(TimeFlaw::Unit)),
            ("1h30m", Err(TimeFlaw::Unit)),
            ("5u32", Err(TimeFlaw::Unit)),
        ];
        for (text, expected) in table {
            let literal = syn::parse_str::<syn::Lit>(text).expect("the table holds literals");
            let syn::Lit::Int(literal) = literal else { panic!("{text} is not a whole number") };
            assert_eq!(seconds(&literal), expected, "{text}");
        }
    }

    #[test]
    fn a_time_is_written_in_its_largest_unit() {
        let table = [(90, "90s"), (600, "10m"), (7_200, "2h"), (5_400, "90m")];
        for (seconds, text) in table {
            assert_eq!(written(seconds), text);
        }
    }
}
