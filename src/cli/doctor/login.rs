//! Checks whether the agent reports that it is logged in.

use std::path::Path;

use serde::Deserialize;

use super::finding::Finding;
use super::program;

const CHECK: &str = "login";

/// The part of `claude auth status` that matters here.
#[derive(Deserialize)]
struct AuthStatus {
    #[serde(rename = "loggedIn")]
    logged_in: bool,
}

pub(super) async fn check(cli: &Path) -> Finding {
    let output = program::output_of(cli, &["auth", "status"]).await;
    let status =
        output.ok().and_then(|output| serde_json::from_str::<AuthStatus>(&output.out).ok());
    let cli = cli.display();
    match status.map(|status| status.logged_in) {
        Some(true) => Finding::good(CHECK, "the agent is logged in"),
        Some(false) => {
            Finding::bad(CHECK, "the agent is not logged in", format!("run `{cli} auth login`"))
        }
        None => Finding::doubtful(
            CHECK,
            "unknown: the agent does not report whether it is logged in",
            format!("run `{cli} -p hello`, and log in if it asks; `{cli} update` may also help"),
        ),
    }
}
