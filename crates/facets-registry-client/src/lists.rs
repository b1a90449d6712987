//! Lists of a registry, a page at a time, and the differences between two versions.

use facets_digest::Digest;
use facets_digest::json::Value;
use facets_model::{ArtifactName, Version};
use url::Url;

use crate::answer::{AnswerMembers, parse_json};
use crate::document::VersionYank;
use crate::error::RegistryClientError;
use crate::wanted::PublishedKind;

/// Items of a page that a registry gives at most.
const MOST: u32 = 100;

/// Where a page begins, and how long it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListPosition {
    /// What the page before gave; none for the first page.
    pub cursor: Option<String>,
    /// How many items, at most 100; none for the usual number.
    pub limit: Option<u32>,
}

impl ListPosition {
    /// Writes the position into the query of an address.
    pub(crate) fn write_to(&self, url: &mut Url) {
        if let Some(cursor) = &self.cursor {
            url.query_pairs_mut().append_pair("cursor", cursor);
        }
        if let Some(limit) = self.limit {
            url.query_pairs_mut().append_pair("limit", &limit.clamp(1, MOST).to_string());
        }
    }
}

/// Names that a registry knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactPage {
    /// In the order of the registry.
    pub items: Vec<ListedArtifact>,
    /// Where the next page begins; none if there is none.
    pub next: Option<String>,
}

/// A name, and its latest version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedArtifact {
    /// The name.
    pub name: ArtifactName,
    /// The highest version that is not yanked.
    pub latest: Version,
    /// What its author says about it.
    pub description: Option<String>,
    /// Who owns the name.
    pub owner: Option<String>,
}

impl ArtifactPage {
    /// Reads the body of an answer.
    pub fn parse(url: &Url, body: &[u8], kind: PublishedKind) -> Result<Self, RegistryClientError> {
        let value = parse_json(url, body)?;
        let members = AnswerMembers::new(url, &value);
        let items = members.list(kind.list_member())?.iter();
        let items = items.map(|item| ListedArtifact::read(&AnswerMembers::new(url, item)));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { items, next: members.optional_text("next_cursor")?.map(str::to_owned) })
    }
}

impl ListedArtifact {
    fn read(members: &AnswerMembers<'_, '_>) -> Result<Self, RegistryClientError> {
        Ok(Self {
            name: members.parsed("name")?,
            latest: members.parsed("latest_version")?,
            description: members.optional_text("description")?.map(str::to_owned),
            owner: members.optional_text("owner")?.map(str::to_owned),
        })
    }
}

/// Versions of a name, the newest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionPage {
    /// The newest first.
    pub items: Vec<PublishedVersion>,
    /// Where the next page begins; none if there is none.
    pub next: Option<String>,
}

/// A version in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedVersion {
    /// The version.
    pub version: Version,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// Why its author took it back, if that is so.
    pub yanked: Option<VersionYank>,
}

impl VersionPage {
    /// Reads the body of an answer.
    pub fn parse(url: &Url, body: &[u8]) -> Result<Self, RegistryClientError> {
        let value = parse_json(url, body)?;
        let members = AnswerMembers::new(url, &value);
        let items = members.list("versions")?.iter();
        let items = items.map(|item| PublishedVersion::read(&AnswerMembers::new(url, item)));
        let items = items.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { items, next: members.optional_text("next_cursor")?.map(str::to_owned) })
    }
}

impl PublishedVersion {
    fn read(members: &AnswerMembers<'_, '_>) -> Result<Self, RegistryClientError> {
        Ok(Self {
            version: members.parsed("version")?,
            content_hash: members.parsed("content_hash")?,
            integrity: members.parsed("integrity")?,
            yanked: VersionYank::read(members)?,
        })
    }
}

/// What changed between two versions, as the registry says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionDifference {
    /// The earlier version.
    pub from: Version,
    /// The later one.
    pub to: Version,
    /// Whether the archives differ.
    pub content_changed: bool,
    /// Each finding as JSON, as `facet diff --format json` prints it.
    pub findings: Vec<String>,
}

impl VersionDifference {
    /// Reads the body of an answer about these two versions.
    pub fn parse(
        url: &Url,
        body: &[u8],
        (from, to): (&Version, &Version),
    ) -> Result<Self, RegistryClientError> {
        let value = parse_json(url, body)?;
        let members = AnswerMembers::new(url, &value);
        let stated: (Version, Version) = (members.parsed("from")?, members.parsed("to")?);
        if (&stated.0, &stated.1) != (from, to) {
            return Err(members.wrong("it is about other versions".to_owned()));
        }
        let findings = members.list("findings")?.iter();
        let text = |one: &Value<'_>| String::from_utf8_lossy(&one.to_canonical()).into_owned();
        Ok(Self {
            from: stated.0,
            to: stated.1,
            content_changed: members.truth("content_changed")?,
            findings: findings.map(text).collect(),
        })
    }
}
