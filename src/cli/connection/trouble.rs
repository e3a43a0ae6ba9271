//! What goes wrong between a command and the data directory, and how a person is told.

use crate::Advise;
use crate::cli::usage::complaint::Complaint;
use crate::client::{ClientError, Endpoint};
use crate::wire::ErrorMessage;

/// What to do about a server whose key is not the one in its key file.
pub(in crate::cli) const RESTART: &str = "restart that server: it reads its key when it starts";

/// What can come in between.
pub(in crate::cli) enum Trouble {
    /// The process that held the data directory is gone.
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

/// What a request came to at a server; `what` is not as it was wished, if the server said so itself.
pub(in crate::cli) fn asked(server: &Endpoint, what: &str, error: ClientError) -> Trouble {
    let address =
        || server.address().map_or_else(|| "this machine".to_owned(), |address| address.to_string());
    match error {
        ClientError::Unreachable(_) | ClientError::Closed | ClientError::TooManyMessages => Trouble::Lost,
        ClientError::Refused(error) | ClientError::NotStarted { error, .. } => wrong(what, &error).into(),
        ClientError::WrongKey => Complaint::new(
            format!("the server at {} does not take our key", address()),
            "the one in its key file is not the one that it was started with",
            RESTART,
        )
        .into(),
        ClientError::ListChanged => Complaint::new(
            "the runs cannot be listed",
            "a run was deleted while the list was read",
            "try again",
        )
        .into(),
        ClientError::ServerTooOld => {
            not_understood(&address(), "it does not answer requests by their id").into()
        }
        ClientError::Unexpected(why) => not_understood(&address(), &why).into(),
    }
}

fn not_understood(address: &str, why: &str) -> Complaint {
    let what = format!("the server at {address} cannot be understood");
    Complaint::new(what, why, "it may be of another version: restart it")
}

/// What a server says is wrong.
pub(in crate::cli) fn wrong(what: &str, error: &ErrorMessage) -> Complaint {
    Complaint::advised(what, error.problem(), error.remedy.clone())
}
