//! `tools`: on a step, on the recipe for its steps, taken from constants, and in shared steps.
#![deny(warnings)]

use surefire::Tool;

const BUILD: &[Tool] = &[Tool::command("cargo *"), Tool::command("make *")];

mod shared {
    use surefire::Tool;

    // Only this module sees it; recipes elsewhere include the steps all the same.
    const TEST: &[Tool] = &[Tool::command("cargo test *"), Tool::Read];

    surefire::steps! {
        pub(crate) steps review(clean) {
            step Review {
                prompt: "Review.",
                tools: [read, ..TEST, "bd show *", ..super::BUILD],
                outcomes: [NoIssues],
                NoIssues => clean,
            }

            /// Has no list of its own, and so that of the recipe.
            step Thank { prompt: "Say thanks.", outcomes: [Complete], Complete => clean }
        }
    }
}

surefire::recipe! {
    recipe Example {
        tools: [read, "git log *"],
        initial: Work,
        step Work {
            prompt: "Work.",
            tools: [edit, web, ..BUILD, "git add *", ..crate::BUILD, "make *"],
            outcomes: [Complete, Unsure],
            Complete => Review,
            Unsure => Thank,
        }
        include shared::review(clean => exit ChangesCommitted);
    }
}

surefire::recipe! {
    /// No list at all leaves the tools to the operator.
    recipe Bare {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn names(tools: Option<&'static [Tool]>) -> Vec<String> {
    tools.expect("it has a list").iter().map(ToString::to_string).collect()
}

fn main() {
    let [work, review, thank] = Example::OUTLINE.steps else { panic!("there are three") };
    // What is in several lists stands at its first place.
    assert_eq!(names(work.tools), ["edit", "web", "cargo *", "make *", "git add *"]);
    assert_eq!(names(review.tools), ["read", "cargo test *", "bd show *", "cargo *", "make *"]);
    assert_eq!(names(thank.tools), ["read", "git log *"]);
    assert_eq!(Bare::OUTLINE.steps[0].tools, None);
    inside_a_function();
}

fn inside_a_function() {
    const LOCAL: &[Tool] = &[Tool::Edit];
    surefire::recipe! {
        recipe Local {
            initial: Work,
            step Work { prompt: "Work.", tools: [..LOCAL], outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
    assert_eq!(Local::OUTLINE.steps[0].tools, Some(LOCAL));
}
