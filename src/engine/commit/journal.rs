//! Log lines for persisted events. Prompts and replies are not logged, except for the end of a
//! reply that could not be read.

use crate::Category;
use crate::engine::spans;
use crate::run::{CheckResult, Ending, Event, Exceeded, Moment, ReplyReading, RunId, SessionId};
use crate::session::{Change, Commit, Session, SessionInput, TurnEnd};

/// The fields that the log lines of one decision share. They are read before the decision, because
/// the session drops a run that ends.
pub(in crate::engine) struct Journal {
    session: SessionId,
    recipe: String,
    /// The end of the agent's reply, if the decision is about a reply.
    reply: Option<String>,
}

impl Journal {
    pub(in crate::engine) fn of(session: &Session, input: &SessionInput) -> Self {
        let (mut recipe, mut reply) = (session.recipe(), None);
        match input {
            SessionInput::Resume { ended: Some(ended), .. } => {
                recipe = Some(ended.0.recipe().outline().id);
            }
            SessionInput::TurnEnded { end: TurnEnd::Replied { text, .. }, .. } => {
                reply = Some(end_of(text));
            }
            _ => {}
        }
        Self { session: session.id(), recipe: recipe.unwrap_or_default().to_owned(), reply }
    }

    /// Logs the events of runs.
    pub(in crate::engine) fn log(&self, commit: &Commit) {
        for change in &commit.changes {
            let Change::Run { run, entries, .. } = change else { continue };
            let mut events = entries.iter().filter_map(|entry| entry.event.as_ref()).peekable();
            // A run that continues another one begins in a session of its own.
            let (session, recipe) = match events.peek() {
                Some(Event::Started { recipe, spec, .. }) => (spec.session, recipe.as_str()),
                Some(_) | None => (self.session, self.recipe.as_str()),
            };
            let log = || {
                events.for_each(|event| log(*run, session, recipe, event, self.reply.as_deref()));
            };
            if session == self.session {
                log();
            } else {
                // The current span is that of the previous run.
                spans::of_run(*run, session).in_scope(log);
            }
        }
    }
}

fn log(run: RunId, session: SessionId, recipe: &str, event: &Event, reply: Option<&str>) {
    match event {
        Event::Started { step, spec, .. } => {
            let rehearsal = spec.rehearsal;
            tracing::info!(%run, %session, recipe, step, rehearsal, "Recipe started");
        }
        Event::TurnBegan { attempt, step, .. } => {
            tracing::debug!(%run, %attempt, step, "Turn began");
        }
        Event::Replied { read, took, .. } => match read {
            ReplyReading::Outcome { outcome, repaired, .. } => {
                let took_ms = took.as_millis();
                tracing::info!(%run, outcome, ?repaired, took_ms, "Step reported an outcome");
            }
            ReplyReading::Unread { unread, problem } => {
                let reply = reply.map(short);
                tracing::warn!(%run, %session, recipe, unread, problem, reply, "Reply could not be read");
            }
            ReplyReading::NotAsked => tracing::debug!(%run, "Prompt delivered"),
        },
        Event::TreeSeen { tree, moment: Moment::Before, .. } => {
            tracing::debug!(%run, head = tree.head, "Work tree seen before the turn");
        }
        Event::TreeSeen { tree, moment: Moment::After { changes }, .. } => {
            let (files, commits) = (changes.total_files, changes.commits.len());
            tracing::debug!(%run, head = tree.head, files, commits, "Work tree seen after the turn");
        }
        Event::RulesBroken { violations, .. } => {
            let (files, first) =
                (violations.len(), violations.first().map(|it| short(&it.to_string())));
            tracing::warn!(%run, %session, recipe, files, first, "Run changed files that it may not change");
        }
        Event::WorktreeEnded { end } => {
            tracing::info!(%run, %session, recipe, ?end, "Worktree was merged or discarded");
        }
        Event::ToolsRefused { refused, .. } => {
            for it in refused {
                let (tool, input) = (&it.tool, it.input.as_deref().map(short));
                tracing::warn!(%run, %session, recipe, tool, input, "Agent was refused a tool");
            }
        }
        Event::CheckBegan { check, step, .. } => tracing::debug!(%run, %check, step, "Check began"),
        Event::Checked { results, .. } => {
            for result in results {
                checked(run, recipe, result);
            }
        }
        Event::Retried { step, number, of, problem, cause } => {
            let problem = short(problem);
            tracing::info!(%run, %session, recipe, step, number, of, %cause, problem, "Asking the agent again");
        }
        Event::LimitReached { step, limit, exceeded, .. } => {
            let observed = exceeded.in_words();
            tracing::warn!(%run, %session, recipe, step, %limit, observed, "Step reached its limit");
        }
        Event::Moved { from, outcome, to, number, instead_of, .. } => {
            tracing::info!(%run, %session, recipe, from, outcome, to, number, instead_of, "Recipe moved to the next step");
        }
        Event::PromptQueued { prompt, .. } => {
            tracing::info!(%run, %session, %prompt, "Prompt queued");
        }
        Event::Ended { ending, exceeded, .. } => {
            let (step, reason, category) = (&ending.step, &ending.reason, ending.category);
            let details = ending.description.as_deref().map(short);
            let prefix = category.log_prefix();
            match category {
                Category::Completed => {
                    tracing::info!(%run, %session, recipe, step, reason, %category, details, "{prefix}");
                }
                Category::Guardrail => guardrail(run, session, recipe, ending, exceeded.as_deref()),
                Category::Error => {
                    tracing::error!(%run, %session, recipe, step, reason, %category, details, "{prefix}");
                }
            }
        }
        Event::Resumed { by, .. } => tracing::info!(%run, %session, recipe, %by, "Recipe resumed"),
    }
}

