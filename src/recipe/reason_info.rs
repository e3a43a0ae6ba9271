//! The columns of an exit reason, and the types of their values.

use std::borrow::Cow;

use serde::ser::{SerializeStruct, Serializer};
use serde::{Deserialize, Serialize};

use super::run_remedy::RunRemedy;
use super::wire_enum::UnknownName;

/// The static data of one exit reason.
///
/// Every variant of [`ExitReason`](crate::ExitReason), and of an enum of your own that derives
/// [`Registry`](crate::Registry), has a complete one, so a reason without a message or a category
/// does not compile.
///
/// ```
/// use surefire::{Category, ExitReason, Family, Registry};
///
/// let timeout = ExitReason::Timeout.definition();
/// assert_eq!(timeout.code, "timeout");
/// assert_eq!(timeout.category, Category::Guardrail);
/// assert_eq!(timeout.family, Some(Family::ResourceLimit));
/// assert_eq!(timeout.exit_code, 124);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ReasonInfo {
    /// The machine-readable name on the wire, in the journal and on the command line.
    pub code: &'static str,
    /// Whether it is a regular end, a limit that was hit, or a failure.
    pub category: Category,
    /// The message for people; `{limit}` and `{step}` are filled in from the run.
    pub message: &'static str,
    /// A few words for a heading.
    pub title: &'static str,
    /// Which part of the system it concerns; reasons that simply mean "done" have none.
    pub family: Option<Family>,
    /// The exit status of a process that ends with it.
    pub exit_code: u8,
    /// One sentence about what to do, for other programs. Some of these texts are a contract with
    /// other tools and name the options of those tools; people see [`hint`](Self::hint) instead.
    pub diagnosis: &'static str,
    /// One sentence for people: the diagnosis, unless that names something Surefire does not have.
    pub hint: &'static str,
    /// What helps most after a run ended with it.
    pub remedy: RunRemedy,
    /// Whether a retry without a person can help.
    pub auto_resumable: bool,
    /// Whether the run reached what it was started for.
    pub goal_met: bool,
}

impl ReasonInfo {
    /// The message without a run's numbers: the placeholders read `N` and `STEP`.
    ///
    /// ```
    /// use surefire::{ExitReason, Registry};
    ///
    /// let message = ExitReason::MaxTotalSteps.definition().general_message();
    /// assert_eq!(message, "Recipe stopped: reached maximum step limit (N steps)");
    /// ```
    #[must_use]
    pub fn general_message(&self) -> Cow<'static, str> {
        self.message_with(ANY_STEP, ANY_LIMIT)
    }

    /// Whether the message, and so the code too, names a step.
    pub(super) fn names_a_step(&self) -> bool {
        self.message.contains("{step}")
    }

    /// The message with a step and a limit filled in.
    pub(super) fn message_with(
        &self,
        step: Option<&str>,
        limit: Option<&str>,
    ) -> Cow<'static, str> {
        if self.message.contains('{') {
            Cow::Owned(filled(self.message, step, limit))
        } else {
            Cow::Borrowed(self.message)
        }
    }
}

/// Fills the placeholders; an unknown limit is removed with its brackets, an unknown step with its
/// quotes.
fn filled(message: &str, step: Option<&str>, limit: Option<&str>) -> String {
    let message = match limit {
        Some(limit) => message.replace("{limit}", limit),
        None => without_limit(message).to_owned(),
    };
    match step {
        Some(step) => message.replace("{step}", step),
        None => message.replace(" '{step}'", ""),
    }
}

/// A limit is always in brackets at the end of its message.
fn without_limit(message: &str) -> &str {
    match message.rfind(" (") {
        Some(bracket) if message[bracket..].contains("{limit}") => &message[..bracket],
        _ => message,
    }
}

const ANY_STEP: Option<&str> = Some("STEP");
const ANY_LIMIT: Option<&str> = Some("N");

/// Its columns, and the verdict that follows from them.
impl Serialize for ReasonInfo {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_struct("ReasonInfo", 12)?;
        json.serialize_field("code", self.code)?;
        json.serialize_field("category", &self.category)?;
        json.serialize_field("message", &self.general_message())?;
        json.serialize_field("title", self.title)?;
        json.serialize_field("family", &self.family)?;
        json.serialize_field("exit_code", &self.exit_code)?;
        json.serialize_field("diagnosis", self.diagnosis)?;
        json.serialize_field("hint", self.hint)?;
        json.serialize_field("remedy", &self.remedy)?;
        json.serialize_field("status", &self.verdict())?;
        json.serialize_field("auto_resumable", &self.auto_resumable)?;
        json.serialize_field("goal_met", &self.goal_met)?;
        json.end()
    }
}

/// The three ways a run can end, as clients show them: green, yellow, red.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_category)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// The recipe reached one of its exits; [`ReasonInfo::goal_met`] says whether that was the
    /// goal.
    Completed,
    /// A limit stopped it; the goal may not have been reached.
    Guardrail,
    /// Something went wrong.
    Error,
}

impl Category {
    /// Every category, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The colour of such an exit in diagrams.
    pub(super) const fn color(self) -> &'static str {
        match self {
            Self::Completed => "#2da44e",
            Self::Guardrail => "#bf8700",
            Self::Error => "#cf222e",
        }
    }

    /// The prefix of log lines about such an exit.
    ///
    /// ```
    /// assert_eq!(surefire::Category::Guardrail.log_prefix(), "Recipe stopped by guardrail");
    /// ```
    #[must_use]
    pub const fn log_prefix(self) -> &'static str {
        match self {
            Self::Completed => "Recipe completed",
            Self::Guardrail => "Recipe stopped by guardrail",
            Self::Error => "Recipe failed",
        }
    }
}

fn unknown_category(name: &str) -> UnknownName {
    UnknownName::among(<Category as strum::VariantNames>::VARIANTS, "category", name)
}

/// What an exit reason is about; each family has its own range of exit codes.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
    Serialize,
    Deserialize,
)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_family)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Family {
    /// Something that the run is not allowed to do, or that it needs and does not have.
    Constraint,
    /// Something that did not work.
    Failure,
    /// The review did not come to an agreement.
    Review,
    /// The agent, or its service.
    Worker,
    /// Time, money, steps.
    ResourceLimit,
    /// A person decided it.
    User,
}

impl Family {
    /// Every family, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The exit codes that reasons of this family may use.
    ///
    /// ```
    /// use surefire::Family;
    ///
    /// assert!(Family::Worker.exit_codes().contains(&35));
    /// ```
    #[must_use]
    pub const fn exit_codes(self) -> std::ops::RangeInclusive<u8> {
        match self {
            Self::Constraint => 2..=9,
            Self::Failure => 10..=19,
            Self::Review => 20..=29,
            Self::Worker => 30..=39,
            Self::ResourceLimit => 120..=129,
            Self::User => 130..=u8::MAX,
        }
    }

    /// What the family covers, in a few words.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Constraint => "Scope, permissions or something missing",
            Self::Failure => "Verification, parsing or storage did not work",
            Self::Review => "The review did not come to an agreement",
            Self::Worker => "The agent or its service",
            Self::ResourceLimit => "Time, steps, restarts or money ran out",
            Self::User => "A person decided it",
        }
    }
}

fn unknown_family(name: &str) -> UnknownName {
    UnknownName::among(<Family as strum::VariantNames>::VARIANTS, "family", name)
}
