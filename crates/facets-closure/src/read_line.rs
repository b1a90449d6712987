//! One package of a closure file, read strictly.

use std::collections::BTreeSet;

use facets_digest::json::{Object, Value};

use crate::error::ClosureError;
use crate::flags::PackageFlag;
use crate::package_file::PackageFile;

/// What is read.
const WHAT: &str = "the closure file";

/// The greatest integer that JSON numbers hold exactly.
const LARGEST: f64 = 9_007_199_254_740_991.0;

/// Why a member cannot be used.
pub(crate) fn bad(member: &str, expected: &'static str) -> ClosureError {
    ClosureError::Member { what: WHAT, member: member.to_owned(), expected }
}

/// One package of a closure file.
pub(crate) struct Line<'l> {
    /// Its place in the list.
    pub(crate) index: usize,
    pub(crate) package: &'l Object<'l>,
}

impl<'l> Line<'l> {
    pub(crate) fn bad(&self, member: &str, expected: &'static str) -> ClosureError {
        bad(&format!("packages[{}].{member}", self.index), expected)
    }

    pub(crate) fn optional_text(&self, member: &str) -> Result<Option<&'l str>, ClosureError> {
        match self.package.get(member) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_ref())),
            Some(_) => Err(self.bad(member, "a string")),
        }
    }

    pub(crate) fn text(&self, member: &str) -> Result<&'l str, ClosureError> {
        self.optional_text(member)?.ok_or_else(|| self.bad(member, "a string"))
    }

    pub(crate) fn texts(&self, member: &str) -> Result<Vec<String>, ClosureError> {
        let wrong = || self.bad(member, "a list of strings");
        let items = match self.package.get(member) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items,
            Some(_) => return Err(wrong()),
        };
        let texts = items.iter().map(|item| match item {
            Value::String(text) => Some(text.to_string()),
            _ => None,
        });
        texts.collect::<Option<_>>().ok_or_else(wrong)
    }

    /// The file, if facet fetched it.
    pub(crate) fn file(&self) -> Result<Option<PackageFile>, ClosureError> {
        let Some(sha256) = self.optional_text("sha256")? else { return Ok(None) };
        let sha256 = sha256.parse().map_err(|_| self.bad("sha256", "a digest"))?;
        let size = self.size().ok_or_else(|| self.bad("size", "a number of bytes"))?;
        Ok(Some(PackageFile { sha256, size }))
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number that was compared with both ends"
    )]
    fn size(&self) -> Option<u64> {
        let Some(Value::Number(number)) = self.package.get("size") else { return None };
        let size = number.as_f64();
        (size.fract() == 0.0 && (0.0..=LARGEST).contains(&size)).then_some(size as u64)
    }

    pub(crate) fn flags(&self) -> Result<BTreeSet<PackageFlag>, ClosureError> {
        let names = self.texts("flags")?;
        let flags = names.iter().map(|name| PackageFlag::named(name));
        flags.collect::<Option<_>>().ok_or_else(|| self.bad("flags", "flags that facet knows"))
    }
}
