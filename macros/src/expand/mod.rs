//! The generated code: one file per item.
//!
//! Three rules hold throughout. Names are absolute, so nothing has to be imported and nothing the
//! author defines gets in the way. The author's own expressions and paths are emitted where the
//! author wrote them, never inside the generated module. And no generated code calls a method on
//! `At`: looking one up among thousands of `impl` blocks is slow. Start with `recipe.rs`.

mod any_step;
mod at;
mod claims;
mod diagram;
mod dispatch;
mod docs;
mod editor;
mod end;
mod entry;
mod fragment;
mod gate_docs;
mod gates;
mod limits;
mod next;
mod outcome;
mod outline;
mod recipe;
mod scope;
mod step;
mod visibility;

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::ext::IdentExt;

use crate::model::{Ends, Model, Shape};
use crate::place::quote;
use crate::proof::Proof;

pub(crate) use fragment::fragment;

/// What every generated item needs to know.
pub(crate) struct Expansion<'a> {
    shape: &'a Shape,
    proof: &'a Proof,
    /// How a run can end.
    ends: Ends,
    /// The path to the surefire crate, as `$crate` gave it.
    krate: &'a TokenStream,
    /// The module of surefire that generated code may use.
    private: TokenStream,
    /// The hidden module that everything is defined in, and from which the recipe's type and module
    /// are re-exported: another item of one of these names is one error, and not one for each use.
    hidden: Ident,
    /// The visibility of items in the hidden module.
    outer: TokenStream,
    /// The visibility of items inside the recipe's module, which lies in the hidden one.
    inner: TokenStream,
}

/// A valid recipe.
pub(crate) fn model(model: &Model, krate: &TokenStream) -> TokenStream {
    let expansion = Expansion::new(model.shape(), model.proof(), krate);
    let (editor, recipe) = (expansion.editor(), expansion.recipe());
    quote!(#editor #recipe)
}

/// The same items for a broken recipe, so that the code that uses them is not in error as well,
/// behind its errors.
pub(crate) fn stubs(shape: &Shape, errors: &TokenStream, krate: &TokenStream) -> TokenStream {
    let proof = Proof::new(shape, Vec::new());
    let expansion = Expansion::new(shape, &proof, krate);
    let (editor, recipe) = (expansion.editor(), expansion.recipe());
    quote!(#editor #errors #recipe)
}

impl<'a> Expansion<'a> {
    fn new(shape: &'a Shape, proof: &'a Proof, krate: &'a TokenStream) -> Self {
        let name = shape.name.span();
        let outer = visibility::inside(&shape.visibility, name);
        let inner = visibility::inside_twice(&shape.visibility, name);
        let hidden = format_ident!("__{}", shape.module.unraw(), span = shape.module.span());
        let ends = Ends::new(shape, &proof.trips);
        let private = quote!(#krate::__private);
        Self { shape, proof, ends, krate, private, hidden, outer, inner }
    }

    /// The type of the ledger: one counter per step.
    fn ledger(&self) -> TokenStream {
        let (private, count) = (&self.private, self.shape.steps.len());
        quote!(#private::Ledger<[::core::primitive::u32; #count]>)
    }
}
