//! Texts to write into `facets.json`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use facets_digest::json::quoted;
use facets_model::manifest::{FacetSource, Materialization, Override, ProjectFacet, VersionSpec};
use facets_model::{ArtifactName, AssetName, Floor, collision_key};

use crate::effective::last_segment;

/// The longest name of an asset.
const MAX_NAME: usize = 64;

/// A member to write into `facets.json`, in place of the one that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The member of `facets.json` that it belongs into: `facets` or `servers`.
    pub section: &'static str,
    /// The name of the member that it replaces.
    pub replaces: String,
    /// The member: its name and its value, as JSON on one line.
    pub text: String,
}

impl Fix {
    /// The entry of a facet with these overrides in place of older ones for the same assets.
    pub(crate) fn with_overrides(
        name: &ArtifactName,
        facet: &ProjectFacet,
        added: &[Override],
    ) -> Self {
        let is_replaced = |old: &&Override| {
            !added.iter().any(|new| new.group == old.group && new.authored == old.authored)
        };
        let kept = facet.overrides.iter().filter(is_replaced);
        Self::of_facet(name, &facet.source, kept.chain(added))
    }

    /// The entry of a facet without one of its overrides.
    pub(crate) fn without_override(
        name: &ArtifactName,
        facet: &ProjectFacet,
        removed: &Override,
    ) -> Self {
        Self::of_facet(name, &facet.source, facet.overrides.iter().filter(|one| *one != removed))
    }

    /// A registry server of the project under another name.
    pub(crate) fn renamed_server(
        authored: &str,
        alias: &AssetName,
        artifact: &ArtifactName,
        floor: &Floor,
    ) -> Self {
        let value = format!("{artifact}@{floor}");
        let text = format!("{}: {}", quoted(alias.as_str()), quoted(&value));
        Self { section: "servers", replaces: authored.to_owned(), text }
    }

    fn of_facet<'o>(
        name: &ArtifactName,
        source: &FacetSource,
        overrides: impl Iterator<Item = &'o Override>,
    ) -> Self {
        let mut groups: BTreeMap<&str, BTreeMap<&str, &Materialization>> = BTreeMap::new();
        for one in overrides {
            groups.entry(&one.group).or_default().insert(&one.authored, &one.materialization);
        }
        let source = quoted(&source_text(source));
        let value = if groups.is_empty() {
            source
        } else {
            let groups = object(groups.iter().map(|(group, entries)| {
                let entries = entries.iter().map(|(name, one)| (*name, materialization(one)));
                (*group, object(entries))
            }));
            object([("source", source), ("materialization", groups)])
        };
        let text = format!("{}: {value}", quoted(name.as_str()));
        Self { section: "facets", replaces: name.to_string(), text }
    }
}

impl fmt::Display for Fix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "write under \"{}\" in facets.json: {}", self.section, self.text)
    }
}

fn object<'n>(members: impl IntoIterator<Item = (&'n str, String)>) -> String {
    let members = members.into_iter().map(|(name, value)| format!("{}: {value}", quoted(name)));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn materialization(one: &Materialization) -> String {
    match one {
        Materialization::Aliased(alias) => {
            object([("kind", quoted("aliased")), ("as", quoted(alias.as_str()))])
        }
        Materialization::Omitted => object([("kind", quoted("omitted"))]),
    }
}

/// A source as `facets.json` writes it.
#[must_use]
pub fn source_text(source: &FacetSource) -> String {
    match source {
        FacetSource::Registry(spec) => spec_text(spec),
        FacetSource::Git { url, reference: None } => url.clone(),
        FacetSource::Git { url, reference: Some(reference) } => format!("{url}#{reference}"),
        FacetSource::Local(path) => format!("./{path}"),
    }
}

/// A range of versions as `facets.json` writes it.
pub(crate) fn spec_text(spec: &VersionSpec) -> String {
    match spec {
        VersionSpec::Exact(version) => version.to_string(),
        VersionSpec::Prefix(numbers) => {
            numbers.iter().map(|number| format!("{number}.")).collect::<String>() + "*"
        }
        VersionSpec::Latest => "*".to_owned(),
    }
}

/// Names that are taken, as file systems compare them.
#[derive(Clone, Debug, Default)]
pub(crate) struct TakenNames(BTreeSet<String>);

impl TakenNames {
    pub(crate) fn insert(&mut self, name: &str) {
        self.0.insert(collision_key(name));
    }

    /// A name that nothing else has, for something that a facet or scope calls `authored`. It is taken
    /// afterwards.
    pub(crate) fn free_alias(&mut self, owner: &str, authored: &str) -> Option<AssetName> {
        let owner = owner.trim_start_matches('@').replace('/', "-");
        let base = format!("{owner}-{}", last_segment(authored));
        let numbers = (2_u32..).map(|number| format!("-{number}"));
        let mut endings = std::iter::once(String::new()).chain(numbers.take(1000));
        endings.find_map(|ending| {
            let room = base.len().min(MAX_NAME.saturating_sub(ending.len()));
            let start = base.get(..room)?.trim_end_matches('-');
            let alias: AssetName = format!("{start}{ending}").parse().ok()?;
            self.0.insert(collision_key(alias.as_str())).then_some(alias)
        })
    }
}

impl<'n> FromIterator<&'n str> for TakenNames {
    fn from_iter<T: IntoIterator<Item = &'n str>>(names: T) -> Self {
        let mut taken = Self::default();
        names.into_iter().for_each(|name| taken.insert(name));
        taken
    }
}
