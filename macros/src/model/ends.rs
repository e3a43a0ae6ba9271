//! How a run can end, as the variants of an enum: one for each exit reason, each restarted recipe
//! and each guardrail that can trip.
//!
//! A variant is called what it stands for. Where two of them would have one name, the later one
//! gets a word in front of it.

use std::collections::HashSet;

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

use super::{Exit, Restart, Shape};
use crate::proof::Limit;
use crate::spelling;

/// The variants, in order.
pub(crate) struct Ends {
    /// A variant, and an exit that has its reason.
    pub(crate) exits: Vec<(Ident, usize)>,
    /// The place in `exits` of each exit of the recipe.
    places: Vec<usize>,
    /// By the index of the restarted recipe.
    pub(crate) restarts: Vec<Ident>,
    pub(crate) limits: Vec<(Limit, Ident)>,
}

impl Ends {
    pub(crate) fn new(shape: &Shape, trips: &[Limit]) -> Self {
        let mut names = Names::default();
        // Not where a reason is written: there, an editor leads to the reason.
        let at = shape.name.span();
        let (mut keys, mut exits, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (index, exit) in shape.exits.iter().enumerate() {
            let is_own = matches!(exit, Exit::Authored(reason) if reason.standard.is_none())
                && shape.registry.is_some();
            let key = (is_own, exit.plain_name());
            let known = keys.iter().position(|known| *known == key);
            places.push(known.unwrap_or(keys.len()));
            if known.is_none() {
                exits.push((names.pick("Standard", &key.1, at), index));
                keys.push(key);
            }
        }
        let restarts = shape.restarts.iter();
        let restarts = restarts.map(|Restart { name, .. }| {
            names.pick("Restart", &name.unraw().to_string(), name.span())
        });
        let restarts = restarts.collect();
        let limits = trips.iter().map(|limit| (*limit, names.pick("Tripped", limit.name(), at)));
        let limits = limits.collect();
        Self { exits, places, restarts, limits }
    }

    /// The variant of an exit.
    pub(crate) fn exit(&self, exit: usize) -> &Ident {
        &self.exits[self.places[exit]].0
    }
}

/// The names of variants, each once.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
}

impl Names {
    fn pick(&mut self, prefix: &str, name: &str, at: Span) -> Ident {
        let mut name = name.to_owned();
        loop {
            // What a stub stands for may have no name that Rust accepts, e.g. `self`.
            if let Some(variant) = spelling::identifier(&name, at)
                && self.taken.insert(name.clone())
            {
                return variant;
            }
            name.insert_str(0, prefix);
        }
    }
}
