//! The members of one entry of the lock, read strictly.

use std::str::FromStr;

use facets_digest::Digest;
use facets_digest::json::{
    self, Limits, Provenance, RawMember, Value, split_array, split_object, write_list, write_string,
};

use crate::error::LockError;

/// A tool of 10,000, its hashes and its contract's, is ten values; a lock may have many servers.
pub(crate) const LIMITS: Limits = Limits { bytes: 256 << 20, depth: 128, values: 8_000_000 };

/// The members of an entry, by name.
pub(crate) struct EntryMembers<'e> {
    place: String,
    members: Vec<RawMember<'e>>,
}

impl<'e> EntryMembers<'e> {
    pub(crate) fn parse(server: &str, text: &'e str) -> Result<Self, LockError> {
        Self::at(format!("servers.{server}"), text)
    }

    /// The members of any object of the lock, which stands at `place`.
    pub(crate) fn at(place: String, text: &'e str) -> Result<Self, LockError> {
        match split_object(text.as_bytes(), LIMITS)? {
            Some(members) => Ok(Self { place, members }),
            None => Err(LockError::Member { place, expected: "an object" }),
        }
    }

    /// Why a member cannot be used.
    pub(crate) fn bad(&self, member: &str, expected: &'static str) -> LockError {
        LockError::Member { place: self.below(member), expected }
    }

    fn below(&self, member: &str) -> String {
        format!("{}.{member}", self.place)
    }

    pub(crate) fn raw(&self, member: &str) -> Option<&'e str> {
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

    /// The members of an object that has to be there.
    pub(crate) fn object(&self, member: &str) -> Result<EntryMembers<'e>, LockError> {
        let raw = self.raw(member).ok_or_else(|| self.bad(member, "present"))?;
        EntryMembers::at(self.below(member), raw)
    }

    /// The members of each object of a list that has to be there.
    pub(crate) fn objects(&self, member: &str) -> Result<Vec<EntryMembers<'e>>, LockError> {
        let raw = self.raw(member).ok_or_else(|| self.bad(member, "present"))?;
        let items = split_array(raw.as_bytes(), LIMITS)?;
        let items = items.ok_or_else(|| self.bad(member, "a list"))?;
        let place = self.below(member);
        let items = items.into_iter().enumerate();
        items.map(|(index, item)| EntryMembers::at(format!("{place}[{index}]"), item)).collect()
    }

    /// Refuses members that are not among these.
    pub(crate) fn closed(&self, known: &[&str]) -> Result<(), LockError> {
        let mut names = self.members.iter().map(|member| &*member.name);
        match names.find(|name| !known.contains(name)) {
            Some(other) => Err(self.bad(other, "a member that facet writes")),
            None => Ok(()),
        }
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
