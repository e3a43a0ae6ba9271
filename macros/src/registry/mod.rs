//! `#[derive(Registry)]`: an enum of exit reasons, with all columns of each.
//!
//! It has the stages of a recipe on a smaller scale: `columns.rs` reads the attributes, `check.rs`
//! checks them, and this file generates the items.

mod check;
mod columns;

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Data, DataEnum, DeriveInput, Fields, Ident, Path};

use crate::defect::attempt;
use crate::diagnostic::Diagnostics;
use columns::{Columns, Object};

/// An enum of exit reasons as it was written.
struct Reasons {
    name: Ident,
    krate: Path,
    /// The registry of surefire itself, which may use the standard bands of exit codes.
    standard: bool,
    variants: Vec<Reason>,
}

/// One variant with its columns.
struct Reason {
    name: Ident,
    columns: Columns,
    /// Whether it carries no values; one that does was already reported.
    unit: bool,
}

pub(crate) fn derive(input: TokenStream) -> TokenStream {
    let mut diagnostics = Diagnostics::default();
    let reasons = match syn::parse2::<DeriveInput>(input) {
        Ok(input) => Reasons::read(&input, &mut diagnostics),
        Err(error) => return error.to_compile_error(),
    };
    let Some(reasons) = reasons else {
        return diagnostics.into_tokens();
    };
    check::check(&reasons, &mut diagnostics);
    let items = reasons.expand();
    let errors = diagnostics.into_tokens();
    quote!(#errors #items)
}

/// What is still reported and generated after a panic in one of the stages.
pub(crate) fn salvage(input: TokenStream) -> Option<TokenStream> {
    let input = syn::parse2::<DeriveInput>(input).ok()?;
    let mut diagnostics = Diagnostics::default();
    let reasons = Reasons::read(&input, &mut diagnostics)?;
    let mistakes = attempt(|| {
        check::check(&reasons, &mut diagnostics);
        diagnostics.into_tokens()
    });
    let items = attempt(|| reasons.expand());
    Some(quote!(#mistakes #items))
}

impl Reasons {
    fn read(input: &DeriveInput, diagnostics: &mut Diagnostics) -> Option<Self> {
        let Data::Enum(data) = &input.data else {
            diagnostics.error(&input.ident, "exit reasons are the variants of an enum");
            return None;
        };
        if data.variants.is_empty() {
            diagnostics.error(
                &input.ident,
                format!("`{}` has no exit reasons: add a variant", input.ident),
            );
        }
        if !input.generics.params.is_empty() {
            // The compiler reports a type or lifetime that no variant uses, and a variant that uses
            // one has values, which is reported here.
            for parameter in input.generics.const_params() {
                diagnostics.error(parameter, "an enum of exit reasons has no parameters");
            }
            report_values(data, diagnostics);
            return None;
        }
        let mut krate = syn::parse_quote!(::surefire);
        let mut standard = false;
        for attribute in
            input.attrs.iter().filter(|attribute| attribute.path().is_ident("registry"))
        {
            let result = attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("crate") {
                    krate = meta.value()?.call(Path::parse_mod_style)?;
                } else if meta.path.is_ident("standard") && is_surefire() {
                    standard = true;
                } else {
                    return Err(meta.error("expected `crate = path`"));
                }
                Ok(())
            });
            if let Err(error) = result {
                diagnostics.syntax(&error);
            }
        }
        report_values(data, diagnostics);
        let variants = data.variants.iter().map(|variant| {
            let unit = matches!(variant.fields, Fields::Unit);
            if let Some((_, value)) = &variant.discriminant {
                diagnostics.error(
                    value,
                    "an exit reason has no number here; write `exit_code = …` in its `#[reason(…)]`",
                );
            }
            Reason { name: variant.ident.clone(), columns: Columns::read(variant, diagnostics), unit }
        });
        let variants = variants.collect();
        Some(Self { name: input.ident.clone(), krate, standard, variants })
    }

    fn expand(&self) -> TokenStream {
        let (name, krate) = (&self.name, &self.krate);
        let variants: Vec<_> = self.variants.iter().map(|reason| &reason.name).collect();
        let listed = self.variants.iter().filter(|reason| reason.unit).map(|reason| &reason.name);
        let listed: Vec<_> = listed.collect();
        let (places, listed_places) = (0..variants.len(), 0..listed.len());
        let definitions = self.variants.iter().map(|reason| reason.definition(krate));
        // Only the compiler can see the standard registry's codes and the author's at once.
        let assertions = self.variants.iter().filter(|_| !self.standard).map(|reason| {
            let code = reason.columns.code(&reason.name);
            let message = format!(
                "the code `{code}` belongs to a standard exit reason; give `{}` another `code`",
                reason.name
            );
            quote_spanned! {reason.name.span()=>
                const _: () = ::core::assert!(!#krate::__private::standard(#code), #message);
            }
        });
        quote! {
            #[automatically_derived]
            impl #krate::Registry for #name {
                const ALL: &'static [Self] = &[#(Self::#listed,)*];
                const DEFINITIONS: &'static [#krate::ReasonInfo] = &[#(#definitions,)*];
                const TABLE: &'static &'static [#krate::ReasonInfo] = {
                    // A static has one address, which identifies the registry.
                    static TABLE: &[#krate::ReasonInfo] = <#name as #krate::Registry>::DEFINITIONS;
                    &TABLE
                };
                #[inline]
                fn index(self) -> ::core::primitive::usize {
                    match self { #(Self::#variants { .. } => #places,)* }
                }
                #[inline]
                fn from_index(index: ::core::primitive::usize) -> ::core::option::Option<Self> {
                    match index {
                        #(#listed_places => ::core::option::Option::Some(Self::#listed),)*
                        _ => ::core::option::Option::None,
                    }
                }
            }
            #(#assertions)*
        }
    }
}

fn report_values(data: &DataEnum, diagnostics: &mut Diagnostics) {
    for variant in data.variants.iter().filter(|variant| !matches!(variant.fields, Fields::Unit)) {
        let message = format!(
            "exit reason `{}` cannot carry values; what a run knows goes into its `Exit`",
            variant.ident
        );
        diagnostics.error(&variant.fields, message);
    }
}

/// Whether surefire itself is being compiled: only it has the standard registry.
fn is_surefire() -> bool {
    std::env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "surefire")
}

impl Reason {
    fn definition(&self, krate: &Path) -> TokenStream {
        let columns = &self.columns;
        let code = columns.code(&self.name);
        let category = columns.category();
        let message = columns.message.as_ref().map(syn::LitStr::value).unwrap_or_default();
        let title = columns.title.as_ref().map_or_else(|| message.clone(), syn::LitStr::value);
        let diagnosis =
            columns.diagnosis.as_ref().map_or_else(|| message.clone(), syn::LitStr::value);
        let hint = columns.hint.as_ref().map_or_else(|| diagnosis.clone(), syn::LitStr::value);
        let remedy = columns.remedy();
        let kind = &remedy.kind;
        let remedy = match &remedy.object {
            Some(Object::Limit(limit)) => {
                quote!(#krate::RunRemedy::#kind(#krate::RunLimit::#limit))
            }
            Some(Object::Permit(permit)) => {
                quote!(#krate::RunRemedy::#kind(#krate::RunPermit::#permit))
            }
            None => quote!(#krate::RunRemedy::#kind),
        };
        let family = match &columns.family {
            Some(family) => {
                let family = format_ident!("{}", crate::spelling::camel(family));
                quote!(::core::option::Option::Some(#krate::Family::#family))
            }
            None => quote!(::core::option::Option::None),
        };
        let exit_code = columns.exit_code();
        let (auto_resumable, goal_met) = (columns.auto_resumable(), columns.goal_met());
        quote! {
            #krate::ReasonInfo::generated(
                #code,
                #krate::Category::#category,
                #family,
                #exit_code,
                #remedy,
                #auto_resumable,
                #goal_met,
            )
            .with_words(#message, #title, #diagnosis, #hint)
        }
    }
}
