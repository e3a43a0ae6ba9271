//! `max_visits: 3` or `max_visits: 3 => Step`

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Lit, LitInt, Token};

use super::fields::{is_word, starts_item};
use super::marks::{marks, skip_marks};
use super::next::Next;
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
        let marks = marks(input);
        if marks.starts_with("=>") {
            input.parse::<Token![=>]>()?;
        } else if marks.is_empty() && (!input.peek(Ident::peek_any) || starts_item(input)) {
            return Ok(Self { number, next: None });
        } else {
            let (span, marks) = (input.span(), skip_marks(input));
            let message = format!("write `max_visits: {number} => …`");
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
            return Err(input.error(
                "expected where a run goes instead of one more visit: a step or `exit Reason`",
            ));
        }
        let next = Next::parse(input, diagnostics)?;
        Ok(Self { number, next: Some(next) })
    }
}
