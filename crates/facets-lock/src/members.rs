//! The members of one entry of the lock, read strictly.

use std::str::FromStr;

use facets_digest::Digest;
use facets_digest::json::{
    self, Limits, Provenance, RawMember, Value, split_object, write_list, write_string,
};

use crate::error::LockError;

/// A tool of 10,000, its hashes and its contract's, is ten values; a lock may have many servers.
pub(crate) const LIMITS: Limits = Limits { bytes: 256 << 20, depth: 128, values: 8_000_000 };

/// The members of an entry, by name.
pub(crate) struct EntryMembers<'e> {
    server: &'e str,
    members: Vec<RawMember<'e>>,
}

impl<'e> EntryMembers<'e> {
    pub(crate) fn parse(server: &'e str, text: &'e str) -> Result<Self, LockError> {
        let members = split_object(text.as_bytes(), LIMITS)?;
        let members = members.ok_or_else(|| bad(server, "", "an object"))?;
        Ok(Self { server, members })
    }

    /// Why a member cannot be used.
    pub(crate) fn bad(&self, member: &str, expected: &'static str) -> LockError {
        bad(self.server, member, expected)
    }

    pub(crate) fn raw(&self, member: &str) -> Option<&str> {
        self.members.iter().find(|other| other.name == member).map(|other| other.value)
    }

    pub(crate) fn value(&self, member: &str) -> Result<Value<'_>, LockError> {
        let raw = self.raw(member).ok_or_else(|| self.bad(member, "present"))?;
        Ok(json::parse(raw.as_bytes(), Provenance::Captured, LIMITS)?)
    }

    pub(crate) fn text(&self, member: &str) -> Result<String, LockError> {
        match self.value(member)? {
            Value::String(text) => Ok(text.into_owned()),
            _ => Err(self.bad(member, "a string")),
        }
    }

    pub(crate) fn texts(&self, member: &str) -> Result<Vec<String>, LockError> {
        let wrong = || self.bad(member, "a list of strings");
        let Value::Array(items) = self.value(member)? else { return Err(wrong()) };
        let texts = items.into_iter().map(|item| match item {
            Value::String(text) => Some(text.into_owned()),
            _ => None,
        });
        texts.collect::<Option<_>>().ok_or_else(wrong)
    }

    pub(crate) fn digest(&self, member: &str) -> Result<Digest, LockError> {
        self.parsed(member, "a digest")
    }

    /// A text with a grammar of its own.
    pub(crate) fn parsed<T: FromStr>(
        &self,
        member: &str,
        expected: &'static str,
    ) -> Result<T, LockError> {
        self.text(member)?.parse().map_err(|_| self.bad(member, expected))
    }

    /// The members that are not among these, as written.
    pub(crate) fn all_but(&self, known: &[&str]) -> Vec<(String, String)> {
        let unknown = self.members.iter().filter(|member| !known.contains(&&*member.name));
        unknown.map(|member| (member.name.to_string(), member.value.to_owned())).collect()
    }
}

/// Texts as a list, in canonical JSON.
pub(crate) fn text_list(items: &[String]) -> String {
    let mut out = Vec::new();
    write_list(['[', ']'], items, &mut out, |item, out| write_string(item, out));
    String::from_utf8_lossy(&out).into_owned()
}

fn bad(server: &str, member: &str, expected: &'static str) -> LockError {
    let place = format!("servers.{server}.{member}");
    LockError::Member { place: place.trim_end_matches('.').to_owned(), expected }
}
