//! The plan: what the fake does on each call.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A whole plan, as in its file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// The log of calls. The default is `calls.jsonl` in the directory of the plan.
    pub log: Option<PathBuf>,
    /// The directory for conversations. The default comes from the environment.
    pub configuration: Option<PathBuf>,
    /// Which version of the CLI it behaves like.
    pub version: Version,
    /// How long the fake waits for the first byte of its prompt; the real one waits 3 s.
    pub patience_ms: Option<u64>,
    /// Answers to prompts that contain a text. The first match is used, before any of `answers`.
    pub when: Vec<When>,
    /// The answer to the first call, to the second, and so on.
    pub answers: Vec<Answer>,
    /// The answer to all further calls.
    pub default: Answer,
}

/// A version of the CLI. The versions report costs and refusals differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Version {
    /// Reports the cost of the conversation, and the usage since the last result; reports refused
    /// tools and background tasks at once.
    #[default]
    #[serde(rename = "2.1.325")]
    Newer,
    /// Reports the cost of the process; lists refused tools when it ends.
    #[serde(rename = "2.1.197")]
    Older,
}

impl Version {
    /// The number that the CLI prints.
    #[must_use]
    pub const fn number(self) -> &'static str {
        match self {
            Self::Newer => "2.1.325",
            Self::Older => "2.1.197",
        }
    }
}

/// A tool that the fake tries to use. It is really used, in the working directory, if the flags of
/// the call allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Try {
    /// Runs a command.
    Bash(String),
    /// Writes a file.
    Write {
        /// Its path, seen from the working directory.
        path: PathBuf,
        /// Its new content.
        content: String,
    },
    /// Replaces a text in a file.
    Edit {
        /// Its path, seen from the working directory.
        path: PathBuf,
        /// The text to replace.
        old: String,
        /// The replacement.
        new: String,
    },
    /// Reads a page. Nothing is read: there is no network in tests.
    WebFetch(String),
}

/// An answer to prompts that contain a text.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// The text.
    pub contains: String,
    /// The answer.
    pub answer: Answer,
}

/// One answer. By default, it is a good reply with the first outcome that the prompt offers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// What goes wrong, or differs from a good reply.
    pub act: Act,
    /// The outcome to report, whether or not the prompt offers it.
    pub pick: Option<String>,
    /// The whole reply, in place of one made from an outcome.
    pub text: Option<String>,
    /// The passages to print before anything else.
    pub passages: Vec<String>,
    /// The tools to try before answering, one after the other.
    pub tries: Vec<Try>,
    /// Whether the reported outcome is only claimed. Otherwise the fake really commits what it
    /// reports as committed, if the flags of the call allow it and the working directory is a git
    /// work tree.
    pub claims: bool,
    /// Answers a second time, as after a command in the background, once its own `delay_ms` is
    /// over.
    pub again: Option<Box<Answer>>,
    /// How long to work before answering.
    pub delay_ms: u64,
    /// The size in megabytes, for the acts about size.
    pub megabytes: usize,
    /// When the usage limit resets, in seconds since 1970.
    pub resets_at: Option<u64>,
    /// The cost that the fake reports for this answer.
    pub cost_usd: Option<f64>,
}

/// How the fake behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// Answers as it should.
    #[default]
    Well,
    /// Replies without any JSON.
    ProseOnly,
    /// Reports an outcome that no step has.
    WrongOutcome,
    /// Reports two outcomes, the better one first.
    TwoOutcomes,
    /// Stops in the middle of the JSON.
    TruncatedJson,
    /// Names `outcome` twice in one object.
    DuplicateKeys,
    /// Hides the outcome in 100,000 brackets.
    DeepNesting,
    /// Puts bytes that are not valid UTF-8 into its reply.
    InvalidUtf8,
    /// Prints `megabytes` of messages, one megabyte per line, and then answers well.
    Huge,
    /// Writes one line of `megabytes`.
    HugeLine,
    /// Writes `megabytes` to standard error, and then answers well.
    HugeStderr,
    /// Reads the prompt and prints nothing more.
    Silence,
    /// Prints nothing, and ignores SIGINT and SIGTERM.
    IgnoreSigterm,
    /// Prints nothing until it gets SIGINT, and then that it was interrupted, like the real CLI.
    Interruptible,
    /// Prints nothing to standard output, but a line to standard error every 10 ms.
    Mutter,
    /// Never reads its prompt, and prints nothing.
    NoRead,
    /// Leaves children running in its group, and answers well.
    Grandchildren,
    /// Leaves a child running in its own session, and answers well.
    SetsidGrandchild,
    /// Leaves a child running in its own session, and then prints nothing.
    SetsidAndSilence,
    /// Answers well and does not exit.
    Linger,
    /// Exits with 0 and prints nothing.
    Empty,
    /// Exits with 1 and two lines on standard error.
    Fail,
    /// Answers well and exits with 1.
    #[serde(rename = "exit-1-good-json")]
    Exit1GoodJson,
    /// Reports `is_error` together with `subtype: success`, and exits with 0.
    IsErrorSuccess,
    /// Answers for another session.
    WrongSession,
    /// Dies by SIGKILL before it answers.
    DieBySignal,
    /// Reports that it is not logged in.
    Auth,
    /// Reports that it reached its usage limit, which resets at `resets_at`.
    UsageLimit,
    /// Reports that the service is overloaded, after a retry.
    Overloaded,
    /// Reports that the prompt is too long.
    Context,
    /// Reports that it reached its limit of rounds.
    MaxTurns,
    /// Reports that it spent its budget.
    Budget,
    /// Reports two denied tools, and therefore no outcome.
    Denied,
    /// Prints one array, as some versions do.
    JsonArray,
    /// Prints one object, as some versions do, without a line break after it.
    JsonObject,
    /// Prints lines of unknown types between the others.
    UnknownLines,
    /// Uses tools before it answers.
    Tools,
    /// Begins to use a tool, and prints nothing more.
    ToolSilence,
    /// Kills its parent, then answers well.
    KillParentBefore,
    /// Answers well, then kills its parent.
    KillParentAfter,
}
