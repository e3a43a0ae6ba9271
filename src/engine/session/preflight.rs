//! Preflight: the conditions that a working directory must meet before a run starts, and what the
//! repository adds to the run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::shared::Shared;
use crate::engine::start::{Start, StartError, Untrusted};
use crate::engine::trust::{self, TrustError, TrustRecords, TrustState, TrustSubject};
use crate::engine::turn::inspect;
use crate::engine::worktree;
use crate::gate::{ProjectFile, Repository};
use crate::run::{Permits, Project, RunId, Trust, Worktree};
use crate::{CommandLine, Evidence, FileScope, Outline};

/// The result of a preflight that passed.
#[derive(Default)]
pub(super) struct Preflight {
    /// What the repository's project file adds.
    pub(super) project: Project,
    /// The worktree, if the run works in one.
    pub(super) worktree: Option<Worktree>,
}

/// Checks a working directory before a run of this recipe starts in it.
pub(super) async fn check(
    shared: &Arc<Shared>,
    recipe: &'static Outline,
    directory: &Path,
    run: RunId,
    start: &Start,
) -> Result<Preflight, StartError> {
    let wanted = Wanted::of(recipe, start, shared.options.allow_dirty);
    let records = TrustRecords::new(&shared.options.data);
    let found = inspect::repository(shared, directory, run, move |repository| async move {
        Ok(find(&repository, wanted, &records).await)
    });
    let cannot_inspect =
        |why: String| StartError::WorkTree { directory: directory.to_owned(), why };
    let found = match found.await {
        Ok(Some(found)) => found.map_err(|error| match error {
            TrustError::Git(error) => cannot_inspect(error.to_string()),
            error => StartError::Trust(error),
        })?,
        Ok(None) if wanted.git => {
            return Err(StartError::NoRepository {
                recipe: recipe.id,
                directory: directory.to_owned(),
            });
        }
        Ok(None) => return Ok(Preflight::default()),
        Err(error) => return Err(cannot_inspect(error.to_string())),
    };
    judge(found, wanted, recipe, directory, run, start, &shared.options.data)
}

/// What the recipe requires.
#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "the requirements are independent")]
struct Wanted {
    git: bool,
    main: bool,
    clean: bool,
    isolated: bool,
}

impl Wanted {
    fn of(recipe: &'static Outline, start: &Start, allow_dirty: bool) -> Self {
        let mut evidence =
            recipe.steps.iter().flat_map(|step| step.outcomes).flat_map(|it| it.evidence);
        let in_git = evidence.clone().any(Evidence::needs_git);
        let Permits { allow_dirty: asked, .. } = start.permits;
        let clean = recipe.needs.clean_tree && !asked && !allow_dirty;
        let isolated = recipe.isolate || start.isolate;
        Self {
            git: in_git || recipe.needs.clean_tree || isolated,
            main: evidence.any(|evidence| *evidence == Evidence::RebasedOnMain),
            clean,
            isolated,
        }
    }
}

/// The state of the repository.
struct Found {
    top: PathBuf,
    head: Option<String>,
    has_main: bool,
    dirty: Vec<PathBuf>,
    subject: TrustSubject,
    state: TrustState,
}

async fn find(
    repository: &Repository,
    wanted: Wanted,
    records: &TrustRecords,
) -> Result<Found, TrustError> {
    let subject = trust::subject_of(repository).await?;
    Ok(Found {
        top: repository.top().to_owned(),
        head: repository.head().await?.commit,
        has_main: !wanted.main || repository.main_branch().await?.is_some(),
        dirty: if wanted.clean { repository.dirty_tracked().await? } else { Vec::new() },
        state: records.state(&subject)?,
        subject,
    })
}

fn judge(
    found: Found,
    wanted: Wanted,
    recipe: &'static Outline,
    directory: &Path,
    run: RunId,
    start: &Start,
    data: &Path,
) -> Result<Preflight, StartError> {
    let (id, directory) = (recipe.id, directory.to_owned());
    if !found.has_main {
        return Err(StartError::NoMainBranch { recipe: id, directory });
    }
    if !found.dirty.is_empty() {
        return Err(StartError::DirtyTree { recipe: id, directory, files: found.dirty });
    }
    let worktree = match (wanted.isolated, found.head) {
        (false, _) => None,
        (true, None) => return Err(StartError::NoCommit { directory }),
        (true, Some(base)) => Some(worktree::plan(data, run, found.top.clone(), base)),
    };
    let trust = match (start.trust, &found.state) {
        (true, _) => Trust::ThisRun,
        (false, TrustState::Trusted) => Trust::Recorded,
        (false, TrustState::Unknown | TrustState::Changed { .. }) => Trust::None,
    };
    let project = match found.subject.project {
        Some(file) => project(file, trust, start, found.state, found.top)?,
        None => Project { trust, ..Project::default() },
    };
    Ok(Preflight { project, worktree })
}

/// The parts of a repository's project file that apply.
fn project(
    file: ProjectFile,
    trust: Trust,
    start: &Start,
    state: TrustState,
    top: PathBuf,
) -> Result<Project, StartError> {
    let ProjectFile { verify, setup, scope, allow_lockfiles, max_verify_time } = file;
    if trust.is_given() {
        let rest = Project::default();
        return Ok(Project {
            trust,
            verify,
            setup,
            scope,
            allow_lockfiles,
            max_verify_time,
            ..rest
        });
    }
    let commands: Vec<CommandLine> = setup.into_iter().chain(verify).collect();
    if !commands.is_empty() && start.untrusted == Untrusted::Refuse {
        let changed = match state {
            TrustState::Changed { files } => files,
            TrustState::Unknown | TrustState::Trusted => Vec::new(),
        };
        return Err(StartError::Untrusted { directory: top, commands, changed });
    }
    // An untrusted file may only narrow the scope.
    let scope = FileScope { deny: scope.deny, ..FileScope::EVERYTHING };
    Ok(Project { scope, skipped: commands, ..Project::default() })
}
