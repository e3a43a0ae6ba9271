//! The rules for every agent hold for those of this crate.

#[cfg(target_os = "linux")]
mod claude {
    use serde_json::json;
    use surefire_testkit::conformance::agent::Candidate;
    use surefire_testkit::sandbox::ClaudeSandbox;

    surefire_testkit::agent_conformance!(|| {
        let (answers, works) =
            (ClaudeSandbox::with(&json!({})), ClaudeSandbox::with(&json!({ "act": "silence" })));
        Candidate::new(answers.claude.clone(), works.claude.clone()).keeping((answers, works))
    });
}

mod rehearsal {
    use surefire::agent::{Rehearsal, Script};
    use surefire_testkit::conformance::agent::Candidate;

    surefire_testkit::agent_conformance!(|| {
        Candidate::new(Rehearsal::new(Script::Happy), Rehearsal::new(Script::Slow))
    });
}
