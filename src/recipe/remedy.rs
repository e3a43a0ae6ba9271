//! What to do about an error, as data and as text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What to do about an error.
///
/// A program matches on the variants; a person reads the [`Display`](fmt::Display), which is a few
/// words in lower case, without a full stop. Errors with a remedy implement
/// [`Advise`](crate::Advise).
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
#[non_exhaustive]
pub enum Remedy {
    // Retries.
    /// Do the same again.
    Again,
    /// Do the same again when less is queued.
    AgainSoon,
    /// Do the same again when the server is back.
    AgainWhenBack,
    /// Read what another writer has committed in the meantime, and decide again.
    ReadAgain,
    /// Report it to the people who make surefire.
    Report,

    // A run and its session.
    /// Start the recipe again.
    StartAgain,
    /// Start the recipe again: this run has met its goal.
    StartAgainForNext,
    /// Start the recipe again, or use the version of it that the run began with.
    StartAgainOrOldVersion,
    /// Start the recipe again, or resume the run with the version of it that it began with.
    StartAgainOrRunVersion,
    /// Raise the limit that the run would hit again, or start the recipe again.
    Raise,
    /// Resume the run with its current limits.
    ResumeAsItIs,
    /// Resume the snapshot with the recipe that it was taken from.
    ResumeWithItsRecipe,
    /// Resume the snapshot with the limits that its run had, which were higher.
    ResumeWithin,
    /// Exit this run, or wait until it ends.
    ExitFirst,
    /// Exit the run that holds the session, or wait until it ends.
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
    /// Start a new session, which can use a worktree of its own.
    #[serde(rename = "new_session_apart")]
    NewSessionForWorktree,
    /// Commit the changes, or let the run begin with them.
    CommitOrAllowDirty,
    /// Start the recipe with a task, or have a tracker that offers one.
    GiveTask {
        /// The recipe's id.
        recipe: String,
    },
    /// Wait for the other run, isolate this one, or run both in parallel.
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
    #[serde(rename = "say_what")]
    WritePrompt,
    /// Correct the operator's prompt for a step, or go back to the compiled one.
    CorrectPrompt {
        /// The recipe's id.
        recipe: String,
        /// The step.
        step: String,
    },

    // A name.
    /// Write the name that was probably meant.
    DidYouMean {
        /// That name.
        name: String,
    },
    /// Choose one of the configured agents.
    Choose {
        /// The names to choose from.
        names: Vec<String>,
    },
    /// Give the file one of these names, or remove it.
    RenameOrRemove {
        /// The names to choose from.
        names: Vec<String>,
    },
    /// Write one of the known names.
    UseOneOf {
        /// Those names, and forms of names.
        names: Vec<String>,
    },

    // A list of outcomes.
    /// Continue the list, for example with these.
    AddOutcomes {
        /// Outcomes that lead to an end.
        outcomes: Vec<String>,
    },
    /// Shorten the list.
    RemoveRest,

    // The directory to work in.
    /// Write an absolute path.
    AbsolutePath,
    /// Create the directory, or name another one.
    CreateDirectory,
    /// Name the directory that the file is in.
    #[serde(rename = "its_directory")]
    UseParentDirectory,
    /// Start again in the directory that the link leads to now, or restore the old one.
    #[serde(rename = "start_there")]
    StartAtLinkTarget,
    /// Work below a root, or make this directory one.
    AllowRoot,

    // The data directory.
    /// Use another data directory, or repair this one.
    OtherDirectory,
    /// Replace the link by the file that it leads to, or use another data directory.
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
    /// Restart the server: it quarantines the damaged file and creates a new one.
    Restart,

