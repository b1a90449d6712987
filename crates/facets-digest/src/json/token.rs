use std::borrow::Cow;
use std::ops::Range;

use super::{JsonError, JsonErrorKind, Limits, Position};

/// One piece of a document and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind<'a>,
    /// Its bytes in the text; of a string with its quotes.
    pub span: Range<usize>,
}

/// The pieces of a document. Commas and colons are checked and left out.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind<'a> {
    /// `{`
    ObjectStart,
    /// `}`
    ObjectEnd,
    /// `[`
    ArrayStart,
    /// `]`
    ArrayEnd,
    /// A member's name, unescaped.
    Name(Cow<'a, str>),
    /// A string, unescaped.
    String(Cow<'a, str>),
    /// A number as written, in the form the grammar asks for.
    Number(&'a str),
    /// `true` or `false`
    Bool(bool),
    /// `null`
    Null,
}

/// What may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Value,
    FirstItem,
    FirstName,
    Separator,
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Container {
    Array,
    Object,
}

/// Splits strict JSON into tokens, and refuses everything that is not.
///
/// What it leaves to its caller: that no name stands twice in an object, and what a number
/// is worth.
#[derive(Clone, Debug)]
pub struct Tokenizer<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    expect: Expect,
    open: Vec<Container>,
    values: usize,
    limits: Limits,
}

impl<'a> Tokenizer<'a> {
    /// Checks what concerns the text as a whole: size, byte order mark, UTF-8.
    pub fn new(bytes: &'a [u8], limits: Limits) -> Result<Self, JsonError> {
        let refuse = |kind, offset| JsonError { kind, position: Position::of(bytes, offset) };
        if bytes.len() > limits.bytes {
            let kind = JsonErrorKind::TooLarge { size: bytes.len(), limit: limits.bytes };
            return Err(refuse(kind, 0));
        }
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(refuse(JsonErrorKind::ByteOrderMark, 0));
        }
        let text = std::str::from_utf8(bytes)
            .map_err(|error| refuse(JsonErrorKind::InvalidUtf8, error.valid_up_to()))?;
        Ok(Self { text, at: 0, expect: Expect::Value, open: Vec::new(), values: 0, limits })
    }

    /// Where the next token is looked for.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next token. After the last one, use [`Self::finish`].
    #[expect(clippy::should_implement_trait, reason = "an iterator would have to end by itself")]
    pub fn next(&mut self) -> Result<Token<'a>, JsonError> {
        self.skip_white_space();
        let start = self.at;
        let kind = match self.expect {
            Expect::Value => self.value(),
            Expect::FirstItem => match self.peek() {
                Some(b']') => Ok(self.close(TokenKind::ArrayEnd)),
                _ => self.value(),
            },
            Expect::FirstName => match self.peek() {
                Some(b'}') => Ok(self.close(TokenKind::ObjectEnd)),
                _ => self.name("a member name or '}'"),
            },
            Expect::Separator => return self.after_separator(),
            Expect::End => Err(self.unexpected("nothing more")),
        }?;
        Ok(Token { kind, span: start..self.at })
    }

    /// Confirms that the document is complete and nothing but white space follows it.
    pub fn finish(&mut self) -> Result<(), JsonError> {
        self.skip_white_space();
        match self.expect {
            Expect::End if self.at == self.text.len() => Ok(()),
            Expect::End => Err(self.error_at(JsonErrorKind::TrailingBytes, self.at)),
            _ => Err(self.unexpected("the rest of the document")),
        }
    }

    /// An error at a byte offset of this text.
    #[must_use]
    pub fn error_at(&self, kind: JsonErrorKind, offset: usize) -> JsonError {
        JsonError { kind, position: Position::of(self.text.as_bytes(), offset) }
    }

    /// Where the second member of that name stands in the object whose `{` ends at `start`.
    pub(super) fn second_member_named(&self, start: usize, wanted: &str) -> Option<usize> {
        let mut again = Self {
            text: self.text,
            at: start,
            expect: Expect::FirstName,
            open: vec![Container::Object],
            values: 0,
            limits: self.limits,
        };
        let mut seen = 0;
        while !again.open.is_empty() {
            let direct = again.open.len() == 1;
            let token = again.next().ok()?;
            if direct && matches!(&token.kind, TokenKind::Name(name) if name == wanted) {
                seen += 1;
                if seen == 2 {
                    return Some(token.span.start);
                }
            }
        }
        None
    }

    fn after_separator(&mut self) -> Result<Token<'a>, JsonError> {
        let in_object = self.open.last() == Some(&Container::Object);
        match (self.peek(), in_object) {
            (Some(b','), _) => self.at += 1,
            (Some(b'}'), true) => return Ok(self.closing(TokenKind::ObjectEnd)),
            (Some(b']'), false) => return Ok(self.closing(TokenKind::ArrayEnd)),
            (_, true) => return Err(self.unexpected("',' or '}'")),
            (_, false) => return Err(self.unexpected("',' or ']'")),
        }
        self.skip_white_space();
        let start = self.at;
        let kind = if in_object { self.name("a member name")? } else { self.value()? };
        Ok(Token { kind, span: start..self.at })
    }

    fn closing(&mut self, kind: TokenKind<'a>) -> Token<'a> {
        let start = self.at;
        let kind = self.close(kind);
        Token { kind, span: start..self.at }
    }

    fn close(&mut self, kind: TokenKind<'a>) -> TokenKind<'a> {
        self.at += 1;
        self.open.pop();
        self.after_value();
        kind
    }

    fn after_value(&mut self) {
        self.expect = if self.open.is_empty() { Expect::End } else { Expect::Separator };
    }

    fn value(&mut self) -> Result<TokenKind<'a>, JsonError> {
        self.values += 1;
        if self.values > self.limits.values {
            let kind = JsonErrorKind::TooManyValues { limit: self.limits.values };
            return Err(self.error_at(kind, self.at));
        }
        let kind = match self.peek() {
            Some(b'{') => return self.enter(Container::Object),
            Some(b'[') => return self.enter(Container::Array),
            Some(b'"') => TokenKind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => TokenKind::Number(self.number()?),
            Some(b't') => self.word("true", TokenKind::Bool(true))?,
            Some(b'f') => self.word("false", TokenKind::Bool(false))?,
            Some(b'n') => self.word("null", TokenKind::Null)?,
            _ => return Err(self.unexpected("a value")),
        };
        self.after_value();
        Ok(kind)
    }

    fn enter(&mut self, container: Container) -> Result<TokenKind<'a>, JsonError> {
        // spec 1.3: the outermost container is depth 1
        if self.open.len() >= self.limits.depth {
            let kind = JsonErrorKind::TooDeep { limit: self.limits.depth };
            return Err(self.error_at(kind, self.at));
        }
        self.at += 1;
        self.open.push(container);
        Ok(match container {
            Container::Array => {
                self.expect = Expect::FirstItem;
                TokenKind::ArrayStart
            }
            Container::Object => {
                self.expect = Expect::FirstName;
                TokenKind::ObjectStart
            }
        })
    }

    fn name(&mut self, expected: &'static str) -> Result<TokenKind<'a>, JsonError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected(expected));
        }
        let name = self.string()?;
        self.skip_white_space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected("':'"));
        }
        self.at += 1;
        self.expect = Expect::Value;
        Ok(TokenKind::Name(name))
    }

    fn word(&mut self, word: &str, kind: TokenKind<'a>) -> Result<TokenKind<'a>, JsonError> {
        if !self.rest().starts_with(word) {
            return Err(self.unexpected("a value"));
        }
        self.at += word.len();
        Ok(kind)
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn rest(&self) -> &'a str {
        // Past an error inside an escape the offset may lie beyond the end.
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_white_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> JsonError {
        let kind = match self.rest().chars().next() {
            Some(found) => JsonErrorKind::Unexpected { found, expected },
            None => JsonErrorKind::UnexpectedEnd { expected },
        };
        self.error_at(kind, self.at)
    }
}
