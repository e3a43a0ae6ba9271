//! Mutated recipes: for any input, the macro generates items or errors, and never panics. What it
//! generates does not grow faster than the input. No time is measured: an endless loop shows as a
//! test that does not end.
//!
//! The bundled recipes are the material, with an enum of exit reasons and a catalog. Their tokens
//! are dropped, doubled, swapped, replaced, wrapped and unwrapped, at any depth, by a generator
//! that gives the same mutations every time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Item, Macro};

use crate::diagnostic::Diagnostics;
use crate::syntax::{self, Fragment, Input};

const ROUNDS: usize = 3_000;

#[test]
fn a_mutated_recipe_never_panics() {
    mutations(0x9E37_79B9_7F4A_7C15, ROUNDS);
}

/// `cargo test -p surefire-macros --release torture -- --ignored` takes several minutes.
#[test]
#[ignore = "takes several minutes"]
fn many_more_mutated_recipes_never_panic() {
    for seed in 1..=8 {
        mutations(seed * 0x2545_F491_4F6C_DD1D, 50 * ROUNDS);
    }
}

fn mutations(seed: u64, rounds: usize) {
    let material = material();
    assert!(material.len() > 8, "the bundled recipes and their shared steps are there");
    let mut random = Random(seed);
    let mut refused = 0;
    for round in 0..rounds {
        let written = &material[round % material.len()];
        let mut mutated = written.tokens.clone();
        for _ in 0..=random.below(3) {
            mutated = mutate(mutated, &mut random);
        }
        let answer = catch_unwind(AssertUnwindSafe(|| written.expand(mutated.clone())))
            .unwrap_or_else(|_| panic!("a panic, made from: {mutated}"));
        assert_bounded(&answer, &mutated);
        refused += usize::from(answer.to_string().contains("compile_error"));
        let parsed = match written.kind {
            Kind::Recipe | Kind::Steps | Kind::Registry => syn::parse2::<syn::File>(answer).err(),
            Kind::Catalog => syn::parse2::<syn::Expr>(answer).err(),
        };
        if let Some(error) = parsed {
            panic!("not Rust: {error}\nmade from: {mutated}");
        }
    }
    assert!(refused > rounds / 4, "mutations do harm: only {refused} of {rounds} were refused");
}

/// How many tokens are generated for one that was written, at most, and for none at all.
const MAX_GROWTH: usize = 100;
const MAX_WITHOUT_INPUT: usize = 5_000;

fn assert_bounded(answer: &TokenStream, written: &TokenStream) {
    let (generated, given) = (count(answer), count(written));
    assert!(
        generated <= MAX_WITHOUT_INPUT + MAX_GROWTH * given,
        "{generated} tokens, made from these {given}: {written}"
    );
}

/// The number of tokens, those in groups included.
fn count(tokens: &TokenStream) -> usize {
    let inside = |token: TokenTree| match token {
        TokenTree::Group(group) => 1 + count(&group.stream()),
        TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => 1,
    };
    tokens.clone().into_iter().map(inside).sum()
}

