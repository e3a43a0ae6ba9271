//! `scope`, `allow_lockfiles`, `needs` and `isolate`: what a run may do with files, and needs of
//! its directory.
#![deny(warnings)]

use surefire::{FileScope, Needs, Tool};

const READING: &[Tool] = &[Tool::command("git log *")];

surefire::recipe! {
    recipe Example {
        scope: { allow: ["src/**", r"/docs/", "[!a-z]?*.md"], deny: [".github/**", "**/.env*",], },
        allow_lockfiles: true,
        needs: { clean_tree, task, },
        isolate: true,
        initial: Work,
        step Work { prompt: "Work.", tools: [edit], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// The same graph, and nothing about files.
    recipe Plain {
        initial: Work,
        step Work { prompt: "Work.", tools: [edit], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    recipe OneList {
        scope: { deny: ["docs"] },
        allow_lockfiles: false,
        needs: { task },
        isolate: false,
        initial: Work,
        // Without a list the operator says what may be changed, so the scope matters.
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

surefire::recipe! {
    /// Only a command can change something.
    recipe ByEvidence {
        tools: [read],
        scope: { allow: ["target/"] },
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted if "make check" }
    }
}

surefire::recipe! {
    /// Only the compiler sees what a constant lists.
    recipe ByConstant {
        tools: [..READING],
        scope: { allow: ["target/"] },
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    let outline = Example::OUTLINE;
    assert_eq!(outline.scope.allow[..], ["src/**", "/docs/", "[!a-z]?*.md"]);
    assert_eq!(outline.scope.deny[..], [".github/**", "**/.env*"]);
    assert_eq!(outline.scope.flaw(), None);
    assert!(outline.allow_lockfiles && outline.isolate);
    assert!(outline.needs.clean_tree && outline.needs.task);

    let plain = Plain::OUTLINE;
    assert_eq!(*plain.scope, FileScope::EVERYTHING);
    assert!(!plain.allow_lockfiles && !plain.isolate);
    assert_eq!(plain.needs, Needs::default());
    assert_eq!(outline.fingerprint, plain.fingerprint, "a run can go on after these were edited");

    assert!(OneList::OUTLINE.scope.allow.is_empty());
    assert!(!OneList::OUTLINE.allow_lockfiles && !OneList::OUTLINE.isolate);
    let needs = OneList::OUTLINE.needs;
    assert!(!needs.clean_tree && needs.task);
    assert_eq!(ByEvidence::OUTLINE.scope.allow, ByConstant::OUTLINE.scope.allow);
}
