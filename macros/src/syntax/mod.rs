//! What the author wrote, as a tree: nothing is resolved yet, and nothing is judged but the
//! grammar.
//!
//! Parsing continues after a mistake if the start of the next item is clear, so that one mistake
//! does not hide the others. Start with `recipe.rs`.

mod alternatives;
mod cfg;
mod claims;
mod command;
mod derives;
mod docs;
mod evidence;
mod fields;
mod file_scope;
mod findings;
mod fragment;
mod guardrails;
mod heading;
mod include;
mod marks;
mod max_visits;
mod needs;
mod next;
mod outcomes;
mod recipe;
mod renamed;
mod step;
mod tools;
mod visit_limit;
mod was;

pub(crate) use cfg::configured;
pub(crate) use claims::{Claim, Goal, Report};
pub(crate) use command::Command;
pub(crate) use docs::Docs;
pub(crate) use evidence::Term;
pub(crate) use fields::Unknown;
pub(crate) use file_scope::FileScope;
pub(crate) use fragment::Fragment;
pub(crate) use guardrails::{Entry, Value};
pub(crate) use include::{fetch, splice};
pub(crate) use max_visits::MaxVisits;
pub(crate) use next::{Next, Reason};
pub(crate) use outcomes::Declared;
pub(crate) use recipe::{Input, Recipe};
pub(crate) use step::{Mapping, Step};
pub(crate) use tools::{Group, Tool};
pub(crate) use visit_limit::VisitLimit;
pub(crate) use was::Former;
