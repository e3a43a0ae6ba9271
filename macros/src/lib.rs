//! The procedural macros of [surefire](https://docs.rs/surefire): use them through that crate.
//!
//! A recipe passes through five stages, each a type of its own:
//! `syntax::Recipe` (what was written) → `Resolved` (names looked up) → the rules in `check` → `Model` (valid) →
//! the generated items in `expand`.

mod catalog;
mod check;
mod diagnostic;
mod expand;
mod graph;
mod model;
mod proof;
mod registry;
mod resolve;
mod spelling;
mod syntax;

#[cfg(test)]
mod torture;

use proc_macro2::TokenStream;

use crate::diagnostic::Diagnostics;
use crate::model::Model;
use crate::resolve::Resolved;
use crate::syntax::{Fragment, Input};

/// The engine behind `surefire::recipe!`.
#[proc_macro]
pub fn recipe(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    recipe_tokens(&Input::split(input.into())).into()
}

/// The second half of an `include`: shared steps have been fetched and take their place.
#[proc_macro]
pub fn splice(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    // Only `steps!` writes calls of this macro, and it writes all eight parts.
    syntax::splice(input.into()).map(|input| recipe_tokens(&input)).unwrap_or_default().into()
}

/// The engine behind `surefire::steps!`.
#[proc_macro]
pub fn steps(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    steps_tokens(Input::split(input.into())).into()
}

/// The engine behind `surefire::catalog!`.
#[proc_macro]
pub fn catalog(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    catalog::expand(input.into()).into()
}

/// Makes an enum a registry of exit reasons; see the trait of the same name in surefire.
#[proc_macro_derive(Registry, attributes(registry, reason))]
pub fn derive_registry(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    registry::derive(input.into()).into()
}

fn recipe_tokens(input: &Input) -> TokenStream {
    if let Some(fetch) = syntax::fetch(input) {
        return fetch;
    }
    let mut diagnostics = Diagnostics::default();
    let Some(written) = syntax::Recipe::parse(input.written.clone(), &mut diagnostics) else {
        return diagnostics.into_tokens();
    };
    match Model::new(&Resolved::new(written), diagnostics) {
        Ok(model) => expand::model(&model, &input.krate),
        Err(broken) => {
            let stubs = broken.shape.map(|shape| expand::stubs(&shape, &input.krate));
            let errors = broken.diagnostics.into_tokens();
            quote::quote!(#errors #stubs)
        }
    }
}

fn steps_tokens(input: Input) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let Some(fragment) = Fragment::parse(input.written, &mut diagnostics) else {
        return diagnostics.into_tokens();
    };
    // What leads where is judged in the recipes that include the steps; only there it is known.
    check::fragment(&fragment, &mut diagnostics);
    let items = expand::fragment(&fragment, &input.krate);
    let errors = diagnostics.into_tokens();
    quote::quote!(#errors #items)
}
