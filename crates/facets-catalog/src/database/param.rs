//! Parameters of statements.

use std::borrow::Cow;

use facets_digest::Digest;
use facets_model::{ArtifactName, Version};

use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::moment::Moment;
use crate::owner::Owner;

/// A value for a `$1` of a statement. The absence of a value has a type as well: a statement is prepared
/// once, with the types of its first values.
#[derive(Clone, Debug)]
pub(crate) enum Param<'p> {
    Text(Option<Cow<'p, str>>),
    Integer(Option<i64>),
}

/// Refuses texts that only one of the databases could store.
pub(super) fn check(params: &[Param<'_>]) -> Result<(), CatalogError> {
    let has_nul =
        |param: &Param<'_>| matches!(param, Param::Text(Some(text)) if text.contains('\0'));
    if params.iter().any(has_nul) {
        let reason = "it has a NUL character";
        return Err(CatalogError::Unstorable { what: "text", reason });
    }
    Ok(())
}

impl<'p> From<&'p str> for Param<'p> {
    fn from(text: &'p str) -> Self {
        Self::Text(Some(Cow::Borrowed(text)))
    }
}

impl<'p> From<&'p String> for Param<'p> {
    fn from(text: &'p String) -> Self {
        Self::Text(Some(Cow::Borrowed(text)))
    }
}

impl<'p> From<Option<&'p str>> for Param<'p> {
    fn from(text: Option<&'p str>) -> Self {
        Self::Text(text.map(Cow::Borrowed))
    }
}

impl From<ArtifactKind> for Param<'_> {
    fn from(kind: ArtifactKind) -> Self {
        Self::Text(Some(Cow::Borrowed(kind.as_str())))
    }
}

impl<'p> From<&'p ArtifactName> for Param<'p> {
    fn from(name: &'p ArtifactName) -> Self {
        Self::from(name.as_str())
    }
}

impl<'p> From<&'p Owner> for Param<'p> {
    fn from(owner: &'p Owner) -> Self {
        Self::from(owner.as_str())
    }
}

impl From<&Version> for Param<'_> {
    fn from(version: &Version) -> Self {
        Self::Text(Some(Cow::Owned(version.to_string())))
    }
}

impl From<&Digest> for Param<'_> {
    fn from(digest: &Digest) -> Self {
        Self::Text(Some(Cow::Owned(digest.to_string())))
    }
}

impl From<i64> for Param<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl From<u32> for Param<'_> {
    fn from(number: u32) -> Self {
        Self::Integer(Some(i64::from(number)))
    }
}

impl From<Moment> for Param<'_> {
    fn from(moment: Moment) -> Self {
        Self::Integer(Some(moment.0))
    }
}

impl From<Option<Moment>> for Param<'_> {
    fn from(moment: Option<Moment>) -> Self {
        Self::Integer(moment.map(|moment| moment.0))
    }
}

/// A size as databases count. None of an archive comes near the largest.
pub(crate) fn size(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A text that is only shown: what one of the databases could not store is left out.
pub(crate) fn shown(text: Option<&str>) -> Param<'_> {
    Param::Text(text.map(|text| {
        if text.contains('\0') { text.replace('\0', "").into() } else { Cow::Borrowed(text) }
    }))
}
