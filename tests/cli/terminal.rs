//! The command in a terminal, as people see it.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::process::{Command, Stdio};

use rustix::fs::OFlags;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// Runs a command until it exits, in a terminal of this width with this input already typed.
/// Returns everything that the terminal shows, including the input, with `\n` as the end of lines.
pub(crate) fn in_terminal(command: &mut Command, columns: u16, typed: &str) -> (i32, String) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("there is a terminal");
    grantpt(&terminal).expect("it may be used");
    unlockpt(&terminal).expect("it may be used");
    let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&terminal, size).expect("it has a size");
    let name =
        ptsname(&terminal, Vec::new()).expect("it has a name").into_string().expect("it is text");
    let flags = i32::try_from(OFlags::NOCTTY.bits()).expect("flags are small");
    let inside = OpenOptions::new().read(true).write(true).custom_flags(flags).open(name);
    let inside: OwnedFd = inside.expect("it can be opened").into();
    let copy = || Stdio::from(inside.try_clone().expect("there is room for a descriptor"));
    command.env("TERM", "xterm").stdin(copy()).stdout(copy()).stderr(copy());
    let mut outside = File::from(terminal);
    outside.write_all(typed.as_bytes()).expect("there is room for what is typed");
    let mut child = command.spawn().expect("the command can be run");
    // Only the command may hold the terminal, or reading from it would never end.
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    drop(inside);
    let mut output = Vec::new();
    let mut piece = [0; 4096];
    // The end of the output is an error on some systems and an empty read on others.
    while let Ok(length @ 1..) = outside.read(&mut piece) {
        output.extend_from_slice(&piece[..length]);
    }
    let status = child.wait().expect("it ends").code().expect("it ends by itself");
    (status, String::from_utf8(output).expect("it is text").replace("\r\n", "\n"))
}
