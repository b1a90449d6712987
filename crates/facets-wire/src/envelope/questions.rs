//! Questions to the user or the model that a message brings along (`inputRequests`, 2026-07-28).
//!
//! The protocol has them in a result, in a task, or in the parameters of a notification. A client
//! may look for them elsewhere, so they are noted at every depth.

use facets_digest::json::{self, Limits, Provenance, Value};

use super::letters::{is_same_but_for_case, may_be_same};

/// Questions whose methods are kept; more are not told apart.
const MAX_METHODS: usize = 64;

/// What addresses to visit ask for.
const VISIT: &str = "elicitation/create";

/// What a message asks of the user or the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    /// The method of each question.
    pub methods: Vec<String>,
    /// Whether there is a question that does not say clearly what it asks for.
    pub is_unclear: bool,
}

impl Questions {
    /// Adds a question; one too many is unclear.
    fn add(&mut self, method: String) {
        if self.methods.len() < MAX_METHODS {
            self.methods.push(method);
        } else {
            self.is_unclear = true;
        }
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty() && !self.is_unclear
    }
}

/// Finds questions while a message is read. Levels count the containers around a value.
#[derive(Debug, Default)]
pub(super) struct QuestionReader {
    state: Asking,
}

/// Where the reader stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Asking {
    #[default]
    Outside,
    /// The name `inputRequests` was read; its value comes next.
    Named,
    /// Inside the object of questions, whose members are at this level.
    Among(usize),
    /// Inside a list in its place, whose items are at this level.
    Listed(usize),
    /// Inside one question, whose members are at this level.
    Inside { level: usize, has_method: bool },
    /// The name `elicitations` was read: addresses that the user should visit come next.
    Addresses,
    /// The name `method` of a question was read; its value comes next.
    Method { level: usize },
}

impl QuestionReader {
    /// Whether there are questions around this place: elsewhere only names matter.
    pub(super) fn is_near(&self) -> bool {
        self.state != Asking::Outside
    }

    /// Whether the value that comes next, or ends here, is the method of a question.
    pub(super) fn expects_method(&self) -> bool {
        matches!(self.state, Asking::Method { .. })
    }

    /// Whether a name that matters can begin so: `inputRequests`, `elicitations` or, inside a
    /// question, `method`, also in other letters or escaped.
    pub(super) fn may_begin_with(&self, first: u8) -> bool {
        // The i of Turkish, with a dot and without, begins with this byte.
        const TURKISH: u8 = 0xc4;
        matches!(first, b'i' | b'I' | b'e' | b'E' | b'_' | b'-' | b'\\' | TURKISH)
            || (matches!(self.state, Asking::Inside { .. }) && matches!(first, b'm' | b'M'))
    }

    /// A name has ended, given as it is written, in quotes.
    pub(super) fn on_name(&mut self, level: usize, written: &[u8], found: &mut Questions) {
        // Plain names of another length are others.
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'"';
        let lengths = ["inputRequests", "elicitations", "method"].map(|name| name.len() + 2);
        if !lengths.contains(&written.len()) && written.iter().all(is_plain) {
            return;
        }
        let name = readable_letters(written);
        if is_same_but_for_case(&name, "elicitations") {
            // Inside of questions it asks whatever it is.
            match self.state {
                Asking::Outside => self.state = Asking::Addresses,
                _ => found.add(VISIT.to_owned()),
            }
            return;
        }
        if is_same_but_for_case(&name, "inputrequests") {
            let is_clear = text_of(written).as_deref() == Some("inputRequests");
            found.is_unclear |= self.state != Asking::Outside || !is_clear;
            self.state = Asking::Named;
            return;
        }
        if let Asking::Inside { level: inside, has_method } = self.state
            && inside == level
            && is_same_but_for_case(&name, "method")
        {
            found.is_unclear |= has_method || text_of(written).as_deref() != Some("method");
            self.state = Asking::Method { level };
        }
    }

