use facets_digest::json::{JsonError, Number, Provenance, Token, TokenKind, Tokenizer};

use super::node::{MANIFEST_LIMITS, MemberList, Node, NodeMember, NodeValue, position};
use crate::manifest::Problem;

/// Reads strict JSON. `shown` is the text that places refer to: the same as `text`, but
/// with the comments that `text` has blanked.
pub(super) fn parse(
    text: &str,
    shown: &str,
    problems: &mut Vec<Problem>,
) -> Result<Node, Box<Problem>> {
    let tokens = Tokenizer::new(text.as_bytes(), MANIFEST_LIMITS);
    let tokens = tokens.map_err(|error| stop(error, shown))?;
    let mut builder = JsonBuilder { tokens, shown, problems };
    let first = builder.next()?;
    let root = builder.node(first)?;
    builder.tokens.finish().map_err(|error| stop(error, shown))?;
    Ok(root)
}

/// A blanked comment may have other columns than the text it stands for.
fn stop(error: JsonError, shown: &str) -> Box<Problem> {
    let position = position(shown, error.position.offset);
    Box::new(Problem::from_json(&JsonError { position, ..error }))
}

struct JsonBuilder<'a, 'p> {
    tokens: Tokenizer<'a>,
    shown: &'a str,
    problems: &'p mut Vec<Problem>,
}

impl<'a> JsonBuilder<'a, '_> {
    fn next(&mut self) -> Result<Token<'a>, Box<Problem>> {
        self.tokens.next().map_err(|error| stop(error, self.shown))
    }

    fn node(&mut self, first: Token<'a>) -> Result<Node, Box<Problem>> {
        let start = first.span.start;
        let value = match first.kind {
            TokenKind::Null => NodeValue::Null,
            TokenKind::Bool(value) => NodeValue::Bool(value),
            TokenKind::String(text) => NodeValue::String(text.into_owned()),
            TokenKind::Number(literal) => self.number(literal, start),
            TokenKind::ArrayStart => self.array()?,
            TokenKind::ObjectStart => self.object()?,
            // The tokenizer gives these only where `array` and `object` take them.
            TokenKind::Name(_) | TokenKind::ArrayEnd | TokenKind::ObjectEnd => NodeValue::Refused,
        };
        Ok(Node { span: start..self.tokens.offset(), value })
    }

    fn number(&mut self, literal: &str, start: usize) -> NodeValue {
        match Number::from_literal(literal, Provenance::Authored) {
            Ok(number) => NodeValue::Number(number.as_f64()),
            Err(kind) => {
                let at = position(self.shown, start);
                self.problems.push(Problem::from_json(&JsonError { kind, position: at }));
                NodeValue::Refused
            }
        }
    }

    fn array(&mut self) -> Result<NodeValue, Box<Problem>> {
        let mut items = Vec::new();
        loop {
            let token = self.next()?;
            if token.kind == TokenKind::ArrayEnd {
                return Ok(NodeValue::Array(items));
            }
            items.push(self.node(token)?);
        }
    }

    fn object(&mut self) -> Result<NodeValue, Box<Problem>> {
        let mut members = MemberList::default();
        loop {
            let token = self.next()?;
            let TokenKind::Name(name) = token.kind else {
                return Ok(NodeValue::Object(members.list));
            };
            let first = self.next()?;
            let node = self.node(first)?;
            let member = NodeMember { name: name.into_owned(), name_span: token.span, node };
            members.add(member, self.shown, self.problems);
        }
    }
}
