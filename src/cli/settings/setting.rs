//! The options that can be set in the environment and the configuration file.

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Kind {
    /// True or false.
    Switch,
    Text,
    Number,
    /// A number of bytes, or a text with a unit.
    Size,
    /// A file or a directory.
    Path,
    /// Several paths.
    Paths,
    /// Several texts.
    Names,
}

/// An option that can be set outside the command line.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) struct Setting {
    /// As on the command line, without the dashes.
    pub(in crate::cli) name: &'static str,
    pub(in crate::cli) kind: Kind,
}

/// All settings. Options that make sense only for a single command are not among them.
pub(in crate::cli) const SETTINGS: [Setting; 43] = [
    setting("listen", Kind::Text),
    setting("lan", Kind::Switch),
    setting("allow-host", Kind::Names),
    setting("agent", Kind::Text),
    setting("agent-path", Kind::Path),
    setting("permission-mode", Kind::Text),
    setting("allow-tool", Kind::Names),
    setting("allow-dirty", Kind::Switch),
    setting("rehearse", Kind::Text),
    setting("pace-ms", Kind::Number),
    setting("data", Kind::Path),
    setting("key-file", Kind::Path),
    setting("log-file", Kind::Path),
    setting("root", Kind::Paths),
    setting("parallel", Kind::Number),
    setting("stop-agents", Kind::Switch),
    setting("no-qr", Kind::Switch),
    setting("silence", Kind::Text),
    setting("turn-time", Kind::Text),
    setting("max-connections", Kind::Number),
    setting("max-unauthenticated", Kind::Number),
    setting("unauthenticated-grace", Kind::Text),
    setting("request-timeout", Kind::Text),
    setting("auth-timeout", Kind::Text),
    setting("max-wrong-keys", Kind::Number),
    setting("wrong-key-delay", Kind::Text),
    setting("max-message-size", Kind::Size),
    setting("max-reply-size", Kind::Size),
    setting("messages-per-second", Kind::Number),
    setting("message-burst", Kind::Number),
    setting("flood-timeout", Kind::Text),
    setting("max-queued-messages", Kind::Number),
    setting("max-queued-size", Kind::Size),
    setting("write-timeout", Kind::Text),
    setting("client-timeout", Kind::Text),
    setting("model", Kind::Text),
    setting("time", Kind::Text),
    setting("max-ticks", Kind::Number),
    setting("budget-usd", Kind::Number),
    setting("auto-resume", Kind::Switch),
    setting("on-end", Kind::Text),
    setting("color", Kind::Text),
    setting("log-format", Kind::Text),
];

const fn setting(name: &'static str, kind: Kind) -> Setting {
    Setting { name, kind }
}

impl Setting {
    pub(in crate::cli) fn find(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    /// Its name in the environment.
    pub(in crate::cli) fn variable(&self) -> String {
        format!("SUREFIRE_{}", self.name.replace('-', "_").to_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::settings::acceptable::option;
    use crate::cli::usage::arguments::Arguments;

    #[test]
    fn every_setting_is_an_option_with_a_help_text() {
        let command = Arguments::command();
        for setting in &SETTINGS {
            let option = option(&command, setting.name);
            let option = option.unwrap_or_else(|| panic!("no command has --{}", setting.name));
            assert!(option.get_help().is_some(), "--{} says what it does", setting.name);
        }
    }
}
