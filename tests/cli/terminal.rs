//! The command in a terminal, which is what people see of it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a command to its end in a terminal of so many columns, where somebody has typed this. What it says is one text there, as
/// it comes, with the lines' ends as everywhere else; what is typed is seen as well.
pub(crate) fn in_terminal(command: &mut Command, columns: u16, typed: &str) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there is a terminal");
    grantpt(&terminal).expect("it may be used");
    unlockpt(&terminal).expect("it may be used");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("it has a size");
    let name = ptsname(&terminal, Vec::new()).expect("it has a name").into_string().expect("it is text");
    let flags = i32::try_from(OFlags::NOCTTY.bits()).expect("flags are small");
    let inside = OpenOptions::new().read(true).write(true).custom_flags(flags).open(name);
    let inside: OwnedFd = inside.expect("it can be opened").into();
    let copy = || Stdio::from(inside.try_clone().expect("there is room for a descriptor"));
    command.env("TERM", "xterm").stdin(copy()).stdout(copy()).stderr(copy());
    let mut outside = File::from(terminal);
    outside.write_all(typed.as_bytes()).expect("there is room for what is typed");
    let mut child = command.spawn().expect("the command can be run");
    // Only the command shall hold it, or it would never end.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(inside);
    let mut said = Vec::new();
    let mut piece = [0; 4096];
    // Its end is an error on some systems, and nothing more on others.
    while let Ok(length @ 1..) = outside.read(&mut piece) {
        said.extend_from_slice(&piece[..length]);
    }
    let status = child.wait().expect("it ends").code().expect("it ends by itself");
    (status, String::from_utf8(said).expect("it is text").replace("\r\n", "\n"))
}
