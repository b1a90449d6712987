//! What a message is, seen while its bytes come in.
//!
//! A message may be larger than anybody wants to hold. Its outermost members decide where it
//! goes; they are noted as they pass, and so are questions to the user or the model, wherever they
//! stand. The reader is strict about the grammar of all of it, texts and their encoding included:
//! what is no JSON, another reader may cut into pieces, one of which is another message.

mod facts;
mod letters;
mod naming;
mod places;
mod questions;
mod strings;

pub use facts::{EnvelopeError, MessageFacts, MessageShape};
pub use letters::{PROTOTYPE, is_mistaken_for, is_same_but_for_case};
use letters::{is_id, is_scalar, is_word_or_number, may_be_same};
use places::Place;
pub use questions::Questions;
use questions::{QuestionReader, readable_letters};
use strings::{StringReader, StringStep};

/// Containers inside each other.
const DEEPEST: usize = 200;
/// Bytes of a value that matters; longer ones are none of the protocol's.
const LONGEST: usize = 8 << 10;
/// Bytes of a name that matters, every letter of it escaped and in quotes, with a zero and more.
const LONGEST_NAME: usize = 256;

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
    String,
    Scalar,
}

/// What is kept of the bytes that pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Noting {
    Nothing,
    Name,
    /// A name that matters only if it is that of a question; its first byte tells most apart.
    Candidate,
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
    string: StringReader,
    /// The name or value that is being read, as it is written, if it matters.
    text: Vec<u8>,
    noting: Noting,
    /// Where the value that comes next stands, on the first two levels.
    places: [Place; 2],
    seen: Vec<Place>,
    /// Whether a result has begun, or an error that is not `null`.
    begun: (bool, bool),
    /// Whether the value that comes next is an error inside a result or parameters.
    names_inner_error: bool,
    questions: QuestionReader,
    /// The number or word that is being read.
    scalar: Vec<u8>,
}

impl Default for Envelope {
    fn default() -> Self {
        Self {
            facts: MessageFacts::default(),
            stack: Vec::new(),
            lexeme: Lexeme::Between,
            string: StringReader::default(),
            text: Vec::new(),
            noting: Noting::Nothing,
            places: [Place::Elsewhere; 2],
            seen: Vec::new(),
            begun: (false, false),
            names_inner_error: false,
            questions: QuestionReader::default(),
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
        self.begun != (false, false)
    }

    /// Whether a result has begun, and no error: then this is an answer, or nothing.
    #[must_use]
    pub fn is_result(&self) -> bool {
        self.begun == (true, false)
    }

    /// Reads on. After an error nothing more is to be read.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), EnvelopeError> {
        let mut rest = bytes;
        while let Some((byte, tail)) = rest.split_first() {
            rest = match self.lexeme {
                Lexeme::String => self.text(rest)?,
                Lexeme::Scalar => self.scalar(rest)?,
                Lexeme::Between => {
                    self.between(*byte)?;
                    // Numbers and words are read as a whole, from their first byte on.
                    if self.lexeme == Lexeme::Scalar { rest } else { tail }
                }
            };
        }
        Ok(())
    }

