//! How a run ended, at a glance.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::reason_info::{Category, ReasonInfo};
use super::run_remedy::RunRemedy;
use super::wire_enum::UnknownName;

/// The end of a run at a glance: clients show it as an icon, a colour and a few words.
///
/// ```
/// use surefire::{ExitReason, Registry, Verdict};
///
/// assert_eq!(ExitReason::TaskCommitted.definition().verdict(), Verdict::Completed);
/// assert_eq!(ExitReason::ClarificationNeeded.definition().verdict(), Verdict::Waiting);
/// assert_eq!(ExitReason::UserStopped.definition().verdict(), Verdict::Stopped);
/// assert_eq!(Verdict::Limited.words(), "Stopped by a limit");
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_verdict)]
#[non_exhaustive]
pub enum Verdict {
    /// The goal is met.
    Completed,
    /// The recipe reached one of its exits, and a person has to answer or decide something.
    Waiting,
    /// A limit stopped the run.
    Limited,
    /// Something went wrong.
    Failed,
    /// A person stopped the run, or switched recipes off.
    Stopped,
}

impl Verdict {
    /// Every verdict, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The text that clients show.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Completed => "Completed",
            Self::Waiting => "Completed, but waiting for you",
            Self::Limited => "Stopped by a limit",
            Self::Failed => "Failed",
            Self::Stopped => "Stopped",
        }
    }

    /// The verdict on an end with these columns.
    #[must_use]
    pub const fn of(category: Category, goal_met: bool, remedy: RunRemedy) -> Self {
        match (category, goal_met, remedy) {
            (Category::Guardrail, ..) => Self::Limited,
            (Category::Error, ..) => Self::Failed,
            (Category::Completed, true, _) => Self::Completed,
            // An exit that needs an answer waits for a person; any other was caused by one.
            (Category::Completed, false, RunRemedy::Answer) => Self::Waiting,
            (Category::Completed, false, _) => Self::Stopped,
        }
    }
}

fn unknown_verdict(name: &str) -> UnknownName {
    UnknownName::among(<Verdict as strum::VariantNames>::VARIANTS, "verdict", name)
}

impl ReasonInfo {
    /// The verdict on a run that ended with this reason.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        Verdict::of(self.category, self.goal_met, self.remedy)
    }
}

impl RunRemedy {
    /// What usually helps after such an end: the default of the column `remedy`.
    #[must_use]
    pub const fn usual(category: Category, goal_met: bool) -> Self {
        match (category, goal_met) {
            (_, true) => Self::Again,
            (Category::Completed, false) => Self::Answer,
            (Category::Guardrail | Category::Error, false) => Self::Resume,
        }
    }
}

/// Its name, for icons and colours, and its text.
impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_struct("Verdict", 2)?;
        json.serialize_field("name", <&str>::from(self))?;
        json.serialize_field("words", self.words())?;
        json.end()
    }
}
