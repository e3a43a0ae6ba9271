//! Mutated recipes: for any input, the macro generates items or errors, and never panics.
//!
//! The bundled recipes are the material. Their tokens are dropped, doubled, swapped and replaced,
//! at any depth, by a generator that gives the same mutations every time.

use std::path::PathBuf;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::quote;
use syn::{Item, Macro};

use crate::diagnostic::Diagnostics;
use crate::syntax::{Fragment, Input};

const ROUNDS: usize = 3_000;

#[test]
fn a_mutated_recipe_never_panics() {
    let material = material();
    assert!(material.len() > 8, "the bundled recipes and their shared steps are there");
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut refused = 0;
    for round in 0..ROUNDS {
        let written = &material[round % material.len()];
        let mut mutated = written.tokens.clone();
        for _ in 0..=random.below(3) {
            mutated = mutate(mutated, &mut random);
        }
        let answer = written.expand(mutated.clone());
        refused += usize::from(answer.to_string().contains("compile_error"));
        if let Err(error) = syn::parse2::<syn::File>(answer) {
            panic!("not Rust: {error}\nmade from: {mutated}");
        }
    }
    assert!(refused > ROUNDS / 4, "mutations do harm: only {refused} of {ROUNDS} were refused");
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
    assert!(answer.contains("max_steps : 5000u32"));
}

fn step(index: usize) -> Ident {
    Ident::new(&format!("Step{index}"), Span::call_site())
}

/// The input of one of our macros.
struct Written {
    is_recipe: bool,
    tokens: TokenStream,
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
        if self.is_recipe { crate::recipe_tokens(&input) } else { crate::steps_tokens(&input) }
    }
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
            initial: Build,
            guardrails: {
                max_step_visits: 3, max_restarts: 2, max_verify_time_per_milestone: 30m, max_review_rounds: 3,
            },
            proves: {
                exit TaskCommitted needs Build.Passed,
                restart Everything needs Build.Passed | Work.Again,
                Work needs Build.Passed since Work,
            },
            step Build { run: ["make", "all"], time: 10m, was: [Compile, Ok => Passed], Passed => Work, Failed => exit ImplementationBlocked }
            step Escalate { prompt: "Ask.", max_visits: 1 => exit MaxTicks, outcomes: [Go], Go => Build }
            step Work {
                prompt: "Work.",
                tools: [edit, web, "cargo *", ..BUILD],
                max_visits: 2 => Escalate,
                verify: ["cargo test", ["cargo", "clippy"]],
                was: [Implement, Do, Redo => Again],
                outcomes: [Complete, Again, Stuck, StartOver],
                Complete => exit ExitReason::TaskCommitted if commit && clean,
                Again(findings) | Stuck => Build if changed && exists "TODO" && "make check",
                StartOver => restart Everything if ["test", "-e", "x"],
            }
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
    let fragments: Vec<_> =
        written.iter().filter(|written| !written.is_recipe).filter_map(Written::carried).collect();
    let recipes = written.iter().filter(|written| written.is_recipe);
    let whole: Vec<_> = recipes.map(|recipe| spliced(recipe.tokens.clone(), &fragments)).collect();
    written.extend(whole.into_iter().map(|tokens| Written { is_recipe: true, tokens }));
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
            let name = path.segments.last()?.ident.to_string();
            matches!(name.as_str(), "recipe" | "steps")
                .then(|| Written { is_recipe: name == "recipe", tokens })
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
    match random.below(5) {
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

fn any_token(random: &mut Random) -> TokenTree {
    const WORDS: [&str; 45] = [
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
    match random.below(6) {
        0 | 1 => TokenTree::Ident(Ident::new(WORDS[random.below(WORDS.len())], Span::call_site())),
        2 => TokenTree::Punct(Punct::new(MARKS[random.below(MARKS.len())], Spacing::Joint)),
        3 => TokenTree::Literal(Literal::string(
            ["", "cargo *", "cargo*", "../x", "src/**", "[a"][random.below(6)],
        )),
        4 => {
            let time = ["0s", "10m", "9x", "1.5h"][random.below(4)];
            TokenTree::Literal(time.parse().expect("these are literals"))
        }
        _ => {
            let delimiters =
                [Delimiter::Brace, Delimiter::Bracket, Delimiter::Parenthesis, Delimiter::None];
            TokenTree::Group(Group::new(delimiters[random.below(4)], quote!(Complete, 0)))
        }
    }
}

/// Xorshift: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit as u64).expect("it is below a usize")
    }
}
