//! Finds members in JSON, with or without comments, and passes over everything else.
//!
//! The strict reader refuses a text for half a character in someone's history; here only what
//! is looked at must be readable, and the rest must merely be well formed.

use std::collections::BTreeSet;
use std::ops::Range;

use facets_digest::json::{Limits, Position, TokenKind, Tokenizer};

use crate::error::EditError;

/// Bytes are the caller's to limit.
const LIMITS: Limits = Limits { bytes: usize::MAX, depth: 128, values: 8_000_000 };

/// What a text may have beside plain JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Nothing.
    Plain,
    /// Comments and trailing commas.
    WithComments,
}

/// A text and the notation it is read in.
#[derive(Clone, Copy, Debug)]
pub struct JsonDocument<'t> {
    /// The text.
    pub text: &'t str,
    notation: Notation,
}

/// A member and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberSpan {
    /// Its name.
    pub name: String,
    /// Where the name stands.
    pub name_span: Range<usize>,
    /// Where the value stands.
    pub value: Range<usize>,
    /// The comma behind it.
    pub comma: Option<usize>,
}

/// An object and its members in the order written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSpan {
    /// Where its opening brace stands.
    pub open: usize,
    /// Where its closing brace stands.
    pub close: usize,
    /// Its members.
    pub members: Vec<MemberSpan>,
}

impl ObjectSpan {
    /// The member of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&MemberSpan> {
        self.members.iter().find(|member| member.name == name)
    }

    /// Which member has a name.
    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }
}

impl<'t> JsonDocument<'t> {
    /// A text in a notation. Nothing is read yet.
    #[must_use]
    pub fn new(text: &'t str, notation: Notation) -> Self {
        Self { text, notation }
    }

    /// Reads the whole text and gives the place of its one value.
    pub fn root(self) -> Result<Range<usize>, EditError> {
        let mut scanner = self.scan(0);
        scanner.skip_trivia()?;
        let value = scanner.skip_value()?;
        scanner.skip_trivia()?;
        if scanner.at < self.text.len() {
            return Err(scanner.unexpected("nothing more"));
        }
        Ok(value)
    }

    /// The object that a value is, or nothing. Names stand once.
    pub fn object(self, value: &Range<usize>) -> Result<Option<ObjectSpan>, EditError> {
        let mut scanner = self.scan(value.start);
        if !scanner.skip(b'{') {
            return Ok(None);
        }
        let mut members: Vec<MemberSpan> = Vec::new();
        let mut seen = BTreeSet::new();
        scanner.skip_trivia()?;
        while scanner.peek() != Some(b'}') {
            let name_span = scanner.skip_name()?;
            let value = scanner.skip_value()?;
            scanner.skip_trivia()?;
            let comma = (scanner.peek() == Some(b',')).then_some(scanner.at);
            if scanner.skip(b',') {
                scanner.skip_trivia()?;
            }
            let name = self.name(&name_span);
            if !seen.insert(name.clone()) {
                let position = Position::of(self.text.as_bytes(), name_span.start);
                return Err(EditError::Duplicate { position, name });
            }
            members.push(MemberSpan { name, name_span, value, comma });
        }
        Ok(Some(ObjectSpan { open: value.start, close: scanner.at, members }))
    }

    /// The items of a list, or nothing.
    pub fn array(self, value: &Range<usize>) -> Result<Option<Vec<Range<usize>>>, EditError> {
        let mut scanner = self.scan(value.start);
        if !scanner.skip(b'[') {
            return Ok(None);
        }
        let mut items = Vec::new();
        scanner.skip_trivia()?;
        while scanner.peek() != Some(b']') {
            items.push(scanner.skip_value()?);
            scanner.skip_trivia()?;
            if scanner.skip(b',') {
                scanner.skip_trivia()?;
            }
        }
        Ok(Some(items))
    }

    /// The text of a string, or nothing.
    pub fn string(self, value: &Range<usize>) -> Result<Option<String>, EditError> {
        let literal = &self.text[value.clone()];
        if !literal.starts_with('"') {
            return Ok(None);
        }
        let token = Tokenizer::new(literal.as_bytes(), LIMITS).and_then(|mut tokens| tokens.next());
        match token.map(|token| token.kind) {
            Ok(TokenKind::String(text)) => Ok(Some(text.into_owned())),
            Ok(_) => Ok(None),
            Err(error) => {
                let at = value.start + error.position.offset;
                Err(EditError::syntax(self.text, at, error.kind.to_string()))
            }
        }
    }