    /// A name or a method is longer than any that matters; `written` is its beginning.
    pub(super) fn on_long(&mut self, written: &[u8], found: &mut Questions) {
        let name = readable_letters(written);
        // Halves of characters, which some readers drop, may hide the rest.
        let has_half = written.windows(3).any(|part| part.eq_ignore_ascii_case(b"\\ud"));
        let is_question =
            ["inputrequests", "elicitations"].iter().any(|one| may_be_same(&name, one));
        let is_method = matches!(self.state, Asking::Inside { .. }) && may_be_same(&name, "method");
        found.is_unclear |= self.expects_method() || has_half || is_question || is_method;
    }

    /// A value begins with this byte.
    pub(super) fn begin_value(&mut self, level: usize, byte: u8, found: &mut Questions) {
        match (self.state, byte) {
            (Asking::Addresses, _) => {
                if matches!(byte, b'[' | b'{') {
                    found.add(VISIT.to_owned());
                }
                self.state = Asking::Outside;
            }
            (Asking::Named, b'{') => self.state = Asking::Among(level + 1),
            // Some readers walk through a list as through an object.
            (Asking::Named, b'[') => self.state = Asking::Listed(level + 1),
            // `null`, a number or a word ask for nothing.
            (Asking::Named, _) => {
                found.is_unclear |= byte == b'"';
                self.state = Asking::Outside;
            }
            (Asking::Listed(listed), _) if listed == level => found.is_unclear = true,
            (Asking::Among(among), b'{') if among == level => {
                self.state = Asking::Inside { level: level + 1, has_method: false };
            }
            (Asking::Among(among), _) if among == level => found.is_unclear = true,
            (Asking::Method { .. }, b'"') => {}
            (Asking::Method { level }, _) => {
                found.is_unclear = true;
                self.state = Asking::Inside { level, has_method: true };
            }
            _ => {}
        }
    }

    /// The method of a question, if it could be read.
    pub(super) fn on_method(&mut self, method: Option<String>, found: &mut Questions) {
        let Asking::Method { level } = self.state else { return };
        self.state = Asking::Inside { level, has_method: true };
        match method {
            Some(method) => found.add(method),
            None => found.is_unclear = true,
        }
    }

    /// A container at this level ends.
    pub(super) fn close(&mut self, level: usize, found: &mut Questions) {
        match self.state {
            Asking::Inside { level: inside, has_method } if inside == level => {
                found.is_unclear |= !has_method;
                self.state = Asking::Among(level - 1);
            }
            Asking::Among(inside) | Asking::Listed(inside) if inside == level => {
                self.state = Asking::Outside;
            }
            _ => {}
        }
    }
}

/// What a name stands for.
fn text_of(written: &[u8]) -> Option<String> {
    let limits = Limits { bytes: 1 << 10, depth: 1, values: 1 };
    match json::parse(written, Provenance::Captured, limits) {
        Ok(Value::String(text)) => Some(text.into_owned()),
        _ => None,
    }
}

/// The letters of a name without surrogates that stand alone, which some readers drop. Of a name
/// that is cut off, the letters of its beginning.
pub(super) fn readable_letters(written: &[u8]) -> String {
    let text = String::from_utf8_lossy(written);
    let mut rest = text.strip_prefix('"').unwrap_or(&text);
    let mut letters = String::new();
    while let Some(letter) = rest.chars().next() {
        rest = &rest[letter.len_utf8()..];
        if letter != '\\' {
            letters.push(letter);
            continue;
        }
        let digits = rest.strip_prefix('u').and_then(|digits| digits.get(..4));
        let escaped = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        letters.extend(escaped.and_then(char::from_u32));
        // Every other escape is one letter, and none of a name that matters.
        let length = if escaped.is_some() { 5 } else { 1 };
        if escaped.is_none() {
            letters.push('\\');
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    letters.truncate(letters.trim_end_matches('"').len());
    letters
}
