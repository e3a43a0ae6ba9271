//! `guardrails: { max_step_visits: 3, … }`

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Lit, LitBool, LitInt, Token, braced};

use super::fields::{expect_comma, skip_rest};
use crate::diagnostic::Diagnostics;

/// One guardrail as it was written.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// What was written after its colon.
#[derive(Clone)]
pub(crate) enum Value {
    Number(LitInt),
    Switch(LitBool),
    /// It could not be read, and an error has been reported.
    Broken,
}

/// Reads the block.
pub(super) fn parse(
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Vec<Entry>> {
    if !input.peek(syn::token::Brace) {
        return Err(input.error(
            "expected the guardrails in braces, e.g. `{ max_step_visits: 3, max_total_steps: 100 }`",
        ));
    }
    let block;
    braced!(block in input);
    let mut entries = Vec::new();
    while !block.is_empty() {
        match entry(&block) {
            Ok(entry) => {
                expect_comma(&block, diagnostics, "a guardrail");
                entries.push(entry);
            }
            Err((key, error)) => {
                diagnostics.syntax(&error);
                skip_rest(&block);
                entries.extend(key.map(|key| Entry { key, value: Value::Broken }));
            }
        }
    }
    Ok(entries)
}

fn entry(block: ParseStream<'_>) -> Result<Entry, (Option<Ident>, syn::Error)> {
    let key = block
        .call(Ident::parse_any)
        .map_err(|_| (None, block.error("expected the name of a guardrail")))?;
    let value = value(block, &key).map_err(|error| (Some(key.clone()), error))?;
    Ok(Entry { key, value })
}

fn value(block: ParseStream<'_>, key: &Ident) -> syn::Result<Value> {
    block.parse::<Token![:]>().map_err(|_| block.error(format!("expected `:` after `{key}`")))?;
    let expected =
        || block.error(format!("expected a whole number, `true` or `false` for `{key}`"));
    match block.parse::<Lit>().map_err(|_| expected())? {
        Lit::Int(number) => Ok(Value::Number(number)),
        Lit::Bool(switch) => Ok(Value::Switch(switch)),
        other => Err(syn::Error::new_spanned(
            other,
            format!("expected a whole number, `true` or `false` for `{key}`"),
        )),
    }
}
