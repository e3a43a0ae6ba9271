//! Which object of a reply decides; the rules are in the documentation of the `outcome` module.
//!
//! Braces are tried one after another, outward from the last mention. All attempts together may
//! only examine a fixed number of bytes per byte of the text, so that a hostile reply cannot make
//! this quadratic.

use super::OUTCOME;
use super::alone::stands_alone;
use super::mention::last_mention;
use super::object::{Broken, Object, may_begin, object_at};
use super::repair::Repair;
use super::unread::{Flaw, Unread};

/// How many bytes may be examined for each byte of the text, and how many more for any text.
const MAX_EXAMINED_PER_BYTE: usize = 16;
const EXTRA_EXAMINED_BYTES: usize = 1 << 16;

/// The deciding object, and the text that its offsets refer to.
///
/// # Errors
/// Why no object decides.
pub(super) fn decide(reply: &str) -> Result<(Object, &str), Unread> {
    let (text, fence) = without_ending(reply);
    let mut object = Search::new(text).answer()?;
    // The fence only matters if the object extends up to it.
    if fence && object.repaired.contains(&Repair::MissingBrace) {
        object.repaired.insert(0, Repair::Fence);
    }
    Ok((object, text))
}

/// The reply without trailing space and closing fence, and whether there was a fence.
fn without_ending(reply: &str) -> (&str, bool) {
    let trim =
        |text: &str| text.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    let text = &reply[..trim(reply)];
    for mark in ['`', '~'] {
        let inside = text.trim_end_matches(mark);
        if text.len() - inside.len() >= 3 {
            return (&inside[..trim(inside)], true);
        }
    }
    (text, false)
}

/// The offset of the next brace at or after `at`. Adjacent braces are found without searching for
/// each.
fn next_brace(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at)? {
        b'{' => Some(at),
        _ => text[at..].find('{').map(|length| at + length),
    }
}

struct Search<'t> {
    text: &'t str,
    /// How many bytes were examined so far.
    examined: usize,
}

/// What is around a mention.
enum Around {
    /// The object that is the answer.
    Answer(Object),
    /// A larger value, which has no outcome of its own.
    Bigger,
    /// An object without an outcome that begins here: the mention is only text in it.
    Words(usize),
    /// No complete object.
    Nothing(Flaw),
}

/// The objects from an offset on.
#[derive(Default)]
struct Survey {
    /// The last one with an outcome of its own.
    answer: Option<Object>,
    /// Whether there is any complete object.
    has_object: bool,
    /// Whether a brace and a quote begin something that is not an object.
    has_attempt: bool,
}

impl<'t> Search<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, examined: 0 }
    }

    fn answer(&mut self) -> Result<Object, Unread> {
        let mut limit = self.text.len();
        while let Some(mention) = last_mention(&self.text[..limit]) {
            match self.around(mention)? {
                Around::Answer(object) => {
                    // A key with escapes, or with a comment before its colon, is not a mention.
                    let after = self.survey(object.end)?;
                    return Ok(after.answer.unwrap_or(object));
                }
                Around::Bigger => return Err(Unread::NoOutcome),
                Around::Words(start) => limit = start,
                Around::Nothing(flaw) => return Err(Unread::NotJson { flaw }),
            }
        }
        let survey = self.survey(0)?;
        Err(match survey.answer {
            Some(object) => return Ok(object),
            None if survey.has_object => Unread::NoOutcome,
            None if survey.has_attempt => Unread::NotJson { flaw: Flaw::Malformed },
            None => Unread::NoJson,
        })
    }

    /// Tries the braces before a mention, the nearest first.
    fn around(&mut self, mention: usize) -> Result<Around, Unread> {
        let text = self.text;
        let mut is_key_inside = false;
        let (mut flaw, mut furthest) = (Flaw::Malformed, mention);
        for (start, _) in text[..mention].rmatch_indices('{') {
            if !may_begin(text, start) {
                // It fails before the mention, so its flaw is not the one to report.
                self.count(1)?;
                continue;
            }
            match self.object_at(start)? {
                Ok(object) if object.end <= mention => {}
                Ok(object) => {
                    let has_outcome = object.has(text, OUTCOME);
                    match stands_alone(text, object.start, object.end) {
                        true if has_outcome => return Ok(Around::Answer(object)),
                        true if is_key_inside => return Ok(Around::Bigger),
                        true => return Ok(Around::Words(start)),
                        false => is_key_inside |= has_outcome,
                    }
                }
                Err(broken) if broken.reached > furthest => {
                    (flaw, furthest) = (broken.flaw, broken.reached);
                }
                Err(_) => {}
            }
        }
        Ok(if is_key_inside { Around::Bigger } else { Around::Nothing(flaw) })
    }

    /// Visits the objects from an offset on, in the order of the text.
    fn survey(&mut self, from: usize) -> Result<Survey, Unread> {
        let text = self.text;
        let mut survey = Survey::default();
        let mut at = from;
        while let Some(start) = next_brace(text, at) {
            at = start + 1;
            if !may_begin(text, start) {
                self.count(1)?;
                survey.has_attempt = survey.has_attempt || is_attempt(&text[at..]);
                continue;
            }
            match self.object_at(start)? {
                Ok(object) => {
                    at = object.end;
                    survey.has_object = true;
                    if object.has(text, OUTCOME) {
                        if !stands_alone(text, start, at) {
                            return Err(Unread::NoOutcome);
                        }
                        survey.answer = Some(object);
                    } else if object.repaired.contains(&Repair::MissingBrace) {
                        // The reply may have ended before its outcome.
                        return Err(Unread::NotJson { flaw: Flaw::Unfinished });
                    }
                }
                Err(Broken { flaw: Flaw::Unfinished, .. }) => {
                    return Err(Unread::NotJson { flaw: Flaw::Unfinished });
                }
                Err(_) => survey.has_attempt = survey.has_attempt || is_attempt(&text[at..]),
            }
        }
        Ok(survey)
    }

    /// Reads the object at this brace and counts the examined bytes; fails if there are too many.
    fn object_at(&mut self, start: usize) -> Result<Result<Object, Broken>, Unread> {
        let object = object_at(self.text, start);
        self.count(
            object.as_ref().map_or_else(|broken| broken.reached, |object| object.end) - start,
        )?;
        Ok(object)
    }

    /// Counts examined bytes; fails if there are too many.
    fn count(&mut self, bytes: usize) -> Result<(), Unread> {
        self.examined += bytes;
        if self.examined > MAX_EXAMINED_PER_BYTE * self.text.len() + EXTRA_EXAMINED_BYTES {
            return Err(Unread::NotJson { flaw: Flaw::Tangled });
        }
        Ok(())
    }
}

