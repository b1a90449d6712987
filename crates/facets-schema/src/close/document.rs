//! A schema as a whole, in which references lead from one place to another.

use std::cell::Cell;

use facets_digest::json::Value;

use super::keywords::Dialect;

/// The schema that is closed.
pub(super) struct Document<'v> {
    pub(super) root: &'v Value<'v>,
    pub(super) dialect: Dialect,
    /// How often it was asked what declares arguments.
    asked: Cell<usize>,
}

impl<'v> Document<'v> {
    pub(super) fn new(root: &'v Value<'v>, dialect: Dialect) -> Self {
        Self { root, dialect, asked: Cell::new(0) }
    }

    pub(super) fn resolve(&self, target: &str) -> Option<&'v Value<'v>> {
        resolve(self.root, target)
    }

    /// Counts what was looked at; whether there may be more.
    pub(super) fn may_ask(&self, count: usize) -> bool {
        const MOST: usize = 20_000;
        self.asked.set(self.asked.get() + count);
        self.asked.get() <= MOST
    }
}

/// What a reference inside a document leads to.
pub(crate) fn resolve<'v>(root: &'v Value<'v>, target: &str) -> Option<&'v Value<'v>> {
    let path = decode(target.strip_prefix('#')?)?;
    if path.is_empty() {
        return Some(root);
    }
    let mut at = root;
    for segment in path.strip_prefix('/')?.split('/') {
        let name = segment.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::Object(object) => object.get(&name)?,
            Value::Array(items) => items.get(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(at)
}

/// The text behind percent signs.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}
