//! The rules for every store: a function for each, called with an empty store.
//!
//! [`store_conformance!`](crate::store_conformance) makes a test of each, and [`all`] calls one
//! after the other. A file has the functions of one subject; `suite!` below lists them all, and
//! the compiler reports a function that it does not list as dead code.

#![expect(missing_docs, reason = "each function is named after the rule that it checks")]
#![expect(clippy::missing_panics_doc, reason = "a test fails by panicking")]

mod attempts;
mod commits;
mod events;
mod forgetting;
mod lists;
mod messages;
mod prompts;
mod pruning;
mod quarantine;
mod refusals;
mod runs;
mod sessions;
mod stale;

use surefire::store::Store;

/// Lists the tests once, for the function that calls them all and for the macro that makes tests of
/// them.
macro_rules! suite {
    ($($subject:ident { $($test:ident,)* })*) => {
        $(pub use $subject::{$($test),*};)*

        /// Calls every function of this module, each with a store of its own.
        ///
        /// ```
        /// use surefire::store::Memory;
        /// use surefire_testkit::conformance::store;
        ///
        /// store::all(|test| test(&Memory::default()));
        /// ```
        pub fn all(with_store: impl Fn(fn(&dyn Store))) {
            $($(with_store($test);)*)*
        }

        /// Makes a test of each function of [`conformance::store`](crate::conformance::store), for
        /// one store.
        ///
        /// Its argument is a function that takes a test, makes an empty store and calls the test
        /// with it. Each store has a module of its own:
        ///
        /// ```
        /// mod memory {
        ///     use surefire::store::Memory;
///     surefire_testkit::store_conformance!(|test| test(&Memory::default()));
        /// }
        ///
        /// mod sqlite {
        ///     surefire_testkit::store_conformance!(|test| {
        ///         let folder = tempfile::tempdir().unwrap();
        ///         test(&surefire::store::Sqlite::open(folder.path()).unwrap().store);
        ///     });
        /// }
        /// ```
        #[macro_export]
        macro_rules! store_conformance {
            ($with_store:expr) => {
                $($(#[test]
                fn $test() {
                    let with_store: fn(fn(&dyn ::surefire::store::Store)) = $with_store;
                    with_store($crate::conformance::store::$test);
                })*)*
            };
        }
    };
}

suite! {
    sessions {
        a_session_is_there_from_its_first_commit_on,
        a_commit_names_the_sessions_that_it_began,
        sessions_are_listed_by_their_last_change,
        recipes_are_switched_everywhere_or_for_one_session,
    }
    messages {
        messages_have_offsets_without_gaps_and_times_that_never_decrease,
        message_text_comes_back_unchanged,
        repeated_prompts_come_back_in_full,
    }
    runs {
        a_run_follows_its_events,
        what_a_failed_turn_cost_counts,
        a_paused_run_can_end_again,
        a_session_has_one_run_at_a_time,
    }
    events {
        events_are_numbered_and_come_back_as_they_were,
        every_kind_of_event_comes_back_as_it_was,
    }
    lists {
        runs_are_filtered,
        lists_continue_page_after_page,
    }
    prompts {
        prompts_are_queued_until_the_agent_gets_them,
        a_prompt_is_delivered_once,
        a_prompt_that_the_agent_may_have_got_is_known_as_such,
        a_prompt_that_was_withdrawn_is_never_delivered,
        what_a_stopped_run_withdraws_is_not_queued,
        sessions_with_queued_prompts_are_known,
        a_run_can_take_over_a_prompt,
    }
    attempts {
        attempts_are_open_until_they_end,
        passages_of_an_attempt_are_found,
    }
    commits {
        a_commit_is_written_whole_or_not_at_all,
        entries_come_back_in_order_with_their_messages,
        an_empty_commit_is_valid,
    }
    refusals {
        what_is_not_there_is_named,
        contradictions_are_refused,
    }
    stale {
        a_stale_writer_writes_nothing,
        of_racing_starts_one_wins,
        of_writers_that_expect_the_same_one_wins,
        a_writer_that_knows_too_little_of_a_session_writes_nothing,
        a_commit_that_is_applied_twice_is_stale_and_harmless,
    }
    pruning {
        old_runs_are_pruned_and_the_conversation_stays,
        old_sessions_are_pruned_with_all_that_is_in_them,
    }
    forgetting {
        a_forgotten_session_leaves_nothing,
        what_is_forgotten_in_the_commit_that_added_it_is_not_written,
    }
    quarantine {
        a_quarantined_run_blocks_nothing_and_keeps_its_events,
    }
}
