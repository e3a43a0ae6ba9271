//! How a step with a limit of its own is entered: the type for where the run goes instead, and the
//! functions that decide it.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;

use super::Expansion;
use crate::model::Next;
use crate::place::{self, quote};
use crate::spelling;

/// How an outcome of one step enters another one.
pub(super) struct Entering {
    /// What makes the `Result`, from a `ledger`.
    pub(super) made: TokenStream,
    /// The steps that the run may continue with: the one that the outcome names comes first.
    pub(super) steps: Vec<usize>,
    /// The exit if all of these are full, and not a guardrail's.
    pub(super) exit: Option<usize>,
}

impl Entering {
    /// Whether the run enters the step that the outcome names, or trips a guardrail.
    pub(super) fn is_one_step(&self) -> bool {
        self.steps.len() == 1 && self.exit.is_none()
    }
}

impl Expansion<'_> {
    /// How an outcome of `from` enters `to`. A step that it cannot find full is entered directly.
    pub(super) fn entering(&self, from: usize, to: usize, ledger: &TokenStream) -> Entering {
        let flow = &self.proof.flow;
        let steps = flow.entries(self.shape, from, to);
        if self.shape.steps[to].when_full.is_none() || !flow.meets_full(from, to) {
            let made = self.entered(to, ledger);
            return Entering { made, steps, exit: None };
        }
        let function = enter_or(to);
        let exit = self.exit_when_full(to, &steps);
        Entering { made: quote!(#function(#ledger)), steps, exit }
    }

    /// Where a run goes that is to enter the step and finds it and the others full.
    fn exit_when_full(&self, step: usize, steps: &[usize]) -> Option<usize> {
        let last = *steps.last().unwrap_or(&step);
        match self.shape.steps[last].when_full {
            Some(Next::Exit(exit)) => Some(exit).filter(|_| self.proof.flow.meets_full(step, last)),
            Some(Next::Step(_) | Next::Restart(_)) | None => None,
        }
    }

    /// Enters a step within its own limit or the recipe's, or trips it.
    fn entered(&self, step: usize, ledger: &TokenStream) -> TokenStream {
        match self.shape.steps[step].max_visits {
            Some(_) => {
                let function = enter(step);
                quote!(#function(#ledger))
            }
            None => quote!(enter(#ledger)),
        }
    }

    /// What one step adds to the module, if its visits have a limit of their own.
    pub(super) fn entry(&self, index: usize) -> TokenStream {
        let (krate, private, ledger) = (self.krate, &self.private, self.ledger());
        let step = &self.shape.steps[index];
        let (Some(limit), name) = (step.max_visits, &step.name) else { return TokenStream::new() };
        let (function, or) = (enter(index), self.entry_or(index));
        quote! {
            #[inline]
            fn #function(mut ledger: #ledger) -> ::core::result::Result<At<#name>, #krate::Tripped> {
                const LIMITS: #krate::Guardrails =
                    #private::within_step(GUARDRAILS, #limit);
                let name = &<Step as #krate::WireEnum>::NAMES[#index];
                match ledger.enter(#index, name, &LIMITS) {
                    ::core::result::Result::Ok(()) => {
                        ::core::result::Result::Ok(At { ledger, step: ::core::marker::PhantomData })
                    }
                    ::core::result::Result::Err(tripped) => ::core::result::Result::Err(tripped),
                }
            }
            #or
        }
    }

    /// The same for a step that has somewhere to go when it is full, if a run can find it full.
    fn entry_or(&self, index: usize) -> TokenStream {
        let (krate, ledger) = (self.krate, self.ledger());
        let (step, flow) = (&self.shape.steps[index], &self.proof.flow);
        if step.when_full.is_none() || !flow.meets_full(index, index) {
            return TokenStream::new();
        }
        let steps = flow.entries(self.shape, index, index);
        let (function, decided) = (enter_or(index), self.decided(index, &steps, 0));
        let (entry, items) = (&step.entry_enum, self.entry_enum(index, &steps));
        quote! {
            #items
            #[inline]
            fn #function(ledger: #ledger) -> ::core::result::Result<#entry, #krate::Tripped> {
                #decided
            }
        }
    }

    fn entry_enum(&self, index: usize, steps: &[usize]) -> TokenStream {
        let step = &self.shape.steps[index];
        let (krate, inner, name) = (self.krate, &self.inner, &step.entry_enum);
        let times = step.max_visits.map(times).unwrap_or_default();
        let docs = format!(
            "Where a run continues that is to enter the step `{}`: it may be visited {times}.",
            step.wire
        );
        let variants = steps.iter().enumerate().map(|(place, index)| {
            let step = &self.shape.steps[*index];
            let docs = match place {
                0 => format!("The run has entered `{}`.", step.wire),
                _ => format!("The run has entered `{}` instead.", step.wire),
            };
            let name = &step.name;
            // With the span of the place that names it, so that an editor finds the definition.
            let limited = place.checked_sub(1).map(|before| &self.shape.steps[steps[before]]);
            let target = spelling::at(name, limited.and_then(|limited| limited.when_full_at));
            quote!(#[doc = #docs] #name(At<#target>))
        });
        let exit = self.exit_when_full(index, steps).map(|exit| {
            let docs = format!("The run has ended instead: `exit {}`.", self.shape.exit_path(exit));
            quote!(#[doc = #docs] Exit(#krate::Exit),)
        });
        quote! {
            #[doc = #docs]
            #[derive(::core::fmt::Debug)]
            #[must_use = "a run continues only when an outcome is reported"]
            #inner enum #name { #(#variants,)* #exit }
        }
    }

    /// Enters the step at this place among those that the limits lead to, or the next one if it is
    /// full.
    fn decided(&self, index: usize, steps: &[usize], place: usize) -> TokenStream {
        let private = &self.private;
        let at = steps[place];
        let step = &self.shape.steps[at];
        let entered = self.entered(at, &quote!(ledger));
        let (entry, name) = (&self.shape.steps[index].entry_enum, &step.name);
        let entered = quote! {
            match #entered {
                ::core::result::Result::Ok(at) => ::core::result::Result::Ok(#entry::#name(at)),
                ::core::result::Result::Err(tripped) => ::core::result::Result::Err(tripped),
            }
        };
        let instead = match step.when_full {
            Some(Next::Exit(exit)) if self.proof.flow.meets_full(index, at) => {
                quote!(::core::result::Result::Ok(#entry::Exit(#private::exit::<Step>(#exit))))
            }
            Some(Next::Step(_)) if place + 1 < steps.len() => self.decided(index, steps, place + 1),
            Some(Next::Step(_) | Next::Exit(_) | Next::Restart(_)) | None => return entered,
        };
        let Some(limit) = step.max_visits else { return entered };
        quote!(if ledger.is_full(#at, #limit) { #instead } else { #entered })
    }

    /// The type that an outcome returns which enters a step, in its `Result`.
    pub(super) fn entered_type(
        &self,
        to: usize,
        entering: &Entering,
        at: Option<proc_macro2::Span>,
    ) -> TokenStream {
        let step = &self.shape.steps[to];
        if entering.is_one_step() {
            let name = spelling::at(&step.name, at);
            quote!(At<#name>)
        } else {
            let name = spelling::at(&step.entry_enum, at);
            quote!(#name)
        }
    }
}

fn enter(step: usize) -> Ident {
    format_ident!("enter_{step}", span = place::here())
}

fn enter_or(step: usize) -> Ident {
    format_ident!("enter_{step}_or", span = place::here())
}

/// "once", "twice", "3 times".
pub(super) fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
