//! `include name(…);` puts shared steps into a recipe, and `include name(…) as Early;` puts them
//! there under other names (`renamed.rs`).
//!
//! One macro cannot see the input of another. So `steps!` generates a small macro that carries the
//! written steps. When `recipe!` finds an `include`, it calls that macro with its whole input, and
//! is called again with the steps in place of the `include`. Every check then sees the whole
//! recipe.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Path, Token, braced, parenthesized};

use super::evidence::Term;
use super::fields::{Fields, skip_item};
use super::findings::group;
use super::fragment::{Fragment, Parameters, steps};
use super::next::{Next, arrow};
use super::recipe::Input;
use super::renamed::Prefix;
use super::step::{Mapping, Step};
use super::tools::{Group as ToolGroup, Tool};
use crate::diagnostic::Diagnostics;
use crate::spelling;

/// The word that replaces an `include` in a recipe.
pub(super) const SPLICED: &str = "__included";

/// Shared steps in the place where they were included.
pub(super) struct Included {
    pub(super) steps: Vec<Step>,
    pub(super) broken: bool,
}

impl Included {
    /// Reads what [`splice`] wrote: the path and the prefix, parameters, arguments, steps.
    pub(super) fn parse(
        input: ParseStream<'_>,
        diagnostics: &mut Diagnostics,
    ) -> syn::Result<Self> {
        let (outer, path, parameters, args, block);
        braced!(outer in input);
        parenthesized!(path in outer);
        let prefix = &path;
        let path = path.call(Path::parse_mod_style)?;
        let prefix = Prefix::parse(prefix, &path, diagnostics);
        parenthesized!(parameters in outer);
        let parameters = Parameters::parse_terminated(&parameters)?;
        parenthesized!(args in outer);
        let args = arguments(&args, &parameters, diagnostics);
        braced!(block in outer);
        // Mistakes in the shared steps themselves were reported where they are defined.
        let (mut steps, broken) = steps(&block, &mut Diagnostics::default());
        let args = match_arguments(&path, &parameters, args, diagnostics);
        let shared = steps.iter().map(|step| step.name.clone()).collect();
        let places = Places { parameters: &parameters, arguments: args, shared, prefix };
        for step in &mut steps {
            step.shared = true;
            let constant = Fragment::prompt_constant(&step.name);
            for prompt in &mut step.prompt.0 {
                // The author's text was evaluated where it was written, so that its files are found
                // there.
                prompt.value = prompt.value.is_some().then(|| syn::parse_quote!(#path::#constant));
            }
            for (index, group) in groups(&mut step.tools).enumerate() {
                let constant = Fragment::tools_constant(&step.name, index);
                group.path = syn::parse_quote!(#path::#constant);
                group.shared = true;
            }
            for next in step.limits_mut() {
                places.fill(next);
            }
            for mapping in &mut step.mappings {
                mapping.given = places.fill(&mut mapping.next);
            }
            if let Some(prefix) = &places.prefix {
                step.name = prefix.rename(&step.name);
            }
        }
        Ok(Self { steps, broken })
    }
}

/// What the names behind the arrows of shared steps mean.
struct Places<'a> {
    parameters: &'a Parameters,
    arguments: Vec<Mapping>,
    /// The names of the shared steps.
    shared: Vec<Ident>,
    prefix: Option<Prefix>,
}

impl Places<'_> {
    /// Puts the argument in the place of a parameter, and the new name in the place of a shared
    /// step's. Returns the evidence that the argument requires.
    fn fill(&self, next: &mut Option<Next>) -> Vec<Term> {
        let Some(Next::Step(target)) = next else { return Vec::new() };
        if self.parameters.iter().any(|parameter| parameter == target) {
            let argument = self.arguments.iter().find(|argument| argument.outcome == *target);
            *next = argument.and_then(|argument| argument.next.clone());
            return argument.map_or_else(Vec::new, |argument| argument.evidence.clone());
        }
        if let Some(prefix) = &self.prefix
            && self.shared.contains(target)
        {
            *target = prefix.rename(target);
        }
        Vec::new()
    }
}

/// Reads `name => Next` pairs, separated by commas.
fn arguments(
    input: ParseStream<'_>,
    parameters: &Parameters,
    diagnostics: &mut Diagnostics,
) -> Vec<Mapping> {
    let mut arguments = Vec::new();
    while !input.is_empty() {
        if let Some(parameter) = parameters.iter().nth(arguments.len())
            && let Some(argument) = positional(parameter, input, diagnostics)
        {
            arguments.push(argument);
            continue;
        }
        let Ok(outcome) = input.call(Ident::parse_any) else {
            diagnostics.error_at(
                input.span(),
                "expected a parameter and where it leads: `parameter => Next`",
            );
            skip_item(input);
            continue;
        };
        if let Some(carried) = group(input) {
            let message = format!(
                "`{outcome}` says where shared steps lead to: write `(findings)` at the outcome in those steps"
            );
            diagnostics.error(carried, message);
        }
        match arrow(&outcome, input) {
            Ok(error) => {
                diagnostics.maybe(error);
                arguments.push(Mapping::parse(outcome, input, diagnostics));
            }
            Err(error) => {
                diagnostics.syntax(&error);
                skip_item(input);
                arguments.push(Mapping::unread(outcome));
            }
        }
    }
    arguments
}

/// A next without the parameter that leads there: the one at its place is meant.
fn positional(
    parameter: &Ident,
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Mapping> {
    let rest = input.fork();
    let next = Next::parse(&rest, &mut Diagnostics::default()).ok()?;
    if !rest.is_empty() && !rest.peek(Token![,]) {
        return None;
    }
    let written: Vec<TokenTree> = std::iter::from_fn(|| {
        let ends = input.is_empty() || input.peek(Token![,]);
        (!ends).then(|| input.parse().ok()).flatten()
    })
    .collect();
    let tokens: TokenStream = written.into_iter().collect();
    let span = tokens.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
    diagnostics.error(&tokens, format!("write `{parameter} => {tokens}`"));
    let _ = input.parse::<Option<Token![,]>>();
    let name = spelling::at(parameter, Some(span));
    Some(Mapping { next: Some(next), ..Mapping::unread(name) })
}

/// The constants that a shared step takes tools from.
fn groups(tools: &mut Fields<Vec<Tool>>) -> impl Iterator<Item = &mut ToolGroup> {
    // Only the first list counts; a second one is a mistake.
    let list = tools.0.first_mut().and_then(|field| field.value.as_mut());
    list.into_iter().flatten().filter_map(|tool| match tool {
        Tool::Group(group) => Some(group),
        Tool::Word(_) | Tool::Pattern(_) => None,
    })
}

/// Compares the arguments with the parameters, and corrects a misspelt one.
fn match_arguments(
    path: &Path,
    parameters: &Parameters,
    mut arguments: Vec<Mapping>,
    diagnostics: &mut Diagnostics,
) -> Vec<Mapping> {
    let fragment =
        path.segments.last().map_or_else(String::new, |segment| segment.ident.to_string());
    let names: Vec<_> = parameters.iter().map(ToString::to_string).collect();
    for index in 0..arguments.len() {
        let name = arguments[index].outcome.clone();
        if let Some(first) = arguments[..index].iter().find(|first| first.outcome == name) {
            let message = format!("parameter `{name}` of `{fragment}` is given twice");
            diagnostics.error_and(&name, message, &first.outcome, "first_given_here");
        } else if !parameters.iter().any(|parameter| *parameter == name) {
            let advice =
                spelling::advice(&name.to_string(), names.iter().map(String::as_str), "they have");
            diagnostics.error(
                &name,
                format!("the shared steps `{fragment}` have no parameter `{name}`{advice}"),
            );
            if let Some(meant) =
                spelling::closest(&name.to_string(), names.iter().map(String::as_str))
            {
                arguments[index].outcome = Ident::new(meant, name.span());
            }
        }
    }
    for parameter in parameters {
        if !arguments.iter().any(|argument| argument.outcome == *parameter) {
            let message = format!(
                "the shared steps `{fragment}` need to know where `{parameter}` leads: write \
                 `{fragment}({parameter} => Next)`"
            );
            diagnostics.error(path, message);
        }
    }
    arguments
}

/// The call that fetches the first `include` of a recipe, if it has one.
pub(crate) fn fetch(input: &Input) -> Option<TokenStream> {
    let tokens: Vec<_> = input.written.clone().into_iter().collect();
    let (TokenTree::Group(body), header) = tokens.split_last()? else {
        return None;
    };
    if body.delimiter() != Delimiter::Brace {
        return None;
    }
    let body: Vec<_> = body.stream().into_iter().collect();
    let (at, open) = (0..body.len()).find_map(|at| Some((at, include_at(&body, at)?)))?;
    let (before, path) = (&body[..at], &body[at + 1..open]);
    let TokenTree::Group(arguments) = &body[open] else {
        return None;
    };
    let arguments = arguments.stream();
    let after = body.get(open + 1..).unwrap_or_default();
    let (prefix, after) = after.split_at(Prefix::length(after));
    let after = match after {
        [TokenTree::Punct(mark), rest @ ..] if matches!(mark.as_char(), ';' | ',') => rest,
        _ => after,
    };
    let krate = &input.krate;
    let span = path.last().map_or_else(Span::call_site, TokenTree::span);
    Some(quote_spanned! {span=>
        #(#path)*! { (#krate) { #(#header)* } { #(#before)* } (#(#path)* #(#prefix)*) (#arguments) { #(#after)* } }
    })
}

/// Inserts fetched steps: the input is what the macro of `steps!` carries, followed by what
/// [`fetch`] wrote.
pub(crate) fn splice(input: TokenStream) -> Option<Input> {
    let mut parts = input.into_iter().map(|token| match token {
        TokenTree::Group(group) => Some(group.stream()),
        _ => None,
    });
    let mut part = || parts.next().flatten();
    let (parameters, steps) = (part()?, part()?);
    let (krate, header, before, path) = (part()?, part()?, part()?, part()?);
    let (arguments, after) = (part()?, part()?);
    let spliced = Ident::new(SPLICED, Span::call_site());
    let body = quote!(#before #spliced { (#path) (#parameters) (#arguments) { #steps } } #after);
    let body = Group::new(Delimiter::Brace, body);
    Some(Input { krate, written: quote!(#header #body) })
}

/// The index of the arguments of the `include` at this index, if there is one; the parser reports
/// anything else.
fn include_at(body: &[TokenTree], at: usize) -> Option<usize> {
    let word = matches!(&body[at], TokenTree::Ident(word) if word == "include");
    let before = at.checked_sub(1).and_then(|before| body.get(before));
    let at_start = match before {
        None => true,
        Some(TokenTree::Punct(mark)) => matches!(mark.as_char(), ',' | ';'),
        Some(token) => is_group(token, Delimiter::Brace),
    };
    if !word || !at_start {
        return None;
    }
    let open =
        (at + 1..body.len()).find(|index| is_group(&body[*index], Delimiter::Parenthesis))?;
    let path = Path::parse_mod_style.parse2(body[at + 1..open].iter().cloned().collect()).ok()?;
    syn::parse_str::<Ident>(&path.segments.last()?.ident.to_string()).ok()?;
    Some(open)
}

/// Whether these words were meant to include shared steps; [`fetch`] replaces those that are
/// written well before a recipe is parsed.
pub(super) fn is_meant(word: &Ident, input: ParseStream<'_>) -> bool {
    const WORDS: [&str; 6] = ["include", "includes", "use", "import", "mixin", "extends"];
    let small = word.to_string().to_lowercase();
    let rest = input.fork();
    let called = rest.call(Path::parse_mod_style).is_ok() && rest.peek(syn::token::Paren);
    small == "include" || called && WORDS.contains(&small.as_str())
}

fn is_group(token: &TokenTree, delimiter: Delimiter) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == delimiter)
}
