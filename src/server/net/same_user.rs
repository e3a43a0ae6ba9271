//! A Unix socket in the data directory, for processes of the server's own user.
//!
//! The `surefire` command connects over it. Any client can reach the server's address and crowd it;
//! only processes of the same user can reach this socket.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

use tokio::net::{UnixListener, UnixStream};

use crate::local::{SocketPath, make_private};

/// Listens on that socket, which is removed when this is dropped.
#[derive(Debug)]
pub(in crate::server) struct SameUser {
    listener: UnixListener,
    socket_path: SocketPath,
    /// The device and inode of the socket's file: another server may have replaced it since.
    file: Option<(u64, u64)>,
}

impl SameUser {
    /// Listens for a data directory, which this process has to hold: a socket that an earlier
    /// server left there is removed.
    pub(in crate::server) fn bind(data: &Path) -> io::Result<Self> {
        let mut problem = io::Error::other("no path to the socket is short enough");
        for socket_path in SocketPath::all(data) {
            let made = socket_path.other_directory(data).map_or(Ok(()), make_private);
            match made.and_then(|()| Self::bind_at(socket_path)) {
                Ok(same_user) => return Ok(same_user),
                Err(error) => {
                    tracing::debug!(
                        %error,
                        data = %data.display(),
                        "failed to listen for processes of the same user"
                    );
                    problem = error;
                }
            }
        }
        Err(problem)
    }

    fn bind_at(socket_path: SocketPath) -> io::Result<Self> {
        match std::fs::symlink_metadata(socket_path.path()) {
            Ok(found) if found.file_type().is_socket() => std::fs::remove_file(socket_path.path())?,
            Ok(_) => return Err(io::Error::other("a file that is not a socket is in its place")),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let listener = UnixListener::bind(socket_path.path())?;
        let file = file_at(socket_path.path());
        let same_user = Self { listener, socket_path, file };
        // In addition to the private directory, and to the check of each peer's user.
        std::fs::set_permissions(
            same_user.socket_path.path(),
            std::fs::Permissions::from_mode(0o600),
        )?;
        Ok(same_user)
    }

    /// The next connection of a process of the same user; others are closed.
    pub(in crate::server) async fn accept(&self) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.listener.accept().await?;
            match stream.peer_cred() {
                Ok(peer) if peer.uid() == rustix::process::geteuid().as_raw() => return Ok(stream),
                Ok(peer) => tracing::warn!(uid = peer.uid(), "refused a process of another user"),
                Err(error) => {
                    tracing::debug!(%error, "process disconnected before it was identified");
                }
            }
        }
    }
}

fn file_at(path: &Path) -> Option<(u64, u64)> {
    std::fs::symlink_metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

impl Drop for SameUser {
    fn drop(&mut self) {
        if self.file.is_some() && self.file == file_at(self.socket_path.path()) {
            let _ = std::fs::remove_file(self.socket_path.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::{SOCKET, check_private, connect};

    fn bind_at(path: &Path) -> io::Result<SameUser> {
        SameUser::bind_at(SocketPath::to(path.to_owned()))
    }

    #[tokio::test]
    async fn the_socket_of_an_earlier_server_is_replaced_and_any_other_file_is_left_alone() {
        let data = tempfile::tempdir().unwrap();
        let path = data.path().join(SOCKET);
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let listening = SameUser::bind(data.path()).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let (accepted, connected) = tokio::join!(listening.accept(), connect(data.path()));
        assert!(accepted.is_ok() && connected.is_ok());
        drop(listening);
        assert!(!path.exists());

        std::fs::write(&path, "mine").unwrap();
        assert!(bind_at(&path).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("/nowhere", &path).unwrap();
        assert!(bind_at(&path).is_err());
    }

    #[tokio::test]
    async fn the_socket_of_another_server_is_not_removed() {
        let data = tempfile::tempdir().unwrap();
        let first = SameUser::bind(data.path()).unwrap();
        let second = SameUser::bind(data.path()).unwrap();
        drop(first);
        let (accepted, connected) = tokio::join!(second.accept(), connect(data.path()));
        assert!(accepted.is_ok() && connected.is_ok());
        drop(second);
        assert!(!data.path().join(SOCKET).exists());
    }

    #[tokio::test]
    async fn a_data_directory_with_a_long_path_has_its_socket_too() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("d".repeat(120)).join("e".repeat(120));
        std::fs::create_dir_all(&data).unwrap();
        let listening = SameUser::bind(&data).unwrap();
        let (accepted, connected) = tokio::join!(listening.accept(), connect(&data));
        assert!(accepted.is_ok() && connected.is_ok());
        if cfg!(target_os = "linux") {
            assert!(data.join(SOCKET).exists());
        }
        drop(listening);
        assert!(!data.join(SOCKET).exists());
        assert!(connect(&data).await.is_err());
    }

    /// As on a system without `/proc`, or on a file system without sockets.
    #[tokio::test]
    async fn a_socket_that_cannot_be_in_the_data_directory_is_in_a_private_directory() {
        let place = tempfile::tempdir().unwrap();
        let (data, other) = (place.path().join("data"), place.path().join("other"));
        std::fs::create_dir(&data).unwrap();
        std::fs::create_dir(&other).unwrap();
        let runtime = place.path().join("run");
        let only = |data: &Path| SocketPath::elsewhere(data, vec![runtime.clone()]).remove(0);
        assert_ne!(only(&data).path(), only(&other).path());
        let socket_path = only(&data);
        assert!(
            check_private(socket_path.other_directory(&data).unwrap()).is_err(),
            "a client does not create it"
        );
        make_private(socket_path.other_directory(&data).unwrap()).unwrap();
        let listening = SameUser::bind_at(socket_path).unwrap();
        let path = only(&data).path().to_owned();
        let (accepted, connected) = tokio::join!(listening.accept(), UnixStream::connect(&path));
        assert!(accepted.is_ok() && connected.is_ok());

        std::fs::set_permissions(&runtime, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(
            check_private(only(&data).other_directory(&data).unwrap()).is_err(),
            "another user could have put a socket there"
        );
        assert!(SocketPath::elsewhere(&data, vec!["d".repeat(200).into()]).is_empty());
    }
}
