//! Snapshots of the code that each macro generates: `macros/snapshots/`.
//!
//! `UPDATE_EXPECT=1 cargo test -p surefire-macros snapshots` updates them; read the diff before you
//! commit it.

use expect_test::{ExpectFile, expect_file};
use proc_macro2::TokenStream;
use quote::quote;

use crate::syntax::Input;

/// Generates each kind of item: one step leads to another, exits, and restarts; one prompt is a
/// text, the other a constant, and one step is a command; `Other` is implied in one step and
/// written in another; tools come from the recipe, the step and a constant; there is evidence of
/// each kind, a scope, an outcome with findings, and a claim of each kind; a step has a limit of
/// its own, and somewhere to go.
#[test]
fn recipe() {
    let items = crate::recipe_tokens(&input(quote! {
        #[doc = " Writes a release note and publishes it."]
        pub recipe Release {
            model: "opus",
            tools: [read],
            scope: { allow: ["NOTES.md", "docs/**"], deny: ["**/.env*"] },
            allow_lockfiles: true,
            needs: { clean_tree, task },
            isolate: true,
            initial: Write,
            guardrails: {
                max_step_visits: 3, max_restarts: 2, max_verify_time_per_milestone: 30m, max_review_rounds: 4,
            },
            exits: MyExits,
            proves: {
                restart Announce needs Check.NoIssues since Write,
                exit Unclear needs Write.Complete | Build.Passed,
                Check needs Write.Complete,
            },

            #[doc = " Drafts the note."]
            step Write {
                prompt: "Write a release note.",
                tools: [edit, "git log *", ..BUILD],
                verify: ["test -s NOTES.md", ["make", "lint"]],
                max_visits: 2 => Check,
                outcomes: [Complete, NothingNew],
                Complete => Build if changed && exists "NOTES.md",
                NothingNew => exit ExitReason::NoChangesToCommit if no_commit && "git diff --quiet",
            }

            step Build { run: "make -j | tee log", time: 10m => Check, Passed => Check, Failed => Write }

            step Check {
                prompt: CHECK,
                model: "haiku",
                time: 30m => exit Unclear,
                retries: 2,
                budget_usd: 1.50 => Write,
                outcomes: [
                    #[doc = " Every claim is true."]
                    NoIssues,
                    IssuesFound,
                    Other,
                ],
                NoIssues => restart Announce if clean,
                IssuesFound(findings) => Write,
                Other => exit Unclear,
            }
        }
    }));
    compare(items, &expect_file!["../snapshots/recipe.rs"]);
}

#[test]
fn steps() {
    let items = crate::steps_tokens(&input(quote! {
        pub(crate) steps review_loop(clean) {
            step Review {
                prompt: "Review the changes.",
                tools: [read, ..TEST],
                outcomes: [NoIssues, IssuesFound],
                NoIssues => clean if changed,
                IssuesFound(findings) => Fix,
            }
            step Fix { prompt: FIX, outcomes: [Complete], Complete => Review }
        }
    }));
    compare(items, &expect_file!["../snapshots/steps.rs"]);
}

#[test]
fn catalog() {
    let catalog = crate::catalog::expand(&input(quote!(Release, announce::Announce)));
    compare(quote!(static OFFER: Catalog = #catalog;), &expect_file!["../snapshots/catalog.rs"]);
}

#[test]
fn registry() {
    let items = crate::registry::derive(quote! {
        enum MyExits {
            #[reason(category = completed, message = "Nothing changed since the last release")]
            Quiet,
            #[reason(category = error, message = "The agent had a question", family = user, exit_code = 41)]
            Unclear,
        }
    });
    compare(items, &expect_file!["../snapshots/registry.rs"]);
}

fn input(written: TokenStream) -> Input {
    Input { krate: quote!(::surefire), written }
}

fn compare(items: TokenStream, expected: &ExpectFile) {
    assert!(!items.to_string().contains("compile_error"), "{items}");
    let file = syn::parse2(items).expect("what a macro writes is Rust");
    expected.assert_eq(&prettyplease::unparse(&file));
}
