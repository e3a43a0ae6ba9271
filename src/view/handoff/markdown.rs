//! A handoff for people: `stop.md`. Text from agents, commands and file names is put in code spans
//! and blocks, where Markdown has no effect.

use std::fmt::Write;
use std::time::Duration;

use super::{Handoff, HandoffChanges, HandoffCheck, HandoffFile, HandoffRefusal, HandoffReview};
use crate::recipe::is_bidi_control;
use crate::view::proof::short_commit;
use crate::view::words::{count, dollars, took};

impl Handoff {
    /// The handoff as a page of Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut page = format!("# {}\n\n{}\n", plain(&self.title), plain(&self.message));
        if let Some(description) = &self.description {
            block(&mut page, "", description);
        }
        if self.rehearsal {
            page.push_str("\n**This was a rehearsal: nothing was changed.**\n");
        }
        page.push('\n');
        for (label, text) in self.lines() {
            let _ = writeln!(page, "- {label}: {text}");
        }
        if let Some(changes) = &self.changes {
            changed(&mut page, changes);
        }
        section(&mut page, "Checked", &self.checks, checked);
        section(&mut page, "Not verified", &self.not_verified, |page, command| {
            let _ = writeln!(page, "- {}: the repository is not trusted", code(command));
        });
        section(&mut page, "Not allowed", &self.violations, |page, violation| {
            let _ = writeln!(page, "- {}: {}", code(&violation.path), plain(&violation.rule));
        });
        for review in &self.reviews {
            found(&mut page, review);
        }
        section(&mut page, "Refused", &self.refused, refused);
        section(&mut page, "Next", &self.next, |page, next| {
            let _ = writeln!(page, "- {}: {}", plain(&next.label), code(&next.command));
        });
        page
    }

    fn lines(&self) -> Vec<(&'static str, String)> {
        let goal = if self.goal_met { "the goal is met" } else { "the goal is not met" };
        let place = &self.at;
        let (step, turns) = (code(&place.step), count(place.turn as usize, "turn"));
        let mut lines = vec![
            (
                "reason",
                format!(
                    "{} ({}), exit status {}; {goal}",
                    code(&self.reason),
                    self.category,
                    self.exit_code
                ),
            ),
            (
                "where",
                format!("step {}, {step}, visit {}, after {turns}", place.step_number, place.visit),
            ),
        ];
        lines.extend(self.rests_on.map(|it| ("rests on", it.words().to_owned())));
        lines.push(("hint", plain(&self.hint)));
        lines.extend(self.task.as_ref().map(|task| ("task", code(task))));
        lines.push(("recipe", code(&self.recipe_id)));
        lines.push(("directory", code(&self.directory)));
        if let Some(worktree) = &self.worktree {
            lines.push((
                "branch",
                format!("{} of {}", code(&worktree.branch), code(&worktree.repository)),
            ));
        }
        lines.push(("agent", code(&self.agent)));
        lines.push(("time", took(Duration::from_millis(self.took_ms))));
        if self.cost_usd > 0.0 {
            lines.push(("cost", format!("about {}", dollars(self.cost_usd))));
        }
        lines.push(("run", code(&self.run_id.to_string())));
        lines.push(("session", code(&self.session_id.to_string())));
        lines.extend(self.continued_by.map(|next| ("continued by", code(&next.to_string()))));
        lines
    }
}

fn section<T>(page: &mut String, title: &str, all: &[T], mut one: impl FnMut(&mut String, &T)) {
    if !all.is_empty() {
        let _ = writeln!(page, "\n## {title}\n");
        for it in all {
            one(page, it);
        }
    }
}

fn changed(page: &mut String, changes: &HandoffChanges) {
    let HandoffChanges { total_files, added, removed, files, commits, more_commits } = changes;
    if *total_files > 0 {
        let total = count(*total_files as usize, "file");
        let _ = writeln!(page, "\n## Changed\n\n{total}, +{added} −{removed} lines\n");
        for it in files {
            file(page, it);
        }
        more(page, (*total_files as usize).saturating_sub(files.len()));
    }
    section(page, "Committed", commits, |page, commit| {
        let _ = writeln!(page, "- {} {}", code(&short_commit(&commit.id)), code(&commit.subject));
    });
    more(page, *more_commits as usize);
}

fn more(page: &mut String, number: usize) {
    if number > 0 {
        let _ = writeln!(page, "- and {number} more");
    }
}

fn file(page: &mut String, file: &HandoffFile) {
    let lines = match (file.added, file.removed) {
        (None, None) => "binary".to_owned(),
        (added, removed) => format!("+{} −{}", added.unwrap_or(0), removed.unwrap_or(0)),
    };
    let from = file.from.as_ref().map(|from| format!(" from {}", code(from))).unwrap_or_default();
    let change = file.change.replace('_', " ");
    let _ = writeln!(page, "- {} {change}{from}, {lines}", code(&file.path));
}

fn checked(page: &mut String, check: &HandoffCheck) {
    let _ = writeln!(
        page,
        "- step {}, {}: {}",
        check.step_number,
        code(&check.step),
        code(&check.words)
    );
    // A single line of output is already part of the line above.
    if check.found.trim().contains('\n') {
        block(page, "  ", &check.found);
    }
}

fn found(page: &mut String, review: &HandoffReview) {
    let status = if review.settled { "settled since" } else { "open" };
    let HandoffReview { round, step_number, findings, more_findings, .. } = review;
    let step = code(&review.step);
    let _ =
        writeln!(page, "\n## Findings\n\nround {round} of {step}, step {step_number}: {status}\n");
    for finding in findings {
        let _ = writeln!(page, "- {}", code(&finding.words));
    }
    more(page, *more_findings as usize);
}

fn refused(page: &mut String, refused: &HandoffRefusal) {
    let input =
        refused.input.as_ref().map(|input| format!(" with {}", code(input))).unwrap_or_default();
    let times =
        if refused.times > 1 { format!(", {} times", refused.times) } else { String::new() };
    let allow = match &refused.options {
        Some(options) => format!("; {} allows it", code(options)),
        None => String::new(),
    };
    let _ = writeln!(page, "- {}{input}{times}{allow}", code(&refused.tool));
}

/// Surefire's own text, on one line.
fn plain(words: &str) -> String {
    words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// A text on one line, as code: nothing in it is Markdown.
fn code(text: &str) -> String {
    let text: String =
        text.chars().map(|c| if c.is_control() || is_bidi_control(c) { ' ' } else { c }).collect();
    let text = text.trim();
    let fence = "`".repeat(longest_run(text) + 1);
    if text.is_empty() {
        "` `".to_owned()
    } else if text.starts_with('`') || text.ends_with('`') {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// A text of several lines, as a block of code.
fn block(page: &mut String, indent: &str, text: &str) {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let _ = writeln!(page, "\n{indent}{fence}text");
    for line in text.trim_end().lines() {
        let line: String =
            line.chars().filter(|c| !c.is_control() && !is_bidi_control(*c)).collect();
        let _ = writeln!(page, "{indent}{line}");
    }
    let _ = writeln!(page, "{indent}{fence}");
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}
