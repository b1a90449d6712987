//! What a message is, seen while its bytes come in.
//!
//! A message may be larger than anybody wants to hold. Its outermost members decide where it
//! goes; they are noted as they pass. The reader is strict about the grammar of all of it: what
//! is no JSON, another reader may cut into pieces, one of which is another message. Only what
//! stands inside texts is not looked at, beyond where they end.

use facets_digest::json::{self, Limits, Provenance, Value};
use memchr::memchr2;

mod letters;
mod places;

pub use letters::is_same_but_for_case;
use letters::{is_scalar, is_word_or_number};
use places::{Place, place_of};

/// Bytes of a text that are looked at one by one.
const NEAR: usize = 24;
/// Containers inside each other.
const DEEPEST: usize = 200;
/// Bytes of a value that matters; longer ones are none of the protocol's.
const LONGEST: usize = 8 << 10;
/// Bytes of a name that matters, every letter of it escaped and in quotes, with a zero and more.
const LONGEST_NAME: usize = 256;

/// What stands at the outermost place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageShape {
    /// Nothing but white space so far.
    #[default]
    Empty,
    /// A single message.
    Object,
    /// Several messages.
    Batch,
    /// Neither: no message.
    Other,
}

/// What is known of a message.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageFacts {
    /// What stands at the outermost place.
    pub shape: MessageShape,
    /// The id as it is written, which may be any JSON.
    pub id: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// Whether there is a result.
    pub has_result: bool,
    /// Whether there is an error.
    pub has_error: bool,
    /// `params.name`, where it is a text.
    pub name: Option<String>,
    /// `params.uri`, where it is a text.
    pub uri: Option<String>,
    /// Whether `params` has one of them twice, so that nobody can say which counts.
    pub has_duplicate_params: bool,
    /// Whether the outermost value has ended.
    pub is_complete: bool,
}

/// Why nobody can say what a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnvelopeError {
    /// No JSON.
    Syntax,
    /// One of the members that decide is there twice: readers take the first or the last. Or
    /// it is there in other letters: some readers do not mind capitals.
    Duplicate,
    /// Too many containers inside each other.
    TooDeep,
    /// A name or value that decides is too long.
    TooLong,
}

/// What may come next in a container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A name, or the end right after the beginning.
    FirstName,
    Name,
    Colon,
    /// A value, or the end right after the beginning.
    FirstItem,
    Value,
    Comma,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lexeme {
    Between,
    String { escaped: bool },
    Scalar,
}

/// What is kept of the bytes that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noting {
    Nothing,
    Name,
    Value,
    /// There was more than can matter.
    TooMuch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// Reads a message piece by piece.
#[derive(Debug)]
pub struct Envelope {
    facts: MessageFacts,
    stack: Vec<(Container, Next)>,
    lexeme: Lexeme,
    /// The name or value that is being read, as it is written, if it matters.
    text: Vec<u8>,
    noting: Noting,
    /// Where the value that comes next stands, on the first two levels.
    places: [Place; 2],
    seen: Vec<Place>,
    /// The number or word that is being read.
    scalar: Vec<u8>,
}

impl Default for Envelope {
    fn default() -> Self {
        Self {
            facts: MessageFacts::default(),
            stack: Vec::new(),
            lexeme: Lexeme::Between,
            text: Vec::new(),
            noting: Noting::Nothing,
            places: [Place::Elsewhere; 2],
            seen: Vec::new(),
            scalar: Vec::new(),
        }
    }
}

impl Envelope {
    /// Reads a whole message.
    pub fn read(bytes: &[u8]) -> Result<MessageFacts, (MessageFacts, EnvelopeError)> {
        let mut envelope = Self::default();
        let outcome = envelope.push(bytes).and_then(|()| envelope.finish().map(drop));
        match outcome {
            Ok(()) => Ok(envelope.facts),
            Err(broken) => Err((envelope.facts, broken)),
        }
    }

