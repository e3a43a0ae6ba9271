//! The recipe as it will be generated.
//!
//! A [`Shape`] lists the items to generate. It can be made from any recipe, even from a broken one,
//! so that the author's code still finds them. A [`Model`] is the shape of a recipe that passed
//! every check, with what was proven about it. It can be made from nothing else, so every `Model`
//! is valid.

mod ends;
mod flow;
mod shape;

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt;
use syn::{Expr, LitStr, Path, Visibility};

use crate::check::Valid;
use crate::proof::Proof;
use crate::resolve::{
    Evidence, Goal, Limits, OTHER, OTHER_REASON, Report, Resolved, Tool, VisitLimits,
};
use crate::syntax::{Command, Docs, Reason, VisitLimit};

pub(crate) use ends::Ends;
pub(crate) use flow::Flow;

/// A recipe that passed every check.
pub(crate) struct Model {
    shape: Shape,
    proof: Proof,
}

impl Model {
    /// Cannot fail, since only the checks make a [`Valid`].
    pub(crate) fn new(recipe: &Valid) -> Self {
        let recipe = recipe.recipe();
        // A part that is left out of a valid recipe would change its meaning silently; the panic
        // reports it as a defect of the macro (`defect.rs`).
        let shape = Shape::new(recipe).filter(|shape| shape.is_whole(recipe));
        let shape = shape.expect("a recipe that keeps every rule is generated whole");
        let proof = Proof::new(&shape, claims(recipe, &shape));
        Self { shape, proof }
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    pub(crate) fn proof(&self) -> &Proof {
        &self.proof
    }
}

/// The claims of a recipe that keeps every rule: all of their names are known.
fn claims(recipe: &Resolved, shape: &Shape) -> Vec<Claim> {
    let claims = recipe.claims.iter().filter_map(|claim| {
        let (goal, needs, since) = claim.parts()?;
        let goal = match goal {
            Goal::Step(step) => ClaimGoal::Step(*step),
            Goal::Exit(reason) => {
                ClaimGoal::Exit(shape.exits.iter().position(|exit| exit.is_called(reason))?)
            }
            Goal::Restart(path) => {
                ClaimGoal::Restart(shape.restarts.iter().position(|restart| restart.path == *path)?)
            }
        };
        Some(Claim { goal, needs, since })
    });
    claims.collect()
}

/// What was proven about every path.
pub(crate) struct Claim {
    pub(crate) goal: ClaimGoal,
    pub(crate) needs: Vec<Report>,
    pub(crate) since: Option<usize>,
}

/// What a claim is about, by index.
pub(crate) enum ClaimGoal {
    Step(usize),
    Exit(usize),
    Restart(usize),
}

/// The items of a recipe, named and in order.
pub(crate) struct Shape {
    pub(crate) docs: Docs,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) module: Ident,
    pub(crate) id: String,
    pub(crate) label: String,
    pub(crate) description: String,
    pub(crate) model: Option<String>,
    pub(crate) limits: Limits,
    pub(crate) files: Files,
    pub(crate) initial: usize,
    /// Where `initial:` names it.
    pub(crate) initial_at: Option<Span>,
    pub(crate) steps: Vec<Step>,
    /// The exit of each outcome that exits, in order; an outcome refers to it by its index here.
    pub(crate) exits: Vec<Exit>,
    /// The recipes that are restarted, each once.
    pub(crate) restarts: Vec<Restart>,
    pub(crate) registry: Option<Path>,
    /// What its enums of names derive beside what they always do.
    pub(crate) derive: Vec<Path>,
    pub(crate) written: WrittenRecipe,
}

/// The names that the author wrote in a recipe, right or wrong, for editors.
#[derive(Default)]
pub(crate) struct WrittenRecipe {
    pub(crate) fields: Vec<Ident>,
    pub(crate) guardrails: Vec<Ident>,
    /// The steps that `initial` and claims name.
    pub(crate) steps: Vec<Ident>,
    /// The exit reasons.
    pub(crate) reasons: Vec<Reason>,
}

/// The names that the author wrote in a step, right or wrong, for editors.
#[derive(Default)]
pub(crate) struct WrittenStep {
    pub(crate) fields: Vec<Ident>,
    /// The outcomes that are mapped or claimed.
    pub(crate) outcomes: Vec<Ident>,
    /// What they lead to, without exits and restarts.
    pub(crate) targets: Vec<Ident>,
}

/// What its runs may do with the files of a working directory, and their preconditions.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) allow: Vec<LitStr>,
    pub(crate) deny: Vec<LitStr>,
    pub(crate) allow_lockfiles: bool,
    pub(crate) needs: Needs,
    pub(crate) isolate: bool,
}

/// The preconditions of a run.
#[derive(Default, Clone, Copy)]
pub(crate) struct Needs {
    pub(crate) clean_tree: bool,
    pub(crate) task: bool,
}

/// One step.
pub(crate) struct Step {
    pub(crate) name: Ident,
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    pub(crate) model: Option<String>,
    pub(crate) prompt: Prompt,
    /// What the agent may do: its own list, or the recipe's.
    pub(crate) tools: Option<Vec<Tool>>,
    pub(crate) verify: Vec<Command>,
    /// What it runs instead of asking an agent.
    pub(crate) run: Option<Run>,
    /// How often it may be visited, by its own limit.
    pub(crate) max_visits: Option<u32>,
    /// Where a run goes instead of visiting it once more: a step or an exit.
    pub(crate) when_full: Option<Next>,
    /// Where that is written, if it is a step.
    pub(crate) when_full_at: Option<Span>,
    /// What one visit may use up.
    pub(crate) visit_limits: VisitLimits,
    /// Where a run goes when a visit has used that up.
    pub(crate) after_limits: Vec<AfterLimit>,
    /// Its former names, as they are on the wire.
    pub(crate) was: Vec<String>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) outcome_enum: Ident,
    pub(crate) next_enum: Ident,
    pub(crate) entry_enum: Ident,
    pub(crate) written: WrittenStep,
}

