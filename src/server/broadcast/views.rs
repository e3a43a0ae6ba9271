//! The views of runs, for clients that announced `view`: what each event changes in them.

use std::collections::HashMap;

use crate::engine::EngineError;
use crate::run::{Event, RunId};
use crate::server::ledger;
use crate::server::shared::Shared;
use crate::store::EventRecord;
use crate::view::Timeline;
use crate::wire::RunViewChanged;

/// The timelines of the runs that are open.
#[derive(Default)]
pub(super) struct Views {
    timelines: HashMap<RunId, Timeline>,
}

impl Views {
    /// What an event changes in its run's view; `None` if no client announced `view`.
    pub(super) async fn changed(
        &mut self,
        shared: &Shared,
        recorded: &EventRecord,
    ) -> Result<Option<RunViewChanged>, EngineError> {
        if !shared.viewers.is_any() {
            self.timelines.clear();
            return Ok(None);
        }
        let EventRecord { run, seq, at, ref event, .. } = *recorded;
        let known = self.timelines.remove(&run).filter(|known| known.view().seq + 1 == seq);
        let timeline = match known {
            Some(mut known) => {
                known.apply(seq, at, event);
                Some(known)
            }
            // A client may have connected in the middle of the run.
            None => {
                let catalog = shared.catalog;
                shared.engine.read(move |store| ledger::timeline(store, catalog, run, seq)).await?
            }
        };
        let Some(timeline) = timeline else { return Ok(None) };
        let changed =
            RunViewChanged::new(run, timeline.view().changed_since(seq.saturating_sub(1)));
        if !matches!(event, Event::Ended { .. }) {
            self.timelines.insert(run, timeline);
        }
        Ok(Some(changed))
    }
}
