use super::check::{Checker, Place, shorten};
use super::contract::contract;
use super::{FileRole, Outcome};
use crate::tree::{ManifestFormat, NodeMember};
use crate::{ArtifactName, ArtifactPath, RuntimeName, VariableName, Version};

const KNOWN: &[&str] =
    &["name", "version", "runtime", "entry", "description", "author", "contract", "env"];

/// Members with which a server would pull in others.
const TERMINAL: &[&str] = &["servers", "facets", "mcpServers"];

/// `server.yaml` of a source-mode server (spec 3.2).
#[derive(Clone, Debug)]
pub struct ServerManifest {
    /// Its name in the registry.
    pub name: ArtifactName,
    /// Its version.
    pub version: Version,
    /// What runs it.
    pub runtime: String,
    /// The file that the runtime starts.
    pub entry: ArtifactPath,
    /// For people.
    pub description: Option<String>,
    /// For people.
    pub author: Option<String>,
    /// What the wire does not show, declared (spec 6.4), as canonical JSON.
    pub contract: Option<String>,
    /// The variables it reads.
    pub env: Vec<Variable>,
    /// Members that this version of facet does not know.
    pub unknown: Vec<NodeMember>,
}

/// A variable that a server reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: VariableName,
    /// What to put there.
    pub description: Option<String>,
    /// Whether the server does without.
    pub required: bool,
    /// Whether its value must not be shown.
    pub secret: bool,
    /// A harmless value with which publish, install and check start the server.
    pub probe: Option<String>,
}

/// Reads a `server.yaml`.
#[must_use]
pub fn parse_server(bytes: &[u8]) -> Outcome<ServerManifest> {
    Checker::run(bytes, ManifestFormat::Yaml, server)
}

fn server(check: &mut Checker<'_>, root: &Place<'_>) -> Option<ServerManifest> {
    let members = check.members(root)?;
    for (member, place) in members.entries() {
        if TERMINAL.contains(&member.name.as_str()) {
            let found = format!("the member \"{}\"", member.name);
            check.name_problem(
                "manifest-terminal-server",
                (member, &place),
                &found,
                "a server cannot declare other servers or facets",
                "remove it",
            );
        }
    }
    let mut unknown = check.open(&members, KNOWN);
    unknown.retain(|member| !TERMINAL.contains(&member.name.as_str()));
    let name = members.required(check, "name", "my-server").and_then(|place| check.word(&place));
    let version =
        members.required(check, "version", "\"1.0.0\"").and_then(|place| check.word(&place));
    let runtime =
        members.required(check, "runtime", "bun").and_then(|place| runtime(check, &place));
    let entry = members.required(check, "entry", "index.ts").and_then(|place| entry(check, &place));
    let mut text =
        |name| members.optional(name).and_then(|place| check.string(&place)).map(str::to_owned);
    let (description, author) = (text("description"), text("author"));
    let contract = members.optional("contract").and_then(|place| contract(check, &place));
    let env = members.optional("env").map_or_else(Vec::new, |place| variables(check, &place));
    Some(ServerManifest {
        name: name?,
        version: version?,
        runtime: runtime?,
        entry: entry?,
        description,
        author,
        contract,
        env,
        unknown,
    })
}

fn entry(check: &mut Checker<'_>, place: &Place<'_>) -> Option<ArtifactPath> {
    let path: ArtifactPath = check.word(place)?;
    check.file(path.to_string(), FileRole::Companion, place);
    Some(path)
}

fn runtime(check: &mut Checker<'_>, place: &Place<'_>) -> Option<String> {
    let text = check.string(place)?;
    if let Some(runtime) = RuntimeName::of_source_mode(text) {
        return Some(runtime.name().to_owned());
    }
    let allowed = RuntimeName::OF_SOURCE_MODE.map(RuntimeName::name).join(", ");
    check.problem("manifest-bad-runtime", place, &shorten(text), &allowed, "write \"bun\"");
    None
}

fn variables(check: &mut Checker<'_>, place: &Place<'_>) -> Vec<Variable> {
    let mut variables: Vec<Variable> = Vec::new();
    for item in check.items(place).unwrap_or_default() {
        let Some(variable) = variable(check, &item) else {
            continue;
        };
        if variables.iter().any(|earlier| earlier.name == variable.name) {
            let found = format!("duplicate \"{}\"", variable.name);
            check.problem(
                "manifest-name-collision",
                &item,
                &found,
                "each variable once",
                "remove one of the two",
            );
        } else {
            variables.push(variable);
        }
    }
    variables
}

fn variable(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Variable> {
    let members = check.members(place)?;
    check.closed(&members, &["name", "description", "required", "secret", "probe"]);
    let name = members.required(check, "name", "API_KEY").and_then(|place| check.word(&place));
    let mut flag =
        |name| members.optional(name).and_then(|place| check.boolean(&place)).unwrap_or_default();
    let (required, secret) = (flag("required"), flag("secret"));
    let mut text =
        |name| members.optional(name).and_then(|place| check.string(&place)).map(str::to_owned);
    let (description, probe) = (text("description"), text("probe"));
    Some(Variable { name: name?, description, required, secret, probe })
}
