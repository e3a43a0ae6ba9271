//! A list of tools names tools that exist, each once.

use proc_macro2::Ident;
use quote::ToTokens as _;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, TOOLS, ToolFlaw, ToolFlawKind, Tools};
use crate::spelling;
use crate::syntax::{Step, Tool};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let written = &recipe.written;
    if let (Some(field), Some(tools)) = (written.tools.first(), &recipe.tools) {
        let entries = field.value.as_deref().unwrap_or_default();
        list(&field.key, &format!("recipe `{}`", written.name), entries, tools, diagnostics);
    }
    for step in recipe.steps.iter().filter(|step| !step.written.shared) {
        check_step(&step.written, diagnostics);
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    // The rule about commands reports the tools of a command step.
    let field = step.tools.first().filter(|_| !step.is_command());
    if let Some(field) = field
        && let Some(entries) = &field.value
    {
        list(
            &field.key,
            &format!("step `{}`", step.name),
            entries,
            &Tools::new(entries),
            diagnostics,
        );
    }
}

fn list(key: &Ident, whose: &str, written: &[Tool], tools: &Tools, diagnostics: &mut Diagnostics) {
    if written.is_empty() {
        let message = format!(
            "{whose} has an empty list of tools: leave the field out, or write `[read]` if the agent may only read"
        );
        diagnostics.error(key, message);
    }
    for ToolFlaw { index, kind } in &tools.flaws {
        let tool = &written[*index];
        match kind {
            ToolFlawKind::Unknown => diagnostics.error(tool, unknown(tool)),
            ToolFlawKind::Quoted => {
                diagnostics.error(
                    tool,
                    format!("{} is a word, not a command: write it without quotes", shown(tool)),
                );
            }
            ToolFlawKind::Pattern(why) => {
                diagnostics
                    .error(tool, format!("{} cannot stand for a command: {why}", shown(tool)));
            }
            ToolFlawKind::Twice { first } => {
                let message = format!("{} is listed twice; keep one of them", shown(tool));
                diagnostics.error_and(tool, message, &written[*first], "first_listed_here");
            }
        }
    }
}

fn unknown(tool: &Tool) -> String {
    let name = tool.to_token_stream().to_string();
    let advice = spelling::advice(&name, TOOLS, "the tools are");
    let is_constant = name.chars().all(|c| c.is_uppercase() || c == '_');
    let command = match spelling::closest(&name, TOOLS) {
        Some(_) => String::new(),
        None if is_constant => format!("; the tools of a constant are inserted with `..{name}`"),
        None => format!("; a command is written in quotes: `\"{name} *\"`"),
    };
    format!("there is no tool `{name}`{advice}{command}")
}

fn shown(tool: &Tool) -> String {
    match tool {
        Tool::Word(word) => format!("`{word}`"),
        Tool::Pattern(pattern) => format!("`{}`", pattern.token()),
        Tool::Group(group) => format!("`..{}`", group.name),
    }
}
