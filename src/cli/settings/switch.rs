//! Switches that can be turned off again.

use clap::ArgAction;
use clap::builder::BoolishValueParser;

use super::setting::Setting;

/// The command with an optional value for every switch that is also a setting: `--lan` or
/// `--lan=false`. Otherwise the command line could not turn off what the configuration file turns
/// on.
pub(in crate::cli) fn two_way(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| {
        let is_setting = arg.get_long().and_then(Setting::find).is_some();
        if !is_setting || !matches!(arg.get_action(), ArgAction::SetTrue) {
            return arg;
        }
        arg.action(ArgAction::Set)
            .value_parser(BoolishValueParser::new())
            .value_name("BOOL")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .default_value("false")
            .hide_default_value(true)
            .hide_possible_values(true)
    });
    command.mut_subcommands(two_way)
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    #[test]
    fn a_switch_is_off_unless_asked_for_and_can_be_turned_off() {
        let switch = |name| Arg::new(name).long(name).action(ArgAction::SetTrue);
        let inner = Command::new("inner").arg(switch("lan")).arg(Arg::new("word"));
        let command = two_way(Command::new("outer").subcommand(inner).arg(switch("json")));
        for (words, on) in [
            (&["outer", "inner"][..], false),
            (&["outer", "inner", "--lan"], true),
            (&["outer", "inner", "--lan", "word"], true),
            (&["outer", "inner", "--lan=false"], false),
            (&["outer", "inner", "--lan=yes"], true),
        ] {
            let matches = command.clone().try_get_matches_from(words).unwrap();
            let (_, inner) = matches.subcommand().unwrap();
            assert_eq!(inner.get_one::<bool>("lan"), Some(&on), "{words:?}");
        }
        assert!(
            command.try_get_matches_from(["outer", "--json=false"]).is_err(),
            "a switch that is not a setting takes no value"
        );
    }
}
