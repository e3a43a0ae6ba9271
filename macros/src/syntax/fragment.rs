//! Steps that several recipes share: the input of `steps!`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Token, Visibility, braced, parenthesized};

use super::docs::Docs;
use super::fields::{is_word, skip_item};
use super::heading::heading;
use super::recipe::nothing_behind;
use super::step::Step;
use crate::diagnostic::Diagnostics;
use crate::spelling;

/// The names of the targets that shared steps leave open.
pub(crate) type Parameters = Punctuated<Ident, Token![,]>;

/// Shared steps as they were written: `pub(crate) steps name(parameter) { step … }`.
pub(crate) struct Fragment {
    pub(crate) docs: Docs,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) parameters: Parameters,
    /// The block, which is copied into recipes unchanged.
    pub(crate) block: TokenStream,
    pub(crate) steps: Vec<Step>,
}

impl Fragment {
    pub(crate) fn parse(written: TokenStream, diagnostics: &mut Diagnostics) -> Option<Self> {
        let parser = |input: ParseStream<'_>| {
            const FORM: &str =
                "expected shared steps: `pub(crate) steps name(parameter) { step … }`";
            let docs = Docs::parse(input, diagnostics)?;
            let visibility = input.parse()?;
            if !is_word(input, "steps") {
                return Err(input.error(FORM));
            }
            input.call(Ident::parse_any)?;
            let name = input.parse::<Ident>().map_err(|_| input.error(FORM))?;
            let mut parameters = Parameters::new();
            if input.peek(syn::token::Paren) {
                let list;
                parenthesized!(list in input);
                parameters = self::parameters(&list, diagnostics);
            }
            if !input.peek(syn::token::Brace) {
                let message =
                    format!("expected the block of the shared steps `{name}`: `{{ step … }}`");
                return Err(syn::Error::new(name.span(), message));
            }
            let block;
            braced!(block in input);
            let block: TokenStream = block.parse()?;
            if !input.is_empty() {
                nothing_behind(input, "list of shared steps", "steps!", diagnostics);
                while !input.is_empty() {
                    input.parse::<TokenTree>()?;
                }
            }
            let read = |input: ParseStream<'_>| Ok(steps(input, diagnostics).0);
            let steps = read.parse2(block.clone())?;
            Ok(Self { docs, visibility, name, parameters, block, steps })
        };
        match parser.parse2(written) {
            Ok(fragment) => Some(fragment),
            Err(error) => {
                diagnostics.syntax(&error);
                None
            }
        }
    }

    /// The constant that holds a step's prompt. A step that has no name for one is refused where it
    /// is included.
    pub(crate) fn prompt_constant(step: &Ident) -> Ident {
        let name = spelling::wire(step).replace('-', "_").to_uppercase();
        spelling::identifier(&name, step.span())
            .unwrap_or_else(|| format_ident!("PROMPT", span = step.span()))
    }

    /// The constant that stands for a `..NAME` in a step's tools, by its index among them.
    pub(crate) fn tools_constant(step: &Ident, index: usize) -> Ident {
        let name = Self::prompt_constant(step).unraw();
        format_ident!("__{name}_TOOLS_{index}", span = step.span())
    }
}

/// Reads the parameters. What cannot stand between them is one error, and the next one is still
/// read.
fn parameters(list: ParseStream<'_>, diagnostics: &mut Diagnostics) -> Parameters {
    let mut parameters = Parameters::new();
    while !list.is_empty() {
        if let Ok(parameter) = list.parse::<Ident>() {
            parameters.push(parameter);
        }
        if list.is_empty() || list.parse::<Option<Token![,]>>().is_ok_and(|comma| comma.is_some()) {
            continue;
        }
        let message =
            "expected the names of targets, separated by commas: `steps name(done, stuck)`";
        diagnostics.error_at(list.span(), message);
        skip_item(list);
    }
    parameters
}

/// Reads the steps of a block that holds nothing else.
pub(super) fn steps(input: ParseStream<'_>, diagnostics: &mut Diagnostics) -> (Vec<Step>, bool) {
    let (mut steps, mut broken) = (Vec::new(), false);
    while !input.is_empty() {
        let docs = Docs::parse(input, diagnostics).unwrap_or_default();
        if let Some(word) = heading(input, diagnostics) {
            match Step::parse(docs, word, input, diagnostics) {
                Some(step) => steps.push(step),
                None => broken = true,
            }
        } else {
            diagnostics.error_at(input.span(), "expected a step: `step Name { … }`");
            broken = true;
            skip_item(input);
        }
    }
    (steps, broken)
}
