//! The recipe as static data.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident};

use super::Expansion;
use super::at::option;
use crate::model::{Files, Needs, Next, Outcome};
use crate::place::{self, quote};

impl Expansion<'_> {
    pub(super) fn outline(&self) -> TokenStream {
        let (krate, shape, proof) = (self.krate, self.shape, self.proof);
        let (label, description) = (&shape.label, &shape.description);
        let (model, initial) = (option(shape.model.as_ref()), shape.initial);
        let outcomes = shape.steps.iter().flat_map(|step| &step.outcomes);
        let outcomes = outcomes.map(|outcome| self.outcome_outline(outcome));
        let first_outcomes = shape.steps.iter().scan(0, |next, step| {
            let first = *next;
            *next += step.outcomes.len();
            Some(first)
        });
        let steps =
            first_outcomes.enumerate().map(|(index, first)| self.step_outline(index, first));
        let guardrails = self.guardrails(shape.limits);
        let scope = self.file_scope();
        let Files { allow_lockfiles, needs: Needs { clean_tree, task }, isolate, .. } = shape.files;
        let (max_steps, fingerprint) = (proof.max_steps, proof.fingerprint);
        let former_fingerprint = proof.former_fingerprint;
        let is_exact = proof.max_steps_is_exact;
        let path = proof.heaviest_path.iter().map(|(step, visits)| {
            let step = &shape.steps[*step].wire;
            quote!(#krate::PathPart { step: #step, visits: #visits })
        });
        let never = proof.never_trips.iter().map(|limit| {
            let name = format_ident!("{}", limit.name(), span = place::here());
            quote!(#krate::Guardrail::#name)
        });
        let claims = proof.claims.iter().map(|claim| self.claim(claim));
        quote! {
            {
                // Lists in arguments would not be static, unlike those that constants are made of.
                const OUTCOMES: &[#krate::OutcomeOutline] = &[#(#outcomes,)*];
                const STEPS: &[#krate::StepOutline] = &[#(#steps,)*];
                const CLAIMS: &[#krate::Claim] = &[#(#claims,)*];
                static SCOPE: #krate::FileScope = #scope;
                &#krate::Outline::generated(
                    <Self as #krate::Recipe>::ID,
                    #label,
                    #description,
                    #model,
                    #initial,
                    STEPS,
                    #guardrails,
                )
                .with_files(
                    &SCOPE,
                    #allow_lockfiles,
                    #krate::Needs::generated(#clean_tree, #task),
                    #isolate,
                )
                .with_proof(#max_steps, #is_exact, &[#(#path,)*], &[#(#never,)*], CLAIMS)
                .with_fingerprints(#fingerprint, #former_fingerprint)
            }
        }
    }

    /// A step, whose outcomes are among those of all steps, from `first` on.
    fn step_outline(&self, index: usize, first: usize) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let step = &self.shape.steps[index];
        let was = self.names(&step.was);
        let (name, description, model) =
            (&step.wire, step.docs.first_paragraph(), option(step.model.as_ref()));
        let count = step.outcomes.len();
        let (command, limits) = (self.command_step(step), self.step_limits(step));
        let verify: Vec<_> = step.verify.iter().map(|command| self.command(command)).collect();
        let verify = list(&verify, &quote!(#private::NO_COMMANDS));
        quote! {
            #krate::StepOutline::generated(
                #name,
                #was,
                #description,
                #model,
                <#module::Step as #private::Scope>::PROMPTS[#index],
                #private::outcomes(OUTCOMES, #first, #count),
            )
            .with_gates(
                <#module::Step as #private::Scope>::TOOLS[#index],
                #command,
                #verify,
                #limits,
            )
        }
    }

    fn outcome_outline(&self, outcome: &Outcome) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let (name, was, findings) = (&outcome.wire, self.names(&outcome.was), outcome.findings);
        let description = outcome.docs.first_paragraph();
        let next = match outcome.next {
            Next::Step(step) => quote!(#krate::NextOutline::Step(#step)),
            Next::Exit(exit) => quote! {
                #krate::NextOutline::Exit(<#module::Step as #private::Scope>::EXITS[#exit])
            },
            Next::Restart(restart) => quote!(#private::next_restart::<#module::Step, #restart>()),
        };
        let evidence: Vec<_> =
            outcome.evidence.iter().map(|evidence| self.evidence(evidence)).collect();
        let evidence = list(&evidence, &quote!(#private::NO_EVIDENCE));
        quote! {
            #krate::OutcomeOutline::generated(
                #name,
                #description,
                #was,
                #evidence,
                #findings,
                #next,
            )
        }
    }

    /// Former names.
    fn names(&self, names: &[String]) -> TokenStream {
        let private = &self.private;
        list(names, &quote!(#private::NO_NAMES))
    }
}

/// A list of constants. An empty one is a constant of the library, since each `&[]` would be one of
/// its own that the compiler evaluates.
fn list(items: &[impl ToTokens], empty: &TokenStream) -> TokenStream {
    if items.is_empty() { empty.clone() } else { quote!(&[#(#items,)*]) }
}
