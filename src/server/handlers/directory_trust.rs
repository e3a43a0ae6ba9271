//! `get_directory_trust`, `trust_directory` and `untrust_directory`: which repositories are
//! trusted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::context::{RequestContext, error, refused};
use super::reply::Reply;
use super::widening;
use crate::engine::{TrustError, TrustRecords, TrustState, TrustSubject};
use crate::wire::{
    DirectoryTrust, ErrorCode, GetDirectoryTrust, ServerMessage, TrustDirectory, UntrustDirectory,
};

pub(super) async fn get(context: &RequestContext<'_>, message: GetDirectoryTrust) -> Reply {
    let directory = message.working_directory;
    match subject(context, &directory).await {
        Ok(subject) => reply_with_state(context, directory, subject, TrustRecords::state).await,
        Err(refused) => refused,
    }
}

pub(super) async fn trust(context: &RequestContext<'_>, message: TrustDirectory) -> Reply {
    if let Some(refused) = widening::refuse(context, None, &[("trust_directory", "surefire trust")])
    {
        return refused.into();
    }
    let directory = message.working_directory;
    match subject(context, &directory).await {
        Ok(subject) => {
            let trust = |records: &TrustRecords, subject: &TrustSubject| {
                records.trust(subject).map(|()| TrustState::Trusted)
            };
            reply_with_state(context, directory, subject, trust).await
        }
        Err(refused) => refused,
    }
}

pub(super) async fn untrust(context: &RequestContext<'_>, message: UntrustDirectory) -> Reply {
    if let Some(refused) =
        widening::refuse(context, None, &[("untrust_directory", "surefire untrust")])
    {
        return refused.into();
    }
    let directory = message.working_directory;
    let records = context.shared.engine.trust_records();
    // A repository that can no longer be inspected is identified by the path in its record.
    let subject = match records.subject(&directory).await {
        Ok(subject) => subject,
        Err(_) => TrustSubject {
            top: directory.clone(),
            commit: None,
            files: BTreeMap::new(),
            project: None,
            obstacle: None,
        },
    };
    let untrust = |records: &TrustRecords, subject: &TrustSubject| {
        records.untrust(&subject.top).map(|_| TrustState::Unknown)
    };
    reply_with_state(context, directory, subject, untrust).await
}

/// What trusting the repository of a directory covers, if agents may work in it.
async fn subject(context: &RequestContext<'_>, directory: &Path) -> Result<TrustSubject, Reply> {
    context.add_root(directory);
    let engine = &context.shared.engine;
    let real = match engine.check_directory(directory) {
        Ok(real) => real,
        Err(error) => return Err(refused(None, ErrorCode::CannotTrust, &error).into()),
    };
    let subject = engine.trust_records().subject(&real).await;
    subject.map_err(|error| refused(None, ErrorCode::CannotTrust, &error).into())
}

/// Reads or changes the records, and replies with the resulting state.
async fn reply_with_state(
    context: &RequestContext<'_>,
    directory: PathBuf,
    subject: TrustSubject,
    access: impl FnOnce(&TrustRecords, &TrustSubject) -> Result<TrustState, TrustError> + Send + 'static,
) -> Reply {
    let records = context.shared.engine.trust_records();
    // The records are a file, and access may have to wait for another process.
    let task = tokio::task::spawn_blocking(move || {
        let state = access(&records, &subject)?;
        Ok::<_, TrustError>(trust_of(&directory, &subject, state))
    });
    match task.await {
        Ok(Ok(trust)) => ServerMessage::DirectoryTrust(trust).into(),
        Ok(Err(error)) => refused(None, ErrorCode::CannotTrust, &error).into(),
        Err(_) => error(None, ErrorCode::Internal, "the trust records could not be read").into(),
    }
}

fn trust_of(directory: &Path, subject: &TrustSubject, state: TrustState) -> DirectoryTrust {
    let (trusted, changed) = match state {
        TrustState::Trusted => (true, Vec::new()),
        TrustState::Unknown => (false, Vec::new()),
        TrustState::Changed { files } => (false, files),
    };
    let project = subject.project.iter();
    let commands = project.flat_map(|project| project.verify.iter().chain(&project.setup));
    DirectoryTrust {
        working_directory: directory.display().to_string(),
        trusted,
        files: subject.files.keys().cloned().collect(),
        changed,
        commands: commands.map(ToString::to_string).collect(),
    }
}