    /// The end of the message; a scalar has no other.
    pub fn finish(&mut self) -> Result<&MessageFacts, EnvelopeError> {
        if self.lexeme == Lexeme::Scalar {
            self.end_kept_scalar()?;
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
        if rest.is_empty() || !self.scalar.is_empty() {
            self.scalar.extend_from_slice(more);
        }
        if rest.is_empty() {
            return Ok(rest);
        }
        // Most of them come in one piece.
        if self.scalar.is_empty() {
            self.end_scalar(more)?;
        } else {
            self.end_kept_scalar()?;
        }
        Ok(rest)
    }

    fn end_kept_scalar(&mut self) -> Result<(), EnvelopeError> {
        let mut scalar = core::mem::take(&mut self.scalar);
        self.end_scalar(&scalar)?;
        scalar.clear();
        self.scalar = scalar;
        Ok(())
    }

    fn end_scalar(&mut self, scalar: &[u8]) -> Result<(), EnvelopeError> {
        self.lexeme = Lexeme::Between;
        if !is_word_or_number(scalar) {
            return Err(EnvelopeError::Syntax);
        }
        if self.in_id() {
            self.set(Next::Comma);
            return Ok(());
        }
        let place = self.place();
        self.facts.has_null_result |= place == Place::Result && scalar == b"null";
        if place == Place::Error && scalar == b"null" {
            self.facts.has_null_error = true;
            self.set(Next::Comma);
            return Ok(());
        }
        self.end_value()
    }

    /// More of a text, and its end if that is there.
    fn text<'b>(&mut self, bytes: &'b [u8]) -> Result<&'b [u8], EnvelopeError> {
        let (length, step) = self.string.read(bytes).ok_or(EnvelopeError::Syntax)?;
        let (text, rest) = bytes.split_at(length);
        self.note(text)?;
        if step == StringStep::Ended {
            self.lexeme = Lexeme::Between;
            self.end_string()?;
        }
        Ok(rest)
    }

    fn close(&mut self, container: Container) -> Result<(), EnvelopeError> {
        if self.questions.is_near() {
            self.questions.close(self.stack.len(), &mut self.facts.questions);
        }
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
        self.places[0] == Place::Id
            && self.stack.len() > 1
            && self.facts.shape == MessageShape::Object
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), EnvelopeError> {
        if self.noting == Noting::Candidate
            && let [first] = &*self.text
            && *first == b'"'
            && bytes.first().is_some_and(|first| !self.questions.may_begin_with(*first))
        {
            self.noting = Noting::Nothing;
        }
        let limit = match self.noting {
            Noting::Nothing | Noting::TooMuch => return Ok(()),
            Noting::Name | Noting::Candidate => LONGEST_NAME,
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
        // Of what is too long the beginning tells what it may be.
        self.text.extend_from_slice(&bytes[..limit - self.text.len()]);
        if self.noting != Noting::Value || self.place() == Place::Question {
            self.questions.on_long(&self.text, &mut self.facts.questions);
        }
        self.names_inner_error = self.noting != Noting::Value
            && self.stack.len() == 2
            && may_be_same(&readable_letters(&self.text), "error");
        self.noting = Noting::TooMuch;
        Ok(())
    }

    fn begin(&mut self, noting: Noting, lexeme: Lexeme, first: u8) -> Result<(), EnvelopeError> {
        if !self.in_id() {
            self.text.clear();
            self.noting = noting;
        }
        self.lexeme = lexeme;
        // It is noted when it is read.
        if lexeme == Lexeme::Scalar {
            return Ok(());
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

    /// What is noted of other names: those inside an id, and what may be a question.
    fn inherited(&self) -> Noting {
        if self.in_id() { self.noting } else { Noting::Candidate }
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
                self.begin(noting, Lexeme::String, byte)?;
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
        if self.questions.expects_method() {
            return Place::Question;
        }
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
        let place = self.place();
        self.begun.0 |= place == Place::Result;
        self.begun.1 |= place == Place::Error && byte != b'n';
        self.facts.has_inner_error |= std::mem::take(&mut self.names_inner_error) && byte != b'n';
        let noting = match place {
            Place::Id | Place::Method | Place::Name | Place::Uri | Place::Question => Noting::Value,
            _ => Noting::Nothing,
        };
        if self.questions.is_near() && !self.in_id() {
            self.questions.begin_value(self.stack.len(), byte, &mut self.facts.questions);
        }
        match byte {
            b'{' | b'[' => {
                self.begin(noting, Lexeme::Between, byte)?;
                if byte == b'{' {
                    self.open(Container::Object, Next::FirstName)
                } else {
                    self.open(Container::Array, Next::FirstItem)
                }
            }
            b'"' => self.begin(noting, Lexeme::String, byte),
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
        if matches!(self.noting, Noting::Name | Noting::Candidate) {
            self.questions.on_name(level, &self.text, &mut self.facts.questions);
            self.note_inner_name(level)?;
        }
        self.noting = Noting::Nothing;
        if let Some(last) = level.checked_sub(1).and_then(|at| self.places.get_mut(at)) {
            *last = place;
        }
        Ok(())
    }

    /// A value has ended: notes it, and what comes next.
    fn end_value(&mut self) -> Result<(), EnvelopeError> {
        match self.place() {
            Place::Question => {
                let method = self.noted_text();
                self.questions.on_method(method, &mut self.facts.questions);
            }
            Place::Id => {
                if !is_id(&self.text, LONGEST) {
                    return Err(EnvelopeError::Syntax);
                }
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
