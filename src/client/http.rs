//! Reading from a server over HTTP. Each request uses a connection of its own.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use hyper::body::{Body, Incoming};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::endpoint::Endpoint;
use super::error::ClientError;
use crate::run::{RunId, SessionId};
use crate::wire::{Journal, LastReply, RunLine};

/// How long an answer may take. A running server answers at once.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// How many events, or runs, a server returns per page.
const PAGE_LEN: usize = 1000;

/// A number beyond that of any event: the journal after it is empty.
const AFTER_ALL_EVENTS: u64 = u64::MAX >> 1;

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsQuery {
    /// Only those of this recipe.
    pub recipe: Option<String>,
    /// Only those that ended for this reason.
    pub reason: Option<String>,
    /// Only those of this session.
    pub session: Option<SessionId>,
    /// Only those whose id begins with this text of at least four characters.
    pub id_prefix: Option<String>,
    /// Only those that have not ended, or only those that have.
    pub open: Option<bool>,
    /// Only those that began before this one.
    pub before: Option<RunId>,
    /// At most this many.
    pub limit: Option<usize>,
}

#[derive(Deserialize)]
struct Runs {
    runs: Vec<RunLine>,
}

impl Endpoint {
    /// Past and current runs, newest first.
    ///
    /// # Errors
    /// The server cannot be reached, or cannot be understood.
    pub async fn runs(&self, query: &RunsQuery) -> Result<Vec<RunLine>, ClientError> {
        let wanted = query.limit.unwrap_or(usize::MAX);
        let mut runs: Vec<RunLine> = Vec::new();
        loop {
            let limit = PAGE_LEN.min(wanted - runs.len());
            let before = runs.last().map(|run| run.run_id).or(query.before);
            let page = RunsQuery { limit: Some(limit), before, ..query.clone() };
            let answer: Option<Runs> = self.get(&format!("/api/runs?{}", page.encoded())).await?;
            let Some(Runs { runs: more }) = answer else { return Err(ClientError::ListChanged) };
            // A server without paging returns the first page again.
            let repeats =
                more.first().zip(runs.first()).is_some_and(|(new, old)| new.run_id == old.run_id);
            let is_last = more.len() < limit || repeats;
            runs.extend(more.into_iter().filter(|_| !repeats));
            if is_last || runs.len() >= wanted {
                return Ok(runs);
            }
        }
    }

    /// A run and its events after this one; `None` if there is no such run.
    ///
    /// # Errors
    /// The server cannot be reached, or cannot be understood.
    pub async fn journal(&self, run: RunId, since: u64) -> Result<Option<Journal>, ClientError> {
        let page =
            async |since| self.get::<Journal>(&format!("/api/runs/{run}?since={since}")).await;
        let Some(mut journal) = page(since).await? else { return Ok(None) };
        let mut last = journal.events.len();
        while last >= PAGE_LEN {
            let seen = journal.events.last().map_or(since, |event| event.seq);
            let Some(more) = page(seen).await? else { break };
            last = more.events.len();
            journal.run = more.run;
            journal.events.extend(more.events);
        }
        Ok(Some(journal))
    }

    /// A run without its events; `None` if there is no such run.
    ///
    /// # Errors
    /// The server cannot be reached, or cannot be understood.
    pub async fn run(&self, run: RunId) -> Result<Option<RunLine>, ClientError> {
        Ok(self.journal(run, AFTER_ALL_EVENTS).await?.map(|journal| journal.run))
    }

    /// The agent's last reply in a run; `None` if it has not replied yet, or there is no such run.
    ///
    /// # Errors
    /// The server cannot be reached, or cannot be understood.
    pub async fn last_reply(&self, run: RunId) -> Result<Option<String>, ClientError> {
        let reply = self.get::<LastReply>(&format!("/api/runs/{run}/reply")).await?;
        Ok(reply.and_then(|reply| reply.reply))
    }

    /// Reads the JSON at a path; `None` if the server has nothing there.
    ///
    /// # Errors
    /// The server cannot be reached, or cannot be understood.
    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<Option<T>, ClientError> {
        let (status, body) = match tokio::time::timeout(ANSWER_TIMEOUT, self.ask(path)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(ClientError::Unreachable(error.to_string())),
            Err(_) => return Err(ClientError::Unreachable("it does not answer".to_owned())),
        };
        match status {
            StatusCode::OK => {
                let answer = serde_json::from_slice(&body);
                answer.map(Some).map_err(|error| ClientError::Unexpected(error.to_string()))
            }
            StatusCode::NOT_FOUND => Ok(None),
            StatusCode::UNAUTHORIZED => Err(ClientError::WrongKey),
            other => {
                Err(ClientError::Unexpected(format!("{other}: {}", String::from_utf8_lossy(&body))))
            }
        }
    }

    async fn ask(
        &self,
        path: &str,
    ) -> Result<(StatusCode, Vec<u8>), Box<dyn std::error::Error + Send + Sync>> {
        let stream = self.dial().await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // The task ends once the answer is read, or when the caller drops the request.
        let connection = tokio::spawn(connection);
        let request = Request::get(path)
            .header(HOST, self.host())
            .header(AUTHORIZATION, format!("Bearer {}", self.key()))
            .body(String::new())?;
        let answer = sender.send_request(request).await?;
        let status = answer.status();
        let body = collect(answer.into_body()).await?;
        connection.abort();
        Ok((status, body))
    }
}

impl RunsQuery {
    fn encoded(&self) -> String {
        let mut parts = Vec::new();
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                let value = percent_encoding::utf8_percent_encode(
                    &value,
                    percent_encoding::NON_ALPHANUMERIC,
                );
                parts.push(format!("{name}={value}"));
            }
        };
        add("recipe", self.recipe.clone());
        add("reason", self.reason.clone());
        add("session", self.session.map(|session| session.to_string()));
        add("id", self.id_prefix.clone());
        add("open", self.open.map(|open| open.to_string()));
        add("before", self.before.map(|run| run.to_string()));
        add("limit", Some(self.limit.unwrap_or(PAGE_LEN).to_string()));
        parts.join("&")
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
