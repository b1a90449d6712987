//! What a message is, seen while its bytes come in.
//!
//! A message may be larger than anybody wants to hold. Its outermost members decide where it
//! goes; they are noted as they pass, and the rest is only counted through. The reader is strict
//! about structure: what it cannot follow, another reader may follow differently.

use facets_digest::json::{self, Limits, Origin, Value};

/// Containers inside each other.
const DEEPEST: usize = 200;
/// Bytes of a name or value that matters; longer ones are none of the protocol's.
const LONGEST: usize = 8 << 10;

/// What stands at the outermost place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Nothing but white space so far.
    Empty,
    /// A single message.
    Object,
    /// Several messages.
    Batch,
    /// Neither: no message.
    Other,
}

/// What is known of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What stands at the outermost place.
    pub shape: Shape,
    /// The id as it is written, which may be any JSON.
    pub id: Option<Vec<u8>>,
    /// The method.
    pub method: Option<String>,
    /// Whether there is a result.
    pub has_result: bool,
    /// Whether there is an error.
    pub has_error: bool,
    /// `params.name`.
    pub name: Option<String>,
    /// `params.uri`.
    pub uri: Option<String>,
    /// Whether the outermost value has ended.
    pub is_complete: bool,
}

/// Why nobody can say what a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// No JSON.
    Syntax,
    /// One of the members that decide is there twice: readers take the first or the last.
    Twins,
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// Members that decide, by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Id,
    Method,
    Result,
    Error,
    Params,
    Name,
    Uri,
    Elsewhere,
}

/// Reads a message piece by piece.
#[derive(Debug)]
pub struct Envelope {
    facts: Facts,
    stack: Vec<(Container, Next)>,
    lexeme: Lexeme,
    /// The text that is being read, if it matters.
    text: Vec<u8>,
    noting: bool,
    /// Where the value that comes next stands, on the first two levels.
    places: [Place; 2],
    seen: Vec<Place>,
}

impl Default for Envelope {
    fn default() -> Self {
        let facts = Facts {
            shape: Shape::Empty,
            id: None,
            method: None,
            has_result: false,
            has_error: false,
            name: None,
            uri: None,
            is_complete: false,
        };
        Self {
            facts,
            stack: Vec::new(),
            lexeme: Lexeme::Between,
            text: Vec::new(),
            noting: false,
            places: [Place::Elsewhere; 2],
            seen: Vec::new(),
        }
    }
}

