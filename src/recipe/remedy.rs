//! What to do about something that went wrong, as data and in words.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What to do about something that went wrong.
///
/// A program tells remedies apart by their variants; a person reads their [`Display`](fmt::Display), which is a few words in
/// lower case, without a full stop. Errors that know one implement [`Advise`](crate::Advise).
///
/// ```
/// use surefire::Remedy;
///
/// let remedy = Remedy::DidYouMean { name: "rebase".to_owned() };
/// assert_eq!(remedy.to_string(), "did you mean `rebase`?");
/// assert_eq!(Remedy::AgainSoon.to_string(), "try again in a moment");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(strum::EnumIter))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Remedy {
    // Later, or once more.
    /// Do the same again.
    Again,
    /// Do the same again, when less is queued.
    AgainSoon,
    /// Do the same again, when the server is back.
    AgainWhenBack,
    /// Read what was written meanwhile, and decide again.
    ReadAgain,
    /// Report it to the people who make surefire.
    Report,

    // A run and its session.
    /// Start the recipe again.
    StartAgain,
    /// Start the recipe again: this run did what it was for.
    StartAgainForNext,
    /// Start the recipe again, or use the version of it that the run began with.
    StartAgainOrOldVersion,
    /// Raise the limit that the run would hit again, or start the recipe again.
    Raise,
    /// Resume the run with the limits that it has.
    ResumeAsItIs,
    /// Resume the snapshot with the recipe that it is of.
    ResumeWithItsRecipe,
    /// End this run, or wait for its end.
    ExitFirst,
    /// End the run that holds the session, or wait for its end.
    ExitOtherFirst,
    /// Start a new session, because the agent has lost this one.
    NewSession,
    /// Start a new session, which can work in another directory.
    NewSessionElsewhere,
    /// Start a new session, which can have another agent.
    NewSessionForAgent,
    /// Make the directory a git repository.
    InitRepository,
    /// Make a first commit.
    FirstCommit,
    /// Start a new session, which can work apart.
    NewSessionApart,
    /// Commit the changes, or let the run begin all the same.
    CommitOrAllowDirty,
    /// Wait for the other run, or work beside it.
    WaitOrForceParallel,
    /// Trust the repository, or run without its commands.
    TrustDirectory {
        /// The top of its work tree.
        directory: String,
    },
    /// Give the repository a main branch.
    NameMainBranch,
    /// Switch recipes on.
    SwitchOn,
    /// Write a prompt that is not empty.
    SayWhat,

    // A name.
    /// Write the name that was probably meant.
    DidYouMean {
        /// That name.
        name: String,
    },
    /// Choose something that is there.
    Choose {
        /// What is there.
        names: Vec<String>,
    },
    /// Write one of the names that are known.
    UseOneOf {
        /// Those names, and forms of names.
        names: Vec<String>,
    },

    // The directory to work in.
    /// Write the path from the root on.
    AbsolutePath,
    /// Create the directory, or name another one.
    CreateDirectory,
    /// Name the directory that the file is in.
    ItsDirectory,
    /// Work where the directory's link leads now, or restore the directory.
    StartThere,
    /// Work below a root, or make this directory one.
    AllowRoot,

    // The data directory.
    /// Use another data directory, or mend this one.
    OtherDirectory,
    /// Put the file in the place of the link to it, or use another data directory.
    ReplaceLink,
    /// Run as the user that owns the data, or use another data directory.
    RunAsOwner,
    /// Stop the server that holds the data directory, or use another one.
    StopServer,
    /// Write nothing more to the store.
    StopWriting,
    /// Use the version of surefire that wrote the store, or another data directory.
    NewerSurefire,
    /// Move another program's database away, or use another data directory.
    MoveAway,
    /// Close the program that locks the store.
    CloseOther,
    /// Make room for the store.
    FreeSpace,
    /// Restart the server: it keeps the damaged file apart, and begins a new one.
    Restart,

    // The server's address and key.
    /// Let other machines connect, or listen where they cannot.
    AllowLan,
    /// Free the port, or choose another one.
    OtherPort,
    /// Choose a port that needs no rights.
    HigherPort,
    /// Choose an address that this machine has.
    OwnAddress,
    /// Mend the key file, or name another one.
    OtherKeyFile,
    /// Name the key file that the link leads to, or remove the link.
    LinkedKeyFile,
    /// Take others' rights to the key file, and perhaps make a new key.
    RestrictKeyFile,
    /// Delete the key file, so that a new key is made.
    DeleteKeyFile,
    /// Use a newer client.
    UpgradeClient,

    // The agent's program.
    /// Install the agent's program, or say where it is.
    Install {
        /// What it is called.
        program: String,
        /// The environment variable that says where it is.
        variable: String,
    },
    /// Give the path of the program that is in this directory.
    ProgramInside {
        /// The program's file name.
        name: String,
    },
    /// Make the program executable.
    MakeExecutable,
    /// See what the program says when it is run by hand.
    TryInTerminal,

    // An agent's reply.
    /// End the reply with a line that reports an outcome.
    EndWithOutcome,
    /// Write the JSON object again.
    WriteOnOneLine,
    /// Write an object that has an outcome.
    WriteOutcome,
    /// Report one of the step's outcomes.
    UseOutcome {
        /// Those outcomes.
        names: Vec<String>,
    },
    /// Say what happened beside the outcome `other`.
    AddDescription,
}

