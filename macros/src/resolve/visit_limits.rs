//! What one visit of a step may use up, as numbers.

use syn::{Lit, LitInt};

use super::time::seconds;
use crate::syntax::Step;

/// More than any step should cost, and few enough cents for an exact figure.
const MAX_DOLLARS: f64 = 1_000_000.0;
/// Less cannot be shown.
const MIN_DOLLARS: f64 = 0.01;

/// The limits of a visit; one that has a flaw is reported by a check and left out.
#[derive(Default, Clone, Copy)]
pub(crate) struct VisitLimits {
    /// In seconds. A command step has it beside its command.
    pub(crate) time: Option<u64>,
    pub(crate) retries: Option<u32>,
    pub(crate) budget_usd: Option<f64>,
}

impl VisitLimits {
    pub(super) fn new(step: &Step) -> Self {
        if step.is_command() {
            return Self::default();
        }
        Self {
            time: step.time.value().and_then(|limit| seconds(&limit.value).ok()),
            retries: step.retries.value().and_then(|limit| retries(&limit.value).ok()),
            budget_usd: step.budget_usd.value().and_then(|limit| dollars(&limit.value).ok()),
        }
    }
}

/// What is wrong with a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberFlaw {
    /// Letters follow it.
    Suffix,
    TooSmall,
    TooLarge,
}

/// How often an agent may be asked again; not at all is a limit too.
pub(crate) fn retries(written: &LitInt) -> Result<u32, NumberFlaw> {
    if !written.suffix().is_empty() {
        return Err(NumberFlaw::Suffix);
    }
    if written.base10_digits().starts_with('-') {
        return Err(NumberFlaw::TooSmall);
    }
    written.base10_parse().map_err(|_| NumberFlaw::TooLarge)
}

/// An amount in US dollars.
pub(crate) fn dollars(written: &Lit) -> Result<f64, NumberFlaw> {
    let (digits, suffix) = match written {
        Lit::Int(amount) => (amount.base10_digits(), amount.suffix()),
        Lit::Float(amount) => (amount.base10_digits(), amount.suffix()),
        _ => return Err(NumberFlaw::Suffix),
    };
    if !suffix.is_empty() {
        return Err(NumberFlaw::Suffix);
    }
    match digits.parse() {
        Ok(amount) if amount < MIN_DOLLARS => Err(NumberFlaw::TooSmall),
        Ok(amount) if amount <= MAX_DOLLARS => Ok(amount),
        Ok(_) | Err(_) => Err(NumberFlaw::TooLarge),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_a_number_of_dollars() {
        let table = [
            ("1.50", Ok(1.5)),
            ("2", Ok(2.0)),
            ("0.01", Ok(0.01)),
            ("1_000.25", Ok(1000.25)),
            ("1e2", Ok(100.0)),
            ("0", Err(NumberFlaw::TooSmall)),
            ("0.001", Err(NumberFlaw::TooSmall)),
            ("-1.5", Err(NumberFlaw::TooSmall)),
            ("1000001", Err(NumberFlaw::TooLarge)),
            ("1e999", Err(NumberFlaw::TooLarge)),
            ("340282366920938463463374607431768211456", Err(NumberFlaw::TooLarge)),
            ("1.5usd", Err(NumberFlaw::Suffix)),
            ("2f32", Err(NumberFlaw::Suffix)),
        ];
        for (text, expected) in table {
            let literal = syn::parse_str::<Lit>(text).expect("the table holds literals");
            assert_eq!(dollars(&literal), expected, "{text}");
        }
    }

    #[test]
    fn retries_are_a_number() {
        let table = [
            ("0", Ok(0)),
            ("2", Ok(2)),
            ("-1", Err(NumberFlaw::TooSmall)),
            ("2x", Err(NumberFlaw::Suffix)),
            ("4294967296", Err(NumberFlaw::TooLarge)),
        ];
        for (text, expected) in table {
            let literal = syn::parse_str::<LitInt>(text).expect("the table holds numbers");
            assert_eq!(retries(&literal), expected, "{text}");
        }
    }
}
