//! Joins lists of tools at compile time: what `tools: [edit, ..BUILD]` becomes.

use std::borrow::Cow;
use std::mem;

use super::scope::same;
use super::tool::Tool;
use super::tool_pattern::flaw;

/// How many distinct tools these lists have together.
#[must_use]
pub const fn count_tools(parts: &[&[Tool]]) -> usize {
    let mut count = 0;
    let mut part = 0;
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            if !occurs_earlier(parts, part, index) {
                count += 1;
            }
            index += 1;
        }
        part += 1;
    }
    count
}

/// The distinct tools of these lists, in order; `N` is the result of [`count_tools`].
#[must_use]
pub const fn join_tools<const N: usize>(parts: &[&[Tool]]) -> [Tool; N] {
    let mut all = [const { Tool::Read }; N];
    let mut count = 0;
    let mut part = 0;
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            if !occurs_earlier(parts, part, index) {
                // An assignment would drop the old value, which is not possible at compile time.
                mem::forget(mem::replace(&mut all[count], copied(&parts[part][index])));
                count += 1;
            }
            index += 1;
        }
        part += 1;
    }
    all
}

/// What is wrong with lists that `recipe!` only knows by name.
#[must_use]
pub const fn tools_flaw(parts: &[&[Tool]]) -> Option<&'static str> {
    let (mut part, mut count) = (0, 0);
    while part < parts.len() {
        let mut index = 0;
        while index < parts[part].len() {
            let flaw = match &parts[part][index] {
                Tool::Read | Tool::Edit | Tool::Web => None,
                Tool::Command(Cow::Borrowed(pattern)) => flaw(pattern),
                // The only owned text that a constant can hold is the empty one.
                Tool::Command(Cow::Owned(_)) => flaw(""),
            };
            if flaw.is_some() {
                return flaw;
            }
            count += 1;
            index += 1;
        }
        part += 1;
    }
    if count == 0 {
        return Some(
            "this list of tools is empty: leave the field out, or write `[read]` if the agent may only read",
        );
    }
    None
}

/// Like [`tools_flaw`], for all tools of a step.
#[must_use]
pub const fn step_tools_flaw(tools: Option<&[Tool]>) -> Option<&'static str> {
    match tools {
        Some(tools) => tools_flaw(&[tools]),
        None => None,
    }
}

/// Whether the tool at this index also occurs earlier.
const fn occurs_earlier(parts: &[&[Tool]], last_part: usize, last_index: usize) -> bool {
    let tool = &parts[last_part][last_index];
    let mut part = 0;
    while part <= last_part {
        let end = if part == last_part { last_index } else { parts[part].len() };
        let mut index = 0;
        while index < end {
            if is_same(&parts[part][index], tool) {
                return true;
            }
            index += 1;
        }
        part += 1;
    }
    false
}

const fn is_same(a: &Tool, b: &Tool) -> bool {
    match (a, b) {
        (Tool::Read, Tool::Read) | (Tool::Edit, Tool::Edit) | (Tool::Web, Tool::Web) => true,
        (Tool::Command(Cow::Borrowed(a)), Tool::Command(Cow::Borrowed(b))) => same(a, b),
        (Tool::Read | Tool::Edit | Tool::Web | Tool::Command(_), _) => false,
    }
}

const fn copied(tool: &Tool) -> Tool {
    match tool {
        Tool::Read => Tool::Read,
        Tool::Edit => Tool::Edit,
        Tool::Web => Tool::Web,
        Tool::Command(Cow::Borrowed(pattern)) => Tool::Command(Cow::Borrowed(pattern)),
        Tool::Command(Cow::Owned(_)) => Tool::Command(Cow::Borrowed("")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &[Tool] = &[Tool::command("cargo *"), Tool::command("make")];
    const MAKE: &[Tool] = &[Tool::command("make"), Tool::Edit, Tool::command("make *")];
    const PARTS: &[&[Tool]] = &[&[Tool::Edit], CARGO, &[], MAKE];
    const ALL: &[Tool] = &join_tools::<{ count_tools(PARTS) }>(PARTS);

    #[test]
    fn the_first_occurrence_of_each_tool_is_kept_in_order() {
        let names: Vec<_> = ALL.iter().map(ToString::to_string).collect();
        assert_eq!(names, ["edit", "cargo *", "make", "make *"]);
        assert_eq!(count_tools(&[]), 0);
    }

    #[test]
    fn an_unchecked_pattern_with_a_flaw_is_found() {
        assert_eq!(tools_flaw(PARTS), None);
        assert_eq!(tools_flaw(&[&[Tool::Read]]), None);
        let unchecked = [Tool::Web, Tool::Command(Cow::Borrowed("cargo*"))];
        assert!(
            tools_flaw(&[CARGO, &unchecked]).is_some_and(|flaw| flaw.contains("after a space"))
        );
        assert!(tools_flaw(&[&[], &[]]).is_some_and(|flaw| flaw.contains("is empty")));
    }
}
