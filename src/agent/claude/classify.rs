//! Classifying the end of a turn from everything that is known, in a fixed order.

use super::event::Envelope;
use super::transcript::Transcript;
use crate::agent::{Failure, Reply, Turn};

/// What is left of a process that has ended.
#[derive(Debug)]
pub(super) struct ProcessOutput<'a> {
    pub(super) transcript: &'a Transcript,
    /// A description of how the process ended.
    pub(super) status: &'a str,
    /// The end of its standard error.
    pub(super) stderr: &'a str,
}

/// The reply, or the reason why there is none.
///
/// The exit status is ignored: the CLI may exit with 1 even after a good reply.
pub(super) fn classify(turn: &Turn, output: &ProcessOutput<'_>) -> Result<Reply, Failure> {
    let Some(envelope) = &output.transcript.envelope else {
        return Err(no_envelope(output));
    };
    // Seen when logged out: `is_error` together with `subtype: success`. Neither field decides
    // alone.
    if envelope.is_error || envelope.subtype.starts_with("error") {
        return Err(error(envelope, output));
    }
    let expected = turn.session.to_string();
    match &envelope.session {
        Some(found) if *found != expected => {
            Err(Failure::OtherSession { expected, found: found.clone() })
        }
        _ => Ok(Reply {
            text: envelope.text.clone(),
            cost_usd: output.transcript.cost_usd(),
            version: output.transcript.version.clone(),
            rounds: output.transcript.rounds,
            refused: output.transcript.refused.clone(),
            written: output.transcript.written.clone(),
        }),
    }
}

fn no_envelope(output: &ProcessOutput<'_>) -> Failure {
    if is_lost(output.stderr) {
        return lost(output.stderr);
    }
    Failure::NoReply { status: output.status.to_owned(), stderr: output.stderr.to_owned() }
}

fn error(envelope: &Envelope, output: &ProcessOutput<'_>) -> Failure {
    let words = words(envelope, output);
    // The error kind and the stop reason are searched like the message. Standard error is not: an
    // MCP server may have written to it.
    let kind = output.transcript.service_error.as_deref().unwrap_or_default();
    let hints = format!("{}\n{kind}\n{}", envelope.text, envelope.terminal_reason).to_lowercase();
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| hints.contains(phrase));
    let status = envelope.api_error_status;

    if is_lost(&words) {
        lost(&words)
    } else if envelope.terminal_reason.starts_with("aborted") {
        // What the CLI writes after a SIGINT. A stop by this server does not get here: another
        // process sent the signal, or a server that was killed before it could finish the stop.
        Failure::Stopped
    } else if envelope.subtype == "error_max_turns" {
        Failure::TooManyRounds { words }
    } else if envelope.subtype == "error_max_budget_usd" {
        Failure::BudgetSpent { words }
    } else if status == Some(401) || says(&LOGIN_HINTS) {
        Failure::NotLoggedIn { words }
    } else if status == Some(429)
        || says(&USAGE_LIMIT_HINTS)
        || (hints.contains("hit your") && hints.contains("limit"))
    {
        Failure::UsageLimit { resets_at: reset(&words).or(output.transcript.limit_resets), words }
    } else if status == Some(529) || says(&OVERLOAD_HINTS) {
        Failure::Overloaded { words }
    } else if status == Some(413) || says(&CONTEXT_FULL_HINTS) {
        Failure::ContextFull { words }
    } else {
        Failure::Refused { words }
    }
}

// As measured with 2.1.325: every error of the service comes as `is_error: true` with
// `subtype: success`, its number in `api_error_status`, and a message with its kind before it: 401
// and 403 `authentication_failed`, 429 `rate_limit`, 529 `server_error`, a full context 400
// `invalid_request`, no credit left 400 `billing_error`. Other versions have only a message.
const LOGIN_HINTS: [&str; 7] = [
    "please run /login",
    "not logged in",
    "invalid api key",
    "authentication_error",
    "authentication_failed",
    "oauth token has expired",
    "oauth token revoked",
];
const USAGE_LIMIT_HINTS: [&str; 5] =
    ["usage limit", "hour limit reached", "weekly limit reached", "rate_limit", "rate limit"];
