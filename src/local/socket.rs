//! The socket of a data directory: its path, and connecting to it.

#[cfg(any(feature = "client", test))]
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
#[cfg(any(feature = "client", test))]
use tokio::net::UnixStream;

#[cfg(any(feature = "client", test))]
use super::runtime_directory::check_private;
use super::runtime_directory::runtime_directories;

/// The socket's name in the data directory.
pub(crate) const SOCKET: &str = "socket";

/// The name of the directory for sockets that cannot be in their data directory.
const FALLBACK_DIRECTORY: &str = "surefire-sockets";

/// The longest path of a socket on all platforms: macOS allows 103 bytes, Linux 107.
const MAX_PATH_BYTES: usize = 103;

/// A path to the socket of a data directory. There are several candidates, since a socket's path
/// must be short, and some file systems do not support sockets.
#[derive(Debug)]
pub(crate) struct SocketPath {
    path: PathBuf,
    /// The open data directory, if the path goes through its descriptor.
    directory: Option<OwnedFd>,
}

impl SocketPath {
    pub(crate) fn to(path: PathBuf) -> Self {
        Self { path, directory: None }
    }

    /// The path.
    #[cfg(feature = "server")]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// All candidate paths for the socket of a data directory, in order of preference. A client
    /// tries them all, since the server may have had to use a later one.
    pub(crate) fn all(data: &Path) -> Vec<Self> {
        let direct = data.join(SOCKET);
        let first = if is_short(&direct) { Some(Self::to(direct)) } else { Self::through(data) };
        first
            .into_iter()
            .chain(Self::elsewhere(data, runtime_directories(FALLBACK_DIRECTORY)))
            .collect()
    }

    /// The socket in the data directory, through the descriptor of the open directory: the path is
    /// short, however long the directory's path is.
    fn through(data: &Path) -> Option<Self> {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
        let directory = rustix::fs::open(data, flags, Mode::empty()).ok()?;
        let open = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
        // Not every system has `/proc`.
        open.is_dir().then(|| Self { path: open.join(SOCKET), directory: Some(directory) })
    }

    /// A socket outside the data directory, named after the directory's device and inode.
    pub(crate) fn elsewhere(data: &Path, directories: Vec<PathBuf>) -> Vec<Self> {
        let Ok(found) = std::fs::metadata(data) else { return Vec::new() };
        let name = format!("{:x}-{:x}", found.dev(), found.ino());
        let paths = directories.into_iter().map(|directory| directory.join(&name));
        paths.filter(|path| is_short(path)).map(Self::to).collect()
    }

    /// The directory of a socket outside the data directory. It has to be checked, since another
    /// user may have created it.
    pub(crate) fn other_directory(&self, data: &Path) -> Option<&Path> {
        self.path.parent().filter(|directory| self.directory.is_none() && *directory != data)
    }
}

fn is_short(path: &Path) -> bool {
    path.as_os_str().as_bytes().len() <= MAX_PATH_BYTES
}

/// Connects to the server that holds a data directory, as a process of the same user.
///
/// # Errors
/// The server has no such socket, or accepts no more connections.
#[cfg(any(feature = "client", test))]
pub(crate) async fn connect(data: &Path) -> io::Result<UnixStream> {
    let mut problem = io::Error::from(io::ErrorKind::NotFound);
    for candidate in SocketPath::all(data) {
        let connected = match candidate.other_directory(data).map_or(Ok(()), check_private) {
            Ok(()) => UnixStream::connect(&candidate.path).await,
            Err(error) => Err(error),
        };
        match connected {
            Ok(stream) => return Ok(stream),
            Err(error) => problem = error,
        }
    }
    Err(problem)
}