/// Logs the result of one check. The output of a command is not logged.
fn checked(run: RunId, recipe: &str, result: &CheckResult) {
    let CheckResult { kind, name, verdict, took, rehearsed, .. } = result;
    let (name, took_ms) = (short(name), took.as_millis());
    if result.passed() {
        tracing::info!(%run, recipe, %kind, name, took_ms, rehearsed, "Check passed");
    } else {
        tracing::warn!(%run, recipe, %kind, name, ?verdict, took_ms, rehearsed, "Check did not pass");
    }
}

/// Logs that a run exceeded a limit, and by how much. The names of the fields state the unit.
fn guardrail(
    run: RunId,
    session: SessionId,
    recipe: &str,
    ending: &Ending,
    exceeded: Option<&Exceeded>,
) {
    let (step, reason, category) = (&ending.step, &ending.reason, ending.category);
    let details = ending.description.as_deref().map(short);
    let prefix = category.log_prefix();
    match exceeded {
        Some(Exceeded::Count { limit, observed }) => {
            tracing::warn!(
                %run, %session, recipe, step, reason, %category, limit, observed, details, "{prefix}"
            );
        }
        Some(Exceeded::Time { limit, observed }) => {
            let (limit_ms, observed_ms) = (limit.as_millis(), observed.as_millis());
            tracing::warn!(
                %run, %session, recipe, step, reason, %category, limit_ms, observed_ms, details, "{prefix}"
            );
        }
        Some(Exceeded::Cost { limit: limit_usd, observed: observed_usd }) => {
            tracing::warn!(
                %run, %session, recipe, step, reason, %category, limit_usd, observed_usd, details, "{prefix}"
            );
        }
        None => {
            tracing::warn!(%run, %session, recipe, step, reason, %category, details, "{prefix}");
        }
    }
}

/// How many characters of the agent's text a log line holds.
const MAX_LOGGED_CHARS: usize = 200;

/// The beginning of a text, with control characters escaped, so that it cannot forge another log
/// line.
fn short(text: &str) -> String {
    text.escape_debug().take(MAX_LOGGED_CHARS).collect()
}

/// The end of a text, where an outcome would be.
fn end_of(text: &str) -> String {
    let from = text.char_indices().rev().nth(MAX_LOGGED_CHARS - 1).map_or(0, |(index, _)| index);
    text[from..].to_owned()
}