    /// What is known so far.
    #[must_use]
    pub fn facts(&self) -> &MessageFacts {
        &self.facts
    }

    /// Whether a result or an error has begun: then this is a reply, or nothing.
    #[must_use]
    pub fn is_reply(&self) -> bool {
        self.seen.iter().any(|place| matches!(place, Place::Result | Place::Error))
    }

    /// Reads on. After an error nothing more is to be read.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), EnvelopeError> {
        let mut rest = bytes;
        while let Some((byte, tail)) = rest.split_first() {
            rest = match self.lexeme {
                Lexeme::String { escaped: false } => self.text(rest)?,
                Lexeme::String { escaped: true } => {
                    self.note(&[*byte])?;
                    self.lexeme = Lexeme::String { escaped: false };
                    tail
                }
                Lexeme::Scalar => self.scalar(rest)?,
                Lexeme::Between => {
                    self.between(*byte)?;
                    tail
                }
            };
        }
        Ok(())
    }

    /// The end of the message; a scalar has no other.
    pub fn finish(&mut self) -> Result<&MessageFacts, EnvelopeError> {
        if self.lexeme == Lexeme::Scalar {
            self.end_scalar()?;
        }
        if self.facts.is_complete { Ok(&self.facts) } else { Err(EnvelopeError::Syntax) }
    }

    /// More of a number or a word, and its end if that is there.
    fn scalar<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], EnvelopeError> {
        let length = bytes.iter().position(|byte| !is_scalar(*byte)).unwrap_or(bytes.len());
        let (more, rest) = bytes.split_at(length);
        self.note(more)?;
        if self.scalar.len() + more.len() > LONGEST {
            return Err(EnvelopeError::TooLong);
        }
        self.scalar.extend_from_slice(more);
        if !rest.is_empty() {
            self.end_scalar()?;
        }
        Ok(rest)
    }

    fn end_scalar(&mut self) -> Result<(), EnvelopeError> {
        self.lexeme = Lexeme::Between;
        if !is_word_or_number(&self.scalar) {
            return Err(EnvelopeError::Syntax);
        }
        // An error that is nothing is none.
        let is_nothing = self.place() == Place::Error && self.scalar == b"null";
        if self.in_id() || is_nothing {
            self.set(Next::Comma);
            return Ok(());
        }
        self.end_value()
    }

    /// Texts are long: their plain parts are taken at once.
    fn text<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], EnvelopeError> {
        // Most texts are short, and a search has to begin before it is fast.
        let is_end = |byte: &u8| matches!(byte, b'"' | b'\\');
        let near = bytes.iter().take(NEAR).position(is_end);
        let far = || memchr2(b'"', b'\\', bytes.get(NEAR..)?).map(|at| at + NEAR);
        let plain = near.or_else(far).unwrap_or(bytes.len());
        let (text, more) = bytes.split_at(plain);
        if text.iter().any(|byte| *byte < 0x20) {
            return Err(EnvelopeError::Syntax);
        }
        self.note(text)?;
        let Some((end, after)) = more.split_first() else { return Ok(more) };
        self.note(&[*end])?;
        if *end == b'"' {
            self.lexeme = Lexeme::Between;
            self.end_string()?;
        } else {
            self.lexeme = Lexeme::String { escaped: true };
        }
        Ok(after)
    }

    fn close(&mut self, container: Container) -> Result<(), EnvelopeError> {
        if self.stack.pop().map(|(open, _)| open) != Some(container) {
            return Err(EnvelopeError::Syntax);
        }
        if self.in_id() {
            // Its parts are noted with it.
            self.set(Next::Comma);
            return Ok(());
        }
        self.end_value()
    }

    /// Whether we are inside an id that has parts of its own.
    fn in_id(&self) -> bool {
        self.facts.shape == MessageShape::Object
            && self.stack.len() > 1
            && self.places[0] == Place::Id
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), EnvelopeError> {
        let limit = match self.noting {
            Noting::Nothing | Noting::TooMuch => return Ok(()),
            Noting::Name => LONGEST_NAME,
            Noting::Value => LONGEST,
        };
        if self.text.len() + bytes.len() <= limit {
            self.text.extend_from_slice(bytes);
            return Ok(());
        }
        let decides = match self.noting {
            // A reader that ends a name at a zero may take it for one that decides.
            Noting::Name => self.stack.len() == 1,
            _ => matches!(self.place(), Place::Id | Place::Method),
        };
        if decides {
            return Err(EnvelopeError::TooLong);
        }
        self.facts.has_duplicate_params |= self.noting == Noting::Name;
        self.noting = Noting::TooMuch;
        Ok(())
    }

    fn begin(&mut self, noting: Noting, lexeme: Lexeme, first: u8) -> Result<(), EnvelopeError> {
        if !self.in_id() {
            self.text.clear();
            self.noting = noting;
        }
        self.lexeme = lexeme;
        if lexeme == Lexeme::Scalar {
            self.scalar.clear();
            self.scalar.push(first);
        }
        // An opening bracket inside an id was noted on the way here.
        if self.in_id() && lexeme == Lexeme::Between { Ok(()) } else { self.note(&[first]) }
    }

    /// Whether a name that begins here can be one that decides.
    fn names_decide(&self) -> bool {
        match (self.facts.shape, self.stack.len()) {
            (MessageShape::Object, 1) => true,
            (MessageShape::Object, 2) => self.places[0] == Place::Params,
            _ => false,
        }
    }

    /// What is noted inside something that is noted.
    fn inherited(&self) -> Noting {
        if self.in_id() { self.noting } else { Noting::Nothing }
    }

    fn set(&mut self, next: Next) {
        if let Some((_, last)) = self.stack.last_mut() {
            *last = next;
        }
    }

    fn between(&mut self, byte: u8) -> Result<(), EnvelopeError> {
        if self.in_id() && !matches!(byte, b'"') && !is_scalar(byte) {
            self.note(&[byte])?;
        }
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Ok(());
        }
        let (container, next) = match self.stack.last() {
            Some((container, next)) => (Some(*container), *next),
            None if self.facts.is_complete => return Err(EnvelopeError::Syntax),
            None => (None, Next::Value),
        };
        match (byte, next, container) {
            (b'"', Next::FirstName | Next::Name, _) => {
                let noting = if self.names_decide() { Noting::Name } else { self.inherited() };
                self.begin(noting, Lexeme::String { escaped: false }, byte)?;
            }
            (b':', Next::Colon, _) => self.set(Next::Value),
            (b',', Next::Comma, Some(Container::Object)) => self.set(Next::Name),
            (b',', Next::Comma, Some(Container::Array)) => self.set(Next::Value),
            (b'}', Next::FirstName | Next::Comma, Some(Container::Object)) => {
                self.close(Container::Object)?;
            }
            (b']', Next::FirstItem | Next::Comma, Some(Container::Array)) => {
                self.close(Container::Array)?;
            }
            (_, Next::FirstItem | Next::Value, _) => self.value(byte)?,
            _ => return Err(EnvelopeError::Syntax),
        }
        Ok(())
    }

    /// The place of the value that begins or ends here.
    fn place(&self) -> Place {
        match (self.facts.shape, self.stack.len()) {
            (MessageShape::Object, 1) => self.places[0],
            (MessageShape::Object, 2..) if self.places[0] == Place::Id => Place::Id,
            (MessageShape::Object, 2) if self.places[0] == Place::Params => self.places[1],
            _ => Place::Elsewhere,
        }
    }

    fn value(&mut self, byte: u8) -> Result<(), EnvelopeError> {
        if self.stack.is_empty() {
            self.facts.shape = match byte {
                b'{' => MessageShape::Object,
                b'[' => MessageShape::Batch,
                _ => MessageShape::Other,
            };
        }
        let noting = match self.place() {
            Place::Id | Place::Method | Place::Name | Place::Uri => Noting::Value,
            _ => Noting::Nothing,
        };
        match byte {
            b'{' | b'[' => {
                self.begin(noting, Lexeme::Between, byte)?;
                if byte == b'{' {
                    self.open(Container::Object, Next::FirstName)
                } else {
                    self.open(Container::Array, Next::FirstItem)
                }
            }
            b'"' => self.begin(noting, Lexeme::String { escaped: false }, byte),
            _ if is_scalar(byte) => self.begin(noting, Lexeme::Scalar, byte),
            _ => Err(EnvelopeError::Syntax),
        }
    }

    fn open(&mut self, container: Container, next: Next) -> Result<(), EnvelopeError> {
        if self.stack.len() == DEEPEST {
            return Err(EnvelopeError::TooDeep);
        }
        self.stack.push((container, next));
        if self.stack.len() == 2 {
            self.places[1] = Place::Elsewhere;
        }
        Ok(())
    }

    fn end_string(&mut self) -> Result<(), EnvelopeError> {
        let next = self.stack.last().map(|(_, next)| *next);
        let is_name = matches!(next, Some(Next::FirstName | Next::Name));
        if self.in_id() {
            self.set(if is_name { Next::Colon } else { Next::Comma });
            return Ok(());
        }
        if !is_name {
            return self.end_value();
        }
        self.set(Next::Colon);
        let level = self.stack.len();
        let place = match self.noting {
            Noting::Name => self.named_place(level)?,
            _ => Place::Elsewhere,
        };
        self.noting = Noting::Nothing;
        if let Some(last) = level.checked_sub(1).and_then(|at| self.places.get_mut(at)) {
            *last = place;
        }
        Ok(())
    }

    /// Where the value stands whose name was just read.
    fn named_place(&mut self, level: usize) -> Result<Place, EnvelopeError> {
        let name = self.noted_text().ok_or(EnvelopeError::Syntax)?;
        let Some(place) = place_of(level, &name) else { return Ok(Place::Elsewhere) };
        let is_duplicate = self.seen.contains(&place) || name != place.name();
        match place {
            // In what is told beside the protocol these two are names like any other.
            Place::Name | Place::Uri if is_duplicate => self.facts.has_duplicate_params = true,
            _ if is_duplicate => return Err(EnvelopeError::Duplicate),
            _ => self.seen.push(place),
        }
        Ok(place)
    }

    /// What was noted, if it is a text: what that stands for.
    fn noted_text(&self) -> Option<String> {
        let limits = Limits { bytes: LONGEST, depth: 1, values: 1 };
        match json::parse(&self.text, Provenance::Captured, limits) {
            Ok(Value::String(text)) if self.noting != Noting::TooMuch => Some(text.into_owned()),
            _ => None,
        }
    }

    /// A value has ended: notes it, and what comes next.
    fn end_value(&mut self) -> Result<(), EnvelopeError> {
        match self.place() {
            Place::Id => {
                let limits = Limits { bytes: LONGEST, depth: 64, values: LONGEST };
                json::parse(&self.text, Provenance::Captured, limits)
                    .map_err(|_| EnvelopeError::Syntax)?;
                self.facts.id = String::from_utf8(std::mem::take(&mut self.text)).ok();
            }
            Place::Method => {
                self.facts.method = Some(self.noted_text().ok_or(EnvelopeError::Syntax)?);
            }
            Place::Name => self.facts.name = self.noted_text(),
            Place::Uri => self.facts.uri = self.noted_text(),
            Place::Result => self.facts.has_result = true,
            Place::Error => self.facts.has_error = true,
            Place::Params | Place::Elsewhere => {}
        }
        self.noting = Noting::Nothing;
        if self.stack.is_empty() {
            self.facts.is_complete = true;
        } else {
            self.set(Next::Comma);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
