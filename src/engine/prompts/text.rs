//! Reading one prompt file.

use std::fs::OpenOptions;
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::error::{MAX_PROMPT_BYTES, PromptDefect};
use crate::recipe::is_hidden;

/// What the editor of another system may put in front of a text.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The prompt in a file below `directory`, without blank lines around it; `None` if there is no
/// such file.
pub(super) fn read(directory: &Path, path: &Path) -> Result<Option<String>, PromptDefect> {
    match path.symlink_metadata() {
        Ok(_) => {}
        Err(error) if is_missing(&error) => return Ok(None),
        Err(error) => return Err(unreadable(&error)),
    }
    let real = path.canonicalize().map_err(|error| unreadable(&error))?;
    let directory = directory.canonicalize().map_err(|error| unreadable(&error))?;
    if !real.starts_with(directory) {
        return Err(PromptDefect::Outside { target: real });
    }
    // A named pipe in its place does not block, and a link that replaces it now is not followed.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(&real);
    let file = file.map_err(|error| unreadable(&error))?;
    if !file.metadata().map_err(|error| unreadable(&error))?.is_file() {
        return Err(PromptDefect::NotAFile);
    }
    let mut bytes = Vec::new();
    file.take(MAX_PROMPT_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > MAX_PROMPT_BYTES {
        return Err(PromptDefect::TooLarge);
    }
    let text = String::from_utf8(bytes).map_err(|_| PromptDefect::NotText)?;
    if text.contains('\0') {
        return Err(PromptDefect::NotText);
    }
    let text = normalized(text.trim_start_matches(BYTE_ORDER_MARK));
    // A text without visible characters is blank.
    let is_blank = text.chars().all(|c| c.is_whitespace() || is_hidden(c));
    if is_blank { Err(PromptDefect::Blank) } else { Ok(Some(text)) }
}

/// A prompt as two of them are compared, and as the agent gets it.
pub(super) fn normalized(prompt: &str) -> String {
    prompt.replace("\r\n", "\n").trim().to_owned()
}

pub(super) fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(error: &io::Error) -> PromptDefect {
    PromptDefect::Unreadable { why: error.to_string() }
}
