//! What is still reported and generated after a panic in one of the stages.
//!
//! The author's own mistakes come first: a panic is most likely on a recipe that has some, and may
//! disappear once they are fixed. The items are stubs, so that the code that uses them is not in
//! error as well.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;

use crate::defect::attempt;
use crate::diagnostic::Diagnostics;
use crate::model::Shape;
use crate::resolve::{Resolved, ResolvedFragment};
use crate::syntax::{self, Fragment, Input};
use crate::{check, expand, registry};

/// A recipe's mistakes, as far as they can be found, and its items, or stubs with its name.
pub(crate) fn recipe(input: &Input, error: &TokenStream) -> TokenStream {
    let mistakes = attempt(|| mistakes(input.written.clone()));
    let items = attempt(|| stubs(input.written.clone(), &input.krate)).flatten();
    let items = items
        .or_else(|| attempt(|| stubs(with_a_plain_body(&input.written), &input.krate)).flatten());
    quote!(#error #mistakes #items)
}

fn mistakes(written: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let Some(written) = syntax::Recipe::parse(written, &mut diagnostics) else {
        return diagnostics.into_tokens();
    };
    match check::recipe(Resolved::new(written), diagnostics) {
        Ok(_) => TokenStream::new(),
        Err(invalid) => invalid.diagnostics.into_tokens(),
    }
}

fn stubs(written: TokenStream, krate: &TokenStream) -> Option<TokenStream> {
    let written = syntax::Recipe::parse(written, &mut Diagnostics::default())?;
    Some(expand::stubs(&Shape::new(&Resolved::new(written))?, &TokenStream::new(), krate))
}

/// The author's doc comment, visibility and name with one step: enough to list and begin the
/// recipe.
fn with_a_plain_body(written: &TokenStream) -> TokenStream {
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let header = written.clone().into_iter().take_while(|token| !is_body(token));
    quote! {
        #(#header)* {
            initial: Begin,
            step Begin { prompt: "?", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
}

/// The mistakes of shared steps, as far as they can be found, and the items that recipes include
/// them by.
pub(crate) fn fragment(input: &Input, error: &TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let Some(written) = Fragment::parse(input.written.clone(), &mut diagnostics) else {
        let mistakes = diagnostics.into_tokens();
        return quote!(#error #mistakes);
    };
    let resolved = ResolvedFragment::new(written);
    let mistakes = attempt(|| {
        check::fragment(&resolved, &mut diagnostics);
        diagnostics.into_tokens()
    });
    let items = attempt(|| expand::fragment(&resolved, &input.krate));
    quote!(#error #mistakes #items)
}

/// A catalog without recipes: an expression of the right type.
pub(crate) fn catalog(input: &Input, error: &TokenStream) -> TokenStream {
    let krate = &input.krate;
    quote! {{
        #error
        #krate::Catalog::new(&[])
    }}
}

/// The mistakes of an enum of exit reasons, as far as they can be found, and its registry.
pub(crate) fn registry(input: TokenStream, error: &TokenStream) -> TokenStream {
    let rest = registry::salvage(input);
    quote!(#error #rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::defect::guard;

    fn input(written: TokenStream) -> Input {
        Input { krate: quote!(::surefire), written }
    }

    fn salvaged(written: TokenStream) -> String {
        let input = input(written);
        let answer = guard("recipe!", || panic!("provoked"), |error| recipe(&input, error));
        syn::parse2::<syn::File>(answer.clone()).expect("an answer is Rust");
        answer.to_string()
    }

    #[test]
    fn a_valid_recipe_keeps_its_items_and_has_one_error() {
        let answer = salvaged(quote! {
            pub recipe Example {
                initial: Work,
                step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
            }
        });
        assert_eq!(answer.matches("compile_error").count(), 1, "{answer}");
        assert!(answer.contains("pub struct Example"), "{answer}");
        assert!(answer.contains("enum WorkOutcome") && answer.contains("fn complete"), "{answer}");
    }

    #[test]
    fn the_authors_mistakes_are_still_reported() {
        let answer = salvaged(quote! {
            recipe Example {
                initial: Work,
                step Work { prompt: "", outcomes: [Complete], Complete => Wrok }
            }
        });
        assert_eq!(answer.matches("compile_error").count(), 3, "{answer}");
        assert!(answer.contains("did you mean `Work`?"), "{answer}");
    }

    #[test]
    fn the_name_alone_makes_a_recipe() {
        let written = quote!(#[doc = "Example."] pub(crate) recipe Example { step });
        let plain = with_a_plain_body(&written);
        assert!(mistakes(plain.clone()).is_empty());
        let items = stubs(plain, &quote!(::surefire)).expect("it can be generated").to_string();
        assert!(
            items.contains("struct Example")
                && items.contains("pub (crate) use __example :: Example")
                && items.contains("fn begin"),
            "{items}"
        );
    }

    #[test]
    fn shared_steps_can_still_be_included() {
        let input = input(quote! {
            steps example { step Work { prompt: "", outcomes: [Complete], Complete => exit TaskCommitted } }
        });
        let answer = guard("steps!", || panic!("provoked"), |error| fragment(&input, error));
        syn::parse2::<syn::File>(answer.clone()).expect("an answer is Rust");
        let answer = answer.to_string();
        assert_eq!(answer.matches("compile_error").count(), 2, "{answer}");
        assert!(answer.contains("macro_rules ! __surefire_steps_example"), "{answer}");
    }

    #[test]
    fn a_catalog_is_still_an_expression() {
        let input = input(quote!(A, B));
        let answer = guard("catalog!", || panic!("provoked"), |error| catalog(&input, error));
        syn::parse2::<syn::Expr>(answer).expect("an answer is an expression");
    }

    #[test]
    fn exit_reasons_are_still_a_registry() {
        let input = quote! {
            enum Reasons {
                #[reason(category = completed, message = "It is done")]
                Done,
                #[reason(category = error, exit_code = 41, message = "It failed")]
                Failed,
            }
        };
        let answer =
            guard("#[derive(Registry)]", || panic!("provoked"), |error| registry(input, error));
        syn::parse2::<syn::File>(answer.clone()).expect("an answer is Rust");
        let answer = answer.to_string();
        assert_eq!(answer.matches("compile_error").count(), 1, "{answer}");
        assert!(
            answer.contains("Registry for Reasons") && answer.contains("\"failed\""),
            "{answer}"
        );
    }
}
