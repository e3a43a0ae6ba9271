//! The procedural macros of [surefire](https://docs.rs/surefire): use them through that crate.
//!
//! A recipe passes through five stages, each with its own type: `syntax::Recipe` (what was
//! written) → `Resolved` (names looked up) → `check::Valid` (it kept every rule) → `Model` (what is
//! generated) → the items in `expand`. `recipe_tokens` at the end of this file calls them in that
//! order.

mod catalog;
mod check;
mod defect;
mod diagnostic;
mod expand;
mod file_pattern;
mod fingerprint;
mod graph;
mod longest;
mod model;
mod place;
mod proof;
mod registry;
mod resolve;
mod salvage;
mod spelling;
mod syntax;
mod tool_pattern;
mod witness;

#[cfg(test)]
mod snapshots;
#[cfg(test)]
mod torture;
#[cfg(test)]
mod witness_walks;

use proc_macro2::TokenStream;
use quote::quote;

use crate::defect::guard;
use crate::diagnostic::Diagnostics;
use crate::model::{Model, Shape};
use crate::resolve::{Resolved, ResolvedFragment};
use crate::syntax::{Fragment, Input};

/// The engine behind `surefire::recipe!`.
#[proc_macro]
pub fn recipe(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    guarded_recipe(&Input::split(input.into())).into()
}

/// The second half of an `include`: replaces it by the fetched shared steps.
#[proc_macro]
pub fn splice(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    // Only `steps!` generates calls of this macro, always with all eight parts.
    syntax::splice(input.into()).map(|input| guarded_recipe(&input)).unwrap_or_default().into()
}

/// The engine behind `surefire::steps!`.
#[proc_macro]
pub fn steps(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = Input::split(input.into());
    guard("steps!", || steps_tokens(&input), |error| salvage::fragment(&input, error)).into()
}

/// The engine behind `surefire::catalog!`.
#[proc_macro]
pub fn catalog(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = Input::split(input.into());
    guard("catalog!", || catalog::expand(&input), |error| salvage::catalog(&input, error)).into()
}

/// Makes an enum a registry of exit reasons; see the trait of the same name in surefire.
#[proc_macro_derive(Registry, attributes(registry, reason))]
pub fn derive_registry(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = TokenStream::from(input);
    let expand = || registry::derive(input.clone());
    guard("#[derive(Registry)]", expand, |error| salvage::registry(input.clone(), error)).into()
}

fn guarded_recipe(input: &Input) -> TokenStream {
    guard("recipe!", || recipe_tokens(input), |error| salvage::recipe(input, error))
}

fn recipe_tokens(input: &Input) -> TokenStream {
    if let Some(calls) = syntax::configured("recipe", input) {
        return calls;
    }
    if let Some(fetch) = syntax::fetch(input) {
        return fetch;
    }
    let mut diagnostics = Diagnostics::default();
    let Some(written) = syntax::Recipe::parse(input.written.clone(), &mut diagnostics) else {
        return diagnostics.into_tokens();
    };
    place::at(written.name.span(), || generated(written, diagnostics, &input.krate))
}

fn generated(
    written: syntax::Recipe,
    diagnostics: Diagnostics,
    krate: &TokenStream,
) -> TokenStream {
    match check::recipe(Resolved::new(written), diagnostics) {
        Ok(valid) => {
            let model = Model::new(&valid);
            expand::model(&model, krate)
        }
        Err(invalid) => {
            let errors = invalid.diagnostics.into_tokens();
            match Shape::new(&invalid.recipe) {
                Some(shape) => expand::stubs(&shape, &errors, krate),
                None => errors,
            }
        }
    }
}

/// Shared steps have no model: where their outcomes lead is known, and checked, only in the recipes
/// that include them.
fn steps_tokens(input: &Input) -> TokenStream {
    if let Some(calls) = syntax::configured("steps", input) {
        return calls;
    }
    let mut diagnostics = Diagnostics::default();
    let Some(written) = Fragment::parse(input.written.clone(), &mut diagnostics) else {
        return diagnostics.into_tokens();
    };
    let resolved = ResolvedFragment::new(written);
    check::fragment(&resolved, &mut diagnostics);
    let name = resolved.written.name.span();
    let items = place::at(name, || expand::fragment(&resolved, &input.krate));
    let errors = diagnostics.into_tokens();
    quote!(#errors #items)
}
