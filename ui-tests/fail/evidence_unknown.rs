surefire::recipe! {
    recipe Example {
        initial: Work,
        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked, NoTasks],
            Complete => exit TaskCommitted if comit,
            Blocked => exit ImplementationBlocked if tests_pass,
            NoTasks => exit NoTasksAvailable if commit "message" && exist "TODO",
        }
    }
}

fn main() {}
