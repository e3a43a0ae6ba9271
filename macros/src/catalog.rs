//! `catalog![A, B]`: the offered recipes, each id once.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Path, Token};

use crate::syntax::Input;

pub(crate) fn expand(input: &Input) -> TokenStream {
    let Input { krate, written } = input;
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    let recipes: Vec<_> = match parser.parse2(written.clone()) {
        Ok(recipes) => recipes.into_iter().collect(),
        Err(error) => {
            let error =
                syn::Error::new(error.span(), "expected the names of recipes: `catalog![A, B]`");
            return error.to_compile_error();
        }
    };
    // Ids are constants of types that only the compiler can look up, so the comparison is left to
    // it. Its error then points at the second of the two.
    let checks = recipes.iter().enumerate().flat_map(|(index, second)| {
        recipes[..index].iter().map(move |first| {
            let (second_name, first_name) = (plain(second), plain(first));
            let message = if first == second {
                format!("`{second_name}` is listed twice in this catalog; keep one of them")
            } else {
                format!(
                    "`{second_name}` has the id of `{first_name}`, which is in this catalog already; \
                     give one of them another `id`"
                )
            };
            quote_spanned! {second.span()=>
                const _: () = ::core::assert!(
                    !#krate::__private::same(
                        <#first as #krate::Recipe>::ID,
                        <#second as #krate::Recipe>::ID,
                    ),
                    #message
                );
            }
        })
    });
    // A recipe that another one restarts must be in the catalog too. Otherwise a run that was
    // interrupted there could not be recovered.
    let complete = recipes.iter().map(|recipe| {
        let message = format!(
            "`{}` restarts a recipe that is not in this catalog; add that one as well",
            plain(recipe)
        );
        quote_spanned! {recipe.span()=>
            const _: () = ::core::assert!(
                #krate::__private::offers_restarts(<#recipe as #krate::Recipe>::OUTLINE, IDS),
                #message
            );
        }
    });
    quote! {{
        const IDS: &[&::core::primitive::str] = &[#(<#recipes as #krate::Recipe>::ID,)*];
        #(#checks)*
        #(#complete)*
        #krate::Catalog::new(&[#(<#recipes as #krate::Recipe>::ANY,)*])
    }}
}

/// The path as the author wrote it, without the spaces that tokens get.
fn plain(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}
