use std::collections::BTreeMap;
use std::str::FromStr;

use super::Outcome;
use super::check::{Checker, Members, Place, nearest, shorten};
use super::declared_server::{DeclaredServer, Declarer, servers};
use crate::tree::{ManifestFormat, NodeMember, NodeValue};
use crate::{ArtifactName, ArtifactPath, AssetName, PlainVersion};

const KNOWN: &[&str] = &["manifestVersion", "facets", "servers", "clients"];

/// The clients that have folders for text assets, by name (spec 3.3).
pub const ASSET_CLIENTS: &[&str] = &["claude-code", "codex", "opencode"];

const GROUPS: &[&str] = &["skills", "agents", "commands", "servers"];

/// `facets.json`: what a project asks for (spec 3.3).
#[derive(Clone, Debug)]
pub struct ProjectManifest {
    /// 0.2, or the older 0.1 that a missing member stands for.
    pub manifest_version: f64,
    /// Facets by name.
    pub facets: BTreeMap<ArtifactName, ProjectFacet>,
    /// Servers by the name that the project gives them.
    pub servers: BTreeMap<String, DeclaredServer>,
    /// The clients whose folders get text assets, each once, if the project says which.
    pub clients: Option<Vec<String>>,
    /// Members that this version of facet does not know.
    pub unknown: Vec<NodeMember>,
}

/// A facet that the project asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectFacet {
    /// Where it comes from.
    pub source: FacetSource,
    /// What is installed differently from how its author named it.
    pub overrides: Vec<Override>,
}

/// One asset that is renamed or left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// `skills`, `agents`, `commands` or `servers`.
    pub group: String,
    /// The author's name for it; that of a server may have a scope.
    pub authored: String,
    /// What happens to it.
    pub materialization: Materialization,
}

/// How an asset is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Materialization {
    /// Under another name.
    Aliased(AssetName),
    /// Not at all.
    Omitted,
}

/// Where a facet comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FacetSource {
    /// The registry.
    Registry(VersionSpec),
    /// A git repository, with an optional branch, tag or commit.
    Git {
        /// Its address, or `github:owner/repository`.
        url: String,
        /// The part behind `#`.
        reference: Option<String>,
    },
    /// A directory inside the project.
    Local(ArtifactPath),
}

/// Which versions a project accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionSpec {
    /// `1.2.3`
    Exact(PlainVersion),
    /// `1.2.*` or `1.*`, without the asterisk.
    Prefix(Vec<u64>),
    /// `*` or `latest`
    Latest,
}

/// A text that asks for no version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write 1.2.3, 1.2.*, 1.*, * or latest")]
pub struct VersionSpecError;

impl FromStr for VersionSpec {
    type Err = VersionSpecError;

    fn from_str(text: &str) -> Result<Self, VersionSpecError> {
        version_spec(text).ok_or(VersionSpecError)
    }
}

/// A text that is no source of a facet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a version, github:owner/repo#ref, a git URL, or ./directory")]
pub struct FacetSourceError;

impl FromStr for FacetSource {
    type Err = FacetSourceError;

    fn from_str(text: &str) -> Result<Self, FacetSourceError> {
        parse_source(text).ok_or(FacetSourceError)
    }
}

/// Reads a `facets.json`.
#[must_use]
pub fn parse_project(bytes: &[u8]) -> Outcome<ProjectManifest> {
    Checker::run(bytes, ManifestFormat::JsonWithComments, project)
}

fn project(check: &mut Checker<'_>, root: &Place<'_>) -> Option<ProjectManifest> {
    let members = check.members(root)?;
    let unknown = check.open(&members, KNOWN);
    let manifest_version = manifest_version(check, &members);
    let facets = facets(check, &members, manifest_version);
    let servers = servers(check, &members, Declarer::Project);
    let clients = members.optional("clients").map(|place| clients(check, &place));
    let manifest_version = manifest_version?;
    Some(ProjectManifest { manifest_version, facets, servers, clients, unknown })
}

fn clients(check: &mut Checker<'_>, place: &Place<'_>) -> Vec<String> {
    let mut clients: Vec<String> = Vec::new();
    for item in check.items(place).unwrap_or_default() {
        let Some(name) = check.string(&item) else { continue };
        if !ASSET_CLIENTS.contains(&name) {
            let fix = match nearest(name, ASSET_CLIENTS) {
                Some(meant) => format!("write \"{meant}\""),
                None => "remove it".to_owned(),
            };
            let allowed = ASSET_CLIENTS.join(", ");
            check.problem("manifest-bad-value", &item, &shorten(name), &allowed, &fix);
        } else if clients.iter().any(|earlier| earlier == name) {
            let found = format!("duplicate {}", shorten(name));
            let (allowed, fix) = ("each client once", "remove one of the two");
            check.problem("manifest-name-collision", &item, &found, allowed, fix);
        } else {
            clients.push(name.to_owned());
        }
    }
    clients
}

fn manifest_version(check: &mut Checker<'_>, members: &Members<'_>) -> Option<f64> {
    let Some(place) = members.optional("manifestVersion") else {
        return Some(0.1);
    };
    let number = check.number(&place)?;
    if number.to_bits() == 0.1f64.to_bits() || number.to_bits() == 0.2f64.to_bits() {
        return Some(number);
    }
    let found = format!("version {number}");
    check.problem(
        "manifest-bad-version",
        &place,
        &found,
        "0.1 or 0.2",
        "write 0.2, or install a newer facet",
    );
    None
}

