//! Scans an object token by token, as a state machine that knows what may come next.
//!
//! It does not recurse: the open brackets are kept as bits, so a text cannot exhaust the stack.

use std::ops::Range;

use super::blank::blank;
use super::repair::Repair;
use super::string::closing_quote;
use super::unread::Flaw;

/// The token that may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Due {
    /// The first key of an object, or its end.
    FirstKey,
    /// A key after a comma; an end makes the comma a trailing one.
    Key,
    Colon,
    /// The value of a key.
    Value,
    /// The first item of an array, or its end.
    FirstItem,
    /// An item after a comma; an end makes the comma a trailing one.
    Item,
    /// A comma or an end.
    After,
    /// Nothing: the object is complete.
    Nothing,
}

pub(super) struct Scanner<'t> {
    text: &'t [u8],
    pub(super) at: usize,
    open: Open,
    pub(super) members: Vec<Member>,
    /// Each kind once.
    pub(super) repaired: Vec<Repair>,
}

/// A key, without its quotes, and its value, as they are written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: Range<usize>,
    pub(super) value: Range<usize>,
}

/// The brackets that are open, the innermost in the lowest bit: 1 for an object, 0 for an array.
struct Open {
    bits: u128,
    depth: u32,
}

impl Open {
    fn push(&mut self, is_object: bool) -> Result<(), Flaw> {
        if self.depth == u128::BITS {
            return Err(Flaw::TooDeep);
        }
        self.bits = self.bits << 1 | u128::from(is_object);
        self.depth += 1;
        Ok(())
    }

    fn pop(&mut self) {
        self.bits >>= 1;
        self.depth -= 1;
    }

    /// Whether the innermost one is an object.
    fn is_object(&self) -> bool {
        self.bits & 1 == 1
    }
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        let open = Open { bits: 0, depth: 0 };
        Self { text: text.as_bytes(), at, open, members: Vec::new(), repaired: Vec::new() }
    }

    /// Scans from the brace to just after the end of the object, or to the first error.
    pub(super) fn run(&mut self) -> Result<(), Flaw> {
        let mut due = self.begin(true)?;
        while due != Due::Nothing {
            self.skip_blank()?;
            let Some(byte) = self.text.get(self.at).copied() else {
                return self.end_of_text(due);
            };
            due = match (due, byte) {
                (Due::FirstKey | Due::Key, b'"') => self.key()?,
                (Due::Colon, b':') => {
                    self.at += 1;
                    Due::Value
                }
                (Due::Key, b'}') | (Due::Item, b']') => {
                    self.note(Repair::TrailingComma);
                    self.end()
                }
                (Due::FirstKey, b'}') | (Due::FirstItem, b']') => self.end(),
                (Due::Value | Due::FirstItem | Due::Item, _) => self.value(byte)?,
                (Due::After, b',') => {
                    self.at += 1;
                    if self.open.is_object() { Due::Key } else { Due::Item }
                }
                (Due::After, b'}') if self.open.is_object() => self.end(),
                (Due::After, b']') if !self.open.is_object() => self.end(),
                _ => return Err(Flaw::Malformed),
            };
        }
        Ok(())
    }

    /// Only the last brace may be missing at the end of the text.
    fn end_of_text(&mut self, due: Due) -> Result<(), Flaw> {
        if due != Due::After || self.open.depth != 1 {
            return Err(Flaw::Unfinished);
        }
        self.note(Repair::MissingBrace);
        Ok(())
    }

    fn key(&mut self) -> Result<Due, Flaw> {
        let key = self.string()?;
        if self.open.depth == 1 {
            self.members.push(Member { key, value: self.at..self.at });
        }
        Ok(Due::Colon)
    }

    fn value(&mut self, first: u8) -> Result<Due, Flaw> {
        if self.open.depth == 1
            && let Some(member) = self.members.last_mut()
        {
            member.value.start = self.at;
        }
        match first {
            b'{' => return self.begin(true),
            b'[' => return self.begin(false),
            b'"' => {
                self.string()?;
            }
            b't' => self.word(b"true")?,
            b'f' => self.word(b"false")?,
            b'n' => self.word(b"null")?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => return Err(Flaw::Malformed),
        }
        Ok(self.after_value())
    }

    fn begin(&mut self, is_object: bool) -> Result<Due, Flaw> {
        self.open.push(is_object)?;
        self.at += 1;
        Ok(if is_object { Due::FirstKey } else { Due::FirstItem })
    }

    fn end(&mut self) -> Due {
        self.open.pop();
        self.at += 1;
        if self.open.depth == 0 { Due::Nothing } else { self.after_value() }
    }

    fn after_value(&mut self) -> Due {
        if self.open.depth == 1
            && let Some(member) = self.members.last_mut()
        {
            member.value.end = self.at;
        }
        Due::After
    }

    /// Skips a string, and returns the range between its quotes.
    fn string(&mut self) -> Result<Range<usize>, Flaw> {
        let start = self.at + 1;
        match closing_quote(self.text, start) {
            Ok(end) => {
                self.at = end + 1;
                Ok(start..end)
            }
            Err((flaw, at)) => {
                self.at = at;
                Err(flaw)
            }
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Flaw> {
        for letter in word {
            match self.text.get(self.at) {
                Some(found) if found == letter => self.at += 1,
                Some(_) => return Err(Flaw::Malformed),
                None => return Err(Flaw::Unfinished),
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Flaw> {
        self.eat(|byte| byte == b'-');
        if !self.eat(|byte| byte == b'0') {
            self.digits()?;
        }
        if self.eat(|byte| byte == b'.') {
            self.digits()?;
        }
        if self.eat(|byte| matches!(byte, b'e' | b'E')) {
            self.eat(|byte| matches!(byte, b'+' | b'-'));
            self.digits()?;
        }
        // A number at the end of the text may have lost digits.
        if self.at == self.text.len() { Err(Flaw::Unfinished) } else { Ok(()) }
    }

    fn digits(&mut self) -> Result<(), Flaw> {
        let start = self.at;
        while self.eat(|byte| byte.is_ascii_digit()) {}
        match self.text.get(self.at) {
            None => Err(Flaw::Unfinished),
            Some(_) if self.at == start => Err(Flaw::Malformed),
            Some(_) => Ok(()),
        }
    }

    fn eat(&mut self, is_wanted: impl FnOnce(u8) -> bool) -> bool {
        let found = self.text.get(self.at).copied().is_some_and(is_wanted);
        self.at += usize::from(found);
        found
    }

    fn skip_blank(&mut self) -> Result<(), Flaw> {
        let blank = blank(self.text, self.at);
        self.at = blank.end;
        if blank.has_comment {
            self.note(Repair::Comment);
        }
        if blank.is_open { Err(Flaw::Unfinished) } else { Ok(()) }
    }

    fn note(&mut self, repair: Repair) {
        if !self.repaired.contains(&repair) {
            self.repaired.push(repair);
        }
    }
}
