//! What the fake is told to do.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A whole plan, as it stands in its file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Plan {
    /// Where calls are written down; `calls.jsonl` beside the plan where nothing else is said.
    pub log: Option<PathBuf>,
    /// Where conversations are kept; what the environment says where nothing else is said.
    pub configuration: Option<PathBuf>,
    /// Which version of the CLI it behaves like.
    pub version: Version,
    /// How long the fake waits for the first byte of its prompt; the real one waits 3 s.
    pub patience_ms: Option<u64>,
    /// Answers for prompts that contain a text; the first that fits is taken, and they go before `answers`.
    pub when: Vec<When>,
    /// The answer to the first call, to the second, and so on.
    pub answers: Vec<Answer>,
    /// The answer to all others.
    pub default: Answer,
}

/// A version of the CLI. They differ in how they state costs and refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Version {
    /// States what the conversation has cost, and beside it what was used since the last result; says at once that a tool was
    /// refused, and what runs in the background.
    #[default]
    #[serde(rename = "2.1.325")]
    Newer,
    /// States what the process has cost; lists refused tools at its end.
    #[serde(rename = "2.1.197")]
    Older,
}

impl Version {
    /// As the CLI states it.
    #[must_use]
    pub const fn number(self) -> &'static str {
        match self {
            Self::Newer => "2.1.325",
            Self::Older => "2.1.197",
        }
    }
}

/// A tool that the fake tries to use. It is really used, in the working directory, if the flags of the call allow it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Try {
    /// Runs a command.
    Bash(String),
    /// Writes a file.
    Write {
        /// Its path, seen from the working directory.
        path: PathBuf,
        /// What is in it afterwards.
        content: String,
    },
    /// Replaces a text in a file.
    Edit {
        /// Its path, seen from the working directory.
        path: PathBuf,
        /// The text that is there.
        old: String,
        /// What takes its place.
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

/// One answer. Left empty, it is a good reply with the first outcome that the prompt offers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Answer {
    /// What goes wrong, or otherwise than usual.
    pub act: Act,
    /// The outcome to report, whether or not the prompt offers it.
    pub pick: Option<String>,
    /// The whole reply, in place of one made from an outcome.
    pub text: Option<String>,
    /// What to say before anything else.
    pub passages: Vec<String>,
    /// The tools to try before answering, one after the other.
    pub tries: Vec<Try>,
    /// Does nothing for the outcome that it reports. Otherwise what is reported as committed is committed, if the flags of the
    /// call allow it and the working directory is a git work tree.
    pub claims: bool,
    /// Answers a second time, as after a command in the background, once its own `delay_ms` is over.
    pub again: Option<Box<Answer>>,
    /// How long to work before answering.
    pub delay_ms: u64,
    /// How many megabytes, for the acts that are about size.
    pub megabytes: usize,
    /// When the usage limit resets, in seconds since 1970.
    pub resets_at: Option<u64>,
    /// What is said to have been used for this answer.
    pub cost_usd: Option<f64>,
}

/// What the fake can do other than answer well.
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
    /// Puts bytes that are no UTF-8 into its reply.
    InvalidUtf8,
    /// Says `megabytes` in lines of one megabyte each, and then answers well.
    Huge,
    /// Writes one line of `megabytes`.
    HugeLine,
    /// Writes `megabytes` to standard error, and then answers well.
    HugeStderr,
    /// Takes the prompt and says nothing more.
    Silence,
    /// Says nothing, and ignores SIGINT and SIGTERM.
    IgnoreSigterm,
    /// Says nothing until it gets a SIGINT, and then that it was interrupted, as the real one does.
    Interruptible,
    /// Says nothing on standard output, but something on standard error every 10 ms.
    Mutter,
    /// Never reads its prompt, and says nothing.
    NoRead,
    /// Leaves children running in its group, and answers well.
    Grandchildren,
    /// Leaves a child in a session of its own, and answers well.
    SetsidGrandchild,
    /// Leaves a child in a session of its own, and then says nothing.
    SetsidAndSilence,
    /// Answers well and does not end.
    Linger,
    /// Ends with 0 and says nothing.
    Empty,
    /// Ends with 1 and two lines on standard error.
    Fail,
    /// Answers well and ends with 1.
    #[serde(rename = "exit-1-good-json")]
    Exit1GoodJson,
    /// `is_error` beside `subtype: success`, with exit status 0.
    IsErrorSuccess,
    /// Answers for another session.
    WrongSession,
    /// Dies by SIGKILL before it answers.
    DieBySignal,
    /// Is not logged in.
    Auth,
    /// Has reached its usage limit, which resets at `resets_at`.
    UsageLimit,
    /// The service is overloaded; it was tried again first.
    Overloaded,
    /// The prompt is too long.
    Context,
    /// Took as many rounds as it may.
    MaxTurns,
    /// Spent its budget.
    Budget,
    /// Was denied two tools, and has no outcome therefore.
    Denied,
    /// Prints one array, as some versions do.
    JsonArray,
    /// Prints one object, as some versions do, without a line break behind it.
    JsonObject,
    /// Prints lines that nobody knows between the others.
    UnknownLines,
    /// Uses tools before it answers.
    Tools,
    /// Begins to use a tool, and says nothing more.
    ToolSilence,
    /// Kills its parent, then answers well.
    KillParentBefore,
    /// Answers well, then kills its parent.
    KillParentAfter,
}
