//! What widens a run is refused from clients that may not say so, whatever key they have.

use super::context::{RequestContext, error};
use crate::run::SessionId;
use crate::wire::{ErrorCode, ResumeRun, ServerMessage, StartRecipe};

/// Something in a message that widens what may happen on this machine: its name, and the command that does it here.
pub(super) type Widening = (&'static str, &'static str);

/// What a message says that widens the run.
pub(super) fn of_start(start: &StartRecipe) -> Vec<Widening> {
    let StartRecipe { allow_tools, allow_dirty, allow_deps, force_parallel, trust, untrusted, .. } = start;
    said(&[
        (!allow_tools.is_empty(), ("allow_tools", "surefire run --allow-tool")),
        (*allow_dirty, ("allow_dirty", "surefire run --allow-dirty")),
        (*allow_deps, ("allow_deps", "surefire run --allow-deps")),
        (*force_parallel, ("force_parallel", "surefire run --force-parallel")),
        (*trust, ("trust", "surefire run --trust")),
        (untrusted.is_some(), ("untrusted", "surefire run --untrusted")),
    ])
}

/// What a message says that widens the run from now on.
pub(super) fn of_resume(resume: &ResumeRun) -> Vec<Widening> {
    let ResumeRun { allow_tools, allow_deps, force_parallel, .. } = resume;
    said(&[
        (!allow_tools.is_empty(), ("allow_tools", "surefire resume --allow-tool")),
        (*allow_deps, ("allow_deps", "surefire resume --allow-deps")),
        (*force_parallel, ("force_parallel", "surefire resume --force-parallel")),
    ])
}

fn said(all: &[(bool, Widening)]) -> Vec<Widening> {
    all.iter().filter(|(is_said, _)| *is_said).map(|(_, widening)| *widening).collect()
}

/// Says no, where the client may not say this.
pub(super) fn refuse(
    context: &RequestContext<'_>,
    session: Option<SessionId>,
    widening: &[Widening],
) -> Option<ServerMessage> {
    let (first, _) = widening.first()?;
    if context.client.may_widen.is_some() {
        return None;
    }
    let commands: Vec<_> = widening.iter().map(|(_, command)| format!("`{command}`")).collect();
    let words = format!(
        "`{first}` is accepted from processes of the server's own user and from a console page on its machine alone; use {} \
         there",
        commands.join(" and ")
    );
    Some(error(session, ErrorCode::NotSupported, words))
}
