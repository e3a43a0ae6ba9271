//! Errors between a command and the data directory, and how they are reported.

use crate::Advise;
use crate::cli::usage::cli_error::CliError;
use crate::client::{ClientError, Endpoint};
use crate::wire::ErrorMessage;

/// What to do about a server whose key is not the one in its key file.
pub(in crate::cli) const RESTART: &str = "restart that server: it reads its key when it starts";

/// Why a request failed.
pub(in crate::cli) enum ConnectionError {
    /// The process that held the data directory is gone.
    Lost,
    /// An error to report to the user.
    Reported(CliError),
}

impl From<CliError> for ConnectionError {
    fn from(problem: CliError) -> Self {
        Self::Reported(problem)
    }
}

impl From<ConnectionError> for CliError {
    fn from(failure: ConnectionError) -> Self {
        match failure {
            ConnectionError::Reported(problem) => problem,
            ConnectionError::Lost => {
                Self::new("the server cannot be reached", "it closed the connection", "try again")
            }
        }
    }
}

pub(in crate::cli) fn unreadable(error: &impl Advise) -> CliError {
    CliError::about("the run history cannot be read", error)
}

/// Converts a client's error. `what` names what failed if the server refused the request.
pub(in crate::cli) fn client_error(
    server: &Endpoint,
    what: &str,
    error: ClientError,
) -> ConnectionError {
    let address = || {
        server.address().map_or_else(|| "this machine".to_owned(), |address| address.to_string())
    };
    match error {
        ClientError::Unreachable(_) | ClientError::Closed | ClientError::TooManyMessages => {
            ConnectionError::Lost
        }
        ClientError::Refused(error) | ClientError::NotStarted { error, .. } => {
            server_error(what, &error).into()
        }
        ClientError::WrongKey => CliError::new(
            format!("the server at {} rejects the key", address()),
            "its key file has changed since it started",
            RESTART,
        )
        .into(),
        ClientError::ListChanged => CliError::new(
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

fn not_understood(address: &str, why: &str) -> CliError {
    let what = format!("the server at {address} cannot be understood");
    CliError::new(what, why, "it may be of another version: restart it")
}

/// A server's error message, with its remedy.
pub(in crate::cli) fn server_error(what: &str, error: &ErrorMessage) -> CliError {
    CliError::advised(what, error.problem(), error.remedy.clone())
}
