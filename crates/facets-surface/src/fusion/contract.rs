//! Contract, component and server digests, and their comparison.

use std::borrow::Cow;

use facets_digest::json::compare_utf16;

use super::js::{Js, canonicalize};
use super::{FusionError, sha256};

/// The digest of a tool and of its four components, in the order surface, behavior,
/// tokenEconomics, entitlements. Hex, as the reference writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FusionDigest {
    /// Of the whole.
    pub digest: String,
    /// Of the components.
    pub components: [String; 4],
}

/// The digest of a server and of its tools, in JavaScript's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionServerDigest {
    /// Of the whole.
    pub digest: String,
    /// By the names under which the contracts stood.
    pub tools: Vec<(String, FusionDigest)>,
}

/// What a document holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FusionContracts {
    /// One contract.
    One(FusionDigest),
    /// Those of a server.
    Server(FusionServerDigest),
}

const SECTIONS: [&str; 4] = ["surface", "behavior", "tokenEconomics", "entitlements"];

/// Digests one contract, or an object of contracts.
pub fn digest_contracts(document: &Js<'_>) -> Result<FusionContracts, FusionError> {
    let members = document.members().ok_or_else(|| shape("the document", "an object"))?;
    // A tool may be called `surface`; what stands there then has no name.
    if document.get("surface").and_then(|surface| surface.get("name")).is_some() {
        return digest_contract(document, "").map(FusionContracts::One);
    }
    digest_server(members).map(FusionContracts::Server)
}

pub(super) fn digest_server(
    members: &[(Cow<'_, str>, Js<'_>)],
) -> Result<FusionServerDigest, FusionError> {
    let tools = members.iter().map(|(name, contract)| {
        Ok((name.to_string(), digest_contract(contract, &format!("{name:?}."))?))
    });
    let tools: Vec<(String, FusionDigest)> = tools.collect::<Result<_, FusionError>>()?;
    Ok(FusionServerDigest { digest: server_digest(&tools), tools })
}

fn server_digest(tools: &[(String, FusionDigest)]) -> String {
    let mut sorted: Vec<_> = tools.iter().collect();
    sorted.sort_by(|a, b| compare_utf16(&a.0, &b.0));
    let lines: Vec<String> =
        sorted.into_iter().map(|(name, tool)| format!("{name}:{}", tool.digest)).collect();
    sha256(&lines.join("\n"))
}

fn digest_contract(contract: &Js<'_>, place: &str) -> Result<FusionDigest, FusionError> {
    let mut components = [const { String::new() }; 4];
    for (section, component) in SECTIONS.into_iter().zip(&mut components) {
        let place = format!("{place}{section}");
        let value = contract.get(section).filter(|value| value.members().is_some());
        let value = value.ok_or_else(|| shape(&place, "an object"))?;
        let form = match section {
            "surface" => surface(value, &place)?,
            "behavior" => Js::Object(pick(value, BEHAVIOR)),
            "tokenEconomics" => Js::Object(pick(value, ECONOMICS)),
            _ => entitlements(value, &place)?,
        };
        *component = sha256(&canonicalize(&form));
    }
    Ok(FusionDigest { digest: sha256(&components.join(":")), components })
}

const BEHAVIOR: &[&str] = &[
    "egressSchemaDigest",
    "systemRulesFingerprint",
    "cognitiveGuardrails",
    "middlewareChain",
    "stateSyncFingerprint",
    "concurrencyFingerprint",
    "affordanceTopology",
    "embeddedPresenters",
];
const ECONOMICS: &[&str] =
    &["schemaFieldCount", "unboundedCollection", "baseOverheadTokens", "inflationRisk"];
const ENTITLEMENTS: &[&str] = &["filesystem", "network", "subprocess", "crypto", "codeEvaluation"];

type Members<'a> = Vec<(Cow<'a, str>, Js<'a>)>;