/// The prompt of a step, as it is generated.
pub(crate) enum Prompt {
    /// As it was written.
    Written(Expr),
    /// As it was written; the generated code asserts that it is not blank, which only the compiler
    /// can see.
    Asserted(Expr),
    /// A placeholder for a prompt that is missing or not needed.
    Stub,
}

/// A command that runs instead of an agent's turn.
pub(crate) struct Run {
    pub(crate) command: Command,
    /// How long it may take, in seconds.
    pub(crate) time: Option<u64>,
}

/// One outcome.
pub(crate) struct Outcome {
    pub(crate) name: Ident,
    pub(crate) wire: String,
    pub(crate) docs: Docs,
    pub(crate) method: Ident,
    /// Where it is mapped.
    pub(crate) mapped_at: Option<Span>,
    pub(crate) next: Next,
    /// Where its mapping names the next step.
    pub(crate) target_at: Option<Span>,
    /// What the engine must find before it follows the outcome.
    pub(crate) evidence: Vec<Evidence>,
    /// Whether it carries findings.
    pub(crate) findings: bool,
    /// Its former names, as they are on the wire.
    pub(crate) was: Vec<String>,
}

/// Where a run goes when a visit has used up a limit: a step or an exit.
pub(crate) struct AfterLimit {
    pub(crate) limit: VisitLimit,
    pub(crate) next: Next,
    /// Where that is written, if it is a step.
    pub(crate) at: Option<Span>,
}

/// Where an outcome leads, by index.
#[derive(Clone, Copy)]
pub(crate) enum Next {
    Step(usize),
    Exit(usize),
    Restart(usize),
}

/// Which reason an exit has.
pub(crate) enum Exit {
    /// A variant of the recipe's registry, or of the standard one.
    Authored(Reason),
    /// The standard one of the implied `Other`, and what replaces an unknown one.
    StandardOther,
}

impl Exit {
    /// Whether it is the one that every step has implicitly.
    pub(crate) fn is_implied(&self) -> bool {
        matches!(self, Self::StandardOther)
    }

    /// Whether it has this name, without the `r#` of a raw one.
    fn is_called(&self, reason: &str) -> bool {
        match self {
            Self::Authored(authored) => authored.name.unraw() == reason,
            Self::StandardOther => reason == OTHER_REASON,
        }
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::Authored(reason) => reason.name.to_string(),
            Self::StandardOther => OTHER_REASON.to_owned(),
        }
    }

    /// The same without the `r#` of a raw name.
    fn plain_name(&self) -> String {
        match self {
            Self::Authored(reason) => reason.name.unraw().to_string(),
            Self::StandardOther => OTHER_REASON.to_owned(),
        }
    }
}

/// A recipe that is restarted.
pub(crate) struct Restart {
    pub(crate) path: Path,
    /// What it is called in the generated module.
    pub(crate) name: Ident,
}

impl Outcome {
    /// Whether it takes the agent's description: an `Other` that exits does.
    pub(crate) fn is_described(&self) -> bool {
        self.name.unraw() == OTHER && matches!(self.next, Next::Exit(_))
    }
}

impl Step {
    /// The steps that its outcomes lead to, each once, in order.
    pub(crate) fn followers(&self) -> Vec<usize> {
        let mut steps = Vec::new();
        for outcome in &self.outcomes {
            match outcome.next {
                Next::Step(step) if !steps.contains(&step) => steps.push(step),
                Next::Step(_) | Next::Restart(_) | Next::Exit(_) => {}
            }
        }
        steps
    }

    /// The steps that a run can go to from here, each once: those that outcomes lead to, and those
    /// that the limits of a visit do.
    pub(crate) fn ways(&self) -> Vec<usize> {
        let mut steps = self.followers();
        for AfterLimit { next, .. } in &self.after_limits {
            match next {
                Next::Step(step) if !steps.contains(step) => steps.push(*step),
                Next::Step(_) | Next::Restart(_) | Next::Exit(_) => {}
            }
        }
        steps
    }
}

impl Shape {
    /// The path of the enum that the recipe's exits are variants of.
    pub(crate) fn registry(&self, krate: &TokenStream) -> TokenStream {
        match &self.registry {
            Some(path) => quote::quote!(#path),
            None => quote::quote!(#krate::ExitReason),
        }
    }

    /// The reason of an exit, told apart from a namesake in the author's registry.
    pub(crate) fn exit_path(&self, exit: usize) -> String {
        match &self.exits[exit] {
            Exit::Authored(Reason { standard: Some(word), name }) if self.registry.is_some() => {
                format!("{word}::{name}")
            }
            exit @ (Exit::Authored(_) | Exit::StandardOther) => exit.name(),
        }
    }

    /// The variant that a reason is, with the span of its name, where errors of the compiler then
    /// point.
    pub(crate) fn variant(
        &self,
        Reason { standard, name }: &Reason,
        krate: &TokenStream,
    ) -> TokenStream {
        let registry = match standard {
            Some(word) => quote::quote!(#krate::#word),
            None => self.registry(krate),
        };
        quote::quote_spanned!(name.span()=> #registry::#name)
    }
}
