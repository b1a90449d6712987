//! JSON as JavaScript reads it: the last of two equal names wins, numbers are doubles, and an
//! object has an order.

use std::borrow::Cow;

use facets_digest::json::{
    JsonError, Limits, Number, TokenKind, Tokenizer, compare_utf16, write_list, write_string,
};

/// A value that JavaScript's `JSON.parse` would give.
#[derive(Clone, Debug, PartialEq)]
pub enum Js<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A double.
    Number(f64),
    /// A string.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Js<'a>>),
    /// Members in JavaScript's order.
    Object(Vec<(Cow<'a, str>, Js<'a>)>),
}

impl<'a> Js<'a> {
    /// A member of an object.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Js<'a>> {
        self.members()?.iter().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The members of an object.
    #[must_use]
    pub fn members(&self) -> Option<&[(Cow<'a, str>, Js<'a>)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The text of a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a member somewhere is called `__proto__`, which is not hashed.
    #[must_use]
    pub fn hides_something(&self) -> bool {
        match self {
            Self::Array(items) => items.iter().any(Js::hides_something),
            Self::Object(members) => {
                members.iter().any(|(name, value)| name == PROTO || value.hides_something())
            }
            _ => false,
        }
    }
}

const PROTO: &str = "__proto__";

/// Reads a document. Lone surrogates are refused: text of ours cannot hold them.
pub fn parse(bytes: &[u8]) -> Result<Js<'_>, JsonError> {
    let mut tokens = Tokenizer::new(bytes, Limits::DOCUMENT)?;
    let first = tokens.next()?.kind;
    let value = read(&mut tokens, first)?;
    tokens.finish()?;
    Ok(value)
}

fn read<'a>(tokens: &mut Tokenizer<'a>, first: TokenKind<'a>) -> Result<Js<'a>, JsonError> {
    Ok(match first {
        TokenKind::Bool(value) => Js::Bool(value),
        TokenKind::String(text) => Js::String(text),
        // What overflows is infinite for JavaScript, which then writes null.
        TokenKind::Number(literal) => {
            let number = literal.parse().unwrap_or(f64::NAN);
            if f64::is_finite(number) { Js::Number(number) } else { Js::Null }
        }
        TokenKind::ArrayStart => {
            let mut items = Vec::new();
            loop {
                match tokens.next()?.kind {
                    TokenKind::ArrayEnd => break Js::Array(items),
                    first => items.push(read(tokens, first)?),
                }
            }
        }
        TokenKind::ObjectStart => {
            let mut members = Vec::new();
            while let TokenKind::Name(name) = tokens.next()?.kind {
                let first = tokens.next()?.kind;
                members.push((name, read(tokens, first)?));
            }
            Js::Object(in_js_order(members))
        }
        TokenKind::Null | TokenKind::Name(_) | TokenKind::ArrayEnd | TokenKind::ObjectEnd => {
            Js::Null
        }
    })
}

/// Names that look like indices by number, then the others as they came; of twins the first
/// place and the last value.
fn in_js_order<'a>(members: Vec<(Cow<'a, str>, Js<'a>)>) -> Vec<(Cow<'a, str>, Js<'a>)> {
    let mut numbered: Vec<(usize, (Cow<'a, str>, Js<'a>))> =
        members.into_iter().enumerate().collect();
    numbered.sort_by(|a, b| compare_utf16(&a.1.0, &b.1.0).then(a.0.cmp(&b.0)));
    let mut unique: Vec<(usize, (Cow<'a, str>, Js<'a>))> = Vec::with_capacity(numbered.len());
    for (place, (name, value)) in numbered {
        match unique.last_mut() {
            Some((_, last)) if last.0 == name => last.1 = value,
            _ => unique.push((place, (name, value))),
        }
    }
    unique.sort_by_key(|(place, (name, _))| (index(name).is_none(), index(name), *place));
    unique.into_iter().map(|(_, member)| member).collect()
}

/// The number of an array index: JavaScript puts those first.
fn index(name: &str) -> Option<u32> {
    let canonical = name == "0" || !name.starts_with('0');
    let digits = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
    let number = (canonical && digits).then(|| name.parse().ok()).flatten();
    number.filter(|number| *number != u32::MAX)
}

/// The reference's canonical text.
#[must_use]
pub fn canonicalize(value: &Js<'_>) -> String {
    let mut out = Vec::new();
    write(value, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

fn write(value: &Js<'_>, out: &mut Vec<u8>) {
    match value {
        Js::Null => out.extend_from_slice(b"null"),
        Js::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
        Js::Number(number) => Number::Double(*number).write_to(out),
        Js::String(text) => write_string(text, out),
        Js::Array(items) => write_list(['[', ']'], items, out, write),
        Js::Object(members) => {
            write_list(['{', '}'], &sorted(members), out, |(name, value), out| {
                write_string(name, out);
                out.push(b':');
                write(value, out);
            });
        }
    }
}

/// As the reference sorts: by name, and then JavaScript puts indices first all the same.
pub(super) fn sorted<'v, 'a>(
    members: &'v [(Cow<'a, str>, Js<'a>)],
) -> Vec<&'v (Cow<'a, str>, Js<'a>)> {
    let mut members: Vec<_> = members.iter().filter(|(name, _)| name != PROTO).collect();
    members.sort_by(|(a, _), (b, _)| match (index(a), index(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => compare_utf16(a, b),
    });
    members
}
