//! `surefire recipes --check`: which runs of the store can continue with this program's recipes.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;
use serde_json::json;

use crate::cli::connection;
use crate::cli::connection::{RunHistory, rehearsals};
use crate::cli::context::Context;
use crate::cli::render::format::visible;
use crate::cli::render::paint;
use crate::cli::settings::data;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::options::DataOption;
use crate::cli::wait::wait;
use crate::run::{Run, RunId};
use crate::store::RunFilter;
use crate::view::{count, short_id};
use crate::wire::{Journal, RunLine};
use crate::{Catalog, Verdict};

/// At most this many of the runs that have ended and can be resumed are checked, the newest.
const MAX_ENDED: usize = 50;

/// A run that has not met its goal, and whether it can continue.
#[derive(Debug, Serialize)]
struct Checked {
    run_id: RunId,
    recipe_id: String,
    step: String,
    state: State,
    continues: bool,
    /// Why it cannot.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It has not ended.
    Open,
    /// It resumes by itself.
    Paused,
    /// It resumes if a person wants that.
    Ended,
}

impl State {
    /// `None` if it has nothing left to do.
    fn of(run: &RunLine) -> Option<Self> {
        match &run.ending {
            None => Some(Self::Open),
            Some(ending) if ending.resume_at.is_some() => Some(Self::Paused),
            Some(ending) if ending.goal_met || ending.continued_by.is_some() => None,
            Some(_) => Some(Self::Ended),
        }
    }

    const fn is_unfinished(self) -> bool {
        match self {
            Self::Open | Self::Paused => true,
            Self::Ended => false,
        }
    }
}

/// The exit status is 1 if a run that is open or paused would stop.
pub(super) fn run(context: &Context, data: &DataOption, json: bool) -> Result<ExitCode, CliError> {
    let data = data::directory(data.data.as_deref())?;
    wait(async {
        let mut checked = Vec::new();
        let aside = rehearsals::directory(&data);
        for directory in [&data, &aside] {
            let history = connection::history(context.catalog, directory).await?;
            checked.extend(check(&history, context.catalog).await?);
        }
        if json {
            context.console.json(&json!({ "runs": checked }));
        } else {
            context.console.say(text(&checked, &data));
        }
        let strands = checked.iter().any(|run| run.state.is_unfinished() && !run.continues);
        Ok(if strands { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    })
}

async fn check(history: &RunHistory, catalog: Catalog) -> Result<Vec<Checked>, CliError> {
    let (mut checked, mut ended) = (Vec::new(), 0);
    for run in history.runs(RunFilter::default()).await? {
        let Some(state) = State::of(&run) else { continue };
        ended += usize::from(!state.is_unfinished());
        if !state.is_unfinished() && ended > MAX_ENDED {
            continue;
        }
        // It may have been deleted since it was listed.
        let Some(journal) = history.journal(run.run_id, 0).await? else { continue };
        let why = obstacle(catalog, &journal);
        let RunLine { run_id, recipe_id, step, .. } = run;
        checked.push(Checked { run_id, recipe_id, step, state, continues: why.is_none(), why });
    }
    Ok(checked)
}

/// Why a run cannot continue with these recipes: the engine would find the same.
fn obstacle(catalog: Catalog, journal: &Journal) -> Option<String> {
    let recipe = match catalog.find(&journal.run.recipe_id) {
        Ok(recipe) => recipe,
        Err(unknown) => return Some(unknown.to_string()),
    };
    let events = journal.events.iter().map(|record| &record.event);
    Run::replay(recipe, events).err().map(|error| error.to_string())
}

fn text(checked: &[Checked], data: &Path) -> String {
    if checked.is_empty() {
        // Another directory may have runs, so this one is named.
        let data = data.display().to_string();
        return format!("{}: no run is in progress, and none can be resumed", visible(&data));
    }
    let mut recipes: BTreeMap<&str, Vec<&Checked>> = BTreeMap::new();
    for run in checked {
        recipes.entry(&run.recipe_id).or_default().push(run);
    }
    let mut lines = Vec::new();
    for (recipe, runs) in recipes {
        let stops: Vec<_> = runs.iter().filter(|run| !run.continues).collect();
        let going = runs.len() - stops.len();
        let continued = match going {
            0 => None,
            1 => Some("1 run continues".to_owned()),
            _ => Some(format!("{} continue", count(going, "run"))),
        };
        let ends = (!stops.is_empty()).then(|| match stops.len() {
            1 => "1 run stops".to_owned(),
            number => format!("{} stop", count(number, "run")),
        });
        let both: Vec<_> = continued.into_iter().chain(ends).collect();
        let verdict = if stops.is_empty() { Verdict::Completed } else { Verdict::Failed };
        let words = format!("{} {}", paint::sign(verdict), both.join(", "));
        lines.push(format!("{}  {}", paint::cyan(visible(recipe)), paint::verdict(verdict, words)));
        for run in stops {
            let state = match run.state {
                State::Open => "",
                State::Paused => ", paused",
                State::Ended => ", ended",
            };
            let why = run.why.as_deref().unwrap_or_default();
            let (id, step) = (short_id(&run.run_id), visible(&run.step));
            lines.push(format!("  {id} at {step}{state}: {}", visible(why)));
        }
    }
    lines.join("\n")
}