const OVERLOAD_HINTS: [&str; 1] = ["overloaded"];
const CONTEXT_FULL_HINTS: [&str; 7] = [
    "prompt is too long",
    "prompt_too_long",
    "context window",
    "context limit",
    "context length",
    "conversation too long",
    "request_too_large",
];

/// The CLI's message, or the closest substitute.
fn words(envelope: &Envelope, output: &ProcessOutput<'_>) -> String {
    let candidates = [envelope.text.trim(), output.stderr.trim(), envelope.subtype.as_str()];
    candidates.into_iter().find(|words| !words.is_empty()).unwrap_or("it gave no reason").to_owned()
}

/// The reset time, which some versions append: `Claude AI usage limit reached|1731234567`.
fn reset(words: &str) -> Option<u64> {
    let (_, after) = words.rsplit_once('|')?;
    let digits: String = after.trim().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

fn is_lost(words: &str) -> bool {
    words.contains("No conversation found")
}

/// The line with the message, without the rest.
fn lost(words: &str) -> Failure {
    let message = words.lines().find(|line| is_lost(line)).unwrap_or(words);
    Failure::ConversationLost { words: message.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::agent::{RepositorySettings, TurnLimits};

    fn turn() -> Turn {
        Turn {
            attempt: Uuid::nil(),
            session: Uuid::from_u128(1),
            opened: true,
            prompt: String::new(),
            model: None,
            system_prompt: None,
            tools: None,
            allowed: Vec::new(),
            repository: RepositorySettings::Used,
            directory: "/".into(),
            scratch: "/".into(),
            run: None,
            restarts: 0,
            step: None,
            limits: TurnLimits::default(),
        }
    }

    fn classified(transcript: &Transcript, stderr: &str) -> Result<Reply, Failure> {
        classify(&turn(), &ProcessOutput { transcript, status: "exit status: 1", stderr })
    }

    fn failed(envelope: Envelope) -> Failure {
        let envelope = Envelope { is_error: true, ..envelope };
        let transcript =
            Transcript { envelope: Some(envelope), limit_resets: Some(9), ..Transcript::default() };
        classified(&transcript, "").unwrap_err()
    }

    fn with_words(text: &str) -> Envelope {
        Envelope { text: text.to_owned(), subtype: "success".to_owned(), ..Envelope::default() }
    }

    #[test]
    fn an_error_is_classified_by_its_message_and_status() {
        use Failure::{
            BudgetSpent, ContextFull, NotLoggedIn, Overloaded, Refused, TooManyRounds, UsageLimit,
        };
        let words = |text: &str| text.to_owned();
        let status = |status, text| Envelope { api_error_status: Some(status), ..with_words(text) };
        let subtype = |subtype: &str| Envelope { subtype: subtype.to_owned(), ..with_words("w") };
        let limit =
            |resets_at, text: &str| UsageLimit { resets_at: Some(resets_at), words: words(text) };
        let table = [
            (
                with_words("Not logged in · Please run /login"),
                NotLoggedIn { words: words("Not logged in · Please run /login") },
            ),
            (
                with_words("Invalid API key · Fix external API key"),
                NotLoggedIn { words: words("Invalid API key · Fix external API key") },
            ),
            (status(401, "w"), NotLoggedIn { words: words("w") }),
            (
                with_words("Claude AI usage limit reached|1731234567"),
                limit(1_731_234_567, "Claude AI usage limit reached|1731234567"),
            ),
            (
                with_words("You've hit your limit · resets 3pm"),
                limit(9, "You've hit your limit · resets 3pm"),
            ),
            (
                with_words("5-hour limit reached ∙ resets 3pm"),
                limit(9, "5-hour limit reached ∙ resets 3pm"),
            ),
            (status(429, "w"), limit(9, "w")),
            (status(529, "w"), Overloaded { words: words("w") }),
            (
                with_words("API Error: Overloaded"),
                Overloaded { words: words("API Error: Overloaded") },
            ),
            (with_words("Prompt is too long"), ContextFull { words: words("Prompt is too long") }),
            (subtype("error_max_turns"), TooManyRounds { words: words("w") }),
            (subtype("error_max_budget_usd"), BudgetSpent { words: words("w") }),
            (status(500, "API Error: 500"), Refused { words: words("API Error: 500") }),
            (subtype("error_brand_new"), Refused { words: words("w") }),
        ];
        for (envelope, failure) in table {
            assert_eq!(failed(envelope.clone()), failure, "{envelope:?}");
        }
    }

    #[test]
    fn a_subtype_alone_can_report_an_error_and_replaces_a_missing_message() {
        let envelope =
            Envelope { subtype: "error_during_execution".to_owned(), ..Envelope::default() };
        let transcript = Transcript { envelope: Some(envelope), ..Transcript::default() };
        assert_eq!(
            classified(&transcript, ""),
            Err(Failure::Refused { words: "error_during_execution".to_owned() })
        );
        assert_eq!(
            classified(&transcript, "boom\n"),
            Err(Failure::Refused { words: "boom".to_owned() })
        );
    }

    #[test]
    fn the_kind_of_a_service_error_counts_like_its_message() {
        let transcript = Transcript {
            envelope: Some(Envelope { is_error: true, ..with_words("something new") }),
            service_error: Some("authentication_failed".to_owned()),
            ..Transcript::default()
        };
        assert!(matches!(classified(&transcript, ""), Err(Failure::NotLoggedIn { .. })));
    }

    #[test]
    fn an_interrupted_turn_was_stopped() {
        let aborted = Envelope {
            terminal_reason: "aborted_streaming".to_owned(),
            ..with_words("[ede_diagnostic]")
        };
        assert_eq!(failed(aborted), Failure::Stopped);
    }

    #[test]
    fn a_good_reply_may_speak_of_errors() {
        let text = "Please run /login, the usage limit is reached, 529 overloaded";
        let transcript = Transcript { envelope: Some(with_words(text)), ..Transcript::default() };
        assert_eq!(classified(&transcript, "noise").unwrap().text, text);
    }

    #[test]
    fn a_reply_for_another_session_is_a_failure() {
        let envelope = Envelope { session: Some("other".to_owned()), ..with_words("w") };
        let transcript = Transcript { envelope: Some(envelope), ..Transcript::default() };
        assert!(
            matches!(classified(&transcript, ""), Err(Failure::OtherSession { found, .. }) if found == "other")
        );
    }

    #[test]
    fn without_an_envelope_the_failure_has_the_end_of_standard_error() {
        let failure = classified(&Transcript::default(), "panic: out of cheese").unwrap_err();
        assert_eq!(
            failure.to_string(),
            "the agent's process ended without a reply (exit status: 1): panic: out of cheese"
        );
    }

    #[test]
    fn a_lost_conversation_is_recognized_wherever_the_cli_reports_it() {
        let message = "No conversation found with session ID: x";
        let expected = Failure::ConversationLost { words: message.to_owned() };
        let text = format!(
            "the agent reports an error: {message}; the conversation is lost, start a new session"
        );
        assert_eq!(expected.to_string(), text);
        assert_eq!(
            classified(&Transcript::default(), &format!("warning\n{message}\n")),
            Err(expected.clone())
        );
        assert_eq!(failed(with_words(message)), expected);
    }

    #[test]
    fn output_of_other_programs_on_standard_error_decides_nothing() {
        for (subtype, budget) in [("error_max_budget_usd", true), ("error_during_execution", false)]
        {
            let envelope =
                Envelope { subtype: subtype.to_owned(), is_error: true, ..Envelope::default() };
            let transcript = Transcript { envelope: Some(envelope), ..Transcript::default() };
            let failure =
                classified(&transcript, "[mcp] rate limit: 4990 of 5000 left").unwrap_err();
            assert_eq!(matches!(failure, Failure::BudgetSpent { .. }), budget, "{failure:?}");
            assert!(!matches!(failure, Failure::UsageLimit { .. }), "{failure:?}");
        }
    }
}
