//! Converts what the engine and the store know to messages for clients.

use std::sync::Arc;

use crate::agent::Agent;
use crate::engine::RecipePrompts;
use crate::server::shared::Shared;
use crate::session::{NOT_ANSWERED, NOT_DELIVERED};
use crate::store::{Message, Role, RunRecord, SessionRecord};
use crate::view::Status;
use crate::wire::{
    AvailableRecipes, DeliveryMark, HistoryMessage, OfRun, OfferedAgent, OfferedRecipe,
    RecentSession, RecentSessions, RunBroadcast, RunLine, ServedRecipe, SessionEntry, Stamp,
    fence_outcome,
};
use crate::{AnyRecipe, Catalog, Outline};

/// The agents that clients know by name. Clients accept no other name in a list of sessions.
const CLIENT_AGENTS: [&str; 4] = ["claude", "copilot", "cursor", "opencode"];

/// The one that stands for all others.
const DEFAULT_AGENT: &str = "claude";

/// The name under which clients know an agent.
pub(crate) fn provider(agent: &str) -> &'static str {
    CLIENT_AGENTS.into_iter().find(|known| *known == agent).unwrap_or(DEFAULT_AGENT)
}

/// The agent that a client means by a name. If the default agent is not available, a rehearsal
/// stands in for it; the run's messages say so to all clients, with `rehearsal`.
pub(in crate::server) fn agent_for(
    provider: Option<String>,
    agents: &[Arc<dyn Agent>],
) -> Option<String> {
    let wanted = provider.filter(|provider| !provider.trim().is_empty())?;
    let is_available = agents.iter().any(|agent| agent.about().name == wanted);
    let stand_in = agents.iter().map(|agent| agent.about()).find(|about| about.rehearsal);
    match stand_in {
        Some(stand_in) if wanted == DEFAULT_AGENT && !is_available => {
            Some(stand_in.name.to_owned())
        }
        _ => Some(wanted),
    }
}

/// Identifies a conversation: its offsets stay valid while this is unchanged.
pub(crate) fn signature(session: &SessionRecord) -> String {
    format!("{}:{}", session.created_at, session.id)
}

pub(in crate::server) fn history_message(message: &Message, provider: &str) -> HistoryMessage {
    let text = match message.role {
        Role::Assistant => fence_outcome(&message.text).into_owned(),
        Role::User => message.text.clone(),
    };
    HistoryMessage {
        session_id: message.session,
        uuid: message.id,
        role: message.role.to_string(),
        kind: message.role.to_string(),
        text,
        timestamp: Stamp(message.at),
        offset: message.offset,
        seq: message.offset + 1,
        id: message.id,
        provider: provider.to_owned(),
        mark: mark(message),
        delivered: message.delivered,
    }
}

/// The mark of a note that the server itself wrote. An agent's text belongs to an attempt, and the
/// ending of a run belongs to the run; an assistant's message that belongs to neither is a note,
/// and no agent can write one.
fn mark(message: &Message) -> Option<DeliveryMark> {
    let is_note =
        message.role == Role::Assistant && message.attempt.is_none() && message.run.is_none();
    let marks =
        [(NOT_DELIVERED, DeliveryMark::NotDelivered), (NOT_ANSWERED, DeliveryMark::NotAnswered)];
    let mark = marks.into_iter().find(|(prefix, _)| message.text.starts_with(prefix));
    mark.filter(|_| is_note).map(|(_, mark)| mark)
}

/// A session without its runs.
pub(super) fn session_entry(session: &SessionRecord) -> SessionEntry {
    SessionEntry {
        session_id: session.id,
        name: session.name.clone(),
        working_directory: session.directory.display().to_string(),
        last_modified: session.changed_at,
        message_count: session.messages,
        provider: provider(&session.agent).to_owned(),
        agent: session.agent.clone(),
        active_recipe: None,
        last_recipe: None,
    }
}

pub(in crate::server) fn recent_session(session: &SessionRecord) -> RecentSession {
    RecentSession {
        session_id: session.id,
        name: session.name.clone(),
        working_directory: session.directory.display().to_string(),
        last_modified: Stamp(session.changed_at),
        provider: provider(&session.agent).to_owned(),
    }
}

pub(in crate::server) fn recent_sessions(sessions: &[RecentSession], limit: u32) -> RecentSessions {
    RecentSessions { sessions: sessions.iter().take(limit as usize).cloned().collect(), limit }
}

/// The recipes on offer, the agents, and a directory to begin with, as clients get them.
pub(in crate::server) async fn offer(shared: &Shared, enabled: bool) -> AvailableRecipes {
    let outlines = shared.catalog.iter().map(AnyRecipe::outline).collect();
    let prompts = shared.engine.prompts_of(outlines).await;
    let offered = |agent: &Arc<dyn Agent>| {
        let about = agent.about();
        OfferedAgent { name: about.name.to_owned(), rehearsal: about.rehearsal }
    };
    AvailableRecipes {
        agents: shared.agents.iter().map(offered).collect(),
        working_directory: shared.proposed_directory.clone(),
        ..available_recipes(shared.catalog, &prompts, enabled)
    }
}

