//! The API key as a QR code that the app can scan.

use anstyle::AnsiColor;
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};

use crate::server::ApiKey;

/// A QR code drawn in text, two modules per character.
pub(in crate::cli) struct Picture {
    lines: Vec<String>,
}

impl Picture {
    /// Encodes the key and nothing else, as the app expects. `None` if it does not fit into a QR
    /// code; every valid key fits.
    pub(in crate::cli) fn of(key: &ApiKey) -> Option<Self> {
        // A screen needs no error correction; the lowest level gives the smallest code.
        let code = QrCode::with_error_correction_level(key.reveal(), EcLevel::L).ok()?;
        // The light modules are drawn, so that the code scans on a dark terminal even without
        // colours.
        let drawn = code
            .render::<Dense1x2>()
            .dark_color(Dense1x2::Light)
            .light_color(Dense1x2::Dark)
            .quiet_zone(true)
            .build();
        Some(Self { lines: drawn.lines().map(str::to_owned).collect() })
    }

    /// Its width in columns.
    pub(in crate::cli) fn width(&self) -> usize {
        self.lines.iter().map(|line| line.chars().count()).max().unwrap_or(0)
    }

    /// Its height in lines.
    pub(in crate::cli) fn height(&self) -> usize {
        self.lines.len()
    }

    /// The code in black and white.
    pub(in crate::cli) fn text(&self) -> String {
        let style = AnsiColor::BrightWhite.on(AnsiColor::Black);
        let lines: Vec<_> =
            self.lines.iter().map(|line| format!("{style}{line}{style:#}")).collect();
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_fits_on_a_small_terminal_with_light_all_around_it() {
        let key = ApiKey::parse("untethered-00112233445566778899aabbccddeeff").unwrap();
        let picture = Picture::of(&key).unwrap();
        assert_eq!((picture.width(), picture.height()), (37, 19));
        let all_light = |line: &str| line.chars().all(|c| c == '█');
        assert!(all_light(&picture.lines[0]) && all_light(&picture.lines[1]), "four modules above");
        for line in &picture.lines[..18] {
            assert!(
                line.starts_with("████") && line.ends_with("████"),
                "four modules beside: {line}"
            );
        }
        // The first corner: a dark frame of seven modules.
        assert!(picture.lines[2].starts_with("████ ▄▄▄▄▄ "), "{}", picture.lines[2]);
        let plain = anstream::adapter::strip_str(&picture.text()).to_string();
        assert_eq!(plain, picture.lines.join("\n"));
    }
}
