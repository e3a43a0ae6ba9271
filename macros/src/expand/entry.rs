//! How a step with a limit of its own is entered: the type for where the run goes, and the
//! functions that decide it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Expansion;
use crate::model::{Next, Step};
use crate::spelling;

/// How an outcome of one step enters another one.
pub(super) struct Entering {
    /// What makes the `Result`, from a `ledger`.
    pub(super) made: TokenStream,
    /// The steps that the run may continue with: the one that the outcome names comes first.
    pub(super) steps: Vec<usize>,
    /// The exit if the step is full, and not a guardrail's.
    pub(super) exit: Option<usize>,
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
        let last = steps.last().unwrap_or(&to);
        let exit = match self.shape.steps[*last].when_full {
            Some(Next::Exit(exit)) => Some(exit),
            Some(Next::Step(_) | Next::Restart(_)) | None => None,
        };
        Entering { made: quote!(#function(#ledger)), steps, exit }
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
            fn #function(mut ledger: #ledger) -> ::core::result::Result<At<#name>, #krate::Exit> {
                const LIMITS: #krate::Guardrails =
                    #private::within_step(GUARDRAILS, #limit);
                let name = &<Step as #private::strum::VariantNames>::VARIANTS[#index];
                match ledger.enter(#index, name, &LIMITS) {
                    ::core::result::Result::Ok(()) => {
                        ::core::result::Result::Ok(At { ledger, step: ::core::marker::PhantomData })
                    }
                    ::core::result::Result::Err(exit) => ::core::result::Result::Err(exit),
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
        let (items, entered) = if steps.len() == 1 {
            let name = &step.name;
            (TokenStream::new(), quote!(At<#name>))
        } else {
            let name = &step.entry_enum;
            (self.entry_enum(step, &steps), quote!(#name))
        };
        quote! {
            #items
            #[inline]
            fn #function(ledger: #ledger) -> ::core::result::Result<#entered, #krate::Exit> {
                #decided
            }
        }
    }

    fn entry_enum(&self, step: &Step, steps: &[usize]) -> TokenStream {
        let (inner, name) = (&self.inner, &step.entry_enum);
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
        quote! {
            #[doc = #docs]
            #[derive(::core::fmt::Debug)]
            #[must_use = "a run continues only when an outcome is reported"]
            #inner enum #name { #(#variants,)* }
        }
    }

    /// Enters the step at this place among those that the limits lead to, or the next one if it is
    /// full.
    fn decided(&self, index: usize, steps: &[usize], place: usize) -> TokenStream {
        let private = &self.private;
        let at = steps[place];
        let step = &self.shape.steps[at];
        let entered = self.entered(at, &quote!(ledger));
        let entered = if steps.len() == 1 {
            entered
        } else {
            let (enumeration, name) = (&self.shape.steps[index].entry_enum, &step.name);
            quote! {
                match #entered {
                    ::core::result::Result::Ok(at) => ::core::result::Result::Ok(#enumeration::#name(at)),
                    ::core::result::Result::Err(exit) => ::core::result::Result::Err(exit),
                }
            }
        };
        let instead = match step.when_full {
            Some(Next::Exit(exit)) if self.proof.flow.meets_full(index, at) => {
                quote!(::core::result::Result::Err(#private::exit::<Step>(#exit)))
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
        steps: &[usize],
        at: Option<proc_macro2::Span>,
    ) -> TokenStream {
        let step = &self.shape.steps[to];
        if steps.len() == 1 {
            let name = spelling::at(&step.name, at);
            quote!(At<#name>)
        } else {
            let name = spelling::at(&step.entry_enum, at);
            quote!(#name)
        }
    }
}

fn enter(step: usize) -> Ident {
    format_ident!("enter_{step}")
}

fn enter_or(step: usize) -> Ident {
    format_ident!("enter_{step}_or")
}

/// "once", "twice", "3 times".
pub(super) fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
