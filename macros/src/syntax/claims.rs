//! `proves: { Commit needs CodeReview.NoIssues since Fix, exit TaskCommitted needs … }`

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Path, Token, braced};

use super::fields::{expect_comma, is_word, skip_item};
use crate::diagnostic::Diagnostics;

const FORM: &str = "expected a claim: `Step needs OtherStep.Outcome since ThirdStep`, or one about `exit Reason` or \
                    `restart Recipe`";

/// Words of other languages for `needs`, and for `since`.
const NEEDING: [&str; 6] = ["need", "require", "requires", "implies", "only", "follows"];
const COUNTING: [&str; 4] = ["after", "from", "until", "later"];

/// Something that is reached only after an outcome.
#[derive(Clone)]
pub(crate) struct Claim {
    pub(crate) goal: Goal,
    /// One of these was reported before.
    pub(crate) needs: Vec<Report>,
    /// The step after whose latest visit it was reported.
    pub(crate) since: Option<Ident>,
}

/// What a claim is about.
#[derive(Clone)]
pub(crate) enum Goal {
    /// Entering a step.
    Step(Ident),
    /// `exit Reason`
    Exit(Ident),
    /// `restart Recipe`
    Restart(Path),
}

/// `Step.Outcome`
#[derive(Clone)]
pub(crate) struct Report {
    pub(crate) step: Ident,
    pub(crate) outcome: Ident,
}

impl ToTokens for Goal {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Step(name) | Self::Exit(name) => name.to_tokens(tokens),
            Self::Restart(path) => path.to_tokens(tokens),
        }
    }
}

impl ToTokens for Report {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.step.to_tokens(tokens);
        self.outcome.to_tokens(tokens);
    }
}

/// Reads the block. If nothing in it could be read, that is one error, and not an empty block.
pub(super) fn claims(
    input: ParseStream<'_>,
    diagnostics: &mut Diagnostics,
) -> syn::Result<Vec<Claim>> {
    if !input.peek(syn::token::Brace) {
        return Err(
            input.error("expected the claims in braces: `{ Commit needs Review.NoIssues }`")
        );
    }
    let block;
    braced!(block in input);
    let (mut claims, mut unread) = (Vec::new(), Vec::new());
    while !block.is_empty() {
        match claim(&block, diagnostics) {
            Ok(claim) => {
                expect_comma(&block, diagnostics, "a claim");
                claims.push(claim);
            }
            Err(error) => {
                unread.push(error);
                skip_item(&block);
            }
        }
    }
    let last = if claims.is_empty() { unread.pop() } else { None };
    for error in &unread {
        diagnostics.syntax(error);
    }
    last.map_or(Ok(claims), Err)
}

fn claim(block: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<Claim> {
    let goal = goal(block)?;
    if !word(block, "needs", &NEEDING, diagnostics)? {
        let goal = goal.to_token_stream();
        return Err(syn::Error::new_spanned(goal, FORM));
    }
    let mut needs = vec![report(block, diagnostics)?];
    while alternative(block, diagnostics)? {
        needs.push(report(block, diagnostics)?);
    }
    let counts = word(block, "since", &COUNTING, diagnostics)?;
    let since = counts.then(|| name(block, "expected a step after `since`")).transpose()?;
    Ok(Claim { goal, needs, since })
}

fn goal(block: ParseStream<'_>) -> syn::Result<Goal> {
    let word = name(block, FORM)?;
    let more = block.peek(Ident::peek_any) && !is_word(block, "needs");
    if word == "exit" && more {
        let reason = name(block, FORM)?;
        if block.peek(Token![::]) {
            let path = block.fork();
            path.parse::<Token![::]>()?;
            let last = name(&path, FORM)?;
            let message = format!("write the reason alone: `exit {last} needs …`");
            return Err(syn::Error::new(reason.span(), message));
        }
        return Ok(Goal::Exit(reason));
    }
    if word == "restart" && more {
        return block.call(Path::parse_mod_style).map(Goal::Restart);
    }
    Ok(Goal::Step(word))
}

fn report(block: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<Report> {
    let step = name(block, "expected an outcome of a step: `Step.Outcome`")?;
    let missing = || {
        format!(
            "expected a step and its outcome: `{step}.Outcome` if it is a step, `Step.{step}` if it is an outcome"
        )
    };
    if block.peek(Token![::]) {
        let colons = block.parse::<Token![::]>()?;
        diagnostics
            .error(colons, format!("write a dot between step and outcome: `{step}.Outcome`"));
    } else if block.parse::<Option<Token![.]>>()?.is_none() {
        return Err(syn::Error::new(step.span(), missing()));
    }
    let outcome = name(block, &missing())?;
    Ok(Report { step, outcome })
}

/// Reads `|`; what cannot join outcomes is an error that says why.
fn alternative(block: ParseStream<'_>, diagnostics: &mut Diagnostics) -> syn::Result<bool> {
    if block.peek(Token![||]) || is_word(block, "or") {
        diagnostics.error_at(block.span(), "write `|` between outcomes of which one is enough");
        if block.parse::<Option<Token![||]>>()?.is_none() {
            block.call(Ident::parse_any)?;
        }
        return Ok(true);
    }
    if block.peek(Token![&]) || block.peek(Token![&&]) || is_word(block, "and") {
        return Err(block.error("write a claim of its own for each outcome that is needed"));
    }
    Ok(block.parse::<Option<Token![|]>>()?.is_some())
}

/// Reads this word; another language's word for it is reported, and taken for it.
fn word(
    block: ParseStream<'_>,
    word: &str,
    others: &[&str],
    diagnostics: &mut Diagnostics,
) -> syn::Result<bool> {
    let Some((found, _)) = block.cursor().ident() else { return Ok(false) };
    if found != word {
        let small = found.to_string().to_lowercase();
        if small != word && !others.contains(&small.as_str()) {
            return Ok(false);
        }
        diagnostics.error(&found, format!("write `{word}`"));
    }
    block.call(Ident::parse_any).map(|_| true)
}

fn name(block: ParseStream<'_>, expected: &str) -> syn::Result<Ident> {
    // The next claim, where something is missing in front of it.
    let next = block.cursor().ident().and_then(|(word, rest)| Some((word, rest.ident()?.0)));
    if next.is_some_and(|(word, next)| (word == "exit" || word == "restart") && next != "needs")
        && expected != FORM
    {
        return Err(block.error(expected));
    }
    block.call(Ident::parse_any).map_err(|_| block.error(expected))
}