fn facets(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    version: Option<f64>,
) -> BTreeMap<ArtifactName, ProjectFacet> {
    let Some(group) = members.optional("facets").and_then(|place| check.members(&place)) else {
        return BTreeMap::new();
    };
    let mut facets = BTreeMap::new();
    for (member, place) in group.entries() {
        let name = check.name(member, &place);
        let facet = project_facet(check, &place, version);
        if let (Some(name), Some(facet)) = (name, facet) {
            facets.insert(name, facet);
        }
    }
    facets
}

fn project_facet(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    version: Option<f64>,
) -> Option<ProjectFacet> {
    if let NodeValue::String(_) = place.node.value {
        return source(check, place).map(|source| ProjectFacet { source, overrides: Vec::new() });
    }
    let members = check.members(place)?;
    check.closed(&members, &["source", "materialization"]);
    let source =
        members.required(check, "source", "\"1.0.0\"").and_then(|place| source(check, &place));
    let overrides = match members.required(
        check,
        "materialization",
        "{…}, or write only the source, as a string",
    ) {
        None => Vec::new(),
        Some(place) => overrides(check, &place, version),
    };
    Some(ProjectFacet { source: source?, overrides })
}

fn overrides(check: &mut Checker<'_>, place: &Place<'_>, version: Option<f64>) -> Vec<Override> {
    let Some(groups) = check.members(place) else {
        return Vec::new();
    };
    check.closed(&groups, GROUPS);
    let mut overrides = Vec::new();
    for (group, place) in
        groups.entries().filter(|(group, _)| GROUPS.contains(&group.name.as_str()))
    {
        if group.name == "servers" && version.is_some_and(|version| version < 0.2) {
            check.name_problem(
                "manifest-unknown-member",
                (group, &place),
                "\"servers\" under manifestVersion 0.1",
                "skills, agents, commands",
                "write \"manifestVersion\": 0.2",
            );
        }
        let Some(entries) = check.members(&place) else {
            continue;
        };
        for (entry, place) in entries.entries() {
            let scoped = group.name == "servers" && entry.name.starts_with('@');
            let named = if scoped {
                check.name::<ArtifactName>(entry, &place).is_some()
            } else {
                check.name::<AssetName>(entry, &place).is_some()
            };
            let materialization = materialization(check, &place);
            if let (true, Some(materialization)) = (named, materialization) {
                let (group, authored) = (group.name.clone(), entry.name.clone());
                overrides.push(Override { group, authored, materialization });
            }
        }
    }
    if overrides.is_empty()
        && matches!(&place.node.value, NodeValue::Object(groups) if groups.is_empty())
    {
        check.problem(
            "manifest-empty",
            place,
            "no override",
            "at least one",
            "write only the source, as a string",
        );
    }
    overrides
}

fn materialization(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Materialization> {
    let members = check.members(place)?;
    let kind = members.required(check, "kind", "\"aliased\"")?;
    match check.string(&kind)? {
        "aliased" => {
            check.closed(&members, &["kind", "as"]);
            let alias = members.required(check, "as", "\"other-name\"")?;
            check.word(&alias).map(Materialization::Aliased)
        }
        "omitted" => {
            check.closed(&members, &["kind"]);
            Some(Materialization::Omitted)
        }
        other => {
            let found = shorten(other);
            check.problem(
                "manifest-bad-value",
                &kind,
                &found,
                "aliased or omitted",
                "write \"aliased\" with \"as\", or \"omitted\"; leave out entries that keep their name",
            );
            None
        }
    }
}

fn source(check: &mut Checker<'_>, place: &Place<'_>) -> Option<FacetSource> {
    let text = check.string(place)?;
    let parsed = parse_source(text);
    if parsed.is_none() {
        check.problem(
            "manifest-bad-source",
            place,
            &shorten(text),
            "1.2.3, 1.2.*, 1.*, *, latest, github:owner/repo#ref, a git URL, or ./directory",
            "write an exact version such as \"1.0.0\"",
        );
    }
    parsed
}

fn parse_source(text: &str) -> Option<FacetSource> {
    if let Some(local) = text.strip_prefix("./") {
        return local.parse().ok().map(FacetSource::Local);
    }
    let (url, reference) = match text.split_once('#') {
        Some((url, reference)) => (url, Some(reference)),
        None => (text, None),
    };
    if is_git(url) && reference.is_none_or(plain_characters) {
        let reference = reference.map(str::to_owned);
        return Some(FacetSource::Git { url: url.to_owned(), reference });
    }
    version_spec(text).map(FacetSource::Registry)
}

fn is_git(url: &str) -> bool {
    if let Some(repository) = url.strip_prefix("github:") {
        let parts: Vec<_> = repository.split('/').collect();
        return parts.len() == 2 && parts.iter().all(|part| plain_characters(part));
    }
    if let Some(address) = url.strip_prefix("git@") {
        return address.contains(':') && plain_characters(address);
    }
    let scheme =
        ["https://", "ssh://", "git://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    scheme.is_some_and(|rest| rest.ends_with(".git") && plain_characters(rest))
}

/// Printable, without what a shell or a git option could make something else of.
fn plain_characters(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/:@~+".contains(c))
}

fn version_spec(text: &str) -> Option<VersionSpec> {
    if matches!(text, "*" | "latest") {
        return Some(VersionSpec::Latest);
    }
    let Some(prefix) = text.strip_suffix(".*") else {
        return text.parse().ok().map(VersionSpec::Exact);
    };
    // Padding to three numbers lets the version's own grammar judge the prefix.
    let padded = match prefix.matches('.').count() {
        0 => format!("{prefix}.0.0"),
        1 => format!("{prefix}.0"),
        _ => return None,
    };
    padded.parse::<PlainVersion>().ok()?;
    let numbers: Option<Vec<u64>> = prefix.split('.').map(|number| number.parse().ok()).collect();
    numbers.map(VersionSpec::Prefix)
}
