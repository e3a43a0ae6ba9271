//! Whether the agent is logged in, by its own word.

use std::path::Path;

use serde::Deserialize;

use super::finding::Finding;
use super::program;

const NAME: &str = "login";

/// The part of `claude auth status` that matters here.
#[derive(Deserialize)]
struct AuthStatus {
    #[serde(rename = "loggedIn")]
    logged_in: bool,
}

pub(super) async fn check(cli: &Path) -> Finding {
    let said = program::said(cli, &["auth", "status"]).await;
    let said = said.ok().and_then(|said| serde_json::from_str::<AuthStatus>(&said.out).ok());
    let cli = cli.display();
    match said.map(|status| status.logged_in) {
        Some(true) => Finding::good(NAME, "the agent is logged in"),
        Some(false) => Finding::bad(NAME, "the agent is not logged in", format!("run `{cli} auth login`")),
        None => Finding::doubtful(
            NAME,
            "cannot tell: the agent does not say whether it is logged in",
            format!("run `{cli} -p hello`, and log in if it asks for that; `{cli} update` may help as well"),
        ),
    }
}
