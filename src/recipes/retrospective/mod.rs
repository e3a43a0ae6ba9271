//! Retrospective: the agent looks back on the session.

use super::tools::TRACKER;

pub use self::retrospective::*;

surefire::recipe! {
    /// Reflect on the session and identify areas for improvement.
    pub recipe Retrospective {
        id: "retrospective",
        label: "Retrospective",
        initial: Reflect,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },

        /// Looks back on the session; changes nothing.
        step Reflect {
            prompt: include_str!("reflect.md"),
            tools: [read, ..TRACKER],
            outcomes: [Complete],
            Complete => exit RetrospectiveComplete,
        }
    }
}
