use std::borrow::Cow;

use super::{
    JsonError, JsonErrorKind, Limits, Member, Number, Object, Provenance, TokenKind, Tokenizer,
    Value,
};

/// Reads one strict JSON document (spec 1.3).
pub fn parse(bytes: &[u8], provenance: Provenance, limits: Limits) -> Result<Value<'_>, JsonError> {
    let mut reader = Reader { tokens: Tokenizer::new(bytes, limits)?, provenance };
    let first = reader.next()?;
    let value = reader.value(first)?;
    reader.tokens.finish()?;
    Ok(value)
}

struct Reader<'a> {
    tokens: Tokenizer<'a>,
    provenance: Provenance,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<TokenKind<'a>, JsonError> {
        self.tokens.next().map(|token| token.kind)
    }

    /// Recursive, but never deeper than `Limits::depth`: the tokenizer sees to that.
    fn value(&mut self, first: TokenKind<'a>) -> Result<Value<'a>, JsonError> {
        Ok(match first {
            TokenKind::Null => Value::Null,
            TokenKind::Bool(value) => Value::Bool(value),
            TokenKind::String(text) => Value::String(text),
            TokenKind::Number(literal) => Value::Number(self.number(literal)?),
            TokenKind::ArrayStart => Value::Array(self.array()?),
            TokenKind::ObjectStart => Value::Object(self.object()?),
            // The tokenizer gives these only where `array` and `object` take them.
            TokenKind::Name(_) | TokenKind::ArrayEnd | TokenKind::ObjectEnd => Value::Null,
        })
    }

    fn number(&self, literal: &'a str) -> Result<Number<'a>, JsonError> {
        Number::from_literal(literal, self.provenance)
            .map_err(|kind| self.tokens.error_at(kind, self.tokens.offset() - literal.len()))
    }

    fn array(&mut self) -> Result<Vec<Value<'a>>, JsonError> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                TokenKind::ArrayEnd => return Ok(items),
                first => items.push(self.value(first)?),
            }
        }
    }

    fn object(&mut self) -> Result<Object<'a>, JsonError> {
        let start = self.tokens.offset();
        let mut members = Vec::new();
        while let TokenKind::Name(name) = self.next()? {
            let first = self.next()?;
            members.push(Member { name, value: self.value(first)? });
        }
        Object::new(members).map_err(|name| self.duplicate(start, name))
    }

    /// Reading the object a second time finds the place without keeping one per member.
    fn duplicate(&self, start: usize, name: Cow<'a, str>) -> JsonError {
        let offset = self.tokens.second_member_named(start, &name).unwrap_or(start);
        self.tokens.error_at(JsonErrorKind::DuplicateMember { name: name.into_owned() }, offset)
    }
}
