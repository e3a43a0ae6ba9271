//! The guardrails as numbers.

use super::time::seconds;
use crate::spelling;
use crate::syntax::{self, Value};

/// All guardrails.
pub(crate) const GUARDRAILS: [&str; 6] = [
    "max_step_visits",
    "max_total_steps",
    "max_restarts",
    VERIFY_TIME,
    REVIEW_ROUNDS,
    "exit_on_other",
];
/// The only guardrail that is a time.
pub(crate) const VERIFY_TIME: &str = "max_verify_time_per_milestone";
/// The guardrail for outcomes that carry findings.
pub(crate) const REVIEW_ROUNDS: &str = "max_review_rounds";

/// The limits as numbers; a value that is not a number is reported by a check and counts as some
/// limit here.
#[derive(Default, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) max_step_visits: Option<u32>,
    pub(crate) max_total_steps: Option<u32>,
    pub(crate) max_restarts: Option<u32>,
    /// In seconds.
    pub(crate) max_verify_time: Option<u64>,
    pub(crate) max_review_rounds: Option<u32>,
    pub(crate) other_is_free: bool,
}

impl Limits {
    pub(super) fn new(written: &syntax::Recipe) -> Self {
        let mut limits = Self::default();
        for entry in written.guardrails.value().into_iter().flatten() {
            let number = match &entry.value {
                Value::Number(number) => {
                    number.base10_parse::<u32>().ok().filter(|number| *number > 0)
                }
                Value::Switch(_) | Value::Broken => None,
            };
            // Even an unreadable value shows that the author wants this limit.
            let number = number.or(Some(1));
            let key = entry.key.to_string();
            match spelling::closest(&key, GUARDRAILS).unwrap_or(&key) {
                "max_step_visits" => limits.max_step_visits = limits.max_step_visits.or(number),
                "max_total_steps" => limits.max_total_steps = limits.max_total_steps.or(number),
                "max_restarts" => limits.max_restarts = limits.max_restarts.or(number),
                VERIFY_TIME => {
                    limits.max_verify_time = limits.max_verify_time.or(time(&entry.value));
                }
                REVIEW_ROUNDS => limits.max_review_rounds = limits.max_review_rounds.or(number),
                "exit_on_other" => {
                    limits.other_is_free |=
                        matches!(&entry.value, Value::Switch(switch) if !switch.value);
                }
                _ => {}
            }
        }
        limits
    }
}

fn time(value: &Value) -> Option<u64> {
    match value {
        Value::Number(time) => seconds(time).ok(),
        Value::Switch(_) | Value::Broken => None,
    }
}
