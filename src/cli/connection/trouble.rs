//! What goes wrong between a command and the data directory, and how a person is told.

use std::net::SocketAddr;

use crate::Advise;
use crate::cli::usage::complaint::Complaint;

/// What to do about a server whose key is not the one in its key file.
pub(in crate::cli) const RESTART: &str = "restart that server: it reads its key when it starts";

/// What can come in between.
pub(in crate::cli) enum Trouble {
    /// Whoever holds the data directory is gone.
    Lost,
    /// Something that a person has to be told.
    Told(Complaint),
}

impl From<Complaint> for Trouble {
    fn from(complaint: Complaint) -> Self {
        Self::Told(complaint)
    }
}

impl From<Trouble> for Complaint {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Told(complaint) => complaint,
            Trouble::Lost => Self::new("the server is gone", "the connection was closed", "try again"),
        }
    }
}

pub(in crate::cli) fn unreadable(error: &impl Advise) -> Complaint {
    Complaint::about("what is written down cannot be read", error)
}

pub(in crate::cli) fn wrong_key(address: SocketAddr) -> Complaint {
    Complaint::new(
        format!("the server at {address} does not take our key"),
        "the one in its key file is not the one that it was started with",
        RESTART,
    )
}
