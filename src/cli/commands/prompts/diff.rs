//! What prompt files change, as unified diffs.

use similar::TextDiff;

use crate::cli::render::format::{one_line, visible};
use crate::engine::{PromptSource, RecipePrompts, StepPrompt};

/// The diff of each changed prompt. Where the compiled prompt is not the one that was ejected any
/// more, the diff between these two comes first.
pub(super) fn diff(prompts: &RecipePrompts) -> String {
    let diffs: String = prompts.steps.iter().map(of_step).collect();
    if diffs.is_empty() {
        return format!("No prompt of `{}` is changed.", prompts.recipe);
    }
    visible(diffs.trim_end())
}

fn of_step(prompt: &StepPrompt) -> String {
    let Ok(PromptSource::Changed { text, outdated }) = &prompt.source else {
        return String::new();
    };
    let (step, file) = (prompt.step, one_line(&prompt.path.display().to_string()));
    let newer = outdated.as_ref().map(|ejected| {
        let heads = (&*format!("{step}: compiled when it was ejected"), &*compiled_now(step));
        unified(ejected, prompt.compiled, heads)
    });
    format!(
        "{}{}",
        newer.unwrap_or_default(),
        unified(prompt.compiled, text, (&compiled_now(step), &file))
    )
}

fn compiled_now(step: &str) -> String {
    format!("{step}: compiled")
}

fn unified(before: &str, after: &str, (left, right): (&str, &str)) -> String {
    // The blank lines around a prompt do not count, and neither do the line ends of an editor.
    let lines = |text: &str| format!("{}\n", text.replace("\r\n", "\n").trim());
    let (before, after) = (lines(before), lines(after));
    TextDiff::from_lines(&before, &after).unified_diff().header(left, right).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prompts(text: &str, outdated: Option<&str>) -> RecipePrompts {
        let source =
            PromptSource::Changed { text: text.to_owned(), outdated: outdated.map(str::to_owned) };
        let step = StepPrompt {
            step: "fix",
            compiled: "Fix it.\n\nRun the tests.\n",
            path: "/prompts/x/fix.md".into(),
            source: Ok(source),
        };
        RecipePrompts { recipe: "x", steps: vec![step], problems: Vec::new() }
    }

    #[test]
    fn a_changed_prompt_is_compared_with_the_compiled_one() {
        let expected = "\
--- fix: compiled
+++ /prompts/x/fix.md
@@ -1,3 +1,3 @@
 Fix it.
 
-Run the tests.
+Run all tests.";
        assert_eq!(diff(&prompts("Fix it.\n\nRun all tests.", None)), expected);
    }

    #[test]
    fn a_newer_compiled_prompt_is_shown_first() {
        let found = diff(&prompts("Repair it.", Some("Fix it.")));
        let expected = "\
--- fix: compiled when it was ejected
+++ fix: compiled
@@ -1 +1,3 @@
 Fix it.
+
+Run the tests.
--- fix: compiled
+++ /prompts/x/fix.md
@@ -1,3 +1 @@
-Fix it.
-
-Run the tests.
+Repair it.";
        assert_eq!(found, expected);
    }

    #[test]
    fn nothing_changed_is_said_in_words() {
        let mut prompts = prompts("", None);
        prompts.steps[0].source = Ok(PromptSource::NotEdited);
        assert_eq!(diff(&prompts), "No prompt of `x` is changed.");
    }
}
