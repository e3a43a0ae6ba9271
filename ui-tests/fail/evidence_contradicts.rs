surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked, NoTasks],
            Complete => exit TaskCommitted if commit && no_commit,
            Blocked => exit ImplementationBlocked if changed && clean && changed,
            NoTasks => exit NoTasksAvailable if "make check" && exists "a" && exists "b" && r"make check",
        }
    }
}

fn main() {}
