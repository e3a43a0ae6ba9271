//! `time: 30m`, `retries: 2` and `budget_usd: 1.50`, each also with `=> Step`

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Lit, LitInt, Token};

use super::fields::{is_word, starts_item};
use super::marks::{marks, skip_marks};
use super::next::Next;
use crate::diagnostic::Diagnostics;

/// What one visit of a step may use up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VisitLimit {
    Time,
    Retries,
    Budget,
}

impl VisitLimit {
    /// The field of a step that sets it.
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Retries => "retries",
            Self::Budget => "budget_usd",
        }
    }

    /// What stands in the place of an outcome where a run left a step because of it; the library
    /// has the same words (`src/recipe/step_limits.rs`).
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Time => "time limit",
            Self::Retries => "retry limit",
            Self::Budget => "budget limit",
        }
    }

    /// The method of the typed run that follows it.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::Time => "out_of_time",
            Self::Retries => "out_of_retries",
            Self::Budget => "out_of_budget",
        }
    }
}

/// A limit as it was written.
#[derive(Clone)]
pub(crate) struct Limited<T> {
    pub(crate) value: T,
    /// What follows the arrow, if there is one.
    pub(crate) next: Option<Next>,
}

impl Limited<LitInt> {
    /// Reads a number with its unit, which Rust reads as one literal.
    pub(super) fn time(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<Self> {
        const EXPECTED: &str = "expected a time: a whole number and its unit, e.g. `10m`";
        let value = match input.parse::<Lit>().map_err(|_| input.error(EXPECTED))? {
            Lit::Int(time)
                if time.suffix().is_empty()
                    && input.peek(Ident::peek_any)
                    && !starts_item(input) =>
            {
                let unit = input.call(Ident::parse_any)?;
                let message = format!("write number and unit as one word: `{time}{unit}`");
                return Err(syn::Error::new(unit.span(), message));
            }
            Lit::Int(time) => time,
            Lit::Str(text) => match syn::parse_str::<LitInt>(&text.value()) {
                Ok(time) => {
                    let message = format!("write the time without quotes: `{time}`");
                    return Err(syn::Error::new_spanned(text, message));
                }
                Err(_) => return Err(syn::Error::new_spanned(text, EXPECTED)),
            },
            other => return Err(syn::Error::new_spanned(other, EXPECTED)),
        };
        let instead = "when the time is up";
        let next = leads_to(input, &format!("time: {value}"), instead, diagnostics)?;
        Ok(Self { value, next })
    }

    pub(super) fn retries(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        const EXPECTED: &str =
            "expected how often the agent is asked again: `retries: 2`, or `retries: 2 => Step`";
        let value = match input.parse::<Lit>().map_err(|_| input.error(EXPECTED))? {
            Lit::Int(number) => number,
            other => return Err(syn::Error::new_spanned(other, EXPECTED)),
        };
        let instead = "instead of one more retry";
        let next = leads_to(input, &format!("retries: {value}"), instead, diagnostics)?;
        Ok(Self { value, next })
    }
}

impl Limited<Lit> {
    /// Reads an amount of money, whole or with cents.
    pub(super) fn budget(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        const EXPECTED: &str =
            "expected an amount in US dollars: `budget_usd: 1.50`, or `budget_usd: 1.50 => Step`";
        let value = input.parse::<Lit>().map_err(|_| input.error(EXPECTED))?;
        let written = match &value {
            Lit::Int(amount) => amount.to_string(),
            Lit::Float(amount) => amount.to_string(),
            other => return Err(syn::Error::new_spanned(other, EXPECTED)),
        };
        let instead = "when the budget is spent";
        let next = leads_to(input, &format!("budget_usd: {written}"), instead, diagnostics)?;
        Ok(Self { value, next })
    }
}

/// Reads `=> Next` behind a limit, if there is something. The arrow of another language is reported
/// and accepted.
pub(super) fn leads_to(
    input: ParseStream<'_>,
    limit: &str,
    instead: &str,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Option<Next>> {
    let marks = marks(input);
    if marks.starts_with("=>") {
        input.parse::<Token![=>]>()?;
    } else if marks.is_empty() && (!input.peek(Ident::peek_any) || starts_item(input)) {
        return Ok(None);
    } else {
        let (span, marks) = (input.span(), skip_marks(input));
        let message = format!("write `{limit} => …`");
        if marks.is_empty() {
            diagnostics.error_at(span, message);
        } else {
            diagnostics.error(&marks, message);
        }
        let ends = is_word(input, "exit") || is_word(input, "restart");
        if marks.is_empty() && !ends && input.peek2(Ident::peek_any) {
            // `max_visits: 3 then Step`
            input.call(Ident::parse_any)?;
        }
    }
    if input.is_empty() || input.peek(Token![,]) {
        let message = format!("expected where a run goes {instead}: a step or `exit Reason`");
        return Err(input.error(message));
    }
    Next::parse(input, diagnostics).map(Some)
}