    /// The comments of a stretch that begins outside of strings.
    #[must_use]
    pub fn comments(self, stretch: &Range<usize>) -> Vec<Range<usize>> {
        let mut scanner = self.scan(stretch.start);
        let mut found = Vec::new();
        while scanner.at < stretch.end {
            let start = scanner.at;
            // The text was read before, so neither can fail here.
            match scanner.peek() {
                Some(b'"') => {
                    if scanner.skip_string().is_err() {
                        break;
                    }
                }
                Some(b'/') => match scanner.skip_comment() {
                    Ok(true) => found.push(start..scanner.at),
                    _ => break,
                },
                _ => scanner.at += 1,
            }
        }
        found
    }

    /// A name that no text can have stays as it is written: nobody asks for it.
    fn name(self, span: &Range<usize>) -> String {
        match self.string(span) {
            Ok(Some(name)) => name,
            _ => self.text[span.clone()].to_owned(),
        }
    }

    fn scan(self, at: usize) -> Scanner<'t> {
        Scanner { text: self.text, bytes: self.text.as_bytes(), notation: self.notation, at }
    }
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    notation: Notation,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn unexpected(&self, expected: &str) -> EditError {
        let found = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let problem = match found {
            Some('/') if self.notation == Notation::Plain => {
                format!(
                    "found a comment, which this file must not have, where {expected} is expected"
                )
            }
            Some(found) => format!("found {found:?} where {expected} is expected"),
            None => format!("the text ends where {expected} is expected"),
        };
        EditError::syntax(self.text, self.at, problem)
    }

    fn skip_trivia(&mut self) -> Result<(), EditError> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\n' | b'\r') => self.at += 1,
                Some(b'/') if self.notation == Notation::WithComments => {
                    if !self.skip_comment()? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// A line of comment ends before its line end.
    fn skip_comment(&mut self) -> Result<bool, EditError> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(b"//") {
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.at += end.unwrap_or(rest.len());
            return Ok(true);
        }
        if !rest.starts_with(b"/*") {
            return Ok(false);
        }
        let end = rest[2..].windows(2).position(|pair| pair == b"*/");
        let Some(end) = end else {
            return Err(EditError::syntax(self.text, self.at, "a comment that is not closed"));
        };
        self.at += end + 4;
        Ok(true)
    }

    /// A member's name, its colon, and what stands before the value.
    fn skip_name(&mut self) -> Result<Range<usize>, EditError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a member name"));
        }
        let name = self.skip_string()?;
        self.skip_trivia()?;
        if !self.skip(b':') {
            return Err(self.unexpected("':'"));
        }
        self.skip_trivia()?;
        Ok(name)
    }

    /// A value however deep, without recursion.
    fn skip_value(&mut self) -> Result<Range<usize>, EditError> {
        let start = self.at;
        let mut open: Vec<u8> = Vec::new();
        let mut values = 0;
        loop {
            values += 1;
            if values > LIMITS.values {
                return Err(EditError::TooManyValues { limit: LIMITS.values });
            }
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if open.len() >= LIMITS.depth {
                        let problem = format!("nesting deeper than {}", LIMITS.depth);
                        return Err(EditError::syntax(self.text, self.at, problem));
                    }
                    self.at += 1;
                    self.skip_trivia()?;
                    // Both pairs of brackets stand two apart in ASCII.
                    open.push(bracket + 2);
                    if self.peek() != Some(bracket + 2) {
                        if bracket == b'{' {
                            self.skip_name()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => {
                    self.skip_string()?;
                }
                _ => self.skip_scalar()?,
            }
            if self.skip_ends(&mut open)? {
                return Ok(start..self.at);
            }
        }
    }

    /// Behind a value: closes what ends here, up to the next value. True if nothing is open.
    fn skip_ends(&mut self, open: &mut Vec<u8>) -> Result<bool, EditError> {
        while let Some(&closer) = open.last() {
            self.skip_trivia()?;
            if self.skip(closer) {
                open.pop();
                continue;
            }
            if !self.skip(b',') {
                let wanted = if closer == b'}' { "',' or '}'" } else { "',' or ']'" };
                return Err(self.unexpected(wanted));
            }
            self.skip_trivia()?;
            if self.peek() == Some(closer) {
                if self.notation == Notation::Plain {
                    return Err(self.unexpected("a value after the comma"));
                }
                continue;
            }
            if closer == b'}' {
                self.skip_name()?;
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn skip_string(&mut self) -> Result<Range<usize>, EditError> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start..self.at);
                }
                Some(b'\\') => self.skip_escape()?,
                Some(0..0x20) => {
                    let problem = "a control character that a string must escape";
                    return Err(EditError::syntax(self.text, self.at, problem));
                }
                Some(_) => self.at += 1,
                None => return Err(self.unexpected("the end of a string")),
            }
        }
    }

    fn skip_escape(&mut self) -> Result<(), EditError> {
        let rest = &self.bytes[self.at + 1..];
        let length = match rest.first() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if rest.len() > 4 && rest[1..5].iter().all(u8::is_ascii_hexdigit) => 6,
            _ => {
                return Err(EditError::syntax(self.text, self.at, "invalid escape in a string"));
            }
        };
        self.at += length;
        Ok(())
    }

    fn skip_scalar(&mut self) -> Result<(), EditError> {
        let rest = &self.bytes[self.at..];
        let in_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let length = rest.iter().position(|byte| !in_word(byte)).unwrap_or(rest.len());
        let read = Tokenizer::new(&rest[..length], LIMITS).and_then(|mut tokens| {
            tokens.next()?;
            tokens.finish()
        });
        match read {
            Ok(()) => self.at += length,
            Err(_) => return Err(self.unexpected("a value")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(text: &str, notation: Notation) -> Result<Range<usize>, String> {
        JsonDocument::new(text, notation).root().map_err(|error| error.to_string())
    }

    #[test]
    fn reads_what_both_notations_allow() {
        for text in ["{}", " [1, -2.5e3, true, null, \"a\\u00e9\"] ", "\"\\ud83d\"", "[[],{}]"] {
            assert!(root(text, Notation::Plain).is_ok(), "{text}");
            assert!(root(text, Notation::WithComments).is_ok(), "{text}");
        }
        for text in ["[1,]", "{\"a\":1, }", "// a\n{} /* b */", "{/**/}", "[1/*,*/,2//]\n]"] {
            assert!(root(text, Notation::Plain).is_err(), "{text}");
            assert!(root(text, Notation::WithComments).is_ok(), "{text}");
        }
    }

    #[test]
    fn says_where_a_text_is_wrong() {
        let cases = [
            ("", "the text ends where a value is expected at line 1, column 1"),
            ("{\n \"a\" 1}", "found '1' where ':' is expected at line 2, column 6"),
            ("[1 2]", "found '2' where ',' or ']' is expected at line 1, column 4"),
            ("{a: 1}", "found 'a' where a member name is expected at line 1, column 2"),
            ("[é]", "found 'é' where a value is expected at line 1, column 2"),
            ("[01]", "found '0' where a value is expected at line 1, column 2"),
            ("{} x", "found 'x' where nothing more is expected at line 1, column 4"),
            ("[\"\\x\"]", "invalid escape in a string at line 1, column 3"),
            ("[\"a\n\"]", "a control character that a string must escape at line 1, column 4"),
            ("[,]", "found ',' where a value is expected at line 1, column 2"),
            ("[1,,]", "found ',' where a value is expected at line 1, column 4"),
            ("[/* a", "a comment that is not closed at line 1, column 2"),
        ];
        for (text, message) in cases {
            assert_eq!(root(text, Notation::WithComments).unwrap_err(), message, "{text}");
        }
        assert_eq!(
            root("// a\n{}", Notation::Plain).unwrap_err(),
            "found a comment, which this file must not have, where a value is expected at line 1, column 1"
        );
        let deep = "[".repeat(200_000);
        assert!(root(&deep, Notation::Plain).unwrap_err().contains("deeper than 128"));
    }

    #[test]
    fn finds_members_and_their_commas() {
        let text = "{ \"a\" : [1, {\"x\": 2}], // c, d\n \"\\u0062\": \"//\", }";
        let json = JsonDocument::new(text, Notation::WithComments);
        let object = json.object(&json.root().unwrap()).unwrap().unwrap();
        let found: Vec<_> = object
            .members
            .iter()
            .map(|member| (member.name.as_str(), &text[member.value.clone()], member.comma))
            .collect();
        assert_eq!(found, [("a", "[1, {\"x\": 2}]", Some(21)), ("b", "\"//\"", Some(46))]);
        assert_eq!((object.open, object.close), (0, 48));
        let comments = json.comments(&(0..text.len()));
        assert_eq!(
            comments.iter().map(|span| &text[span.clone()]).collect::<Vec<_>>(),
            ["// c, d"]
        );
    }

    #[test]
    fn refuses_names_that_stand_twice() {
        let json = JsonDocument::new("{\"a\": 1,\n \"\\u0061\": 2}", Notation::Plain);
        let error = json.object(&json.root().unwrap()).err().unwrap();
        assert_eq!(error.to_string(), "duplicate \"a\" at line 2, column 2");
    }
}
