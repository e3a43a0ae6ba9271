//! What is proven about every path: as static data, and on the recipe's page.

use std::fmt::Write as _;

use proc_macro2::TokenStream;

use super::Expansion;
use super::at::option;
use super::gate_docs::code;
use crate::model::{Claim, ClaimGoal, Next, Outcome, Step};
use crate::place::quote;
use crate::resolve::Report;

impl Expansion<'_> {
    pub(super) fn claim(&self, claim: &Claim) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let goal = match claim.goal {
            ClaimGoal::Step(step) => quote!(#krate::ClaimGoal::Step(#step)),
            ClaimGoal::Exit(exit) => quote! {
                #krate::ClaimGoal::Exit(<#module::Step as #private::Scope>::EXITS[#exit])
            },
            ClaimGoal::Restart(restart) => {
                quote!(#private::claimed_restart::<#module::Step, #restart>())
            }
        };
        let needs = claim.needs.iter().map(|Report { step, outcome }| {
            quote!(#krate::ClaimedOutcome { step: #step, outcome: #outcome })
        });
        let since = option(claim.since);
        quote!(#krate::Claim::generated(#goal, &[#(#needs,)*], #since))
    }

    /// A list of the claims; empty if there are none.
    pub(super) fn claims_in_words(&self) -> String {
        let mut list = String::new();
        for claim in &self.proof.claims {
            let goal = match claim.goal {
                ClaimGoal::Step(step) => self.linked(step),
                ClaimGoal::Exit(exit) => format!("exit `{}`", self.shape.exits[exit].name()),
                ClaimGoal::Restart(restart) => {
                    format!("restart `{}`", self.shape.restarts[restart].name)
                }
            };
            let needs: Vec<_> = claim.needs.iter().map(|need| self.need_in_words(*need)).collect();
            let since = claim
                .since
                .map_or_else(String::new, |step| format!(" since {}", self.linked(step)));
            // Writing to a string cannot fail.
            let _ = writeln!(list, "- {goal} needs {}{since}.", needs.join(" or "));
        }
        if list.is_empty() { list } else { format!("# Proven of every path\n\n{list}\n") }
    }

    fn need_in_words(&self, Report { step, outcome }: Report) -> String {
        let (linked, step) = (self.linked(step), &self.shape.steps[step]);
        let outcome = &step.outcomes[outcome];
        format!("{linked} to report `{}` ({})", outcome.wire, basis(step, outcome))
    }

    fn linked(&self, step: usize) -> String {
        self.step_link(&self.shape.steps[step].name.to_string())
    }
}

/// What a reader may rely on; `ClaimBasis` says the same at run time.
fn basis(step: &Step, outcome: &Outcome) -> String {
    let goes_on = !matches!(outcome.next, Next::Exit(_));
    if step.run.is_some() {
        "as the engine's command finds it".to_owned()
    } else if !outcome.evidence.is_empty() {
        format!("as the engine finds it: {}", code(&outcome.evidence_in_words()))
    } else if goes_on && !step.verify.is_empty() {
        "as the agent reports it, and the engine verifies it with commands".to_owned()
    } else {
        "as the agent reports it".to_owned()
    }
}
