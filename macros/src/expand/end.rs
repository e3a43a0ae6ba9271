//! `End`: how a run can end, as an exhaustive enum.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};

use super::Expansion;
use crate::place::{self, quote};
use crate::proof::Limit;

impl Expansion<'_> {
    pub(super) fn end(&self) -> TokenStream {
        let (krate, private, inner) = (self.krate, &self.private, &self.inner);
        let exits: Vec<_> = self.ends.exits.iter().map(|(name, _)| name).collect();
        let places = self.ends.exits.iter().map(|(_, exit)| exit);
        let exit_docs = self.ends.exits.iter().map(|(_, exit)| {
            format!("The run has ended by `exit {}`.", self.shape.exit_path(*exit))
        });
        let restarts = &self.ends.restarts;
        let targets: Vec<_> = self.shape.restarts.iter().map(|restart| &restart.name).collect();
        let restart_docs = targets
            .iter()
            .map(|target| format!("The run has ended; `{target}` continues in a fresh session."));
        let limits: Vec<_> = self.ends.limits.iter().map(|(_, name)| name).collect();
        let limit_docs = self.ends.limits.iter().map(|(limit, _)| in_words(*limit));
        // With the span of the recipe's name, like `At`.
        let end = quote_spanned! {self.shape.name.span()=>
            #inner enum End {
                #(#[doc = #exit_docs] #exits,)*
                #(#[doc = #restart_docs] #restarts(#krate::Restart<#targets>),)*
                #(#[doc = #limit_docs] #limits(#krate::Tripped),)*
            }
        };
        let tripped = self.tripped();
        quote! {
            /// How a run can end: by the exits of its outcomes, by a restart, and by each guardrail
            /// that is not proven never to trip.
            #[derive(::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq)]
            #[must_use = "it says how the run ended"]
            #end

            impl End {
                /// Why the run ended, as any code can read it: message, category, exit status.
                #inner fn exit(&self) -> #krate::Exit {
                    // A stub may have no variants, which only a value can say.
                    match *self {
                        #(Self::#exits => #private::exit::<Step>(#places),)*
                        #(Self::#restarts(_) => #private::restarted(),)*
                        #(Self::#limits(tripped) => ::core::convert::From::from(tripped),)*
                    }
                }
            }

            #tripped
        }
    }

    /// The end that a tripped guardrail is.
    fn tripped(&self) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let limits = [Limit::StepVisits, Limit::TotalSteps, Limit::Restarts];
        let arms = limits.map(|limit| {
            let guardrail = format_ident!("{}", limit.name(), span = place::here());
            let variant = self.ends.limits.iter().find(|(known, _)| *known == limit);
            let end = match variant {
                Some((_, variant)) => quote!(End::#variant(tripped)),
                None => quote!(#private::cannot_trip(&tripped)),
            };
            quote!(#krate::Guardrail::#guardrail => #end,)
        });
        quote! {
            #[inline]
            fn tripped(tripped: #krate::Tripped) -> End {
                match tripped.guardrail { #(#arms)* }
            }
        }
    }
}

const fn in_words(limit: Limit) -> &'static str {
    match limit {
        Limit::StepVisits => "The run was to visit a step more often than it may.",
        Limit::TotalSteps => "The run was to take more steps than it may.",
        Limit::Restarts => "The chain of runs was to restart more often than it may.",
    }
}
