//! Commands that several recipes let an agent run, as constants for `tools: [edit, ..BUILD]`.
//!
//! The operator can allow a run further commands that a project needs.

use crate::Tool;

/// Commands that build and test a project, for steps that change it.
///
/// ```
/// use surefire::recipes::tools::BUILD;
///
/// surefire::recipe! {
///     recipe Bump {
///         initial: Update,
///         step Update {
///             prompt: "Update one dependency, and see that the tests pass.",
///             tools: [edit, ..BUILD],
///             outcomes: [Complete],
///             Complete => exit ChangesCommitted,
///         }
///     }
/// }
///
/// let tools = Bump::OUTLINE.steps[0].tools.unwrap();
/// assert_eq!(tools.len(), BUILD.len() + 1);
/// ```
pub const BUILD: &[Tool] = &[
    Tool::command("cargo *"),
    Tool::command("npm *"),
    Tool::command("npx *"),
    Tool::command("pnpm *"),
    Tool::command("yarn *"),
    Tool::command("bun *"),
    Tool::command("node *"),
    Tool::command("deno *"),
    Tool::command("go *"),
    Tool::command("python *"),
    Tool::command("python3 *"),
    Tool::command("pytest *"),
    Tool::command("uv *"),
    Tool::command("poetry *"),
    Tool::command("tox *"),
    Tool::command("ruff *"),
    Tool::command("mypy *"),
    Tool::command("make *"),
    Tool::command("just *"),
    Tool::command("cmake *"),
    Tool::command("ctest *"),
    Tool::command("ninja *"),
    Tool::command("bazel *"),
    Tool::command("mvn *"),
    Tool::command("./mvnw *"),
    Tool::command("gradle *"),
    Tool::command("./gradlew *"),
    Tool::command("dotnet *"),
    Tool::command("bundle *"),
    Tool::command("rake *"),
    Tool::command("mix *"),
    Tool::command("swift *"),
    Tool::command("dart *"),
    Tool::command("flutter *"),
    Tool::command("composer *"),
    Tool::command("php *"),
];

/// Commands that test, check and lint a project, for steps that only review it.
pub const TEST: &[Tool] = &[
    Tool::command("cargo test *"),
    Tool::command("cargo nextest run *"),
    Tool::command("cargo build *"),
    Tool::command("cargo check *"),
    Tool::command("cargo clippy *"),
    Tool::command("cargo fmt --check *"),
    Tool::command("cargo fmt --all --check *"),
    Tool::command("npm test *"),
    Tool::command("npm run test *"),
    Tool::command("npm run lint *"),
    Tool::command("npx tsc *"),
    Tool::command("npx eslint *"),
    Tool::command("npx jest *"),
    Tool::command("npx vitest run *"),
    Tool::command("pnpm test *"),
    Tool::command("pnpm lint *"),
    Tool::command("yarn test *"),
    Tool::command("yarn lint *"),
    Tool::command("bun test *"),
    Tool::command("deno test *"),
    Tool::command("node --test *"),
    Tool::command("go build *"),
    Tool::command("go test *"),
    Tool::command("go vet *"),
    Tool::command("pytest *"),
    Tool::command("python -m pytest *"),
    Tool::command("python3 -m pytest *"),
    Tool::command("uv run pytest *"),
    Tool::command("poetry run pytest *"),
    Tool::command("tox *"),
    Tool::command("ruff check *"),
    Tool::command("mypy *"),
    Tool::command("make test *"),
    Tool::command("make check *"),
    Tool::command("make lint *"),
    Tool::command("just test *"),
    Tool::command("just check *"),
    Tool::command("just lint *"),
    Tool::command("ctest *"),
    Tool::command("bazel test *"),
    Tool::command("mvn test *"),
    Tool::command("mvn verify *"),
    Tool::command("./mvnw test *"),
    Tool::command("./mvnw verify *"),
    Tool::command("gradle test *"),
    Tool::command("gradle check *"),
    Tool::command("./gradlew test *"),
    Tool::command("./gradlew check *"),
    Tool::command("dotnet build *"),
    Tool::command("dotnet test *"),
    Tool::command("bundle exec rspec *"),
    Tool::command("bundle exec rubocop *"),
    Tool::command("rake test *"),
    Tool::command("mix test *"),
    Tool::command("swift build *"),
    Tool::command("swift test *"),
    Tool::command("dart test *"),
    Tool::command("flutter test *"),
    Tool::command("composer test *"),
];

/// Commands that read from the tracker.
pub const TRACKER: &[Tool] = &[
    Tool::command("bd ready *"),
    Tool::command("bd list *"),
    Tool::command("bd show *"),
    Tool::command("bd dep tree *"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_in_test_is_in_build() {
        let programs: Vec<_> = BUILD.iter().map(program).collect();
        for tool in TEST {
            assert!(programs.contains(&program(tool)), "{tool} is not in `BUILD`");
        }
    }

    #[test]
    fn no_list_has_duplicates() {
        for list in [BUILD, TEST, TRACKER] {
            for (index, tool) in list.iter().enumerate() {
                assert!(!list[..index].contains(tool), "{tool}");
            }
        }
    }

    fn program(tool: &Tool) -> String {
        tool.to_string().split(' ').next().unwrap_or_default().to_owned()
    }
}