/// The recipes on offer with their changed prompts, without agents.
pub(crate) fn available_recipes(
    catalog: Catalog,
    prompts: &[RecipePrompts],
    enabled: bool,
) -> AvailableRecipes {
    let offered = |outline: &'static Outline| OfferedRecipe {
        id: outline.id.to_owned(),
        label: outline.label.to_owned(),
        // The app drops what has no description.
        description: if outline.description.is_empty() {
            outline.label
        } else {
            outline.description
        }
        .to_owned(),
        steps: outline.steps.iter().map(|step| step.name.to_owned()).collect(),
        max_steps: outline.max_steps,
        changed_prompts: prompts
            .iter()
            .filter(|prompts| prompts.recipe == outline.id)
            .flat_map(RecipePrompts::changed_steps)
            .map(str::to_owned)
            .collect(),
    };
    AvailableRecipes {
        recipes: catalog.by_label().into_iter().map(|recipe| offered(recipe.outline())).collect(),
        enabled,
        agents: Vec::new(),
        working_directory: None,
    }
}

/// A recipe with the prompts that the operator changed, as clients get it.
pub(crate) fn served_recipe(
    outline: &'static Outline,
    prompts: Option<&RecipePrompts>,
) -> ServedRecipe {
    ServedRecipe {
        outline,
        changed_prompts: prompts.map(RecipePrompts::changed).unwrap_or_default(),
        prompt_problems: prompts
            .into_iter()
            .flat_map(RecipePrompts::errors)
            .map(ToString::to_string)
            .collect(),
    }
}

/// What clients call a recipe, even one that is no longer on offer.
pub(in crate::server) fn label(catalog: Catalog, recipe: &str) -> String {
    catalog.get(recipe).map_or(recipe, |recipe| recipe.outline().label).to_owned()
}

/// What clients know about a run, from its row in the store.
pub(in crate::server) fn run_broadcast(catalog: Catalog, record: &RunRecord) -> RunBroadcast {
    RunBroadcast {
        run: record.id,
        session: record.session,
        recipe_id: record.recipe.clone(),
        recipe_label: label(catalog, &record.recipe),
        step: record.step.clone(),
        step_count: record.steps.max(1),
        rehearsal: record.rehearsal,
        in_turn: record.ending.is_none(),
    }
}

/// The position of a run's last event.
pub(in crate::server) fn last_of(record: &RunRecord) -> OfRun {
    OfRun { run_id: record.id, seq: record.last_seq, at: Stamp(record.changed_at) }
}

pub(in crate::server) fn run_line(catalog: Catalog, record: &RunRecord) -> RunLine {
    RunLine {
        run_id: record.id,
        session_id: record.session,
        recipe_id: record.recipe.clone(),
        recipe_label: label(catalog, &record.recipe),
        working_directory: record.directory.display().to_string(),
        agent: record.agent.clone(),
        rehearsal: record.rehearsal,
        continues: record.continues,
        started_at: Stamp(record.started_at),
        changed_at: Stamp(record.changed_at),
        step: record.step.clone(),
        step_count: record.steps,
        last_seq: record.last_seq,
        cost_usd: record.cost_usd,
        status: Status::of(
            record.ending.as_ref(),
            catalog.get(&record.recipe).map(AnyRecipe::outline),
        ),
        ending: record.ending.clone(),
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn only_notes_of_the_server_are_marked() {
        let (attempt, run) = (Some(Uuid::from_u128(2).into()), Some(Uuid::from_u128(3).into()));
        let table = [
            (
                Role::Assistant,
                None,
                None,
                "Not delivered: “a” was still queued",
                Some(DeliveryMark::NotDelivered),
            ),
            (
                Role::Assistant,
                None,
                None,
                "Not answered: “a” was being delivered",
                Some(DeliveryMark::NotAnswered),
            ),
            (Role::Assistant, None, None, "Anything else", None),
            (Role::Assistant, attempt, None, "Not delivered: says the agent", None),
            (Role::Assistant, attempt, run, "Not answered: says the agent", None),
            (Role::Assistant, None, run, "Not delivered: says the end of a run", None),
            (Role::User, None, None, "Not delivered: says a user", None),
        ];
        for (role, attempt, run, text, expected) in table {
            let id = Uuid::from_u128(1);
            let (session, text) = (id.into(), text.to_owned());
            let message = Message {
                session,
                offset: 0,
                id,
                role,
                text: text.clone(),
                at: 0,
                attempt,
                run,
                delivered: true,
            };
            assert_eq!(history_message(&message, "claude").mark, expected, "{text}");
        }
    }
}
