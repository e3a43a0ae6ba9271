//! The banner that a server prints once it is ready.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

use super::format::one_line;
use super::qr::Picture;
use super::{links, paint};
use crate::server::ApiKey;

/// Printed with `--lan`.
pub(in crate::cli) const LAN: &str = "Other machines can connect. The connection is not encrypted: \
    anyone who can read the network traffic can read the key, and use this machine's agent";

/// Printed with `--lan` if the address is a loopback address.
pub(in crate::cli) const NOT_LAN: &str = "No other machine can connect, despite --lan: this \
    address can only be reached from this machine. `--listen 0.0.0.0:8080` listens on all \
    addresses";

/// The facts about a server that is ready.
pub(in crate::cli) struct Banner<'a> {
    pub(in crate::cli) listening: SocketAddr,
    pub(in crate::cli) key: &'a ApiKey,
    pub(in crate::cli) key_file: &'a Path,
    pub(in crate::cli) data: &'a Path,
    pub(in crate::cli) log_file: &'a Path,
    /// The agent: its name for programs, and its description for people.
    pub(in crate::cli) agent: &'a str,
    pub(in crate::cli) agent_words: &'a str,
    /// The command that shows the QR code, for a terminal that is too small for it.
    pub(in crate::cli) key_command: &'a str,
}

/// Where the QR code may be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Room {
    /// Nowhere: the user does not want it.
    NoPicture,
    /// A terminal with this many columns and lines; `None` if its size is unknown.
    Terminal(Option<(usize, usize)>),
}

impl Banner<'_> {
    /// For a terminal. This is the only form that shows the key.
    pub(in crate::cli) fn on_terminal(&self, room: Room) -> String {
        let address = links::from_elsewhere(self.listening);
        let key = self.key.reveal();
        let lines = [
            ("browser", paint::cyan(format!("http://{address}/#key={key}"))),
            ("app", paint::cyan(format!("ws://{address}"))),
            ("key", format!("{key} {}", paint::dim(format!("({})", path(self.key_file))))),
            ("agent", one_line(self.agent_words)),
            ("data", path(self.data)),
            ("log", path(self.log_file)),
            ("stop", "Ctrl-C; twice to stop at once".to_owned()),
        ];
        let heading = paint::bold(format!("Surefire is listening on http://{}", self.listening));
        let lines: String =
            lines.iter().map(|(name, words)| format!("\n  {name:<8} {words}")).collect();
        format!("{heading}\n{lines}\n{}", self.picture(room))
    }

    fn picture(&self, room: Room) -> String {
        let size = match room {
            Room::NoPicture => return String::new(),
            Room::Terminal(size) => size,
        };
        let picture = Picture::of(self.key);
        match picture.filter(|picture| size.is_some_and(|size| fits(picture, size))) {
            Some(picture) => format!("\nScan the key with the app:\n{}\n", picture.text()),
            None => {
                let command = self.key_command;
                format!(
                    "\nThis terminal is too small for the QR code of the key; in a larger one, \
                     `{command}` shows it\n"
                )
            }
        }
    }

    /// For a log or a script. It contains no secret.
    pub(in crate::cli) fn plain(&self) -> String {
        let address = links::from_here(self.listening);
        [
            format!("Surefire is listening on http://{address}"),
            format!("Open that in a browser, or connect the app to ws://{address}"),
            format!("The key is in {}", path(self.key_file)),
            format!("The agent is {}", one_line(self.agent_words)),
            format!("The data directory is {}", path(self.data)),
            format!("The log is in {}", path(self.log_file)),
        ]
        .join("\n")
    }

    /// For a program, as JSON.
    pub(in crate::cli) fn json(&self) -> Value {
        let address = links::from_here(self.listening);
        json!({
            "url": format!("http://{address}"),
            "ws_url": format!("ws://{address}"),
            "key_file": self.key_file.display().to_string(),
            "data_dir": self.data.display().to_string(),
            "log_file": self.log_file.display().to_string(),
            "agent": self.agent,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// Whether the whole QR code fits on the screen, together with the cursor's line.
fn fits(picture: &Picture, (columns, lines): (usize, usize)) -> bool {
    picture.width() <= columns && picture.height() < lines
}

fn path(path: &Path) -> String {
    one_line(&path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "untethered-00112233445566778899aabbccddeeff";

    fn with<T>(listening: &str, look: impl FnOnce(Banner<'_>) -> T) -> T {
        look(Banner {
            listening: listening.parse().unwrap(),
            key: &ApiKey::parse(KEY).unwrap(),
            key_file: Path::new("/data/api-key"),
            data: Path::new("/data"),
            log_file: Path::new("/data/logs/surefire.log"),
            agent: "claude",
            agent_words: "Claude Code, /bin/claude",
            key_command: "surefire key --qr",
        })
    }

    fn seen(listening: &str, room: Room) -> String {
        let text = with(listening, |banner| banner.on_terminal(room));
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_terminal_shows_all_that_is_needed_to_connect() {
        let expected = format!(
            "Surefire is listening on http://127.0.0.1:8080\n\n  browser  http://127.0.0.1:8080/#key={KEY}\n  \
             app      ws://127.0.0.1:8080\n  key      {KEY} (/data/api-key)\n  agent    Claude Code, /bin/claude\n  \
             data     /data\n  log      /data/logs/surefire.log\n  stop     Ctrl-C; twice to stop at once\n"
        );
        assert_eq!(seen("127.0.0.1:8080", Room::NoPicture), expected);
    }

    #[test]
    fn the_qr_code_is_shown_whole_or_not_at_all() {
        for (size, shown) in [
            (Some((80, 24)), true),
            (Some((37, 20)), true),
            (Some((36, 24)), false),
            (Some((80, 19)), false),
            (None, false),
        ] {
            let text = seen("127.0.0.1:8080", Room::Terminal(size));
            assert_eq!(text.contains('█'), shown, "{size:?}");
            assert_eq!(text.contains("surefire key --qr"), !shown, "{size:?}");
        }
    }

    #[test]
    fn a_phone_never_gets_an_unspecified_address() {
        let text = seen("0.0.0.0:8080", Room::NoPicture);
        assert!(text.starts_with("Surefire is listening on http://0.0.0.0:8080\n"), "{text}");
        assert!(!text.contains("http://0.0.0.0:8080/") && !text.contains("ws://0.0.0.0"), "{text}");
    }

    #[test]
    fn only_a_terminal_shows_the_key() {
        let (plain, json) = with("0.0.0.0:1", |banner| (banner.plain(), banner.json()));
        assert!(!plain.contains(KEY) && !json.to_string().contains(KEY));
        assert!(plain.contains("http://127.0.0.1:1\n"), "{plain}");
        assert_eq!(json["url"], "http://127.0.0.1:1");
    }
}