/// Only these members; one that is absent stays absent.
fn pick<'a>(value: &Js<'a>, names: &[&'static str]) -> Members<'a> {
    let found = |name: &&'static str| Some((Cow::Borrowed(*name), value.get(name)?.clone()));
    names.iter().filter_map(found).collect()
}

fn surface<'a>(value: &Js<'a>, place: &str) -> Result<Js<'a>, FusionError> {
    let mut members = pick(value, &["name", "description", "inputSchemaDigest"]);
    members.push(("tags".into(), sorted_texts(value, "tags", place)?));
    let place = format!("{place}.actions");
    let actions = value.get("actions").and_then(Js::members);
    let mut actions: Vec<_> = actions.ok_or_else(|| shape(&place, "an object"))?.iter().collect();
    actions.sort_by(|a, b| compare_utf16(&a.0, &b.0));
    let actions = actions.into_iter().map(|(key, action)| {
        let fields =
            action.members().ok_or_else(|| shape(&format!("{place}.{key}"), "an object"))?;
        let own_key = fields.iter().any(|(name, _)| name == "key");
        let key = (!own_key).then(|| ("key".into(), Js::String(key.clone())));
        Ok(Js::Object(key.into_iter().chain(fields.iter().cloned()).collect()))
    });
    members.push(("actions".into(), Js::Array(actions.collect::<Result<_, FusionError>>()?)));
    Ok(Js::Object(members))
}

fn entitlements<'a>(value: &Js<'a>, place: &str) -> Result<Js<'a>, FusionError> {
    let mut members = pick(value, ENTITLEMENTS);
    members.push(("raw".into(), sorted_texts(value, "raw", place)?));
    Ok(Js::Object(members))
}

fn sorted_texts<'a>(value: &Js<'a>, name: &str, place: &str) -> Result<Js<'a>, FusionError> {
    let refuse = || shape(&format!("{place}.{name}"), "an array of strings");
    let Some(Js::Array(items)) = value.get(name) else { return Err(refuse()) };
    let texts = items.iter().map(|item| match item {
        Js::String(text) => Some(text.clone()),
        _ => None,
    });
    let mut texts: Vec<Cow<'a, str>> = texts.collect::<Option<_>>().ok_or_else(refuse)?;
    texts.sort_by(|a, b| compare_utf16(a, b));
    Ok(Js::Array(texts.into_iter().map(Js::String).collect()))
}

pub(super) fn shape(place: &str, expected: &'static str) -> FusionError {
    FusionError::Shape { place: place.to_owned(), expected }
}

/// What became of the tools of a server, in the order of the reference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FusionComparison {
    /// Whether the server digest differs.
    pub changed_server: bool,
    /// Only after.
    pub added: Vec<String>,
    /// Only before.
    pub removed: Vec<String>,
    /// In both, with another digest.
    pub changed: Vec<String>,
    /// In both, the same.
    pub unchanged: Vec<String>,
}

/// A server digest and the digests of its tools by name, as far as a comparison needs them.
pub type Digests<'d> = (&'d str, Vec<(&'d str, &'d str)>);

/// Compares two servers by the digests of their tools.
#[must_use]
pub fn compare(before: &Digests<'_>, after: &Digests<'_>) -> FusionComparison {
    let mut result = FusionComparison { changed_server: before.0 != after.0, ..Default::default() };
    let mut known = before.1.clone();
    known.sort_unstable();
    let find = |sorted: &[(&str, &str)], name: &str| {
        sorted.binary_search_by_key(&name, |(other, _)| other).ok()
    };
    for (name, digest) in &after.1 {
        let list = match find(&known, name).map(|index| known[index].1) {
            None => &mut result.added,
            Some(old) if old == *digest => &mut result.unchanged,
            Some(_) => &mut result.changed,
        };
        list.push((*name).to_owned());
    }
    let mut now = after.1.clone();
    now.sort_unstable();
    let gone = before.1.iter().filter(|(name, _)| find(&now, name).is_none());
    result.removed = gone.map(|(name, _)| (*name).to_owned()).collect();
    result
}

impl FusionServerDigest {
    /// What a comparison needs.
    #[must_use]
    pub fn digests(&self) -> Digests<'_> {
        let tools = self.tools.iter().map(|(name, tool)| (name.as_str(), tool.digest.as_str()));
        (&self.digest, tools.collect())
    }
}
