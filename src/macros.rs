//! The macros as users call them.
//!
//! Each passes `$crate` to the procedural macro, so that generated code finds this crate even if
//! the dependency is renamed.

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
/// // Typed: only the outcomes of the current step exist.
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
/// | `tools` | what the agent may do in steps that have no list of their own, see [below](#tools) |
/// | `scope` | which files a run may change, see [below](#files) |
/// | `allow_lockfiles` | `true` lets a run change the lockfiles of package managers |
/// | `needs` | what a run requires before it begins: `{ clean_tree, task }`, see [below](#files) |
/// | `isolate` | `true` lets a run work in a git worktree of its own |
/// | `exits` | your own enum of exit reasons, see [below](#exit-reasons); the standard one unless given |
/// | `derive` | further traits of the enums of steps and outcomes, see [below](#derives-and-configurations) |
/// | `guardrails` | `max_step_visits`, `max_total_steps`, `max_restarts`, `max_verify_time_per_milestone`, `max_review_rounds`, `exit_on_other` |
/// | `proves` | what holds on every path, see [below](#proofs) |
///
/// The doc comment's first paragraph is the description that people see in lists.
///
/// # Steps
///
/// A `step` has a `prompt` (a text, `include_str!("file.md")` or a constant), its `outcomes`, a
/// line `Outcome => next` for each of them, and optionally a `model`, `tools`, `verify` and [a
/// limit](#limits-of-a-step) of its own.
/// An outcome leads to a step (by its name), to `exit Reason`, or to `restart Recipe`, which begins
/// that recipe in a fresh session and needs `max_restarts`. Outcomes that lead to the same place
/// can share a line: `Unclear | Incomplete => Ask`. A step can also be [a
/// command](#steps-that-are-commands).
///
/// A doc comment on an outcome, in the list of outcomes, is the rule for choosing it. The agent
/// gets its first paragraph with the prompt (see
/// [`outcome::instructions`](crate::outcome::instructions)).
///
/// Every step that asks an agent also has the outcome `Other`, for the unforeseen: it exits with
/// [`UserProvidedOther`](crate::ExitReason::UserProvidedOther). Declare and map it to exit with
/// another reason; write `exit_on_other: false` in the guardrails to leave it out, or to lead it to
/// a step.
///
/// `include name(parameter => Next);` inserts steps that were defined with
/// [`steps!`](crate::steps!), and `include name(…) as Early;` inserts them under names that begin
/// with `Early`.
///
/// # Exit reasons
///
/// `exit Reason` names a variant of [`ExitReason`](crate::ExitReason) or, in a recipe with `exits`,
/// of your own enum, which derives [`Registry`](crate::Registry). There, `exit ExitReason::Name` is
/// a standard reason.
///
/// ```
/// use surefire::Registry;
///
/// #[derive(Debug, Clone, Copy, PartialEq, Eq, Registry)]
/// pub enum ReleaseExits {
///     #[reason(category = completed, message = "The release is out")]
///     Released,
/// }
///
/// surefire::recipe! {
///     pub recipe Publish {
///         initial: Upload,
///         exits: ReleaseExits,
///         step Upload {
///             prompt: "Publish the release.",
///             outcomes: [Complete, Blocked],
///             Complete => exit Released,
///             Blocked => exit ExitReason::ImplementationBlocked,
///         }
///     }
/// }
///
/// assert_eq!(Publish::begin().complete().reason(), Some(ReleaseExits::Released));
/// assert_eq!(Publish::begin().blocked().code(), "implementation-blocked");
/// ```
///
/// # Driving a recipe
///
/// Along a path that is known when the program is written, each outcome is a method, and a tripped
/// guardrail is the error of those that enter a step or restart: a [`Tripped`](crate::Tripped).
///
/// Where outcomes are known at run time only, `AnyStep` is the run at whichever step it is at. Its
/// `report` continues with the next step or breaks off with the recipe's `End`: an enum of its exit
/// reasons, the recipes that it restarts, and the guardrails that are not proven never to trip. So
/// the loop is the same for any number of steps, and a `match` on how it ended is exhaustive
/// without `_`.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use polish::{AnyStep, End};
///
/// surefire::recipe! {
///     recipe Polish {
///         initial: Review,
///         guardrails: { max_step_visits: 3, max_total_steps: 50 },
///         step Review {
///             prompt: "Review the text.",
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => exit ChangesCommitted,
///             IssuesFound => Fix,
///         }
///         step Fix { prompt: "Fix it.", outcomes: [Complete], Complete => Review }
///     }
/// }
///
/// # fn ask(step: &AnyStep) -> &'static str {
/// #     match step {
/// #         AnyStep::Review(_) => "issues-found",
/// #         AnyStep::Fix(_) => "complete",
/// #     }
/// # }
/// let mut step = AnyStep::from(Polish::begin());
/// let end = loop {
///     let outcome = ask(&step); // an agent's answer, for example
///     match step.report(outcome)? {
///         ControlFlow::Continue(next) => step = next,
///         ControlFlow::Break(end) => break end,
///     }
/// };
///
/// let told = match &end {
///     End::ChangesCommitted => "done".to_owned(),
///     End::UserProvidedOther => "something else".to_owned(),
///     // No `max_total_steps`: no run takes more than six steps.
///     End::MaxStepVisits(tripped) => format!("{} at {}", tripped.limit, tripped.step()),
/// };
/// assert_eq!(told, "3 at review");
/// assert_eq!(end.exit().code(), "max-step-visits-exceeded:review");
/// # Ok::<(), surefire::UnknownName>(())
/// ```
///
/// With the enum of one step's outcomes, `at.on(outcome)` returns the enum of what may follow that
/// step: a step or its `End`. `ControlFlow::from` makes the same of it as `report`.
///
/// Two ends of one name are told apart by a word in front: `StandardTimeout` beside a `Timeout` of
/// your own, `RestartX` beside `exit X`, `TrippedMaxTotalSteps` beside `exit MaxTotalSteps`.
///
/// Code that gets its recipe at run time cannot name these types: it uses
/// [`Position`](crate::Position) or [`AnyPosition`](crate::AnyPosition), and the
/// [`Exit`](crate::Exit) of any recipe.
///
/// # Derives and configurations
///
/// The enums of steps and outcomes are `Debug`, `Clone`, `Copy`, `Eq` and `Hash`, and convert from
/// and to their names. `derive` lists further traits, all but [`PartialOrd`] and [`Ord`] with their
/// crate's name, e.g. `derive: [Ord, PartialOrd, strum::EnumIs]`. Steps and outcomes are in the
/// order in which they are written.
///
/// `#[cfg(…)]` can stand in front of a step, an `include`, a field, an outcome, a mapping, a
/// guardrail or another entry of a list, of a recipe or of shared steps; also of the recipe as a
/// whole. What is left out is not there for any rule: an outcome needs the condition where it is
/// declared and where it is mapped. All checks, `MAX_STEPS` and the proofs are those of the
/// configuration that is compiled, so test each configuration that you offer.
///
/// ```
/// surefire::recipe! {
///     recipe Port {
///         initial: Write,
///         derive: [PartialOrd, Ord],
///         step Write {
///             prompt: "Port the next module.",
///             outcomes: [Complete, #[cfg(windows)] NotForWindows],
///             #[cfg(unix)]
///             Complete => Check,
///             #[cfg(not(unix))]
///             Complete => exit TaskCommitted,
///             #[cfg(windows)]
///             NotForWindows => exit NoTasksAvailable,
///         }
///         #[cfg(unix)]
///         step Check {
///             run: "make check",
///             Passed => exit TaskCommitted,
///             Failed => exit ReviewRejected,
///         }
///     }
/// }
///
/// assert_eq!(Port::OUTLINE.steps.len(), if cfg!(unix) { 2 } else { 1 });
/// assert!(port::WriteOutcome::Complete < port::WriteOutcome::Other);
/// ```
///
/// # Tools
///
/// `tools` lists what the agent may do at a step, in words that do not depend on the agent; see
/// [`Tool`](crate::Tool).
///
/// | entry | the agent may |
/// |---|---|
/// | `read` | read files and look around; every step may, so list it only where nothing else is allowed |
/// | `edit` | change files in the working directory |
/// | `web` | search and read the web |
/// | `"cargo test *"` | run this command; ` *` stands for any arguments, or none |
/// | `..BUILD` | do what a constant `BUILD: &[Tool]` lists, which several recipes can share |
///
/// The list of a step replaces the recipe's. If neither has one, the operator's settings decide.
/// The macro checks each pattern, and the compiler those in constants: a pattern that nothing can
/// match does not compile.
///
/// ```
/// use surefire::Tool;
///
/// const BUILD: &[Tool] = &[Tool::command("cargo *"), Tool::command("make *")];
///
/// surefire::recipe! {
///     recipe Port {
///         tools: [read],
///         initial: Write,
///         step Write {
///             prompt: "Port the next module.",
///             tools: [edit, ..BUILD, "git log *"],
///             outcomes: [Complete],
///             Complete => Judge,
///         }
///         step Judge {
///             prompt: "Is the module ported?",
///             outcomes: [Good, Bad],
///             Good => exit ChangesCommitted,
///             Bad => exit ReviewRejected,
///         }
///     }
/// }
///
/// let [write, judge] = Port::OUTLINE.steps else { unreachable!() };
/// assert_eq!(write.tools.unwrap().len(), 4);
/// assert_eq!(judge.tools, Some(&[Tool::Read][..]));
/// ```
///
/// # Evidence
///
/// `Outcome => next if evidence` names what the engine must find before the outcome counts: the
/// engine checks it itself and does not rely on the agent's claim. Every transition may have
/// evidence, and all of it must be found. The agent is asked again for what is missing; see
/// [`Evidence`](crate::Evidence).
///
/// | after `if` | the engine finds that |
/// |---|---|
/// | `commit` | a commit made in one of the run's turns is reachable from HEAD |
/// | `no_commit` | HEAD is where it was when the run began |
/// | `clean` | no file that the run changed is uncommitted |
/// | `clean_tree` | no file at all is uncommitted, untracked files included |
/// | `changed` | the run changed a file |
/// | `rebased_on_main` | the main branch is an ancestor of HEAD |
/// | `exists "path"` | a file or directory exists in the working directory |
/// | `"command"` or `["program", "argument"]` | the command succeeds |
///
/// The typed run does not check evidence, since it has no working directory: `.committed()` below
/// exits immediately.
///
/// ```
/// surefire::recipe! {
///     recipe Finish {
///         initial: Commit,
///         step Commit {
///             prompt: "Commit the changes.",
///             tools: ["git add *", "git commit *"],
///             outcomes: [Committed, NothingToCommit],
///             Committed => exit ChangesCommitted if commit,
///             NothingToCommit => exit NoChangesToCommit if no_commit && clean_tree,
///         }
///     }
/// }
///
/// assert_eq!(Finish::OUTLINE.steps[0].outcomes[0].evidence, [surefire::Evidence::Commit]);
/// assert_eq!(Finish::begin().committed().code(), "changes-committed");
/// ```
///
/// # Proofs
///
/// `proves` lists claims: a run enters a step, ends with `exit Reason` or goes to `restart Recipe`
/// only after an outcome was reported. `Step.Outcome | Other.Outcome` asks for one of several, and
/// `since Step` for one that was reported after the latest visit to that step, if the run visited
/// it at all. The compiler follows every path. If a claim does not hold, the recipe does not
/// compile, and the error shows the shortest path that contradicts it.
///
/// ```
/// surefire::recipe! {
///     recipe Change {
///         initial: Implement,
///         guardrails: { max_step_visits: 3 },
///         proves: {
///             Commit needs Review.NoIssues since Fix,
///             exit ChangesCommitted needs Test.Passed,
///         },
///         step Implement { prompt: "Implement it.", outcomes: [Complete], Complete => Review }
///         step Review {
///             prompt: "Review the changes.",
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => Test,
///             IssuesFound => Fix,
///         }
///         step Fix { prompt: "Fix what was found.", outcomes: [Complete], Complete => Review }
///         step Test { run: "cargo test", Passed => Commit, Failed => Fix }
///         step Commit {
///             prompt: "Commit the changes.",
///             outcomes: [Committed],
///             Committed => exit ChangesCommitted if commit,
///         }
///     }
/// }
///
/// let claims = Change::OUTLINE.claims;
/// assert_eq!(claims[0].basis(Change::OUTLINE), surefire::ClaimBasis::Report);
/// assert_eq!(claims[1].basis(Change::OUTLINE), surefire::ClaimBasis::Command);
/// ```
///
/// A claim is as strong as the outcome it rests on. What an agent reports is proven to have been
/// *reported*; where the outcome has evidence, or its step is a command, it is proven to have
/// *happened*. `cargo doc`, `surefire show` and the console state it for each claim. Each run of a
/// chain is proven separately.
///
/// # Steps that are commands
///
/// With `run` in place of a prompt, the engine runs a command instead of asking an agent. Its exit
/// status is the outcome: `Passed` or `Failed`. Both must be mapped, and there are no others, not
/// even `Other`. A string is a line for `bash -euo pipefail -c`; a list is a program and its
/// arguments, without a shell. `time` limits how long it may take, in seconds, minutes or hours.
///
/// ```
/// surefire::recipe! {
///     recipe Green {
///         initial: Test,
///         guardrails: { max_step_visits: 5 },
///         step Test {
///             run: "cargo test --workspace",
///             time: 10m,
///             Passed => exit TaskCommitted,
///             Failed => Fix,
///         }
///         step Fix {
///             prompt: "Fix the failing tests.",
///             tools: [edit],
///             outcomes: [Complete],
///             Complete => Test,
///         }
///     }
/// }
///
/// let fix = Green::begin().failed()?;
/// assert_eq!(fix.complete()?.passed().code(), "task-committed");
/// # Ok::<(), surefire::Exit>(())
/// ```
///
/// # Verify
///
/// `verify` lists commands that the engine runs after each outcome of a step that leads to a step
/// or a restart. If one fails, the agent gets the end of its output and is asked again.
/// The guardrail `max_verify_time_per_milestone` limits all commands of one visit together.
///
/// ```
/// surefire::recipe! {
///     recipe Careful {
///         initial: Work,
///         guardrails: { max_verify_time_per_milestone: 30m },
///         step Work {
///             prompt: "Implement the task.",
///             tools: [edit, "cargo *"],
///             verify: ["cargo test", ["cargo", "clippy", "--", "-D", "warnings"]],
///             outcomes: [Complete],
///             Complete => Commit if changed,
///         }
///         step Commit {
///             prompt: "Commit.",
///             tools: ["git add *", "git commit *"],
///             outcomes: [Committed],
///             Committed => exit TaskCommitted if commit,
///         }
///     }
/// }
///
/// assert_eq!(Careful::OUTLINE.steps[0].verify[0].to_string(), "cargo test");
/// ```
///
/// # Findings
///
/// `IssuesFound(findings) => Fix` is an outcome that may carry what a review found, each finding in
/// a sentence. When the same findings come back, or do not get fewer over `max_review_rounds` (a
/// guardrail, 3 unless given), the run ends with
/// [`ReviewLoopDetected`](crate::ExitReason::ReviewLoopDetected). The typed run takes no findings.
///
/// ```
/// surefire::recipe! {
///     recipe Polish {
///         initial: Review,
///         guardrails: { max_step_visits: 10, max_review_rounds: 4 },
///         step Review {
///             prompt: "Review the text.",
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => exit ChangesCommitted,
///             IssuesFound(findings) => Fix,
///         }
///         step Fix {
///             prompt: "Fix what the review found.",
///             outcomes: [Complete],
///             Complete => Review,
///         }
///     }
/// }
///
/// assert!(Polish::OUTLINE.steps[0].outcomes[1].findings);
/// assert_eq!(Polish::OUTLINE.guardrails.max_review_rounds, Some(4));
/// ```
///
/// # Limits of a step
///
/// `max_visits: 3` in a step is that step's own limit, instead of the recipe's `max_step_visits`.
/// With `=> Step` or `=> exit Reason` behind it, a run that would visit the step once more goes
/// there instead of ending. Every check follows that transition too: it makes a step reachable, and
/// it can end a run. A cycle that avoids the limited steps still needs a guardrail.
///
/// An outcome that leads to a limited step with `=>` returns where the run went, as an enum with
/// the step's name and `Entry`. Where no run can have visited the step before, it returns the step
/// itself.
///
/// ```
/// surefire::recipe! {
///     recipe Careful {
///         initial: Work,
///         step Work { prompt: "Work.", outcomes: [Complete], Complete => Review }
///         step Review {
///             prompt: "Review it.",
///             max_visits: 2 => Escalate,
///             outcomes: [NoIssues, IssuesFound],
///             NoIssues => exit ChangesCommitted,
///             IssuesFound => Fix,
///         }
///         step Fix { prompt: "Fix it.", outcomes: [Complete], Complete => Review }
///         step Escalate {
///             prompt: "Write down what is open.",
///             outcomes: [Written],
///             Written => exit ClarificationNeeded,
///         }
///     }
/// }
///
/// use careful::ReviewEntry;
///
/// let mut review = Careful::begin().complete()?;
/// let escalate = loop {
///     match review.issues_found()?.complete()? {
///         ReviewEntry::Review(again) => review = again,
///         ReviewEntry::Escalate(escalate) => break escalate,
///     }
/// };
/// assert_eq!(escalate.position().visits(careful::Step::Review), 2);
/// assert_eq!(escalate.written().code(), "clarification-needed");
/// # Ok::<(), surefire::Exit>(())
/// ```
///
/// # Limits of a visit
///
/// What one visit of a step may use up: `time: 30m`, `retries: 2` (how often the agent is asked
/// again, for whatever reason) and `budget_usd: 1.50` (what it costs, as the agent reports it).
/// Each can be followed by `=> Step` or `=> exit Reason`: the run goes there when the limit is used
/// up. Every check follows that transition as it follows an outcome. A later visit begins with new
/// limits, so they bound no cycle.
///
/// The engine keeps track of these limits. The driver of a typed run does that itself, and then
/// calls `out_of_time`, `out_of_retries` or `out_of_budget`, which a step has for each limit that
/// leads somewhere. The erased form has [`Position::exceed`](crate::Position::exceed).
///
/// ```
/// use surefire::{Next, Position, VisitLimit};
///
/// surefire::recipe! {
///     recipe Migration {
///         initial: Migrate,
///         step Migrate {
///             prompt: "Migrate the orders table.",
///             time: 30m => Escalate,
///             retries: 2,
///             budget_usd: 1.50 => exit CostBudget,
///             outcomes: [Migrated],
///             Migrated => exit ChangesCommitted,
///         }
///         step Escalate {
///             prompt: "Write down what is known.",
///             outcomes: [Written],
///             Written => exit ClarificationNeeded,
///         }
///     }
/// }
///
/// let escalate = Migration::begin().out_of_time()?;
/// assert_eq!(escalate.written().code(), "clarification-needed");
/// assert_eq!(Migration::begin().out_of_budget().code(), "cost_budget");
///
/// let mut position = Position::<Migration>::begin();
/// let next = position.exceed(VisitLimit::Time);
/// assert!(matches!(next, Some(Next::Step(step)) if step.name == "escalate"));
/// # Ok::<(), surefire::Exit>(())
/// ```
///
/// # Files
///
/// `scope` says which files a run may change, as `.gitignore` patterns: if `allow` has any, only
/// those files, and never those in `deny`. A run that changes another file ends with
/// [`GuardViolation`](crate::ExitReason::GuardViolation), and one that changes a lockfile without
/// `allow_lockfiles` with [`LockfileViolation`](crate::ExitReason::LockfileViolation). A recipe
/// that `needs: { clean_tree }` does not begin while tracked files have uncommitted changes. With
/// `isolate: true` a run works in a git worktree of its own.
///
/// A recipe that `needs: { task }` does not begin a new session without one: either the run is
/// started with a text, or the agent has the tracker `bd` and the directory has its `.beads`.
/// Otherwise the start is refused with [`NoPrompt`](crate::ExitReason::NoPrompt), before a turn is
/// paid for.
///
/// ```
/// surefire::recipe! {
///     recipe Port {
///         scope: { allow: ["src/**", "*.md"], deny: ["**/.env*"] },
///         allow_lockfiles: true,
///         needs: { clean_tree, task },
///         isolate: true,
///         initial: Write,
///         step Write {
///             prompt: "Port the next module.",
///             tools: [edit],
///             outcomes: [Complete],
///             Complete => exit ChangesCommitted,
///         }
///     }
/// }
///
/// assert_eq!(Port::OUTLINE.scope.deny[..], ["**/.env*"]);
/// assert!(Port::OUTLINE.needs.clean_tree && Port::OUTLINE.needs.task && Port::OUTLINE.isolate);
/// ```
///
/// # Former names
///
/// `was` lists names that a step had before, and with an arrow those that its outcomes had, for
/// runs that began under them.
///
/// ```
/// surefire::recipe! {
///     recipe Ship {
///         initial: Audit,
///         step Audit {
///             was: [Review, Done => Fine],
///             prompt: "Audit the release.",
///             outcomes: [Fine],
///             Fine => exit ChangesCommitted,
///         }
///     }
/// }
///
/// let audit = &Ship::OUTLINE.steps[0];
/// assert_eq!((audit.was, audit.outcomes[0].was), (&["review"][..], &["done"][..]));
/// ```
///
/// # What the macro generates
///
/// A type with the recipe's name, and a module with its snake-case name. The module has `Step`, an
/// enum of outcomes and an enum of nexts for each step, the typed run `At<S>`, and `AnyStep`; for a
/// step whose limit leads to another one, also an enum with `Entry` behind its name. Wire names are
/// the kebab-case of yours.
#[macro_export]
macro_rules! recipe {
    ($($written:tt)*) => { $crate::__private::recipe! { ($crate) $($written)* } };
}

