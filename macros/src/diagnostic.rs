//! Mistakes, collected so that one compile reports all of them, each at the author's own token.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// All mistakes found so far.
#[derive(Default)]
pub(crate) struct Diagnostics {
    found: Vec<Diagnostic>,
}

struct Diagnostic {
    start: Span,
    end: Span,
    message: String,
    related: Option<Related>,
}

/// A second place that the mistake is about.
struct Related {
    at: Span,
    what: &'static str,
}

impl Diagnostics {
    /// A mistake at these tokens.
    pub(crate) fn error(&mut self, at: impl ToTokens, message: impl Into<String>) {
        let (start, end) = ends(at);
        self.found.push(Diagnostic { start, end, message: message.into(), related: None });
    }

    /// A mistake at a place that has no tokens of its own, such as the end of a block.
    pub(crate) fn error_at(&mut self, span: Span, message: impl Into<String>) {
        self.found.push(Diagnostic {
            start: span,
            end: span,
            message: message.into(),
            related: None,
        });
    }

    /// A mistake that involves two places; `what` names the second one in snake case, e.g.
    /// `first_declared_here`.
    pub(crate) fn error_and(
        &mut self,
        at: impl ToTokens,
        message: impl Into<String>,
        related: impl ToTokens,
        what: &'static str,
    ) {
        let (start, end) = ends(at);
        let related = Some(Related { at: ends(related).0, what });
        self.found.push(Diagnostic { start, end, message: message.into(), related });
    }

    /// A mistake of grammar, found while parsing.
    pub(crate) fn syntax(&mut self, error: &syn::Error) {
        self.error_at(error.span(), error.to_string());
    }

    /// A mistake of grammar, if there is one.
    pub(crate) fn maybe(&mut self, error: Option<syn::Error>) {
        if let Some(error) = error {
            self.syntax(&error);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// One `compile_error!` per mistake, in source order.
    pub(crate) fn into_tokens(mut self) -> TokenStream {
        self.found.sort_by_key(|diagnostic| {
            let start = diagnostic.start.start();
            (start.line, start.column)
        });
        self.found.iter().map(Diagnostic::to_tokens).collect()
    }
}

impl Diagnostic {
    fn to_tokens(&self) -> TokenStream {
        let message = &self.message;
        let group = quote_spanned!(self.end=> { #message });
        let error = quote_spanned!(self.start=> ::core::compile_error! #group);
        let Some(Related { at, what }) = &self.related else {
            return error;
        };
        // Stable macros cannot label a second span. However, an error from a macro shows where the
        // macro was called, so the error is put into a macro that is called at the second place.
        // The macro and its call both have the span of the second place, or the compiler would
        // show the call elsewhere.
        let name = Ident::new(what, *at);
        let called = quote_spanned!(*at=> #name! {});
        quote! {
            const _: () = {
                macro_rules! #name { () => { #error } }
                #called
            };
        }
    }
}

fn ends(tokens: impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.into_token_stream().into_iter();
    let start = tokens.next().map_or_else(Span::call_site, |token| token.span());
    let end = tokens.last().map_or(start, |token| token.span());
    (start, end)
}
