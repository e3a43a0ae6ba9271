//! The outline as JSON: indices become names, so that a reader needs nothing else.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{Fingerprint, NextOutline, OutcomeOutline, Outline, StepOutline};
use crate::recipe::definition::Definition;

impl Serialize for Outline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps: Vec<_> = self.steps.iter().map(|step| StepJson::new(self, step)).collect();
        let mut json = serializer.serialize_struct("Outline", 11)?;
        json.serialize_field("id", self.id)?;
        json.serialize_field("label", self.label)?;
        json.serialize_field("description", self.description)?;
        json.serialize_field("model", &self.model)?;
        json.serialize_field("initial", self.first_step().name)?;
        json.serialize_field("steps", &steps)?;
        json.serialize_field("guardrails", &self.guardrails)?;
        json.serialize_field("max_steps", &self.max_steps)?;
        json.serialize_field("heaviest_path", self.heaviest_path)?;
        json.serialize_field("never_trips", self.never_trips)?;
        json.serialize_field("fingerprint", &self.fingerprint)?;
        json.end()
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(serde::Serialize)]
struct StepJson {
    name: &'static str,
    description: &'static str,
    model: Option<&'static str>,
    prompt: &'static str,
    outcomes: Vec<OutcomeJson>,
}

#[derive(serde::Serialize)]
struct OutcomeJson {
    name: &'static str,
    next: NextJson,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum NextJson {
    Step(&'static str),
    Exit(&'static Definition),
    Restart(&'static str),
}

impl StepJson {
    fn new(outline: &Outline, step: &'static StepOutline) -> Self {
        let outcomes = step.outcomes.iter().map(|outcome| OutcomeJson::new(outline, outcome)).collect();
        let StepOutline { name, description, model, prompt, .. } = *step;
        Self { name, description, model, prompt, outcomes }
    }
}

impl OutcomeJson {
    fn new(outline: &Outline, outcome: &OutcomeOutline) -> Self {
        let next = match outcome.next {
            NextOutline::Step(index) => NextJson::Step(outline.steps[index].name),
            NextOutline::Exit(reason) => NextJson::Exit(reason.definition()),
            NextOutline::Restart { id, .. } => NextJson::Restart(id),
        };
        Self { name: outcome.name, next }
    }
}