/// Defines steps that several recipes share.
///
/// The names in brackets are parameters: each recipe says where they lead when it includes the
/// steps.
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
/// To include the same steps twice, give one of them other names: after `as Early`, they are called
/// `EarlyReview` and `EarlyFix`, and lead to each other.
///
/// ```
/// # surefire::steps! {
/// #     steps review_loop(clean) {
/// #         step Review {
/// #             prompt: "Review the changes.",
/// #             outcomes: [NoIssues, IssuesFound],
/// #             NoIssues => clean,
/// #             IssuesFound => Fix,
/// #         }
/// #         step Fix {
/// #             prompt: "Fix what the review found.",
/// #             outcomes: [Complete],
/// #             Complete => Review,
/// #         }
/// #     }
/// # }
/// surefire::recipe! {
///     recipe InTwoParts {
///         initial: Design,
///         guardrails: { max_step_visits: 3 },
///         step Design { prompt: "Design it.", outcomes: [Complete], Complete => EarlyReview }
///         include review_loop(clean => Implement) as Early;
///         step Implement { prompt: "Implement it.", outcomes: [Complete], Complete => Review }
///         include review_loop(clean => exit ChangesCommitted);
///     }
/// }
///
/// let fix = InTwoParts::begin().complete()?.issues_found()?;
/// assert_eq!(fix.position().outline().name, "early-fix");
/// # Ok::<(), surefire::Exit>(())
/// ```
///
/// Prompt files, and constants with tools, are found beside the source that defines the steps.
/// Evidence may be in the steps (`NoIssues => clean if changed`), at the `include`
/// (`clean => exit Done if commit`), or in both. `exit Reason` is one of the recipe's `exits`, and
/// `exit ExitReason::Name` is always a standard one.
///
/// `pub(crate) steps` can be used in other modules, and `pub steps` in other crates, which include
/// them by their path: `include helpers::review_loop(clean => Commit);`. Their names are unique in
/// the crate that defines them, and a recipe that they restart is a parameter.
#[macro_export]
macro_rules! steps {
    ($($written:tt)*) => { $crate::__private::steps! { ($crate) $($written)* } };
}

