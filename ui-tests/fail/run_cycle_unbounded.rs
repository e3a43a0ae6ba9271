surefire::recipe! {
    recipe Example {
        initial: Wait,
        step Wait { run: "test -e done", Passed => exit TaskCommitted, Failed => Wait }
    }
}

fn main() {}
