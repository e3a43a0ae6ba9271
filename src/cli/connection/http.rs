//! Asking a server over HTTP.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;

use super::dial::{Stream, dial};
use super::trouble::{Trouble, wrong_key};
use crate::cli::usage::complaint::Complaint;
use crate::server::ApiKey;

/// How long an answer may take. A server that is there answers at once.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server, and the key to it.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Api {
    /// The data directory that it holds.
    pub(in crate::cli) data: PathBuf,
    pub(in crate::cli) address: SocketAddr,
    pub(in crate::cli) key: ApiKey,
}

impl Api {
    /// A connection to it.
    pub(in crate::cli) async fn connect(&self) -> std::io::Result<Box<dyn Stream>> {
        dial(&self.data, self.address).await
    }

    /// Asks for something; `None` where there is no such thing.
    pub(in crate::cli) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, Trouble> {
        let asked = tokio::time::timeout(PATIENCE, self.ask(path)).await;
        let Ok(Ok((status, body))) = asked else { return Err(Trouble::Lost) };
        match status {
            StatusCode::OK => match serde_json::from_slice(&body) {
                Ok(answer) => Ok(Some(answer)),
                Err(error) => Err(self.unexpected(&error.to_string()).into()),
            },
            StatusCode::NOT_FOUND => Ok(None),
            StatusCode::UNAUTHORIZED => Err(wrong_key(self.address).into()),
            other => Err(self.unexpected(&format!("{other}: {}", String::from_utf8_lossy(&body))).into()),
        }
    }

    async fn ask(
        &self,
        path: &str,
    ) -> Result<(StatusCode, Vec<u8>), Box<dyn std::error::Error + Send + Sync>> {
        let stream = self.connect().await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the answer, or with whoever asked.
        let connection = tokio::spawn(connection);
        let request = Request::get(path)
            .header(HOST, self.address.to_string())
            .header(AUTHORIZATION, format!("Bearer {}", self.key.reveal()))
            .body(String::new())?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = collect(answer.into_body()).await?;
        connection.abort();
        Ok((status, body))
    }

    fn unexpected(&self, what: &str) -> Complaint {
        Complaint::new(
            format!("the server at {} cannot be understood", self.address),
            what,
            "it may be of another version: restart it",
        )
    }
}

async fn collect(mut body: Incoming) -> Result<Vec<u8>, hyper::Error> {
    let mut bytes = Vec::new();
    while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
        if let Ok(data) = frame?.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes)
}
