//! The errors for an implausible time; two rules use them.

use syn::LitInt;

use crate::diagnostic::Diagnostics;
use crate::resolve::{MAX_TIME, TimeFlaw, seconds};

/// Reports what is wrong with a time.
pub(super) fn check(field: &str, time: &LitInt, diagnostics: &mut Diagnostics) {
    let Err(flaw) = seconds(time) else { return };
    let (number, unit) = (time.base10_digits().trim_start_matches('-'), time.suffix());
    let message = match flaw {
        TimeFlaw::Zero => format!("`{field}` must be at least `1s`"),
        TimeFlaw::TooLong => format!("`{field}` is at most `{MAX_TIME}`"),
        TimeFlaw::NoUnit => {
            format!("`{field}` needs a unit: `{number}s`, `{number}m` or `{number}h`")
        }
        TimeFlaw::Unit => format!(
            "`{unit}` is not a unit of time: write one number of seconds, minutes or hours, e.g. `90s`, `10m` or `2h`"
        ),
    };
    diagnostics.error(time, message);
}
