//! The model names that the CLI understands.

use crate::agent::UnknownModel;

/// The CLI's short names.
const ALIASES: [&str; 8] =
    ["default", "best", "fable", "haiku", "opus", "opusplan", "sonnet", "sonnet[1m]"];

/// Whether this can be a model: one of the short names (`opus`), a full name (`claude-opus-4-1`),
/// or a full name as Amazon's and Google's services spell it (`us.anthropic.claude-…`,
/// `claude-…@20250805`).
///
/// The CLI accepts any word and fails later, so a typo is reported here, before anything is
/// started.
pub(super) fn check(model: &str) -> Result<(), UnknownModel> {
    if ALIASES.contains(&model) || is_full_name(model) {
        return Ok(());
    }
    let known = ALIASES.into_iter().chain(["claude-…"]).collect();
    Err(UnknownModel { model: model.to_owned(), known })
}

fn is_full_name(model: &str) -> bool {
    let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-._@:/[]".contains(c);
    let begins = model.starts_with(|c: char| c.is_ascii_lowercase());
    // An alias may also ask for the large window, as in `opus[1m]`.
    let known_kind = model.contains("claude-") || model.strip_suffix("[1m]").is_some_and(is_alias);
    begins && known_kind && model.len() <= 200 && model.chars().all(letters)
}

fn is_alias(name: &str) -> bool {
    ALIASES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_and_full_names_are_models() {
        for good in [
            "sonnet",
            "opus[1m]",
            "claude-opus-4-1-20250805",
            "claude-sonnet-4-5[1m]",
            "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
            "claude-opus-4@20250514",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let long = format!("claude-{}", "a".repeat(200));
        for bad in [
            "",
            "sonet",
            "--model",
            "-claude-x",
            "claude-x y",
            "claude-\n",
            "Claude-Opus",
            "gpt-5",
            &long,
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_typo_is_reported_with_the_known_names() {
        let error = check("sonet").unwrap_err().to_string();
        assert!(
            error.contains("`sonet`") && error.contains("sonnet") && error.contains("claude-…"),
            "{error}"
        );
    }
}
