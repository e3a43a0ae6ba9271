//! What `--rehearse` takes: the name of a script, or a list of outcomes.

use std::ffi::OsStr;
use std::fmt;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use strum::VariantNames;

use crate::agent::Script;

/// What to rehearse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) enum Rehearse {
    /// A script, which fits every recipe.
    Script(Script),
    /// Outcomes as they were given, for the recipe that they are checked against.
    Outcomes(String),
}

impl fmt::Display for Rehearse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Script(script) => script.fmt(f),
            Self::Outcomes(outcomes) => f.write_str(outcomes),
        }
    }
}

/// Reads it. A list has a comma, even after a single outcome: a recipe may have an outcome with the
/// name of a script, and a misspelt script should be reported as one.
#[derive(Debug, Clone, Copy)]
pub(super) struct RehearseParser;

impl TypedValueParser for RehearseParser {
    type Value = Rehearse;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Rehearse, clap::Error> {
        match value.to_str() {
            Some(list) if list.contains(',') => Ok(Rehearse::Outcomes(list.trim().to_owned())),
            Some(_) | None => {
                let scripts = PossibleValuesParser::new(Script::VARIANTS);
                let script = scripts.try_map(|name| name.parse::<Script>());
                script.parse_ref(command, argument, value).map(Rehearse::Script)
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Script::VARIANTS.iter().map(PossibleValue::new)))
    }
}