impl fmt::Display for Remedy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Again => "try again",
            Self::AgainSoon => "try again in a moment",
            Self::AgainWhenBack => "try again when it is back",
            Self::ReadAgain => "read it again",
            Self::Report => "please report it",

            Self::StartAgain => "start the recipe again",
            Self::StartAgainForNext => "start the recipe again for the next one",
            Self::StartAgainOrOldVersion => "start the recipe again, or go on with the version that took it",
            Self::Raise => "raise that limit when you resume, or start the recipe again",
            Self::ResumeAsItIs => "resume it without new limits",
            Self::ResumeWithItsRecipe => "resume it with the recipe it was taken from",
            Self::ExitFirst => "exit it first, or wait until it ends",
            Self::ExitOtherFirst => "exit that run first, or wait until it ends",
            Self::NewSession => "the conversation is lost, start a new session",
            Self::NewSessionElsewhere => "start in a new session to work elsewhere",
            Self::NewSessionForAgent => "start in a new session to use another",
            Self::InitRepository => "run `git init` there, and make a first commit",
            Self::FirstCommit => "make a first commit there",
            Self::NewSessionApart => "start in a new session to work apart",
            Self::CommitOrAllowDirty => "commit or stash them, or start with `--allow-dirty`",
            Self::WaitOrForceParallel => {
                "wait until it ends, work apart with `--isolate`, or start with `--force-parallel`"
            }
            Self::TrustDirectory { directory } => {
                return write!(
                    f,
                    "look at them, then run `surefire trust {directory}` on this machine, or run without them with \
                     `--untrusted=skip`"
                );
            }
            Self::NameMainBranch => "make a branch `main`, or fetch one from `origin`",
            Self::SwitchOn => "switch orchestration on first",
            Self::SayWhat => "say what is to be done",

            Self::DidYouMean { name } => return write!(f, "did you mean `{name}`?"),
            Self::Choose { names } => {
                return write!(f, "choose one of those that are: {}", names.join(", "));
            }
            Self::UseOneOf { names } => return write!(f, "use one of {}", names.join(", ")),

            Self::AbsolutePath => "give an absolute path",
            Self::CreateDirectory => "create it, or name another one",
            Self::ItsDirectory => "name the directory it lies in",
            Self::StartThere => "start again there, or put it back",
            Self::AllowRoot => "work inside of one, or allow it with --root",

            Self::OtherDirectory => "name another one, or put that right",
            Self::ReplaceLink => "put the file itself in its place, or use another data directory",
            Self::RunAsOwner => "run as that user, or use another data directory",
            Self::StopServer => "stop that server, or use another directory",
            Self::StopWriting => "this one must stop writing",
            Self::NewerSurefire => "use the newer surefire, or another data directory",
            Self::MoveAway => "move it away, or use another data directory",
            Self::CloseOther => "close it (a `sqlite3` shell?) and try again",
            Self::FreeSpace => "make room on its disk, or raise its largest size",
            Self::Restart => "a restart sets the damaged file aside and begins a new one",

            Self::AllowLan => "allow that with --lan, or listen at 127.0.0.1",
            Self::OtherPort => "stop whatever listens there, or choose another port with --listen",
            Self::HigherPort => "choose a port above 1023 with --listen",
            Self::OwnAddress => "choose an address of this machine with --listen",
            Self::OtherKeyFile => "put that right, or name another one with --key-file",
            Self::LinkedKeyFile => {
                "name the file itself with --key-file, or remove the link to have a new key made"
            }
            Self::RestrictKeyFile => "run `chmod 600` on it, and make a new key if somebody may have read it",
            Self::DeleteKeyFile => "delete it to have a new one made",
            Self::UpgradeClient => "upgrade required",

            Self::Install { program, variable } => {
                return write!(
                    f,
                    "install {program}, or say where it is with `--agent-path` or `{variable}`"
                );
            }
            Self::ProgramInside { name } => {
                return write!(f, "give the path of the program itself, as in `{name}` inside it");
            }
            Self::MakeExecutable => "make it so with `chmod +x`",
            Self::TryInTerminal => "try to run it in a terminal",

            Self::EndWithOutcome => "end it with one of the lines that were asked for",
            Self::WriteOnOneLine => "write it again, on one line",
            Self::WriteOutcome => "write an object with that key, and not inside another value",
            Self::UseOutcome { names } => {
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                return write!(f, "use one of these, letter for letter: {}", names.join(", "));
            }
            Self::AddDescription => "add an `otherDescription` that says what happened",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_remedy_is_a_few_words_of_its_own() {
        let words: Vec<_> = Remedy::iter().map(|remedy| remedy.to_string()).collect();
        for words in &words {
            assert!(words.starts_with(|first: char| first.is_lowercase()), "{words}");
            assert!(!words.trim_end().ends_with('.') && words.trim_end_matches("``?").len() > 8, "{words}");
        }
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
    }
}
