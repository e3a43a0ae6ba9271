//! The macros as users call them.
//!
//! Each hands `$crate` to its engine, so that generated code finds this crate whatever it was renamed to.

/// Defines a recipe: its steps, their outcomes, and where each leads.
///
/// ```
/// surefire::recipe! {
///     /// Writes a release note and publishes it.
///     pub recipe Release {
///         initial: Write,
///         guardrails: { max_step_visits: 3 },
///
///         /// Drafts the note.
///         step Write {
///             prompt: "Write a release note for the changes since the last tag.",
///             outcomes: [Complete, NothingNew],
///             Complete => Check,
///             NothingNew => exit NoChangesToCommit,
///         }
///
///         step Check {
///             prompt: "Check the release note: is every claim in it true?",
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => exit ChangesCommitted,
///             IssuesFound => Write,
///         }
///     }
/// }
///
/// // Typed: only the outcomes of the present step exist.
/// let check = Release::begin().complete()?;
/// let exit = check.no_issues();
/// assert_eq!(exit.code(), "changes-committed");
/// assert_eq!(Release::MAX_STEPS, 6);
/// # Ok::<(), surefire::Exit>(())
/// ```
///
/// # Fields of a recipe
///
/// | field | meaning |
/// |---|---|
/// | `initial` | the step a run begins with |
/// | `id` | the name on the wire; the kebab-case of the recipe's name unless given |
/// | `label` | the name for people; the words of the recipe's name unless given |
/// | `model` | the model to ask for, in quotes |
/// | `exits` | your own enum of exit reasons, see [`Registry`](crate::Registry); the standard one unless given |
/// | `guardrails` | `max_step_visits`, `max_total_steps`, `max_restarts`, `exit_on_other` |
///
/// The doc comment's first paragraph is the description that people see in lists.
///
/// # Steps
///
/// A `step` has a `prompt` (a text, `include_str!("file.md")` or a constant), its `outcomes`, a line
/// `Outcome => next` for each of them, and perhaps a `model` of its own. What follows an outcome is the name of a
/// step, `exit Reason`, or `restart Recipe`, which begins that recipe in a fresh session and needs `max_restarts`.
///
/// Every step also has the outcome `Other`, for the unforeseen: it exits with
/// [`UserProvidedOther`](crate::ExitReason::UserProvidedOther). Declare and map it to exit with another reason; write
/// `exit_on_other: false` in the guardrails to leave it out, or to lead it to a step.
///
/// `include name(parameter => Next);` stands for steps that were defined with [`steps!`](crate::steps!).
///
/// # What comes out
///
/// A type with the recipe's name, and a module with its snake-case name that holds `Step`, an enum of outcomes and an
/// enum of nexts for each step, the typed run `At<S>`, and `Anywhere`. Wire names are the kebab-case of yours.
#[macro_export]
macro_rules! recipe {
    ($($written:tt)*) => { $crate::__private::recipe! { ($crate) $($written)* } };
}

/// Defines steps that several recipes share.
///
/// The names in brackets are left open: each recipe says where they lead when it includes the steps.
///
/// ```
/// surefire::steps! {
///     /// Review, and fix until nothing is left to fix.
///     steps review_loop(clean) {
///         step Review {
///             prompt: "Review the changes.",
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => clean,
///             IssuesFound => Fix,
///         }
///         step Fix {
///             prompt: "Fix what the review found.",
///             outcomes: [Complete],
///             Complete => Review,
///         }
///     }
/// }
///
/// surefire::recipe! {
///     recipe ReviewOnly {
///         initial: Review,
///         guardrails: { max_step_visits: 3 },
///         include review_loop(clean => exit ChangesCommitted);
///     }
/// }
///
/// assert_eq!(ReviewOnly::begin().no_issues().code(), "changes-committed");
/// ```
///
/// Prompt files are found beside the source that defines the steps. Shared steps can be used in the crate that defines
/// them; give them `pub(crate)` for that.
#[macro_export]
macro_rules! steps {
    ($($written:tt)*) => { $crate::__private::steps! { ($crate) $($written)* } };
}

/// Lists the recipes that a server or a command line offers, as a [`Catalog`](crate::Catalog).
///
/// Two recipes with one id do not compile, nor does a recipe that restarts one which is not listed.
///
/// ```
/// use surefire::recipes::{RebaseOnMain, Retrospective};
///
/// let catalog = surefire::catalog![RebaseOnMain, Retrospective];
/// assert!(catalog.get("retrospective").is_some());
/// ```
#[macro_export]
macro_rules! catalog {
    ($($written:tt)*) => { $crate::__private::catalog! { ($crate) $($written)* } };
}
