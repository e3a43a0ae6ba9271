//! The limits of a visit: as data, as methods of the typed run, and in words.

use proc_macro2::TokenStream;
use quote::format_ident;

use super::Expansion;
use super::at::option;
use super::entry::{Entering, times};
use crate::model::{AfterLimit, Next, Step};
use crate::place::{self, quote};
use crate::resolve::{VisitLimits, written_time};
use crate::syntax::VisitLimit;

impl Expansion<'_> {
    /// The limits that a step has of its own.
    pub(super) fn step_limits(&self, step: &Step) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let VisitLimits { time, retries, budget_usd } = step.visit_limits;
        let has_limits = step.max_visits.is_some()
            || time.is_some()
            || retries.is_some()
            || budget_usd.is_some()
            || !step.after_limits.is_empty();
        if !has_limits {
            return quote!(#krate::StepLimits::NONE);
        }
        let time = time.map(|seconds| quote!(#private::Duration::from_secs(#seconds)));
        let after = |limit| {
            let after = step.after_limits.iter().find(|after| after.limit == limit);
            option(after.and_then(|after| self.after_limit(after.next)))
        };
        let (after_time, after_retries, after_budget) =
            (after(VisitLimit::Time), after(VisitLimit::Retries), after(VisitLimit::Budget));
        let (max_visits, when_full) = (
            option(step.max_visits),
            option(step.when_full.and_then(|next| self.after_limit(next))),
        );
        let (time, retries, budget_usd) = (option(time), option(retries), option(budget_usd));
        quote! {
            #krate::StepLimits::generated(
                (#max_visits, #when_full),
                (#time, #after_time),
                (#retries, #after_retries),
                (#budget_usd, #after_budget),
            )
        }
    }

    fn after_limit(&self, next: Next) -> Option<TokenStream> {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        match next {
            Next::Step(step) => Some(quote!(#krate::AfterLimit::Step(#step))),
            Next::Exit(exit) => Some(quote! {
                #krate::AfterLimit::Exit(<#module::Step as #private::Scope>::EXITS[#exit])
            }),
            Next::Restart(_) => None,
        }
    }

    /// The methods for the limits that lead somewhere.
    pub(super) fn limit_methods(&self, index: usize) -> TokenStream {
        let step = &self.shape.steps[index];
        let is_free = |after: &&AfterLimit| {
            !step.outcomes.iter().any(|outcome| outcome.method == after.limit.method())
        };
        let methods = step.after_limits.iter().filter(is_free);
        methods.map(|after| self.limit_method(index, after)).collect()
    }

    fn limit_method(&self, index: usize, after: &AfterLimit) -> TokenStream {
        let (krate, private, inner) = (self.krate, &self.private, &self.inner);
        let method = format_ident!("{}", after.limit.method(), span = place::here());
        let begins = format!("Leaves the step {}", self.shape.steps[index].limit(after.limit));
        match after.next {
            Next::Step(next) => {
                let entering = self.entering(index, next, &quote!(self.ledger));
                let entered = self.entered_type(next, &entering, after.at);
                let Entering { made, steps, exit } = entering;
                let docs = format!(
                    "{begins}: the run continues with the step `{}`{}.",
                    self.shape.steps[next].wire,
                    self.otherwise(&steps, exit)
                );
                quote! {
                    #[doc = #docs]
                    ///
                    /// The engine keeps track of this limit; with the typed run, its driver does.
                    ///
                    /// # Errors
                    /// A guardrail does not allow entering that step; the error says which one.
                    #[inline]
                    #inner fn #method(self) -> ::core::result::Result<#entered, #krate::Tripped> {
                        #made
                    }
                }
            }
            Next::Exit(exit) => {
                let docs =
                    format!("{begins}: the run ends with `{}`.", self.shape.exits[exit].name());
                quote! {
                    #[doc = #docs]
                    ///
                    /// The engine keeps track of this limit; with the typed run, its driver does.
                    #[inline]
                    #inner fn #method(self) -> #krate::Exit { #private::exit::<Step>(#exit) }
                }
            }
            Next::Restart(_) => TokenStream::new(),
        }
    }
}

impl Step {
    /// When a limit of the step is reached: `after 30m`, `after 2 retries`, `after $1.50`.
    pub(super) fn limit(&self, limit: VisitLimit) -> String {
        let VisitLimits { time, retries, budget_usd } = self.visit_limits;
        let time = time.or(self.run.as_ref().and_then(|run| run.time));
        let value = match limit {
            VisitLimit::Time => time.map(written_time),
            VisitLimit::Retries => retries.map(|retries| match retries {
                1 => "1 retry".to_owned(),
                more => format!("{more} retries"),
            }),
            VisitLimit::Budget => budget_usd.map(dollars),
        };
        // Without its value only in a recipe that has errors.
        format!("after {}", value.unwrap_or_else(|| format!("the {}", limit.words())))
    }

    /// A paragraph about what one visit may use up; empty if it has no limits.
    pub(super) fn visit_limits_in_words(&self) -> String {
        let VisitLimits { time, retries, budget_usd } = self.visit_limits;
        let time = time.map(|time| format!("takes at most {}", written_time(time)));
        let retries = retries.map(|retries| match retries {
            0 => "never asks the agent again".to_owned(),
            more => format!("asks the agent again at most {}", times(more)),
        });
        let budget = budget_usd
            .map(|usd| format!("costs at most {}, as the agent reports it", dollars(usd)));
        let limits: Vec<_> = time.into_iter().chain(retries).chain(budget).collect();
        match limits.as_slice() {
            [] => String::new(),
            limits => format!("One visit {}.", limits.join("; it ")),
        }
    }
}

fn dollars(amount: f64) -> String {
    format!("${amount:.2}")
}
