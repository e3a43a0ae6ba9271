//! Which object of a reply decides; the rules are in the room's own page.
//!
//! Braces are tried one after another, outward from the last mention. Each try may end early or late, so the bytes that all tries
//! together look at are counted, and a text that is made to cost more than a fixed number of looks a byte is not read.

use super::OUTCOME;
use super::alone::stands_alone;
use super::mention::last_mention;
use super::object::{Broken, Object, may_begin, object_at};
use super::repair::Repair;
use super::unread::{Flaw, Unread};

/// How many bytes may be looked at for each byte of the text, and how many in any case.
const LOOKS: usize = 16;
const LOOKS_IN_ANY_CASE: usize = 1 << 16;

/// The object that decides, and the text that its places are in.
///
/// # Errors
/// Why none does.
pub(super) fn decide(reply: &str) -> Result<(Object, &str), Unread> {
    let (text, fence) = without_ending(reply);
    let mut object = Search::new(text).answer()?;
    // The fence was in the way only if the object goes on until there.
    if fence && object.repaired.contains(&Repair::MissingBrace) {
        object.repaired.insert(0, Repair::Fence);
    }
    Ok((object, text))
}

/// The reply without the space, and the closing fence, that it ends with; and whether there was a fence.
fn without_ending(reply: &str) -> (&str, bool) {
    let trim = |text: &str| text.trim_end_matches(|c: char| c.is_whitespace() || c == '\u{feff}').len();
    let text = &reply[..trim(reply)];
    for mark in ['`', '~'] {
        let inside = text.trim_end_matches(mark);
        if text.len() - inside.len() >= 3 {
            return (&inside[..trim(inside)], true);
        }
    }
    (text, false)
}

/// The place of the next brace, this one included. Where braces stand side by side, no search is set up for each.
fn next_brace(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes().get(at)? {
        b'{' => Some(at),
        _ => text[at..].find('{').map(|length| at + length),
    }
}

struct Search<'t> {
    text: &'t str,
    /// How many bytes were looked at so far.
    looked: usize,
}

/// What is around a mention.
enum Around {
    /// The object that it answers with.
    Answer(Object),
    /// A bigger value, which has no outcome of its own.
    Bigger,
    /// An object without outcome, beginning here: the mention is but words in it.
    Words(usize),
    /// No complete object.
    Nothing(Flaw),
}

/// What objects there are from some place on.
#[derive(Default)]
struct Survey {
    /// The last one with an outcome of its own.
    answer: Option<Object>,
    /// Whether there is any complete one.
    has_object: bool,
    /// Whether a brace and a quote begin something that is none.
    has_attempt: bool,
}

impl<'t> Search<'t> {
    fn new(text: &'t str) -> Self {
        Self { text, looked: 0 }
    }

    fn answer(&mut self) -> Result<Object, Unread> {
        let mut limit = self.text.len();
        while let Some(mention) = last_mention(&self.text[..limit]) {
            match self.around(mention)? {
                Around::Answer(object) => {
                    // A key that is spelt with escapes, or has a comment before its colon, is no mention.
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
                // It is seen before the mention, so that its flaw is not the one to tell.
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

    /// Goes through the objects from a place on, in the order of the text.
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
                        // Its outcome may be what the reply ended before.
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

    /// Reads the object at this brace, and counts what that took; it fails when it has taken too much.
    fn object_at(&mut self, start: usize) -> Result<Result<Object, Broken>, Unread> {
        let object = object_at(self.text, start);
        self.count(object.as_ref().map_or_else(|broken| broken.reached, |object| object.end) - start)?;
        Ok(object)
    }

    /// Counts bytes that were looked at; it fails when they are too many.
    fn count(&mut self, bytes: usize) -> Result<(), Unread> {
        self.looked += bytes;
        if self.looked > LOOKS * self.text.len() + LOOKS_IN_ANY_CASE {
            return Err(Unread::NotJson { flaw: Flaw::Tangled });
        }
        Ok(())
    }
}

/// Whether what follows a brace that begins no object is a quote: it was to be one.
fn is_attempt(after: &str) -> bool {
    match after.as_bytes().first() {
        // Where there is no space, there is none to be skipped.
        Some(first @ b'!'..=b'~') => *first == b'"',
        Some(_) | None => after.trim_start().starts_with('"'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read, and how many bytes the tries looked at.
    fn cost(text: &str) -> (Result<Object, Unread>, usize) {
        let mut search = Search::new(text);
        (search.answer(), search.looked)
    }

    const ANSWER: &str = "Done.\n{\"outcome\": \"complete\"}";

    #[test]
    fn nothing_before_the_answer_is_looked_at() {
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
            let (answer, looked) = cost(&text);
            assert_eq!(answer.map(|object| object.start), Ok(text.len() - 23), "{decoy}");
            assert_eq!(looked, 23, "{decoy}");
        }
    }

    #[test]
    fn looking_takes_time_in_proportion() {
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
            for text in [many.clone(), format!("{ANSWER}\n{many}"), format!("{many}\n\"outcome\": x")] {
                let (_, looked) = cost(&text);
                assert!(looked <= 3 * text.len(), "{piece}: {looked} looks at {} bytes", text.len());
            }
        }
    }

    #[test]
    fn what_would_take_out_of_proportion_long_is_given_up() {
        let tangles = [
            "{\"a\":".repeat(100_000),
            "{\"outcome\":".repeat(100_000),
            "{/*".repeat(100_000) + "*/ x \"outcome\":",
            "{//".repeat(100_000) + "\n\"outcome\":",
            "{\"a\":1,/*".repeat(100_000) + "*/" + &"\"b\":2,".repeat(100_000) + "x \"outcome\":",
        ];
        for text in tangles {
            let (answer, looked) = cost(&(text.clone() + " 1"));
            assert!(matches!(answer, Err(Unread::NotJson { .. })), "{answer:?}");
            assert!(looked <= (LOOKS + 1) * text.len() + LOOKS_IN_ANY_CASE + 2, "{looked}");
            // It takes nothing to read what comes after it.
            assert_eq!(cost(&format!("{text}\n{ANSWER}")).1, 23);
        }
    }

    #[test]
    fn a_fence_is_in_the_way_only_of_a_missing_brace() {
        let cases =
            [("a\n```\n", "a", true), ("a````", "a", true), ("a\n~~~", "a", true), ("a``", "a``", false)];
        for (reply, text, fence) in cases {
            assert_eq!(without_ending(reply), (text, fence));
        }
    }
}