/// Whether a quote follows a brace that does not begin an object: the agent meant to write one.
fn is_attempt(after: &str) -> bool {
    match after.as_bytes().first() {
        // Without whitespace there is nothing to skip.
        Some(first @ b'!'..=b'~') => *first == b'"',
        Some(_) | None => after.trim_start().starts_with('"'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result, and how many bytes were examined.
    fn cost(text: &str) -> (Result<Object, Unread>, usize) {
        let mut search = Search::new(text);
        (search.answer(), search.examined)
    }

    const ANSWER: &str = "Done.\n{\"outcome\": \"complete\"}";

    #[test]
    fn nothing_before_the_answer_is_examined() {
        for decoy in [
            "{",
            "\"",
            "\\",
            "}",
            "{\"a\":1}",
            "{\"outcome\":",
            "{\"outcome\": \"complete\"}\n",
            "{/*",
            "{//",
        ] {
            let text = format!("{}\n{ANSWER}", decoy.repeat(100_000));
            let (answer, examined) = cost(&text);
            assert_eq!(answer.map(|object| object.start), Ok(text.len() - 23), "{decoy}");
            assert_eq!(examined, 23, "{decoy}");
        }
    }

    #[test]
    fn reading_takes_linear_time() {
        let pieces = [
            "{",
            "\"",
            "\\",
            "}",
            "[",
            ":",
            " ",
            "{\"",
            "{\\",
            "{}",
            "{ ",
            "{\"a\":1}",
            "{\"a\":1,",
            "outcome:",
            "\"outcome\":",
            "{\"a\":\"{outcome:\"}",
            "{'outcome':",
            "{\"a",
            "{\"a\":\"{",
            "//",
            "/*",
            "*/",
            "{\"outcome\":\"x\"},",
        ];
        for piece in pieces {
            let many = piece.repeat(40_000);
            for text in
                [many.clone(), format!("{ANSWER}\n{many}"), format!("{many}\n\"outcome\": x")]
            {
                let (_, examined) = cost(&text);
                assert!(
                    examined <= 3 * text.len(),
                    "{piece}: {examined} bytes were examined in a text of {}",
                    text.len()
                );
            }
        }
    }

    #[test]
    fn a_reply_that_would_take_too_long_is_not_read() {
        let tangles = [
            "{\"a\":".repeat(100_000),
            "{\"outcome\":".repeat(100_000),
            "{/*".repeat(100_000) + "*/ x \"outcome\":",
            "{//".repeat(100_000) + "\n\"outcome\":",
            "{\"a\":1,/*".repeat(100_000) + "*/" + &"\"b\":2,".repeat(100_000) + "x \"outcome\":",
        ];
        for text in tangles {
            let (answer, examined) = cost(&(text.clone() + " 1"));
            assert!(matches!(answer, Err(Unread::NotJson { .. })), "{answer:?}");
            let limit = (MAX_EXAMINED_PER_BYTE + 1) * text.len() + EXTRA_EXAMINED_BYTES + 2;
            assert!(examined <= limit, "{examined}");
            // An answer after it is cheap to read.
            assert_eq!(cost(&format!("{text}\n{ANSWER}")).1, 23);
        }
    }

    #[test]
    fn a_fence_only_matters_for_a_missing_brace() {
        let cases = [
            ("a\n```\n", "a", true),
            ("a````", "a", true),
            ("a\n~~~", "a", true),
            ("a``", "a``", false),
        ];
        for (reply, text, fence) in cases {
            assert_eq!(without_ending(reply), (text, fence));
        }
    }
}