#[test]
fn groups_in_groups_and_huge_numbers_are_refused() {
    let mut nested = quote!(Complete);
    for _ in 0..2_000 {
        nested = quote!([#nested]);
    }
    let huge = Literal::u128_unsuffixed(u128::MAX);
    let slips = [
        quote!(outcomes: #nested, Complete => exit TaskCommitted),
        quote!(outcomes: [Complete], Complete => #nested),
        quote!(outcomes: [Complete], tools: #nested, Complete => exit TaskCommitted),
        quote!(outcomes: [Complete], max_visits: #huge => #nested, Complete => exit TaskCommitted),
        quote!(outcomes: [Complete], time: #huge => #nested, Complete => exit TaskCommitted),
        quote!(outcomes: [Complete], budget_usd: #huge => #nested, Complete => exit TaskCommitted),
        quote!(outcomes: [Complete], #nested),
    ];
    for slip in slips {
        let written = quote! {
            recipe Nested {
                initial: Work,
                guardrails: { max_total_steps: #huge },
                step Work { prompt: "Work.", #slip }
            }
        };
        let answer = crate::recipe_tokens(&Input { krate: quote!(::surefire), written });
        assert!(answer.to_string().contains("compile_error"));
    }
}

#[test]
fn every_one_of_many_mistakes_is_reported() {
    let long = "Reviewed".repeat(25);
    let count = 500;
    let name = |prefix: &str, index: usize| {
        Ident::new(&format!("{prefix}{long}{index}"), Span::call_site())
    };
    let steps = (0..count).map(|index| {
        let (own, next) = (name("Step", index), name("Stpe", index + 1));
        quote!(step #own { prompt: "Go on.", outcomes: [Next], Next => #next })
    });
    let guardrails = (0..count).map(|index| {
        let key = Ident::new(&format!("max_step_visit{index}"), Span::call_site());
        quote!(#key: 3)
    });
    let claims = (0..count).map(|index| {
        let (goal, since) = (name("Step", index), name("Setp", index));
        quote!(#goal needs #since.Next since #goal)
    });
    let first = name("Step", 0);
    let written = quote! {
        recipe Long {
            initial: #first,
            guardrails: { #(#guardrails),* },
            proves: { #(#claims),* },
            #(#steps)*
        }
    };
    let input = Input { krate: quote!(::surefire), written };
    let answer = crate::recipe_tokens(&input);
    assert_bounded(&answer, &input.written);
    let errors = answer.to_string().matches("compile_error").count();
    assert!((3 * count..=4 * count).contains(&errors), "{errors} errors");
}

#[test]
fn many_claims_are_proven() {
    let count = 1_000;
    let steps = (0..count).map(|index| {
        let (own, next) = (step(index), step(index + 1));
        quote!(step #own { prompt: "Go on.", outcomes: [Next], Next => #next })
    });
    let claims = (0..count).map(|index| {
        let (before, goal) = (step(index), step(index + 1));
        quote!(#goal needs #before.Next)
    });
    let (first, last) = (step(0), step(count));
    let written = quote! {
        recipe Long {
            initial: #first,
            proves: { #(#claims),* },
            #(#steps)*
            step #last { prompt: "Stop.", outcomes: [Done], Done => exit TaskCommitted }
        }
    };
    let answer = crate::recipe_tokens(&Input { krate: quote!(::surefire), written }).to_string();
    assert!(!answer.contains("compile_error"));
    assert_eq!(answer.matches("ClaimedOutcome").count(), count);
}

#[test]
fn many_former_names_are_checked() {
    let count = 5_000;
    let former = (0..count).map(|index| {
        let (name, outcome) = (step(index), step(count + index));
        quote!(#name, #outcome => Done)
    });
    let repeated = (0..3).map(step);
    let written = quote! {
        recipe Long {
            initial: Work,
            step Work {
                prompt: "Work.",
                was: [#(#former,)* #(#repeated,)*],
                outcomes: [Done],
                Done => exit TaskCommitted,
            }
        }
    };
    let answer = crate::recipe_tokens(&Input { krate: quote!(::surefire), written }).to_string();
    assert_eq!(answer.matches("is written twice").count(), 3);
}

#[test]
fn the_expansion_is_the_same_every_time() {
    for written in material() {
        let first = written.expand(written.tokens.clone()).to_string();
        assert!(!first.contains("compile_error"), "{first}");
        for _ in 0..3 {
            assert_eq!(written.expand(written.tokens.clone()).to_string(), first);
        }
    }
}

#[test]
fn a_thousand_steps_are_expanded() {
    let steps = (0..1_000).map(|index| {
        let (name, next) = (step(index), step((index + 1) % 1_000));
        quote! {
            step #name {
                prompt: "Go on.",
                outcomes: [Next, Stop],
                Next => #next,
                Stop => exit TaskCommitted,
            }
        }
    });
    let first = step(0);
    let written =
        quote!(recipe Long { initial: #first, guardrails: { max_total_steps: 5_000 }, #(#steps)* });
    let answer = crate::recipe_tokens(&Input { krate: quote!(::surefire), written }).to_string();
    assert!(!answer.contains("compile_error"));
    assert!(answer.contains("with_proof (5000u32"));
}

fn step(index: usize) -> Ident {
    Ident::new(&format!("Step{index}"), Span::call_site())
}

/// The input of one of our macros.
struct Written {
    kind: Kind,
    tokens: TokenStream,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Recipe,
    Steps,
    Catalog,
    Registry,
}

impl Written {
    /// The name of shared steps, and what their macro carries.
    fn carried(&self) -> Option<(String, TokenStream)> {
        let fragment = Fragment::parse(self.tokens.clone(), &mut Diagnostics::default())?;
        let (parameters, block) = (&fragment.parameters, &fragment.block);
        Some((fragment.name.to_string(), quote!((#parameters) { #block })))
    }

    fn expand(&self, written: TokenStream) -> TokenStream {
        let input = Input { krate: quote!(::surefire), written };
        match self.kind {
            Kind::Recipe => in_every_configuration(&input),
            Kind::Steps => crate::steps_tokens(&input),
            Kind::Catalog => crate::catalog::expand(&input),
            Kind::Registry => crate::registry::derive(input.written),
        }
    }
}

/// A recipe with conditions as it is expanded where they hold and where they do not.
fn in_every_configuration(input: &Input) -> TokenStream {
    let answer = crate::recipe_tokens(input);
    if syntax::configured("recipe", input).is_none() {
        return answer;
    }
    let calls = syn::parse2::<syn::File>(answer).expect("two calls of a macro");
    let calls = calls.items.into_iter().map(|item| match item {
        Item::Macro(call) => in_every_configuration(&Input::split(call.mac.tokens)),
        other => panic!("not a call: {}", quote!(#other)),
    });
    calls.collect()
}

/// A recipe with every field, because the bundled ones do not use all of them.
const WITH_COMMANDS: &str = r#"
    surefire::recipe! {
        recipe Everything {
            model: "opus",
            tools: [read, ..TEST],
            scope: { allow: ["src/**", "/docs/"], deny: [".github/**", "**/.env*"] },
            allow_lockfiles: true,
            needs: { clean_tree, task },
            isolate: false,
            derive: [PartialOrd, Ord, strum::EnumIs],
            initial: Build,
            guardrails: {
                max_step_visits: 3, max_restarts: 2, max_verify_time_per_milestone: 30m, max_review_rounds: 3,
            },
            proves: {
                exit TaskCommitted needs Build.Passed,
                restart Everything needs Build.Passed | Work.Again,
                Work needs Build.Passed since Work,
            },
            step Build { run: ["make", "all"], time: 10m => Escalate, was: [Compile, Ok => Passed], Passed => Work, Failed => exit ImplementationBlocked }
            step Escalate { prompt: "Ask.", max_visits: 1 => exit MaxTicks, outcomes: [Go], Go => Build }
            step Work {
                prompt: "Work.",
                tools: [edit, web, "cargo *", ..BUILD],
                max_visits: 2 => Escalate,
                time: 30m => Escalate,
                retries: 2 => exit MaxTicks,
                budget_usd: 1.50 => Escalate,
                verify: ["cargo test", ["cargo", "clippy"]],
                was: [Implement, Do, Redo => Again],
                outcomes: [Complete, Again, Stuck, StartOver],
                Complete => exit ExitReason::TaskCommitted if commit && clean,
                Again(findings) | Stuck => Build if changed && exists "TODO" && "make check",
                StartOver => restart Everything if ["test", "-e", "x"],
            }
        }
    }
    surefire::recipe! {
        #[cfg(not(never))]
        recipe Configured {
            initial: Work,
            #[cfg(unix)]
            label: "On Unix",
            step Work {
                prompt: "Work.",
                outcomes: [Complete, #[cfg(unix)] Again],
                Complete => exit TaskCommitted,
                #[cfg(unix)]
                Again => Check,
            }
            /// Checks.
            #[cfg(unix)]
            step Check { run: "make", Passed => exit TaskCommitted, Failed => exit ReviewRejected }
        }
    }
    surefire::steps! {
        pub steps polish(then) {
            step Review { prompt: "Review.", tools: [..BUILD], outcomes: [Good, Bad], Good => then, Bad => Fix }
            step Fix { prompt: "Fix.", outcomes: [Complete, GivenUp], Complete => Review, GivenUp => exit ExitReason::ReviewRejected }
        }
    }
    surefire::recipe! {
        recipe Twice {
            initial: Review,
            exits: crate::MyExits,
            guardrails: { max_step_visits: 3 },
            include polish(then => LastReview);
            include polish(then => exit Done if commit) as Last;
        }
    }
"#;

/// The bundled recipes and shared steps, and the recipes again with their shared steps inserted.
fn material() -> Vec<Written> {
    let mut written = sources();
    let fragments: Vec<_> = written
        .iter()
        .filter(|written| written.kind == Kind::Steps)
        .filter_map(Written::carried)
        .collect();
    let recipes = written.iter().filter(|written| written.kind == Kind::Recipe);
    let whole: Vec<_> = recipes.map(|recipe| spliced(recipe.tokens.clone(), &fragments)).collect();
    let reasons = quote! {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, surefire::Registry)]
        pub enum MyExits {
            #[reason(category = completed, message = "Shipped", auto_resumable = false)]
            Shipped,
            #[reason(category = error, exit_code = 40, message = "Lost")]
            Lost,
        }
    };
    written.push(Written { kind: Kind::Registry, tokens: reasons });
    written.push(Written { kind: Kind::Catalog, tokens: quote!(Everything, crate::other::Twice) });
    written.extend(whole.into_iter().map(|tokens| Written { kind: Kind::Recipe, tokens }));
    written
}

/// Expands the macros that `steps!` generates, like the compiler.
fn spliced(written: TokenStream, fragments: &[(String, TokenStream)]) -> TokenStream {
    let mut input = Input { krate: quote!(::surefire), written };
    while let Some(call) = crate::syntax::fetch(&input) {
        let call: Macro = syn::parse2(call).expect("a fetch is the call of a macro");
        let name = call.path.segments.last().expect("a path has a name").ident.to_string();
        let (_, carried) =
            fragments.iter().find(|(fragment, _)| *fragment == name).expect("it was defined");
        let tokens = call.tokens;
        input = crate::syntax::splice(quote!(#carried #tokens)).expect("all parts are there");
    }
    input.written
}

fn sources() -> Vec<Written> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../src/recipes");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the bundled recipes are beside this crate")
        .map(|entry| entry.expect("the folder can be read").path().join("mod.rs"))
        .filter(|file| file.exists())
        .collect();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).expect("it exists"));
    texts.chain([WITH_COMMANDS.to_owned()]).flat_map(|text| macros(&text)).collect()
}

fn macros(source: &str) -> Vec<Written> {
    let file = syn::parse_file(source).expect("bundled recipes are Rust");
    let calls = file.items.into_iter().filter_map(|item| match item {
        Item::Macro(item) => Some(item.mac),
        _ => None,
    });
    calls
        .filter_map(|Macro { path, tokens, .. }| {
            let kind = match path.segments.last()?.ident.to_string().as_str() {
                "recipe" => Kind::Recipe,
                "steps" => Kind::Steps,
                _ => return None,
            };
            Some(Written { kind, tokens })
        })
        .collect()
}

/// Changes one token, or one inside a group.
fn mutate(tokens: TokenStream, random: &mut Random) -> TokenStream {
    let mut tokens: Vec<_> = tokens.into_iter().collect();
    if tokens.is_empty() {
        return any_token(random).into();
    }
    let at = random.below(tokens.len());
    if let TokenTree::Group(group) = &tokens[at]
        && random.below(4) != 0
    {
        let mut inside = Group::new(group.delimiter(), mutate(group.stream(), random));
        inside.set_span(group.span());
        tokens[at] = inside.into();
        return tokens.into_iter().collect();
    }
    match random.below(9) {
        5 => {
            // What stood in a group stands without it.
            if let TokenTree::Group(group) = &tokens[at] {
                let inside: Vec<_> = group.stream().into_iter().collect();
                drop(tokens.splice(at..=at, inside));
            }
        }
        6 => {
            // Some of the tokens stand in a group.
            let end = at + 1 + random.below(tokens.len() - at);
            let inside: TokenStream = tokens[at..end].iter().cloned().collect();
            let group = TokenTree::Group(Group::new(DELIMITERS[random.below(4)], inside));
            drop(tokens.splice(at..end, [group]));
        }
        7 => {
            // A whole part once more, perhaps elsewhere.
            let end = at + 1 + random.below((tokens.len() - at).min(8));
            let part: Vec<_> = tokens[at..end].to_vec();
            let to = random.below(tokens.len());
            drop(tokens.splice(to..to, part));
        }
        8 => {
            let end = at + 1 + random.below((tokens.len() - at).min(8));
            drop(tokens.splice(at..end, []));
        }
        0 => drop(tokens.remove(at)),
        1 => tokens.insert(at, tokens[at].clone()),
        2 => {
            let other = random.below(tokens.len());
            tokens.swap(at, other);
        }
        3 => tokens[at] = any_token(random),
        _ => tokens.insert(at, any_token(random)),
    }
    tokens.into_iter().collect()
}

const DELIMITERS: [Delimiter; 4] =
    [Delimiter::Brace, Delimiter::Bracket, Delimiter::Parenthesis, Delimiter::None];

fn any_token(random: &mut Random) -> TokenTree {
    const WORDS: [&str; 66] = [
        "End",
        "derive",
        "cfg",
        "proves",
        "since",
        "isolate",
        "model",
        "exits",
        "id",
        "label",
        "max_step_visits",
        "max_restarts",
        "else",
        "goto",
        "return",
        "Prüfen",
        "步骤",
        "ı",
        "ﬁx",
        "step",
        "exit",
        "restart",
        "include",
        "outcomes",
        "prompt",
        "initial",
        "guardrails",
        "Other",
        "self",
        "Self",
        "match",
        "gen",
        "_",
        "_1",
        "Exit",
        "Step",
        "At",
        "Commit",
        "FixOutcome",
        "CodeReview",
        "__included",
        "if",
        "tools",
        "verify",
        "run",
        "time",
        "max_visits",
        "retries",
        "budget_usd",
        "Escalate",
        "edit",
        "commit",
        "no_commit",
        "exists",
        "Passed",
        "Failed",
        "BUILD",
        "scope",
        "allow",
        "deny",
        "needs",
        "findings",
        "was",
        "true",
        "as",
        "ExitReason",
    ];
    const MARKS: [char; 11] = [',', ':', '=', '>', '-', ';', '#', '!', '.', '&', '|'];
    match random.below(8) {
        6 => {
            let word = ["match", "Review", "type", "step", "exit", "Prüfen"][random.below(6)];
            TokenTree::Ident(Ident::new_raw(word, Span::call_site()))
        }
        7 => {
            let literals = [
                "0",
                "1",
                "3",
                "4294967296",
                "340282366920938463463374607431768211456",
                "1e9",
                "'x'",
                "b\"x\"",
                "c\"x\"",
                "0x_ff",
                "3u64",
                "99999999999999999999h",
                "18446744073709551615m",
            ];
            let literal = literals[random.below(literals.len())];
            TokenTree::Literal(literal.parse().expect("these are literals"))
        }
        0 | 1 => TokenTree::Ident(Ident::new(WORDS[random.below(WORDS.len())], Span::call_site())),
        2 => TokenTree::Punct(Punct::new(MARKS[random.below(MARKS.len())], Spacing::Joint)),
        3 => TokenTree::Literal(Literal::string(
            ["", "cargo *", "cargo*", "../x", "src/**", "[a"][random.below(6)],
        )),
        4 => {
            let time = ["0s", "10m", "9x", "1.5h"][random.below(4)];
            TokenTree::Literal(time.parse().expect("these are literals"))
        }
        _ => TokenTree::Group(Group::new(DELIMITERS[random.below(4)], quote!(Complete, 0))),
    }
}

/// Xorshift: the same numbers on every machine.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is below a usize")
    }
}
