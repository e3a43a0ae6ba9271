//! Finding an agent by its name.

use std::sync::Arc;

use crate::agent::Agent;
use crate::recipe::advice;
use crate::{Advise, Remedy};

/// There is no agent with this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no agent `{provider}` here{}", advice(self))]
#[non_exhaustive]
pub struct UnknownProvider {
    /// The name.
    pub provider: String,
    /// The agents that are configured.
    pub known: Vec<&'static str>,
}

impl Advise for UnknownProvider {
    fn remedy(&self) -> Option<Remedy> {
        Some(Remedy::Choose { names: self.known.iter().map(|&name| name.to_owned()).collect() })
    }
}

/// The agent with this name, or the first one.
pub(super) fn find(
    agents: &[Arc<dyn Agent>],
    name: Option<&str>,
) -> Result<Arc<dyn Agent>, UnknownProvider> {
    let found = match name {
        None => agents.first(),
        Some(name) => agents.iter().find(|agent| agent.about().name == name),
    };
    found.cloned().ok_or_else(|| UnknownProvider {
        provider: name.unwrap_or_default().to_owned(),
        known: agents.iter().map(|agent| agent.about().name).collect(),
    })
}