impl Envelope {
    /// What is known so far.
    #[must_use]
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Reads on. After an error nothing more is to be read.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let mut rest = bytes;
        while let Some((byte, tail)) = rest.split_first() {
            match self.lexeme {
                // Texts are long: their plain parts are taken at once.
                Lexeme::String { escaped: false } => {
                    let plain = rest.iter().position(|byte| matches!(byte, b'"' | b'\\'));
                    let (text, more) = rest.split_at(plain.unwrap_or(rest.len()));
                    self.note(text)?;
                    rest = match more.split_first() {
                        None => more,
                        Some((b'"', after)) => {
                            self.lexeme = Lexeme::Between;
                            self.end_string()?;
                            after
                        }
                        Some((_, after)) => {
                            self.note(b"\\")?;
                            self.lexeme = Lexeme::String { escaped: true };
                            after
                        }
                    };
                    continue;
                }
                Lexeme::String { escaped: true } => {
                    self.note(&[*byte])?;
                    self.lexeme = Lexeme::String { escaped: false };
                }
                Lexeme::Scalar if is_scalar(*byte) => self.note(&[*byte])?,
                Lexeme::Scalar => {
                    self.lexeme = Lexeme::Between;
                    self.end_value()?;
                    continue;
                }
                Lexeme::Between => self.between(*byte)?,
            }
            rest = tail;
        }
        Ok(())
    }

    /// The end of the message; a scalar has no other.
    pub fn finish(&mut self) -> Result<&Facts, Broken> {
        if self.lexeme == Lexeme::Scalar {
            self.lexeme = Lexeme::Between;
            self.end_value()?;
        }
        if self.facts.is_complete { Ok(&self.facts) } else { Err(Broken::Syntax) }
    }

    fn note(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        if !self.noting {
            return Ok(());
        }
        if self.text.len() + bytes.len() > LONGEST {
            return Err(Broken::TooLong);
        }
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    /// Begins a text or another value that has no parts.
    fn begin(&mut self, lexeme: Lexeme) {
        self.text.clear();
        self.lexeme = lexeme;
    }

    fn set(&mut self, next: Next) {
        if let Some((_, last)) = self.stack.last_mut() {
            *last = next;
        }
    }

    fn between(&mut self, byte: u8) -> Result<(), Broken> {
        if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
            return Ok(());
        }
        let next = match self.stack.last() {
            Some((_, next)) => *next,
            None if self.facts.is_complete => return Err(Broken::Syntax),
            None => Next::Value,
        };
        let container = self.stack.last().map(|(container, _)| *container);
        match (byte, next, container) {
            (b'"', Next::FirstName | Next::Name, _) => {
                self.noting = self.names_matter();
                self.begin(Lexeme::String { escaped: false });
            }
            (b':', Next::Colon, _) => self.set(Next::Value),
            (b',', Next::Comma, Some(Container::Object)) => self.set(Next::Name),
            (b',', Next::Comma, Some(Container::Array)) => self.set(Next::Value),
            (b'}', Next::FirstName | Next::Comma, Some(Container::Object))
            | (b']', Next::FirstItem | Next::Comma, Some(Container::Array)) => {
                self.stack.pop();
                self.end_value()?;
            }
            (_, Next::FirstItem | Next::Value, _) => self.value(byte)?,
            _ => return Err(Broken::Syntax),
        }
        Ok(())
    }

    /// Names matter on the first level of a single message, and inside its `params`.
    fn names_matter(&self) -> bool {
        match self.stack.len() {
            1 => true,
            2 => self.places[0] == Place::Params,
            _ => false,
        }
    }

    /// The place of the value that begins or ends here.
    fn place(&self) -> Place {
        match (self.facts.shape, self.stack.len()) {
            (Shape::Object, 1) => self.places[0],
            (Shape::Object, 2) if self.places[0] == Place::Params => self.places[1],
            _ => Place::Elsewhere,
        }
    }

    fn value(&mut self, byte: u8) -> Result<(), Broken> {
        if self.stack.is_empty() {
            self.facts.shape = match byte {
                b'{' => Shape::Object,
                b'[' => Shape::Batch,
                _ => Shape::Other,
            };
        }
        let place = self.place();
        self.noting = matches!(place, Place::Id | Place::Method | Place::Name | Place::Uri);
        match (byte, place) {
            // An id may be any JSON to some; to the protocol it is a text or a number.
            (b'{' | b'[', Place::Id | Place::Method | Place::Name | Place::Uri) => {
                return Err(Broken::Syntax);
            }
            (b'{', _) => self.open(Container::Object, Next::FirstName)?,
            (b'[', _) => self.open(Container::Array, Next::FirstItem)?,
            (b'"', _) => {
                self.begin(Lexeme::String { escaped: false });
                if place == Place::Id {
                    self.note(b"\"")?;
                }
            }
            (byte, Place::Elsewhere | Place::Id | Place::Result | Place::Error | Place::Params)
                if is_scalar(byte) =>
            {
                self.begin(Lexeme::Scalar);
                self.note(&[byte])?;
            }
            _ => return Err(Broken::Syntax),
        }
        Ok(())
    }

    fn open(&mut self, container: Container, next: Next) -> Result<(), Broken> {
        if self.stack.len() == DEEPEST {
            return Err(Broken::TooDeep);
        }
        self.stack.push((container, next));
        Ok(())
    }

    fn end_string(&mut self) -> Result<(), Broken> {
        let next = self.stack.last().map(|(_, next)| *next);
        if !matches!(next, Some(Next::FirstName | Next::Name)) {
            if self.place() == Place::Id {
                self.note(b"\"")?;
            }
            return self.end_value();
        }
        self.set(Next::Colon);
        let level = self.stack.len();
        if !self.noting || self.facts.shape != Shape::Object {
            if level <= self.places.len() {
                self.places[level - 1] = Place::Elsewhere;
            }
            return Ok(());
        }
        let place = place_of(level, &self.unescaped()?);
        if place != Place::Elsewhere {
            // Readers differ in whether the first or the last of twins counts.
            if self.seen.contains(&place) {
                return Err(Broken::Twins);
            }
            self.seen.push(place);
        }
        self.places[level - 1] = place;
        Ok(())
    }

    /// What was noted, as the text that it stands for.
    fn unescaped(&self) -> Result<String, Broken> {
        let mut quoted = Vec::with_capacity(self.text.len() + 2);
        quoted.push(b'"');
        quoted.extend_from_slice(&self.text);
        quoted.push(b'"');
        let limits = Limits { bytes: LONGEST + 2, depth: 1, values: 1 };
        match json::parse(&quoted, Origin::Captured, limits) {
            Ok(Value::String(text)) => Ok(text.into_owned()),
            _ => Err(Broken::Syntax),
        }
    }

    /// A value has ended: notes it, and what comes next.
    fn end_value(&mut self) -> Result<(), Broken> {
        match self.place() {
            Place::Id => {
                let text = std::mem::take(&mut self.text);
                let limits = Limits { bytes: LONGEST, depth: 1, values: 1 };
                json::parse(&text, Origin::Captured, limits).map_err(|_| Broken::Syntax)?;
                self.facts.id = Some(text);
            }
            Place::Method => self.facts.method = Some(self.unescaped()?),
            Place::Name => self.facts.name = Some(self.unescaped()?),
            Place::Uri => self.facts.uri = Some(self.unescaped()?),
            Place::Result => self.facts.has_result = true,
            Place::Error => self.facts.has_error = true,
            Place::Params | Place::Elsewhere => {}
        }
        self.noting = false;
        self.text.clear();
        if self.stack.is_empty() {
            self.facts.is_complete = true;
        } else {
            self.set(Next::Comma);
        }
        Ok(())
    }
}

/// The bytes of numbers and of the three words.
fn is_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

fn place_of(level: usize, name: &str) -> Place {
    match (level, name) {
        (1, "id") => Place::Id,
        (1, "method") => Place::Method,
        (1, "result") => Place::Result,
        (1, "error") => Place::Error,
        (1, "params") => Place::Params,
        (2, "name") => Place::Name,
        (2, "uri") => Place::Uri,
        _ => Place::Elsewhere,
    }
}

#[cfg(test)]
mod tests;
