//! What the generated module needs from outside: the author's prompts, tools, exits and restart
//! targets.

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::Expr;
use syn::spanned::Spanned;

use super::Expansion;
use crate::model::{Exit, Prompt};
use crate::place::quote;
use crate::syntax::Reason;

impl Expansion<'_> {
    /// The author's expressions, evaluated where they were written.
    pub(super) fn scope(&self) -> TokenStream {
        let (krate, private) = (self.krate, &self.private);
        let (name, hidden) = (&self.shape.name, &self.hidden);
        let module = self.parts();
        let count = self.shape.steps.len();
        let prompts = self.shape.steps.iter().map(|step| match &step.prompt {
            Prompt::Written(prompt) | Prompt::Asserted(prompt) => quote!(#prompt),
            Prompt::Stub => quote!(""),
        });
        let tools = self.shape.steps.iter().map(|step| self.tools(step));
        let registry = self.shape.registry(krate);
        let exits = self.shape.exits.iter().map(|exit| match exit {
            Exit::Authored(reason @ Reason { standard: Some(_), .. }) => {
                let variant = self.shape.variant(reason, krate);
                quote!(#private::standard_reason(#variant))
            }
            Exit::Authored(Reason { standard: None, name: reason }) => {
                // Through the trait, so that an unknown registry is one error and not one for each
                // exit.
                let variant =
                    quote_spanned!(reason.span()=> <<Self as #private::Scope>::Exits>::#reason);
                quote!(#private::reason::<Self>(#variant as ::core::primitive::usize))
            }
            Exit::StandardOther => quote!(#private::STANDARD_OTHER),
        });
        // Errors of the compiler about the author's paths (e.g. private ones) point at those paths.
        let own_exits = quote_spanned!(registry.span()=> type Exits = #registry;);
        let restarts = self.shape.restarts.iter().enumerate().map(|(index, restart)| {
            let path = &restart.path;
            let target = quote_spanned!(path.span()=> type Target = #path;);
            quote! {
                #[automatically_derived]
                impl #private::RestartTarget<#index> for #module::Step {
                    #target
                }
            }
        });
        let assertions =
            self.shape.steps.iter().enumerate().filter_map(|(index, step)| match &step.prompt {
                Prompt::Asserted(prompt) => {
                    let prompts = quote!(<#module::Step as #private::Scope>::PROMPTS[#index]);
                    Some(says_something(prompt, &step.name, &prompts, private))
                }
                Prompt::Written(_) | Prompt::Stub => None,
            });
        let tool_assertions = self.tool_assertions();
        quote! {
            #[automatically_derived]
            impl #private::Scope for #module::Step {
                type Recipe = #hidden::#name;
                #own_exits
                type Visits = [::core::primitive::u32; #count];
                const PROMPTS: &'static [&'static ::core::primitive::str] = &[#(#prompts,)*];
                const TOOLS: &'static [::core::option::Option<&'static [#krate::Tool]>] = &[#(#tools,)*];
                const EXITS: &'static [#krate::AnyReason] = &[#(#exits,)*];
            }
            #(#restarts)*
            #(#assertions)*
            #tool_assertions
        }
    }

    /// The recipe's module, seen from where the recipe is written.
    pub(super) fn parts(&self) -> TokenStream {
        let (hidden, module) = (&self.hidden, &self.shape.module);
        quote!(#hidden::#module)
    }

    /// Names inside the module for the recipes around it, so that signatures read as the author
    /// would write them.
    pub(super) fn aliases(&self) -> TokenStream {
        let (private, inner) = (&self.private, &self.inner);
        let others = self
            .shape
            .restarts
            .iter()
            .enumerate()
            .filter(|(_, restart)| !restart.path.is_ident(&self.shape.name));
        let restarts = others.map(|(index, restart)| {
            let name = &restart.name;
            quote! {
                #[doc(hidden)]
                #inner type #name = <Step as #private::RestartTarget<#index>>::Target;
            }
        });
        let own = (!self.restarts_a_namesake()).then(|| {
            let name = &self.shape.name;
            quote! {
                #[doc(hidden)]
                #inner type #name = <Step as #private::Scope>::Recipe;
            }
        });
        quote!(#own #(#restarts)*)
    }

    /// The recipe's own type, as the module can name it.
    pub(super) fn own_name(&self) -> TokenStream {
        let private = &self.private;
        if self.restarts_a_namesake() {
            return quote!(<Step as #private::Scope>::Recipe);
        }
        let name = &self.shape.name;
        quote!(#name)
    }

    /// Whether a recipe of the same name is restarted that may be another one: the bare name is the
    /// recipe itself.
    fn restarts_a_namesake(&self) -> bool {
        let mut restarts = self.shape.restarts.iter();
        restarts.any(|restart| {
            restart.name == self.shape.name && !restart.path.is_ident(&self.shape.name)
        })
    }
}

/// An assertion that only the compiler can check: the value of this prompt is not blank.
pub(super) fn says_something(
    prompt: &Expr,
    step: &Ident,
    value: &TokenStream,
    private: &TokenStream,
) -> TokenStream {
    let message = format!("the prompt of step `{step}` is empty: say what the agent is to do");
    quote_spanned! {prompt.span()=>
        const _: () = ::core::assert!(!#private::blank(#value), #message);
    }
}
