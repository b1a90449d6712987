use std::borrow::Cow;
use std::collections::BTreeSet;

use super::{JsonError, JsonErrorKind, Limits, TokenKind, Tokenizer};

/// An envelope has a handful of members; thousands serve only to fill memory.
const MAX_MEMBERS: usize = 10_000;

/// A member whose value is left as the text it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMember<'a> {
    /// The name, unescaped.
    pub name: Cow<'a, str>,
    /// The value as written, without the white space around it.
    pub value: &'a str,
}

/// Splits a document into the members of its outermost object, values left as written.
///
/// The whole document is checked as strictly as [`super::parse`] does, except that names
/// inside the values are not compared: whoever reads a value does that. Anything but an
/// object is `None`.
pub fn split_object(bytes: &[u8], limits: Limits) -> Result<Option<Vec<RawMember<'_>>>, JsonError> {
    let mut splitter = Splitter::new(bytes, limits)?;
    if splitter.tokens.next()?.kind != TokenKind::ObjectStart {
        return Ok(None);
    }
    let mut members = Vec::new();
    let mut seen = BTreeSet::new();
    loop {
        let token = splitter.tokens.next()?;
        let TokenKind::Name(name) = token.kind else { break };
        let first = splitter.tokens.next()?;
        let value = splitter.rest_of_value(first.span.start, &first.kind)?;
        if members.len() >= MAX_MEMBERS {
            let kind = JsonErrorKind::TooManyValues { limit: MAX_MEMBERS };
            return Err(splitter.tokens.error_at(kind, token.span.start));
        }
        if !seen.insert(name.clone()) {
            let kind = JsonErrorKind::DuplicateMember { name: name.into_owned() };
            return Err(splitter.tokens.error_at(kind, token.span.start));
        }
        members.push(RawMember { name, value });
    }
    splitter.tokens.finish()?;
    Ok(Some(members))
}

/// Splits a document into the items of its outermost array, left as written. Anything but
/// an array is `None`.
pub fn split_array(bytes: &[u8], limits: Limits) -> Result<Option<Vec<&str>>, JsonError> {
    let mut splitter = Splitter::new(bytes, limits)?;
    if splitter.tokens.next()?.kind != TokenKind::ArrayStart {
        return Ok(None);
    }
    let mut items = Vec::new();
    loop {
        let first = splitter.tokens.next()?;
        if first.kind == TokenKind::ArrayEnd {
            break;
        }
        items.push(splitter.rest_of_value(first.span.start, &first.kind)?);
    }
    splitter.tokens.finish()?;
    Ok(Some(items))
}

struct Splitter<'a> {
    tokens: Tokenizer<'a>,
}

impl<'a> Splitter<'a> {
    fn new(bytes: &'a [u8], limits: Limits) -> Result<Self, JsonError> {
        Tokenizer::new(bytes, limits).map(|tokens| Self { tokens })
    }

    /// Passes over the value whose first token has just been read.
    fn rest_of_value(&mut self, start: usize, first: &TokenKind<'_>) -> Result<&'a str, JsonError> {
        let mut open = usize::from(matches!(first, TokenKind::ObjectStart | TokenKind::ArrayStart));
        while open > 0 {
            match self.tokens.next()?.kind {
                TokenKind::ObjectStart | TokenKind::ArrayStart => open += 1,
                TokenKind::ObjectEnd | TokenKind::ArrayEnd => open -= 1,
                _ => {}
            }
        }
        Ok(&self.tokens.text[start..self.tokens.offset()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_values_as_written() {
        let text = br#" {"a" : [1, {"b":2}] , "\u0063":"x\n", "d":{} } "#;
        let members = split_object(text, Limits::DOCUMENT).unwrap().unwrap();
        let pairs: Vec<_> = members.iter().map(|m| (m.name.as_ref(), m.value)).collect();
        assert_eq!(pairs, [("a", r#"[1, {"b":2}]"#), ("c", r#""x\n""#), ("d", "{}")]);
        let items =
            split_array(b"[ 1 ,[2,[3]], {\"a\":[]},\"\"]", Limits::DOCUMENT).unwrap().unwrap();
        assert_eq!(items, ["1", "[2,[3]]", "{\"a\":[]}", "\"\""]);
    }

    #[test]
    fn refuses_what_the_reader_refuses() {
        let code =
            |text: &str| split_object(text.as_bytes(), Limits::DOCUMENT).unwrap_err().kind.code();
        assert_eq!(code(r#"{"a":1,"\u0061":2}"#), "json-duplicate-member");
        assert_eq!(code(r#"{"a":[1,}"#), "json-unexpected-character");
        assert_eq!(code(r#"{"a":1} x"#), "json-trailing-bytes");
        assert_eq!(split_object(b"[1]", Limits::DOCUMENT), Ok(None));
        assert_eq!(split_array(b"{}", Limits::DOCUMENT), Ok(None));
    }
}
