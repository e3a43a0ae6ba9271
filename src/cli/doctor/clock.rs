//! Checks whether the system clock is plausible. Timestamps and the end of a usage limit depend on
//! it.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::finding::Finding;

const CHECK: &str = "clock";

/// From 1970 to the start of 2026, before which this program did not exist.
const RELEASED_AFTER: Duration = Duration::from_secs(20_454 * 24 * 60 * 60);

/// The accepted difference between the clock and the store's timestamps.
const TOLERANCE: Duration = Duration::from_secs(60);

pub(super) fn check(data: Option<&Path>) -> Finding {
    judge(SystemTime::now(), data.and_then(newest))
}

fn judge(now: SystemTime, newest: Option<SystemTime>) -> Finding {
    let fix = "set the system's clock";
    let shown = humantime::format_rfc3339_seconds(now);
    if now < UNIX_EPOCH + RELEASED_AFTER {
        return Finding::bad(
            CHECK,
            format!("the time is {shown}, which is years in the past"),
            fix,
        );
    }
    match newest.filter(|newest| *newest > now + TOLERANCE) {
        Some(newest) => {
            let newest = humantime::format_rfc3339_seconds(newest);
            Finding::doubtful(
                CHECK,
                format!("the time is {shown}, but the store was written at {newest}"),
                fix,
            )
        }
        None => Finding::good(CHECK, "the system time is plausible"),
    }
}

/// When the store was last modified.
fn newest(data: &Path) -> Option<SystemTime> {
    let files = std::fs::read_dir(data).ok()?.filter_map(Result::ok);
    let store =
        files.filter(|file| file.file_name().as_encoded_bytes().starts_with(b"surefire.db"));
    store.filter_map(|file| file.metadata().ok()?.modified().ok()).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Status;

    #[test]
    fn a_clock_is_wrong_before_its_program_and_doubtful_before_its_store() {
        let made = UNIX_EPOCH + RELEASED_AFTER;
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
