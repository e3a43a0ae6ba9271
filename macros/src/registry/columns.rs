//! The columns of one exit reason, from its `#[reason(…)]`.

use proc_macro2::{Ident, TokenStream};
use quote::format_ident;
use syn::meta::ParseNestedMeta;
use syn::token::Paren;
use syn::{LitBool, LitInt, LitStr, Variant};

use crate::diagnostic::Diagnostics;
use crate::spelling;

pub(super) const CATEGORIES: [&str; 3] = ["completed", "guardrail", "error"];
pub(super) const FAMILIES: [&str; 6] =
    ["constraint", "failure", "review", "worker", "resource_limit", "user"];
const REMEDIES: [&str; 8] =
    ["again", "resume", "raise", "permit", "answer", "doctor", "follow", "none"];
const LIMITS: [&str; 5] = ["visits", "steps", "time", "turns", "budget"];
const PERMITS: [&str; 2] = ["allow_deps", "force_parallel"];
const NAMES: [&str; 10] = [
    "category",
    "message",
    "code",
    "title",
    "family",
    "exit_code",
    "diagnosis",
    "remedy",
    "auto_resumable",
    "goal_met",
];

/// The columns as written; the methods add the defaults.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) code: Option<LitStr>,
    pub(super) category: Option<Ident>,
    pub(super) message: Option<LitStr>,
    pub(super) title: Option<LitStr>,
    pub(super) family: Option<Ident>,
    pub(super) exit_code: Option<LitInt>,
    pub(super) diagnosis: Option<LitStr>,
    /// Only in the standard registry, so it is not among the suggested names.
    pub(super) hint: Option<LitStr>,
    pub(super) remedy: Option<Remedy>,
    pub(super) auto_resumable: Option<LitBool>,
    pub(super) goal_met: Option<LitBool>,
    /// The columns so far.
    written: Vec<String>,
    /// Whether a part could not be read: what seems to be missing may only have been lost.
    pub(super) broken: bool,
}

impl Columns {
    pub(super) fn read(variant: &Variant, diagnostics: &mut Diagnostics) -> Self {
        let mut columns = Self::default();
        for attribute in
            variant.attrs.iter().filter(|attribute| attribute.path().is_ident("reason"))
        {
            let result = attribute.parse_nested_meta(|meta| columns.column(&meta, diagnostics));
            if let Err(error) = result {
                diagnostics.syntax(&error);
                columns.broken = true;
            }
        }
        columns
    }

    fn column(
        &mut self,
        meta: &ParseNestedMeta<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if self.written.contains(&name) {
            return Err(meta.error(format!("column `{name}` is written twice; keep one of them")));
        }
        self.written.push(name.clone());
        match name.as_str() {
            "code" => self.code = Some(text(meta)?),
            "message" => self.message = Some(text(meta)?),
            "title" => self.title = Some(text(meta)?),
            "diagnosis" => self.diagnosis = Some(text(meta)?),
            "hint" => self.hint = Some(text(meta)?),
            "remedy" => self.remedy = remedy(meta, diagnostics)?,
            "category" => self.category = word(meta, &CATEGORIES, "category", diagnostics)?,
            "family" => self.family = word(meta, &FAMILIES, "family", diagnostics)?,
            "exit_code" => {
                let expected = |error: syn::Error| {
                    syn::Error::new(error.span(), "expected a number for `exit_code`")
                };
                self.exit_code = Some(meta.value()?.parse().map_err(expected)?);
            }
            "auto_resumable" => self.auto_resumable = Some(switch(meta)?),
            "goal_met" => self.goal_met = Some(switch(meta)?),
            _ => {
                let advice = spelling::advice(&name, NAMES, "the columns are");
                return Err(meta.error(format!("an exit reason has no column `{name}`{advice}")));
            }
        }
        self.broken |= name == "category" && self.category.is_none();
        Ok(())
    }

    /// The code: as written, or the kebab-case of the variant.
    pub(super) fn code(&self, variant: &Ident) -> String {
        self.code.as_ref().map_or_else(|| spelling::wire(variant), LitStr::value)
    }

    pub(super) fn category(&self) -> Ident {
        let category =
            self.category.as_ref().map_or_else(|| "Completed".to_owned(), spelling::camel);
        format_ident!("{category}")
    }

    pub(super) fn goal_met(&self) -> bool {
        let completed = self.category.as_ref().is_some_and(|category| category == "completed");
        self.goal_met.as_ref().map_or(completed, LitBool::value)
    }

