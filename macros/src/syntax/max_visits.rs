//! `max_visits: 3` or `max_visits: 3 => Step`

use syn::parse::ParseStream;
use syn::{Lit, LitInt};

use super::next::Next;
use super::visit_limit::leads_to;
use crate::diagnostic::Diagnostics;

const EXPECTED: &str =
    "expected how often a run may visit the step: `max_visits: 3`, or `max_visits: 3 => Step`";

/// How often a step may be visited, and where a run goes instead of visiting it once more.
#[derive(Clone)]
pub(crate) struct MaxVisits {
    pub(crate) number: LitInt,
    /// What follows the arrow, if there is one.
    pub(crate) next: Option<Next>,
}

impl MaxVisits {
    /// Reads what follows the colon. The arrow of another language is reported and accepted.
    pub(super) fn parse(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        let number = match input.parse::<Lit>().map_err(|_| input.error(EXPECTED))? {
            Lit::Int(number) => number,
            other => return Err(syn::Error::new_spanned(other, EXPECTED)),
        };
        let limit = format!("max_visits: {number}");
        let next = leads_to(input, &limit, "instead of one more visit", diagnostics)?;
        Ok(Self { number, next })
    }
}
