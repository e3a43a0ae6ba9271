//! Whether the clock can be right. Runs are dated by it, and the end of a usage limit is told by it.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::finding::Finding;

const NAME: &str = "clock";

/// From 1970 to the first moment of the year that this program was made for: 2026. It cannot be earlier.
const MADE_IN: Duration = Duration::from_hours(20_454 * 24);

/// How far apart two clocks may be that are both right.
const TOLERANCE: Duration = Duration::from_mins(1);

pub(super) fn check(data: Option<&Path>) -> Finding {
    judge(SystemTime::now(), data.and_then(newest))
}

fn judge(now: SystemTime, newest: Option<SystemTime>) -> Finding {
    let fix = "set the system's clock";
    let shown = humantime::format_rfc3339_seconds(now);
    if now < UNIX_EPOCH + MADE_IN {
        return Finding::bad(NAME, format!("it says {shown}, and that is long past"), fix);
    }
    match newest.filter(|newest| *newest > now + TOLERANCE) {
        Some(newest) => {
            let newest = humantime::format_rfc3339_seconds(newest);
            Finding::doubtful(NAME, format!("it says {shown}, but the store was written at {newest}"), fix)
        }
        None => Finding::good(NAME, "it can be right"),
    }
}

/// When the store was last written to.
fn newest(data: &Path) -> Option<SystemTime> {
    let files = std::fs::read_dir(data).ok()?.filter_map(Result::ok);
    let store = files.filter(|file| file.file_name().as_encoded_bytes().starts_with(b"surefire.db"));
    store.filter_map(|file| file.metadata().ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Status;

    #[test]
    fn a_clock_is_wrong_before_its_program_and_doubtful_before_its_store() {
        let made = UNIX_EPOCH + MADE_IN;
        let later = made + Duration::from_secs(1000);
        for (now, newest, status) in [
            (UNIX_EPOCH, None, Status::Bad),
            (made, None, Status::Good),
            (made, Some(later), Status::Doubtful),
            (later, Some(later + TOLERANCE), Status::Good),
            (later, Some(made), Status::Good),
        ] {
            assert_eq!(judge(now, newest).status, status, "{now:?} {newest:?}");
        }
    }
}
