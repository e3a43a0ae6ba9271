//! What a server says once it is ready.

use std::net::SocketAddr;
use std::path::Path;

use serde_json::{Value, json};

use super::format::one_line;
use super::qr::Picture;
use super::{links, paint};
use crate::server::ApiKey;

/// What `--lan` means.
pub(in crate::cli) const LAN: &str = "Other machines can connect. There is no encryption: whoever can read the network can read the key, \
    and use this machine's agent";

/// What `--lan` does not mean by itself.
pub(in crate::cli) const NOT_LAN: &str = "No other machine can connect, in spite of --lan: this address is reached from here alone. \
    `--listen 0.0.0.0:8080` listens at all of them";

/// A server that is ready.
pub(in crate::cli) struct Welcome<'a> {
    pub(in crate::cli) listening: SocketAddr,
    pub(in crate::cli) key: &'a ApiKey,
    pub(in crate::cli) key_file: &'a Path,
    pub(in crate::cli) data: &'a Path,
    /// Who does the work: a name for programs, and words for people.
    pub(in crate::cli) agent: &'a str,
    pub(in crate::cli) agent_words: &'a str,
    /// The command that shows the picture elsewhere.
    pub(in crate::cli) key_command: &'a str,
}

/// What is wanted of the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Room {
    /// None is wanted.
    NoPicture,
    /// This many columns and lines; `None` where nobody knows.
    Terminal(Option<(usize, usize)>),
}

impl Welcome<'_> {
    /// For whoever looks at a terminal. This is the only form that shows the key.
    pub(in crate::cli) fn on_terminal(&self, room: Room) -> String {
        let address = links::from_elsewhere(self.listening);
        let key = self.key.reveal();
        let lines = [
            ("browser", paint::cyan(format!("http://{address}/#key={key}"))),
            ("app", paint::cyan(format!("ws://{address}"))),
            ("key", format!("{key} {}", paint::dim(format!("({})", path(self.key_file))))),
            ("agent", one_line(self.agent_words)),
            ("data", path(self.data)),
            ("stop", "Ctrl-C; twice to stop at once".to_owned()),
        ];
        let heading = paint::bold(format!("Surefire listens at http://{}", self.listening));
        let lines: String = lines.iter().map(|(name, words)| format!("\n  {name:<8} {words}")).collect();
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
                    "\nThere is no room here for the key as a QR code: `{command}` shows it in a larger one\n"
                )
            }
        }
    }

    /// For a log or a script: nothing in it is a secret.
    pub(in crate::cli) fn plain(&self) -> String {
        let address = links::from_here(self.listening);
        [
            format!("Surefire listens at http://{address}"),
            format!("Open that in a browser, or connect the app to ws://{address}"),
            format!("The key is in {}", path(self.key_file)),
            format!("The agent is {}", one_line(self.agent_words)),
            format!("Everything is kept in {}", path(self.data)),
        ]
        .join("\n")
    }

    /// For a program.
    pub(in crate::cli) fn json(&self) -> Value {
        let address = links::from_here(self.listening);
        json!({
            "url": format!("http://{address}"),
            "ws_url": format!("ws://{address}"),
            "key_file": self.key_file.display().to_string(),
            "data_dir": self.data.display().to_string(),
            "agent": self.agent,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// Whether the whole picture can be seen at once, with the line that the cursor is on.
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

    fn with<T>(listening: &str, look: impl FnOnce(Welcome<'_>) -> T) -> T {
        look(Welcome {
            listening: listening.parse().unwrap(),
            key: &ApiKey::parse(KEY).unwrap(),
            key_file: Path::new("/data/api-key"),
            data: Path::new("/data"),
            agent: "claude",
            agent_words: "Claude Code, /bin/claude",
            key_command: "surefire key --qr",
        })
    }

    fn seen(listening: &str, room: Room) -> String {
        let text = with(listening, |welcome| welcome.on_terminal(room));
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn a_terminal_shows_all_that_is_needed_to_connect() {
        let expected = format!(
            "Surefire listens at http://127.0.0.1:8080\n\n  browser  http://127.0.0.1:8080/#key={KEY}\n  \
             app      ws://127.0.0.1:8080\n  key      {KEY} (/data/api-key)\n  agent    Claude Code, /bin/claude\n  \
             data     /data\n  stop     Ctrl-C; twice to stop at once\n"
        );
        assert_eq!(seen("127.0.0.1:8080", Room::NoPicture), expected);
    }

    #[test]
    fn the_picture_is_shown_whole_or_not_at_all() {
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
    fn a_phone_is_not_sent_to_an_address_that_means_all_of_them() {
        let text = seen("0.0.0.0:8080", Room::NoPicture);
        assert!(text.starts_with("Surefire listens at http://0.0.0.0:8080\n"), "{text}");
        assert!(!text.contains("http://0.0.0.0:8080/") && !text.contains("ws://0.0.0.0"), "{text}");
    }

    #[test]
    fn only_a_terminal_is_shown_the_key() {
        let (plain, json) = with("0.0.0.0:1", |welcome| (welcome.plain(), welcome.json()));
        assert!(!plain.contains(KEY) && !json.to_string().contains(KEY));
        assert!(plain.contains("http://127.0.0.1:1\n"), "{plain}");
        assert_eq!(json["url"], "http://127.0.0.1:1");
    }
}