/// Asserts that runs in progress can follow your recipes: compares the catalog with `recipes.lock`,
/// a generated file that you commit, in a test.
///
/// ```no_run
/// static CATALOG: surefire::Catalog = surefire::catalog![surefire::recipes::RebaseOnMain];
///
/// # #[allow(dead_code)]
/// #[test]
/// fn runs_in_progress_can_follow_our_recipes() {
///     surefire::assert_recipes_lock!(CATALOG, "recipes.lock");
/// }
/// ```
///
/// The path begins at the directory of your `Cargo.toml`. `UPDATE_RECIPES_LOCK=1 cargo test` writes
/// the file, unless a change would stop runs: where names changed, the test says which `was` to
/// add. Once no such run is left, `UPDATE_RECIPES_LOCK=breaking cargo test` writes it all the same.
/// `surefire recipes --check` says which runs there are.
///
/// # Panics
/// The lock is not current, or cannot be read or written.
#[macro_export]
macro_rules! assert_recipes_lock {
    ($catalog:expr, $path:literal $(,)?) => {{
        let path = ::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", $path);
        let written = match ::std::fs::read_to_string(path) {
            ::core::result::Result::Ok(written) => ::core::option::Option::Some(written),
            ::core::result::Result::Err(error)
                if error.kind() == ::std::io::ErrorKind::NotFound =>
            {
                ::core::option::Option::None
            }
            ::core::result::Result::Err(error) => ::core::panic!("{path} cannot be read: {error}"),
        };
        let update = ::std::env::var("UPDATE_RECIPES_LOCK").ok();
        match $crate::RecipesLock::verify($catalog, written.as_deref(), update.as_deref()) {
            ::core::result::Result::Ok(::core::option::Option::None) => {}
            ::core::result::Result::Ok(::core::option::Option::Some(text)) => {
                if let ::core::result::Result::Err(error) = ::std::fs::write(path, text) {
                    ::core::panic!("{path} cannot be written: {error}");
                }
            }
            ::core::result::Result::Err(report) => ::core::panic!("{path}: {report}"),
        }
    }};
}

/// Lists the recipes that a server or a command line offers, as a [`Catalog`](crate::Catalog).
///
/// Two recipes with the same id do not compile, nor does a recipe that restarts an unlisted one.
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
