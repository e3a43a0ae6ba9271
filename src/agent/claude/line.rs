//! The fields of the CLI's lines.
//!
//! Each field is parsed on its own: one of an unexpected type counts as missing, and tool output is
//! skipped without being buffered.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The relevant fields of a line, not parsed yet.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Line<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Field<'a>,
    #[serde(borrow)]
    pub(super) subtype: Field<'a>,
    #[serde(borrow)]
    pub(super) message: Field<'a>,
    #[serde(borrow)]
    pub(super) parent_tool_use_id: Field<'a>,
    #[serde(borrow)]
    pub(super) tool_use_id: Field<'a>,
    #[serde(borrow)]
    pub(super) tool_name: Field<'a>,
    #[serde(borrow)]
    pub(super) tasks: Field<'a>,
    #[serde(borrow)]
    pub(super) is_api_error_message: Field<'a>,
    #[serde(borrow)]
    pub(super) error: Field<'a>,
    #[serde(borrow)]
    pub(super) error_status: Field<'a>,
    #[serde(borrow)]
    pub(super) attempt: Field<'a>,
    #[serde(borrow)]
    pub(super) max_retries: Field<'a>,
    #[serde(borrow)]
    pub(super) claude_code_version: Field<'a>,
    #[serde(borrow)]
    pub(super) rate_limit_info: Field<'a>,
    #[serde(borrow, rename = "resetsAt")]
    pub(super) resets_at: Field<'a>,
    #[serde(borrow)]
    pub(super) is_error: Field<'a>,
    #[serde(borrow)]
    pub(super) result: Field<'a>,
    #[serde(borrow)]
    pub(super) text: Field<'a>,
    #[serde(borrow)]
    pub(super) errors: Field<'a>,
    #[serde(borrow)]
    pub(super) session_id: Field<'a>,
    #[serde(borrow)]
    pub(super) num_turns: Field<'a>,
    #[serde(borrow)]
    pub(super) total_cost_usd: Field<'a>,
    #[serde(borrow)]
    pub(super) model_usage_since_last_result: Field<'a>,
    #[serde(borrow)]
    pub(super) api_error_status: Field<'a>,
    #[serde(borrow)]
    pub(super) terminal_reason: Field<'a>,
    #[serde(borrow)]
    pub(super) permission_denials: Field<'a>,
}

/// A field that is parsed on demand.
#[derive(Deserialize, Default, Clone, Copy)]
#[serde(transparent)]
pub(super) struct Field<'a>(#[serde(borrow)] Option<&'a RawValue>);

impl<'a> Field<'a> {
    pub(super) fn read<T: Deserialize<'a>>(self) -> Option<T> {
        serde_json::from_str(self.0?.get()).ok()
    }

    pub(super) const fn is_missing(self) -> bool {
        self.0.is_none()
    }
}
