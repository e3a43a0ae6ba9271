//! The fields of `recipe!`, for editors alone: rust-analyzer shows their documentation and offers
//! their names. No other code uses them. They are variants because an editor completes those
//! wherever a path can stand, and a field of a struct only where the code around it is complete.

/// Expands to a use of each name if rust-analyzer reads the code, and to nothing otherwise.
#[cfg(rust_analyzer)]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    (
        $module:ident [$($field:ident)*] [$($guardrail:ident)*] [$($named:ident)*]
        $({ $outcome:ident [$($key:ident)*] [$($mapped:ident)*] [$($target:ident)*] })*
        $([$($reason:tt)*])*
    ) => {
        const _: fn() = || {
            $(let _ = $crate::__private::editor::RecipeField::$field;)*
            $(let _ = $crate::__private::editor::GuardrailField::$guardrail;)*
            $(let _ = $module::Step::$named;)*
            $(
                $(let _ = $crate::__private::editor::StepField::$key;)*
                $(let _ = $module::$outcome::$mapped;)*
                $(let _ = $module::Step::$target;)*
            )*
            $(let _ = $($reason)*;)*
            // Longer than any placeholder: see `macros/src/expand/editor.rs`.
            let _ = "________________________________________________________________";
        };
    };
}

/// Expands to a use of each name if rust-analyzer reads the code, and to nothing otherwise.
#[cfg(not(rust_analyzer))]
#[doc(hidden)]
#[macro_export]
macro_rules! __for_editors {
    ($($names:tt)*) => {};
}

/// The fields of a recipe.
#[allow(non_camel_case_types, reason = "they are the words that authors write")]
#[derive(Debug)]
pub enum RecipeField {
    /// The step that a run begins with.
    initial,
    /// The name on the wire. Default: the kebab-case of the recipe's name.
    id,
    /// The name for people. Default: the words of the recipe's name.
    label,
    /// The model to ask for, in quotes.
    model,
    /// What the agent may do in steps without a list of their own: `[edit, "cargo *"]`.
    tools,
    /// Which files a run may change: `{ allow: ["src/**"], deny: ["**/.env*"] }`.
    scope,
    /// `true` lets a run change the lockfiles of package managers.
    allow_lockfiles,
    /// What a run requires before it begins: `{ clean_tree, task }`.
    needs,
    /// `true` lets a run work in a git worktree of its own.
    isolate,
    /// Your own enum of exit reasons. Default: [`ExitReason`](crate::ExitReason), whose reasons can
    /// also be named in full: `exit ExitReason::TaskCommitted`.
    exits,
    /// Further traits of the enums of steps and outcomes: `[PartialOrd, Ord]`.
    derive,
    /// The limits of a run: `{ max_step_visits: 3, max_total_steps: 100 }`.
    guardrails,
    /// What holds on every path: `{ Commit needs Review.NoIssues since Fix }`.
    proves,
    /// A step: `step Name { prompt: "…", outcomes: [Done], Done => exit TaskCommitted }`.
    step,
    /// Steps from `steps!`: `include name(parameter => Next);`, or `include name(…) as Early;` to
    /// call them `EarlyReview` and so on.
    include,
}

/// The fields of a step.
#[allow(non_camel_case_types, reason = "they are the words that authors write")]
#[derive(Debug)]
pub enum StepField {
    /// What the agent is asked: a text, `include_str!("file.md")` or a constant.
    prompt,
    /// What the agent can report: `[Complete, Blocked]`. Each needs a line `Complete => …`.
    outcomes,
    /// The model to ask for, in quotes. Default: the recipe's.
    model,
    /// What the agent may do: `[edit, "cargo *"]`. Default: the recipe's.
    tools,
    /// Commands that must succeed before the run continues: `["cargo test"]`.
    verify,
    /// A command to run instead of asking an agent; its outcomes are `Passed` and `Failed`.
    run,
    /// How long one visit may last, or the command may take, and where the run goes then: `10m`, or
    /// `10m => Step`.
    time,
    /// How often the agent is asked again in one visit, and where the run goes instead: `2`, or
    /// `2 => Step`. Default: the operator's limit.
    retries,
    /// What one visit may cost in US dollars, and where the run goes then: `1.50`, or
    /// `1.50 => Step`.
    budget_usd,
    /// How often a run may visit the step, and where it goes instead: `3 => Step`. Default: the
    /// recipe's `max_step_visits`, and the run ends.
    max_visits,
    /// Former names, for runs that began with them: `[Old]` of the step, `[Old => New]` of its
    /// outcome `New`.
    was,
}

/// The guardrails of a recipe.
#[allow(non_camel_case_types, reason = "they are the words that authors write")]
#[derive(Debug)]
pub enum GuardrailField {
    /// How often each step may run.
    max_step_visits,
    /// How many steps a run may take.
    max_total_steps,
    /// How often a chain of runs may restart.
    max_restarts,
    /// How long the `verify` commands of one step may take in total: `30m`.
    max_verify_time_per_milestone,
    /// After how many review rounds without fewer findings a run ends.
    max_review_rounds,
    /// `false` leaves out the outcome `Other` that every step has.
    exit_on_other,
}
