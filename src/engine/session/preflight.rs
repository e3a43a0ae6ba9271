//! Whether a recipe's evidence can be looked for at all, before a turn is paid for.

use std::path::Path;
use std::sync::Arc;

use crate::engine::shared::Shared;
use crate::engine::start::StartError;
use crate::engine::turn::looking;
use crate::run::RunId;
use crate::{Evidence, Outline};

/// A recipe whose evidence is in git needs a repository, and one that rebases needs a main branch.
pub(super) async fn evidence(
    shared: &Arc<Shared>,
    recipe: &'static Outline,
    directory: &Path,
    run: RunId,
) -> Result<(), StartError> {
    let mut wanted = recipe.steps.iter().flat_map(|step| step.outcomes).flat_map(|outcome| outcome.evidence);
    if !wanted.clone().any(Evidence::needs_git) {
        return Ok(());
    }
    let needs_main = wanted.any(|evidence| *evidence == Evidence::RebasedOnMain);
    let found = looking::look(shared, directory, run, move |repository| async move {
        if needs_main { Ok(repository.main_branch().await?.is_some()) } else { Ok(true) }
    });
    let (recipe, directory) = (recipe.id, directory.to_owned());
    match found.await {
        Ok(Some(true)) => Ok(()),
        Ok(Some(false)) => Err(StartError::NoMainBranch { recipe, directory }),
        Ok(None) => Err(StartError::NoRepository { recipe, directory }),
        Err(error) => Err(StartError::WorkTree { directory, why: error.to_string() }),
    }
}
