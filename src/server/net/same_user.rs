//! A socket in the data directory, for processes of the user whom the server belongs to.
//!
//! The `surefire` command comes over it. Anybody who can reach the server's address can crowd that; nobody else can reach this.

use std::io;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tokio::net::{UnixListener, UnixStream};

use crate::wire::same_user_socket;

/// Listens there. The socket is removed when this is dropped.
#[derive(Debug)]
pub(in crate::server) struct SameUser {
    listener: UnixListener,
    path: PathBuf,
}

impl SameUser {
    /// Listens in a data directory, which has to be held by this process: what an earlier server left there is removed.
    pub(in crate::server) fn bind(data: &Path) -> io::Result<Self> {
        let path = same_user_socket(data);
        match std::fs::symlink_metadata(&path) {
            Ok(found) if found.file_type().is_socket() => std::fs::remove_file(&path)?,
            Ok(_) => return Err(io::Error::other("there is something that is not a socket")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let listener = UnixListener::bind(&path)?;
        let own = Self { listener, path };
        // The directory is its owner's alone, and each peer is checked besides.
        std::fs::set_permissions(&own.path, std::fs::Permissions::from_mode(0o600))?;
        Ok(own)
    }

    /// The next connection of a process of the same user; others are closed.
    pub(in crate::server) async fn accept(&self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            match stream.peer_cred() {
                Ok(peer) if peer.uid() == rustix::process::geteuid().as_raw() => return Ok(stream),
                Ok(peer) => tracing::warn!(uid = peer.uid(), "refused a process of another user"),
                Err(error) => tracing::debug!(%error, "a process left before it was known"),
            }
        }
    }
}

impl Drop for SameUser {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_an_earlier_server_left_is_replaced_and_anything_else_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let path = same_user_socket(data.path());
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let listening = SameUser::bind(data.path()).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let (accepted, connected) = tokio::join!(listening.accept(), UnixStream::connect(&path));
        assert!(accepted.is_ok() && connected.is_ok());
        drop(listening);
        assert!(!path.exists());

        std::fs::write(&path, "mine").unwrap();
        assert!(SameUser::bind(data.path()).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/nowhere", &path).unwrap();
        assert!(SameUser::bind(data.path()).is_err());
    }
}
