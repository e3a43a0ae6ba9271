//! The recipe as static data.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::Expansion;
use super::at::option;
use crate::model::{Files, Needs, Next, Outcome, Step};

impl Expansion<'_> {
    pub(super) fn outline(&self) -> TokenStream {
        let (krate, shape, proof) = (self.krate, self.shape, self.proof);
        let (label, description) = (&shape.label, &shape.description);
        let (model, initial) = (option(shape.model.as_ref()), shape.initial);
        let steps = (0..shape.steps.len()).map(|index| self.step_outline(index));
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
            let name = format_ident!("{}", limit.name());
            quote!(#krate::Guardrail::#name)
        });
        let claims = proof.claims.iter().map(|claim| self.claim(claim));
        quote! {
            #krate::Outline {
                id: <Self as #krate::Recipe>::ID,
                label: #label,
                description: #description,
                model: #model,
                initial: #initial,
                steps: &[#(#steps,)*],
                guardrails: #guardrails,
                scope: &#scope,
                allow_lockfiles: #allow_lockfiles,
                needs: #krate::Needs { clean_tree: #clean_tree, task: #task },
                isolate: #isolate,
                max_steps: #max_steps,
                max_steps_is_exact: #is_exact,
                heaviest_path: &[#(#path,)*],
                never_trips: &[#(#never,)*],
                claims: &[#(#claims,)*],
                fingerprint: #krate::Fingerprint(#fingerprint),
                former_fingerprint: #krate::Fingerprint(#former_fingerprint),
            }
        }
    }

    fn step_outline(&self, index: usize) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let step = &self.shape.steps[index];
        let was = &step.was;
        let (name, description, model) =
            (&step.wire, step.docs.first_paragraph(), option(step.model.as_ref()));
        let outcomes = step.outcomes.iter().map(|outcome| self.outcome_outline(outcome));
        let (command, limits) = (self.command_step(step), self.step_limits(step));
        let verify = step.verify.iter().map(|command| self.command(command));
        quote! {
            #krate::StepOutline {
                name: #name,
                was: &[#(#was,)*],
                description: #description,
                model: #model,
                prompt: <#module::Step as #private::Scope>::PROMPTS[#index],
                tools: <#module::Step as #private::Scope>::TOOLS[#index],
                command: #command,
                verify: &[#(#verify,)*],
                limits: #limits,
                outcomes: &[#(#outcomes,)*],
            }
        }
    }

    fn step_limits(&self, step: &Step) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let Some(visits) = step.max_visits else { return quote!(#krate::StepLimits::NONE) };
        let when_full = step.when_full.and_then(|next| match next {
            Next::Step(step) => Some(quote!(#krate::WhenFull::Step(#step))),
            Next::Exit(exit) => Some(quote! {
                #krate::WhenFull::Exit(<#module::Step as #private::Scope>::EXITS[#exit])
            }),
            Next::Restart(_) => None,
        });
        let when_full = option(when_full);
        quote! {
            #krate::StepLimits {
                max_visits: ::core::option::Option::Some(#visits),
                when_full: #when_full,
            }
        }
    }

    fn outcome_outline(&self, outcome: &Outcome) -> TokenStream {
        let (krate, private, module) = (self.krate, &self.private, &self.shape.module);
        let (name, was, findings) = (&outcome.wire, &outcome.was, outcome.findings);
        let description = outcome.docs.first_paragraph();
        let next = match outcome.next {
            Next::Step(step) => quote!(#krate::NextOutline::Step(#step)),
            Next::Exit(exit) => quote! {
                #krate::NextOutline::Exit(<#module::Step as #private::Scope>::EXITS[#exit])
            },
            Next::Restart(restart) => quote!(#private::next_restart::<#module::Step, #restart>()),
        };
        let evidence = outcome.evidence.iter().map(|evidence| self.evidence(evidence));
        quote! {
            #krate::OutcomeOutline {
                name: #name,
                description: #description,
                was: &[#(#was,)*],
                evidence: &[#(#evidence,)*],
                findings: #findings,
                next: #next,
            }
        }
    }
}