    /// The remedy: as written, or the default for the category.
    pub(super) fn remedy(&self) -> Remedy {
        let usual =
            match (self.goal_met(), self.category.as_ref().is_some_and(|it| it == "completed")) {
                (true, _) => "Again",
                (false, true) => "Answer",
                (false, false) => "Resume",
            };
        let usual = || Remedy { kind: format_ident!("{usual}"), object: None };
        self.remedy.clone().unwrap_or_else(usual)
    }

    pub(super) fn auto_resumable(&self) -> bool {
        self.auto_resumable.as_ref().is_some_and(LitBool::value)
    }

    /// The exit code; a missing or too large one was already reported.
    pub(super) fn exit_code(&self) -> u8 {
        self.exit_code.as_ref().and_then(|code| code.base10_parse().ok()).unwrap_or(0)
    }
}

/// A remedy, as the variant that it becomes: `raise` with the limit to raise, `permit` with what to
/// permit.
#[derive(Clone)]
pub(super) struct Remedy {
    pub(super) kind: Ident,
    pub(super) object: Option<Object>,
}

/// What a remedy raises or permits.
#[derive(Clone)]
pub(super) enum Object {
    Limit(Ident),
    Permit(Ident),
}

/// A remedy, with what it raises or permits in brackets.
fn remedy(
    meta: &ParseNestedMeta<'_>,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Option<Remedy>> {
    let Some(kind) = word(meta, &REMEDIES, "remedy", diagnostics)? else {
        // Brackets after an unknown word belong to it.
        if meta.input.peek(Paren) {
            let inside;
            syn::parenthesized!(inside in meta.input);
            inside.parse::<TokenStream>()?;
        }
        return Ok(None);
    };
    let raises = kind == "raise";
    let (known, noun, verb): (&[&'static str], _, _) = match raises {
        true => (&LIMITS, "limit", "raised"),
        false if kind == "permit" => (&PERMITS, "permit", "given"),
        false => (&[], "", ""),
    };
    let list = spelling::short_list(known.iter().copied()).unwrap_or_default();
    if !meta.input.peek(Paren) {
        if !known.is_empty() {
            let message = format!("`{kind}` needs the {noun} that is {verb}, in brackets: {list}");
            diagnostics.error(&kind, message);
            return Ok(None);
        }
        return Ok(Some(Remedy { kind: variant(&kind), object: None }));
    }
    let inside;
    syn::parenthesized!(inside in meta.input);
    if known.is_empty() {
        inside.parse::<TokenStream>()?;
        let message =
            format!("only `raise` and `permit` name something in brackets; write `{kind}` alone");
        diagnostics.error(&kind, message);
        return Ok(None);
    }
    let named: Ident =
        inside.parse().map_err(|_| inside.error(format!("expected a {noun}: {list}")))?;
    if !inside.is_empty() {
        return Err(inside.error(format!("`{kind}` names one {noun}")));
    }
    if !known.iter().any(|known| named == known) {
        let advice = spelling::advice(&named.to_string(), known.iter().copied(), "there are");
        diagnostics.error(&named, format!("there is no {noun} `{named}`{advice}"));
        return Ok(None);
    }
    let object = if raises { Object::Limit } else { Object::Permit };
    Ok(Some(Remedy { kind: variant(&kind), object: Some(object(variant(&named))) }))
}

/// The variant that a word stands for.
fn variant(word: &Ident) -> Ident {
    format_ident!("{}", spelling::camel(word))
}

fn text(meta: &ParseNestedMeta<'_>) -> syn::Result<LitStr> {
    let value = meta.value()?;
    if !value.peek(LitStr) {
        return Err(value.error("expected a text in quotes"));
    }
    value.parse()
}

fn switch(meta: &ParseNestedMeta<'_>) -> syn::Result<LitBool> {
    let value = meta.value()?;
    if !value.peek(LitBool) {
        return Err(value.error("expected `true` or `false`"));
    }
    value.parse()
}

/// One of a few words; any other is reported, and the column counts as not written.
fn word(
    meta: &ParseNestedMeta<'_>,
    known: &[&'static str],
    what: &str,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Option<Ident>> {
    let value = meta.value()?;
    let list = spelling::short_list(known.iter().copied()).unwrap_or_default();
    let word: Ident = value
        .parse()
        .map_err(|_| value.error(format!("expected a {what}, without quotes: {list}")))?;
    if known.iter().any(|known| word == known) {
        return Ok(Some(word));
    }
    let advice = spelling::advice(&word.to_string(), known.iter().copied(), "there are");
    diagnostics.error(&word, format!("there is no {what} `{word}`{advice}"));
    Ok(None)
}
