surefire::recipe! {
    recipe Example {
        scope: { denny: [".github/**"], only: ["src/**"] },
        needs: { clean_tre, git, clean_tree, clean_tree, tasks, task, task },
        initial: Work,
        step Work { prompt: "Work.", tools: [edit], outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

fn main() {
    drop(Example::begin());
}