    // The server's address and key.
    /// Let other machines connect, or listen where they cannot.
    AllowLan,
    /// Free the port, or choose another one.
    OtherPort,
    /// Choose a port that needs no privileges.
    HigherPort,
    /// Choose an address that this machine has.
    OwnAddress,
    /// Repair the key file, or name another one.
    OtherKeyFile,
    /// Name the key file that the link leads to, or remove the link.
    LinkedKeyFile,
    /// Restrict the key file to its owner, and make a new key if it may have leaked.
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
        /// The environment variable that holds its path.
        variable: String,
    },
    /// Give the path of the program that is in this directory.
    ProgramInside {
        /// The program's file name.
        name: String,
    },
    /// Make the program executable.
    MakeExecutable,
    /// Run the program by hand and read what it prints.
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
    /// Add a description to the outcome `other`.
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
            Self::StartAgainOrOldVersion => "start the recipe again, or resume with the version that took it",
            Self::StartAgainOrRunVersion => "start the recipe again, or resume with the version that began the run",
            Self::Raise => "raise that limit when you resume, or start the recipe again",
            Self::ResumeAsItIs => "resume it without new limits",
            Self::ResumeWithItsRecipe => "resume it with the recipe it was taken from",
            Self::ResumeWithin => "resume it within the limits that its run had",
            Self::ExitFirst => "exit it first, or wait until it ends",
            Self::ExitOtherFirst => "exit that run first, or wait until it ends",
            Self::NewSession => "the conversation is lost, start a new session",
            Self::NewSessionElsewhere => "start in a new session to work elsewhere",
            Self::NewSessionForAgent => "start in a new session to use another",
            Self::InitRepository => "run `git init` there, and make a first commit",
            Self::FirstCommit => "make a first commit there",
            Self::NewSessionForWorktree => "start in a new session to use a worktree",
            Self::CommitOrAllowDirty => "commit or stash them, or start with `--allow-dirty`",
            Self::GiveTask { recipe } => {
                return write!(
                    f,
                    "say what to do, as in `surefire run {recipe} \"fix the rounding in cart.rs\"`, or install \
                     `bd` (beads) and run `bd init` in the repository"
                );
            }
            Self::WaitOrForceParallel => {
                "wait until it ends, use a worktree with `--isolate`, or start with `--force-parallel`"
            }
            Self::TrustDirectory { directory } => return trust(f, directory),
            Self::NameMainBranch => "make a branch `main`, or fetch one from `origin`",
            Self::SwitchOn => "switch orchestration on first",
            Self::WritePrompt => "say what to do",
            Self::CorrectPrompt { recipe, step } => return correct_prompt(f, recipe, step),

            Self::DidYouMean { name } => return write!(f, "did you mean `{name}`?"),
            Self::AddOutcomes { outcomes } => {
                return write!(f, "add, for example: {}", outcomes.join(", "));
            }
            Self::RemoveRest => "remove it and what follows it",
            Self::Choose { names } => {
                return write!(f, "choose one with `--agent`: {}", names.join(", "));
            }
            Self::RenameOrRemove { names } => {
                return write!(f, "rename it to one of {}, or remove it", names.join(", "));
            }
            Self::UseOneOf { names } => return write!(f, "use one of {}", names.join(", ")),

            Self::AbsolutePath => "give an absolute path",
            Self::CreateDirectory => "create it, or name another one",
            Self::UseParentDirectory => "name the directory it is in",
            Self::StartAtLinkTarget => "start again there, or restore it",
            Self::AllowRoot => "work inside of one, or allow it with --root",

            Self::OtherDirectory => "name another one, or fix that",
            Self::ReplaceLink => "put the file itself in its place, or use another data directory",
            Self::RunAsOwner => "run as that user, or use another data directory",
            Self::StopServer => "stop that server, or use another directory",
            Self::StopWriting => "this one must stop writing",
            Self::NewerSurefire => "use the newer surefire, or another data directory",
            Self::MoveAway => "move it away, or use another data directory",
            Self::CloseOther => "close it (a `sqlite3` shell?) and try again",
            Self::FreeSpace => "make room on its disk, or raise its largest size",
            Self::Restart => "a restart quarantines the damaged file and creates a new one",

            Self::AllowLan => "allow that with --lan, or listen at 127.0.0.1",
            Self::OtherPort => "stop the process that listens there, or choose another port with --listen",
            Self::HigherPort => "choose a port above 1023 with --listen",
            Self::OwnAddress => "choose an address of this machine with --listen",
            Self::OtherKeyFile => "fix that, or name another one with --key-file",
            Self::LinkedKeyFile => {
                "name the file itself with --key-file, or remove the link to have a new key made"
            }
            Self::RestrictKeyFile => "run `chmod 600` on it, and make a new key if others may have read it",
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
            Self::MakeExecutable => "run `chmod +x` on it",
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

fn trust(f: &mut fmt::Formatter<'_>, directory: &str) -> fmt::Result {
    write!(
        f,
        "look at them, then run `surefire trust {directory}` on this machine, or run without them \
         with `--untrusted=skip`"
    )
}

fn correct_prompt(f: &mut fmt::Formatter<'_>, recipe: &str, step: &str) -> fmt::Result {
    write!(
        f,
        "correct it, or go back to the compiled prompt with `surefire prompts {recipe} --reset \
         --step {step}`"
    )
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn each_remedy_has_a_short_text_of_its_own() {
        let words: Vec<_> = Remedy::iter().map(|remedy| remedy.to_string()).collect();
        for words in &words {
            assert!(words.starts_with(|first: char| first.is_lowercase()), "{words}");
            assert!(
                !words.trim_end().ends_with('.') && words.trim_end_matches("``?").len() > 8,
                "{words}"
            );
        }
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
    }

    #[test]
    fn a_renamed_remedy_keeps_its_name_on_the_wire() {
        for (remedy, name) in [
            (Remedy::NewSessionForWorktree, "new_session_apart"),
            (Remedy::WritePrompt, "say_what"),
            (Remedy::UseParentDirectory, "its_directory"),
            (Remedy::StartAtLinkTarget, "start_there"),
        ] {
            let json = format!(r#"{{"kind":"{name}"}}"#);
            assert_eq!(serde_json::to_string(&remedy).unwrap(), json);
            assert_eq!(serde_json::from_str::<Remedy>(&json).unwrap(), remedy);
        }
    }
}
