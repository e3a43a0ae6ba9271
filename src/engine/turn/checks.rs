//! Carrying out a check: first evidence, then commands, up to the first failure.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::commands;
use super::inspect::{self, for_gate, windows};
use super::result::{Checks, NoReply};
use super::work_tree;
use crate::Evidence;
use crate::agent::{Agent, RehearsedCheck, TurnContext};
use crate::engine::shared::Shared;
use crate::engine::{crash, worktree};
use crate::gate::{GitContext, LookError};
use crate::run::{CheckKind, CheckResult, CheckVerdict, Worktree};
use crate::session::CheckRequest;

/// Carries out a check.
pub(super) async fn carry_out(
    shared: &Arc<Shared>,
    agent: &dyn Agent,
    request: &CheckRequest,
    context: TurnContext,
) -> Result<Checks, NoReply> {
    if agent.about().rehearsal {
        return Ok(Checks { results: rehearsed(agent, request), violations: Vec::new() });
    }
    let results = results(shared, request, context).await?;
    let commands_ran =
        results.iter().any(|it| it.kind != CheckKind::Evidence && it.kind != CheckKind::Worktree);
    let violations =
        if commands_ran { work_tree::violations(shared, request).await } else { Vec::new() };
    Ok(Checks { results, violations })
}

async fn results(
    shared: &Arc<Shared>,
    request: &CheckRequest,
    context: TurnContext,
) -> Result<Vec<CheckResult>, NoReply> {
    let mut results = Vec::new();
    if let Some(worktree) = &request.check.worktree {
        let made = make_worktree(shared, worktree).await;
        let passed = made.passed();
        results.push(made);
        if !passed {
            return Ok(results);
        }
    }
    let looked_up = request.check.evidence.iter().filter(|it| !matches!(it, Evidence::Command(_)));
    for result in evidence(shared, request, looked_up.cloned().collect()).await {
        let passed = result.passed();
        results.push(result);
        if !passed {
            return Ok(results);
        }
    }
    results.extend(commands::run(shared, request, context).await?);
    Ok(results)
}

/// Creates the run's worktree. After a crash, creates the missing parts.
async fn make_worktree(shared: &Arc<Shared>, worktree: &Worktree) -> CheckResult {
    let began = Instant::now();
    crash::point("before-worktree");
    let made = worktree::make(&shared.git, worktree).await;
    crash::point("after-worktree");
    let (verdict, found) = match made {
        Ok(()) => (CheckVerdict::Passed, String::new()),
        Err(error) => (CheckVerdict::Impossible, error.to_string()),
    };
    let name = format!("the worktree on branch `{}`", worktree.branch);
    let (kind, took) = (CheckKind::Worktree, began.elapsed());
    CheckResult { kind, name, verdict, found, took, rehearsed: false }
}

/// Looks for evidence in order, up to the first that is missing, and all in the same snapshot of
/// the tree.
async fn evidence(
    shared: &Arc<Shared>,
    request: &CheckRequest,
    evidence: Vec<Evidence>,
) -> Vec<CheckResult> {
    if evidence.is_empty() {
        return Vec::new();
    }
    let began = Instant::now();
    let directory = request.directory.clone();
    let baseline = request.check.baseline.clone();
    let wanted = evidence.clone();
    let in_git = inspect::repository(
        shared,
        &request.directory,
        request.run,
        move |repository| async move {
            let now = repository.snapshot().await?;
            let (base, windows) =
                (baseline.tree.as_ref().and_then(for_gate), windows(&baseline.windows));
            let context = base.as_ref().map(|base| GitContext {
                repository: &repository,
                base,
                now: &now,
                windows: &windows,
            });
            let mut results = Vec::new();
            for evidence in wanted {
                let result = one(&evidence, &directory, context).await;
                let passed = result.passed();
                results.push(result);
                if !passed {
                    break;
                }
            }
            Ok(results)
        },
    );
    let mut results = match in_git.await {
        Ok(Some(results)) => results,
        Ok(None) => outside_of_git(&evidence, request).await,
        Err(error) => vec![impossible(&evidence[0], error.to_string())],
    };
    if let Some(last) = results.last_mut() {
        last.took = began.elapsed();
    }
    results
}

async fn outside_of_git(evidence: &[Evidence], request: &CheckRequest) -> Vec<CheckResult> {
    let mut results = Vec::new();
    for evidence in evidence {
        let result = one(evidence, &request.directory, None).await;
        let passed = result.passed();
        results.push(result);
        if !passed {
            break;
        }
    }
    results
}

async fn one(
    evidence: &Evidence,
    directory: &std::path::Path,
    git: Option<GitContext<'_>>,
) -> CheckResult {
    match crate::gate::look(evidence, directory, git).await {
        Ok(looked) => {
            let verdict = if looked.met {
                CheckVerdict::Passed
            } else {
                CheckVerdict::Failed { status: None }
            };
            result(evidence, verdict, looked.found)
        }
        Err(
            error @ (LookError::NoRepository { .. }
            | LookError::IsCommand { .. }
            | LookError::Git(_)),
        ) => impossible(evidence, error.to_string()),
    }
}

fn impossible(evidence: &Evidence, why: String) -> CheckResult {
    result(evidence, CheckVerdict::Impossible, why)
}

fn result(evidence: &Evidence, verdict: CheckVerdict, found: String) -> CheckResult {
    CheckResult {
        kind: CheckKind::Evidence,
        name: evidence.to_string(),
        verdict,
        found,
        took: Duration::ZERO,
        rehearsed: false,
    }
}

/// A rehearsal inspects and runs nothing: its script decides the results.
fn rehearsed(agent: &dyn Agent, request: &CheckRequest) -> Vec<CheckResult> {
    let check = &request.check;
    let evidence = check.evidence.iter().map(|it| (CheckKind::Evidence, it.to_string()));
    let commands = check.commands.iter().map(|it| (check.purpose, it.to_string()));
    let mut results = Vec::new();
    for (kind, name) in evidence.chain(commands) {
        let is_evidence = kind == CheckKind::Evidence;
        let asked = RehearsedCheck {
            name: &name,
            is_evidence,
            is_step: kind == CheckKind::Run,
            restarts: request.restarts,
            step: check.number,
            failed_before: check.failed_before,
        };
        let good = agent.rehearsed_check_passes(&asked);
        let verdict =
            if good { CheckVerdict::Passed } else { CheckVerdict::Failed { status: None } };
        let found = if good { "" } else { "the rehearsal's script says so" }.to_owned();
        results.push(CheckResult {
            kind,
            name,
            verdict,
            found,
            took: Duration::ZERO,
            rehearsed: true,
        });
        if !good {
            break;
        }
    }
    results
}
