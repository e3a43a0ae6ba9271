//! Refuses what widens a run, unless the client may widen runs. The key alone does not allow it.

use super::context::{RequestContext, error};
use crate::run::SessionId;
use crate::wire::{ErrorCode, ResumeRun, ServerMessage, StartRecipe};

/// A field of a message that widens what may happen on this machine, and the command that does the
/// same here.
pub(super) type Widening = (&'static str, &'static str);

/// The fields of the message that widen the run.
pub(super) fn of_start(start: &StartRecipe) -> Vec<Widening> {
    let StartRecipe {
        allow_tools, allow_dirty, allow_deps, force_parallel, trust, untrusted, ..
    } = start;
    requested(&[
        (!allow_tools.is_empty(), ("allow_tools", "surefire run --allow-tool")),
        (*allow_dirty, ("allow_dirty", "surefire run --allow-dirty")),
        (*allow_deps, ("allow_deps", "surefire run --allow-deps")),
        (*force_parallel, ("force_parallel", "surefire run --force-parallel")),
        (*trust, ("trust", "surefire run --trust")),
        (untrusted.is_some(), ("untrusted", "surefire run --untrusted")),
    ])
}

/// The fields of the message that widen the run from now on.
pub(super) fn of_resume(resume: &ResumeRun) -> Vec<Widening> {
    let ResumeRun { allow_tools, allow_deps, force_parallel, .. } = resume;
    requested(&[
        (!allow_tools.is_empty(), ("allow_tools", "surefire resume --allow-tool")),
        (*allow_deps, ("allow_deps", "surefire resume --allow-deps")),
        (*force_parallel, ("force_parallel", "surefire resume --force-parallel")),
    ])
}

fn requested(all: &[(bool, Widening)]) -> Vec<Widening> {
    all.iter().filter(|(is_set, _)| *is_set).map(|(_, widening)| *widening).collect()
}

/// The refusal, if the message widens a run and the client may not do that.
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
    let message = format!(
        "`{first}` is accepted only from processes of the server's own user and from a console \
         page on its machine; use {} there",
        commands.join(" and ")
    );
    Some(error(session, ErrorCode::NotSupported, message))
}
