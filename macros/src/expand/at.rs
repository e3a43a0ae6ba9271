//! `At<Step>`: the typed run, with one method per outcome of the step it is at.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};

use super::Expansion;
use super::entry::{Entering, times};
use super::gate_docs::code;
use crate::model::{Next, Outcome, Step};
use crate::place::{self, quote};
use crate::proof::Limit;
use crate::resolve::Limits;
use crate::spelling;

impl Expansion<'_> {
    /// The type itself, and the functions that create one.
    pub(super) fn at(&self) -> TokenStream {
        let (krate, private, inner, ledger) =
            (self.krate, &self.private, &self.inner, self.ledger());
        let (initial, limits) = (self.shape.initial, self.typed_guardrails());
        let first = &self.shape.steps[initial].name;
        let recipe = self.own_name();
        // The type has the span of the recipe's name, so that the compiler's messages about it
        // point there, and not at the whole recipe.
        let at = quote_spanned! {self.shape.name.span()=>
            #inner struct At<S> {
                ledger: #ledger,
                step: ::core::marker::PhantomData<fn() -> S>,
            }
        };
        quote! {
            /// A run that is at the step `S`.
            ///
            /// It has one method for each outcome of that step, and each method consumes the run:
            /// an outcome that the step does not have cannot be reported, and none can be reported
            /// twice.
            #[must_use = "a run continues only when an outcome is reported"]
            #at

            impl<S: #private::Place> At<S> {
                /// The same run in its erased form: for its counts, a snapshot, or to report
                /// outcomes by name.
                #[must_use]
                #[inline]
                #inner fn position(&self) -> #krate::Position<#recipe> {
                    position(self)
                }
            }

            #[automatically_derived]
            impl<S: #private::Place> ::core::fmt::Debug for At<S> {
                fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                    ::core::fmt::Debug::fmt(&position(self), f)
                }
            }

            /// Without those that are proven never to trip.
            const GUARDRAILS: #krate::Guardrails = #limits;

            /// Begins a run in a chain with this many restarts so far.
            #[doc(hidden)]
            #[inline]
            pub(super) const fn begin(restarts: ::core::primitive::u32) -> At<#first> {
                At { ledger: #private::Ledger::begin(#initial, restarts), step: ::core::marker::PhantomData }
            }

            #[inline]
            fn enter<S: #private::Place>(mut ledger: #ledger) -> ::core::result::Result<At<S>, #krate::Tripped> {
                let name = &<Step as #krate::WireEnum>::NAMES[S::INDEX];
                match ledger.enter(S::INDEX, name, &GUARDRAILS) {
                    ::core::result::Result::Ok(()) => {
                        ::core::result::Result::Ok(At { ledger, step: ::core::marker::PhantomData })
                    }
                    ::core::result::Result::Err(tripped) => ::core::result::Result::Err(tripped),
                }
            }

            #[inline]
            fn position<S: #private::Place>(at: &At<S>) -> #krate::Position<#recipe> {
                #private::position(S::INDEX, at.ledger)
            }
        }
    }

    /// The methods of one step. `on` is also a function, since `AnyStep` calls no methods on `At`.
    pub(super) fn methods(&self, index: usize) -> TokenStream {
        let inner = &self.inner;
        let step = &self.shape.steps[index];
        let (name, outcome_enum, next_enum) = (&step.name, &step.outcome_enum, &step.next_enum);
        let methods = step.outcomes.iter().map(|outcome| self.method(index, outcome));
        let limits = self.limit_methods(index);
        let arms = step.outcomes.iter().map(|outcome| {
            // With the span of the mapping: in an editor, the name there leads to its definition.
            let variant = spelling::at(&outcome.name, outcome.mapped_at);
            let next = self.arm(index, outcome);
            quote!(#outcome_enum::#variant => #next)
        });
        let function = on(index);
        quote! {
            #[inline]
            fn #function(at: At<#name>, outcome: #outcome_enum) -> #next_enum {
                match outcome { #(#arms,)* }
            }

            impl At<#name> {
                #(#methods)*
                #limits

                /// Takes an outcome that is known at run time only, and stays typed.
                #[inline]
                #inner fn on(self, outcome: #outcome_enum) -> #next_enum {
                    #function(self, outcome)
                }
            }
        }
    }

    fn method(&self, index: usize, outcome: &Outcome) -> TokenStream {
        let step = &self.shape.steps[index];
        let (krate, private, inner) = (self.krate, &self.private, &self.inner);
        let (method, receiver) = (&outcome.method, receiver(step, outcome));
        let reports = format!("Reports `{}`: ", outcome.wire);
        let evidence = match outcome.evidence_in_words().as_str() {
            "" => TokenStream::new(),
            evidence => {
                let evidence = code(evidence);
                let docs =
                    format!("\nThe engine looks for {evidence} before that; this method does not.");
                quote!(#[doc = #docs])
            }
        };
        let findings = outcome.findings.then(
            || quote!(#[doc = "\nThe agent's findings come with it; this method takes none."]),
        );
        let evidence = quote!(#evidence #findings);
        match outcome.next {
            Next::Step(next) => {
                let entering = self.entering(index, next, &quote!(self.ledger));
                let entered = self.entered_type(next, &entering, outcome.target_at);
                let Entering { made, steps, exit } = entering;
                let docs = format!(
                    "{reports}the run continues with the step `{}`{}.",
                    self.shape.steps[next].wire,
                    self.otherwise(&steps, exit)
                );
                quote! {
                    #[doc = #docs]
                    #evidence
                    ///
                    /// # Errors
                    /// A guardrail does not allow entering that step; the error says which one.
                    #[inline]
                    #inner fn #method(#receiver) -> ::core::result::Result<#entered, #krate::Tripped> {
                        #made
                    }
                }
            }
            Next::Exit(exit) => {
                let docs =
                    format!("{reports}the run ends with `{}`.", self.shape.exits[exit].name());
                let made = quote!(#private::exit::<Step>(#exit));
                if outcome.is_described() {
                    return quote! {
                        #[doc = #docs]
                        ///
                        /// The description is what the agent says about it.
                        #inner fn #method(
                            #receiver,
                            description: impl ::core::convert::Into<#private::String>,
                        ) -> #krate::Exit {
                            #krate::Exit::describe(#made, description)
                        }
                    };
                }
                quote! {
                    #[doc = #docs]
                    #evidence
                    #[inline]
                    #inner fn #method(#receiver) -> #krate::Exit { #made }
                }
            }
            Next::Restart(restart) => {
                let target = &self.shape.restarts[restart].name;
                let docs =
                    format!("{reports}the run ends, and `{target}` continues in a fresh session.");
                let wire = &step.wire;
                quote! {
                    #[doc = #docs]
                    #evidence
                    ///
                    /// # Errors
                    /// A guardrail does not allow another restart.
                    #[inline]
                    #inner fn #method(#receiver) -> ::core::result::Result<#krate::Restart<#target>, #krate::Tripped> {
                        #private::restart(&self.ledger, &#wire, &GUARDRAILS)
                    }
                }
            }
        }
    }

    /// Where a run goes if it finds a step full.
    pub(super) fn otherwise(&self, steps: &[usize], exit: Option<usize>) -> String {
        let others = steps.iter().zip(steps.iter().skip(1)).map(|(full, other)| {
            let (full, other) = (&self.shape.steps[*full], &self.shape.steps[*other]);
            let visited = full.max_visits.map(times).unwrap_or_default();
            format!(", or with `{}` once it was visited {visited}", other.wire)
        });
        let exit = exit.zip(steps.last()).map(|(exit, last)| {
            let visited = self.shape.steps[*last].max_visits.map(times).unwrap_or_default();
            let exit = self.shape.exits[exit].name();
            format!("; it ends with `{exit}` once that was visited {visited}")
        });
        others.chain(exit).collect()
    }

    /// What `on` makes of an outcome.
    fn arm(&self, index: usize, outcome: &Outcome) -> TokenStream {
        let (private, step) = (&self.private, &self.shape.steps[index]);
        let next_enum = &step.next_enum;
        let ledger = quote!(at.ledger);
        let (made, entered) = match outcome.next {
            Next::Exit(exit) => {
                let end = self.ends.exit(exit);
                return quote!(#next_enum::End(End::#end));
            }
            Next::Step(next) => {
                let entering = self.entering(index, next, &ledger);
                let names = entering.steps.iter().map(|step| &self.shape.steps[*step].name);
                let entered = if entering.is_one_step() {
                    quote!(#(::core::result::Result::Ok(next) => #next_enum::#names(next),)*)
                } else {
                    let entry = &self.shape.steps[next].entry_enum;
                    let exit = entering.exit.map(|exit| self.ends.exit(exit)).into_iter();
                    let names: Vec<_> = names.collect();
                    quote! {
                        #(::core::result::Result::Ok(#entry::#names(next)) => #next_enum::#names(next),)*
                        #(::core::result::Result::Ok(#entry::Exit(_)) => #next_enum::End(End::#exit),)*
                    }
                };
                (entering.made, entered)
            }
            Next::Restart(restart) => {
                let (wire, end) = (&step.wire, &self.ends.restarts[restart]);
                let made = quote!(#private::restart(&#ledger, &#wire, &GUARDRAILS));
                (
                    made,
                    quote!(::core::result::Result::Ok(next) => #next_enum::End(End::#end(next)),),
                )
            }
        };
        quote! {
            match #made {
                #entered
                ::core::result::Result::Err(limit) => #next_enum::End(tripped(limit)),
            }
        }
    }

    /// The guardrails that the typed run counts. What is proven never to trip costs it nothing.
    fn typed_guardrails(&self) -> TokenStream {
        let trips = |limit| self.proof.trips.contains(&limit);
        let mut limits = self.shape.limits;
        limits.max_step_visits = limits.max_step_visits.filter(|_| trips(Limit::StepVisits));
        limits.max_total_steps = limits.max_total_steps.filter(|_| trips(Limit::TotalSteps));
        limits.max_restarts = limits.max_restarts.filter(|_| trips(Limit::Restarts));
        self.guardrails(limits)
    }

    pub(super) fn guardrails(&self, limits: Limits) -> TokenStream {
        let krate = self.krate;
        let visits = option(limits.max_step_visits);
        let total = option(limits.max_total_steps);
        let restarts = option(limits.max_restarts);
        let private = &self.private;
        let verify_time =
            limits.max_verify_time.map(|seconds| quote!(#private::Duration::from_secs(#seconds)));
        let verify_time = option(verify_time);
        let review_rounds = option(limits.max_review_rounds);
        let exit_on_other = !limits.other_is_free;
        quote! {
            #krate::Guardrails::generated(
                #visits,
                #total,
                #restarts,
                #verify_time,
                #review_rounds,
                #exit_on_other,
            )
        }
    }
}

/// The function behind a step's `on`.
pub(super) fn on(step: usize) -> Ident {
    format_ident!("on_{step}", span = place::here())
}

/// How a method takes the run. Clippy expects an iterator of a method `iter`, unless it names the
/// type that it takes.
fn receiver(step: &Step, outcome: &Outcome) -> TokenStream {
    if outcome.method != "iter" {
        return quote!(self);
    }
    let step = &step.name;
    quote!(self: At<#step>)
}

/// An `Option` as an expression.
pub(super) fn option<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}
