mod named_floor;
mod package;
mod written;

use std::collections::BTreeMap;

use facets_digest::json::quoted;

use super::Outcome;
use super::check::{Checker, Members, Place, shorten};
use super::words::Word;
use crate::tree::{ManifestFormat, NodeValue};
use crate::{
    AddressOrigin, ArtifactName, ArtifactSource, AssetName, CommandOrigin, Floor, HttpUrl,
    ImageReference, InlineServerName, LocalPath, Origin, PackageOrigin, SourceModeOrigin,
    VariableName,
};

/// A server as a manifest declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeclaredServer {
    /// A command, an address, a package, or an artifact on this machine.
    Origin {
        /// Where it comes from.
        origin: Origin,
        /// Values of its variables, where the manifest gives them.
        values: BTreeMap<VariableName, String>,
    },
    /// Source-mode: the latest version of a registry server at or above the floor.
    Floor {
        /// Its name in the registry; none where that is the name it is declared under.
        artifact: Option<ArtifactName>,
        /// The lowest version that will do.
        floor: Floor,
    },
    /// Ref-mode: an OCI image.
    Image(ImageReference),
}

impl DeclaredServer {
    /// Where it comes from, if the manifest alone says so.
    #[must_use]
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Origin { origin, .. } => Some(origin),
            Self::Floor { .. } | Self::Image(_) => None,
        }
    }

    /// The declaration as JSON, just as a manifest has it; none if no manifest can say it.
    #[must_use]
    pub fn to_json(&self) -> Option<String> {
        match self {
            Self::Floor { artifact: None, floor } => Some(quoted(&floor.to_string())),
            Self::Floor { artifact: Some(name), floor } => Some(quoted(&format!("{name}@{floor}"))),
            Self::Image(image) => Some(format!("{{\"image\":{}}}", quoted(image.as_written()))),
            Self::Origin { origin: Origin::Command(command), values } => {
                written::command(command, values)
            }
            Self::Origin { origin: Origin::Address(address), .. } => written::address(address),
            Self::Origin { origin: Origin::Package(package), values } => {
                written::package(package, values)
            }
            Self::Origin { origin: Origin::SourceMode(artifact), .. } => match &artifact.source {
                ArtifactSource::Local { path } => Some(quoted(path.as_str())),
                ArtifactSource::Registry { .. } => None,
            },
        }
    }
}

/// The variables of an inline server.
enum Environment {
    /// Names with their values.
    Values(BTreeMap<VariableName, String>),
    /// Names whose values come from the user's own environment. Projects only.
    Names(Vec<VariableName>),
}

/// Who declares a server: a facet's declaration is closed to what a project may add.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Declarer {
    Facet,
    Project,
    /// A lock, which repeats what a facet declares under the name that it has in the project.
    Lock,
}

impl Declarer {
    /// What a declaration can be. A facet is published, so it names no path of one machine.
    const fn forms(self) -> &'static str {
        match self {
            Self::Facet | Self::Lock => {
                "a floor \"1.0.0\", {\"image\": …}, {\"type\": \"stdio\", \"command\": …} \
                 or {\"type\": \"http\", \"url\": …}"
            }
            Self::Project => {
                "a floor \"1.0.0\" or \"name@1.0.0\", a path \"./server\", {\"package\": \"npm:…\"}, \
                 {\"image\": …}, {\"type\": \"stdio\", \"command\": …} or {\"type\": \"http\", \"url\": …}"
            }
        }
    }

    /// Whether a text is the path of an artifact to it, and no floor.
    fn means_path(self, text: &str) -> bool {
        self == Self::Project && LocalPath::is_meant_by(text)
    }

    /// Whether the server's own name in the registry is the name of the member: a project may give it
    /// another, as `name@floor`.
    fn names_artifact(self, text: &str) -> bool {
        !self.means_path(text) && (self == Self::Facet || !text.contains('@'))
    }
}

/// The servers that a manifest declares, by name.
pub(super) fn servers(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    declarer: Declarer,
) -> BTreeMap<String, DeclaredServer> {
    members
        .optional("servers")
        .map_or_else(BTreeMap::new, |place| declared_servers(check, &place, declarer))
}

/// Reads what a facet declares, as JSON: names and declarations, as under `servers` of its manifest.
#[must_use]
pub fn parse_declared_servers(bytes: &[u8]) -> Outcome<BTreeMap<String, DeclaredServer>> {
    Checker::run(bytes, ManifestFormat::Json, |check, root| {
        Some(declared_servers(check, root, Declarer::Facet))
    })
}

/// Reads one declaration of a facet, as JSON, under the name that it has in a project: a floor names
/// its artifact if that has another name.
#[must_use]
pub fn parse_declared_server(name: &str, bytes: &[u8]) -> Outcome<DeclaredServer> {
    Checker::run(bytes, ManifestFormat::Json, |check, root| {
        let server = declared_server(check, root, Declarer::Lock)?;
        let unnamed = matches!(server, DeclaredServer::Floor { artifact: None, .. });
        if unnamed && name.parse::<ArtifactName>().is_err() {
            let (found, fix) = (shorten(name), "write name@floor");
            check.problem(ArtifactName::CODE, root, &found, ArtifactName::ALLOWED, fix);
        }
        Some(server)
    })
}

fn declared_servers(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    declarer: Declarer,
) -> BTreeMap<String, DeclaredServer> {
    let Some(group) = check.members(place) else { return BTreeMap::new() };
    let mut servers = BTreeMap::new();
    for (member, place) in group.entries() {
        // A floor names a server of the registry, anything else is named by its declarer.
        let named = match (&place.node.value, declarer) {
            (NodeValue::String(text), _) if declarer.names_artifact(text) => {
                check.name::<ArtifactName>(member, &place).is_some()
            }
            (_, Declarer::Facet) => check.name::<AssetName>(member, &place).is_some(),
            (_, Declarer::Project | Declarer::Lock) => {
                check.name::<InlineServerName>(member, &place).is_some()
            }
        };
        let server = declared_server(check, &place, declarer);
        if let (true, Some(server)) = (named, server) {
            servers.insert(member.name.clone(), server);
        }
    }
    servers
}

fn declared_server(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    declarer: Declarer,
) -> Option<DeclaredServer> {
    match &place.node.value {
        NodeValue::String(text) if declarer.means_path(text) => local(check, place),
        NodeValue::String(text) if text.contains('@') && declarer == Declarer::Facet => {
            named_floor::refuse(check, place, text);
            None
        }
        NodeValue::String(text) if text.contains('@') => {
            let (artifact, floor) = named_floor::read(check, place, text)?;
            Some(DeclaredServer::Floor { artifact: Some(artifact), floor })
        }
        NodeValue::String(_) => {
            let floor = check.word(place)?;
            Some(DeclaredServer::Floor { artifact: None, floor })
        }
        NodeValue::Object(_) => object(check, place, declarer),
        NodeValue::Refused => None,
        _ => {
            let fix = "use one of these forms; put a version in quotes";
            check.problem("manifest-wrong-type", place, place.node.kind(), declarer.forms(), fix);
            None
        }
    }
}

/// A directory or an archive on this machine. Which variables it needs, its own manifest says.
fn local(check: &mut Checker<'_>, place: &Place<'_>) -> Option<DeclaredServer> {
    let path: LocalPath = check.word(place)?;
    let origin = SourceModeOrigin::new(ArtifactSource::Local { path }, Vec::new()).into();
    Some(DeclaredServer::Origin { origin, values: BTreeMap::new() })
}

fn object(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    declarer: Declarer,
) -> Option<DeclaredServer> {
    let members = check.members(place)?;
    let kind = members.optional("type");
    if let (Some(image), None) = (members.optional("image"), &kind) {
        check.closed(&members, &["image"]);
        return check.word(&image).map(DeclaredServer::Image);
    }
    if let (Some(spec), None, Declarer::Project) = (members.optional("package"), &kind, declarer) {
        return package(check, &members, &spec);
    }
    let Some(kind) = kind else {
        let fix = "add \"type\": \"stdio\" with a command, or \"type\": \"http\" with a url";
        check.problem(
            "manifest-missing-member",
            place,
            "an object without `type` or `image`",
            declarer.forms(),
            fix,
        );
        return None;
    };
    match check.string(&kind)? {
        "stdio" => stdio(check, &members, declarer),
        "http" => {
            check.closed(&members, &["type", "url"]);
            let url = members.required(check, "url", "\"https://mcp.example.com/\"")?;
            let url = check.word(&url)?;
            let origin = AddressOrigin { url, headers: BTreeMap::new() }.into();
            Some(DeclaredServer::Origin { origin, values: BTreeMap::new() })
        }
        other => {
            let fix = "write \"stdio\" or \"http\"";
            check.problem("manifest-bad-value", &kind, &shorten(other), "stdio or http", fix);
            check_without_type(check, &members, declarer);
            None
        }
    }
}

/// A package of npm or PyPI. Every problem of it is found at once.
fn package(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    spec: &Place<'_>,
) -> Option<DeclaredServer> {
    let origin = package::read(check, members, spec);
    let args = members.optional("args").map(|place| strings(check, &place));
    let (names, values) = variables(check, members, Declarer::Project)?;
    let args = args.unwrap_or_else(|| Some(Vec::new()))?;
    let origin = PackageOrigin { args, ..origin? }.with_variables(names).into();
    Some(DeclaredServer::Origin { origin, values })
}

/// What can be said of the other members while the type is wrong.
fn check_without_type(check: &mut Checker<'_>, members: &Members<'_>, declarer: Declarer) {
    check.closed(members, &["type", "command", "args", "env", "url"]);
    if let Some(url) = members.optional("url") {
        check.word::<HttpUrl>(&url);
    }
    if let Some(place) = members.optional("command") {
        command(check, &place);
    }
    if let Some(args) = members.optional("args") {
        strings(check, &args);
    }
    if let Some(env) = members.optional("env") {
        environment(check, &env, declarer);
    }
}

fn stdio(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    declarer: Declarer,
) -> Option<DeclaredServer> {
    check.closed(members, &["type", "command", "args", "env"]);
    let command =
        members.required(check, "command", "\"npx\"").and_then(|place| command(check, &place));
    let args = match members.optional("args") {
        None => Some(Vec::new()),
        Some(place) => strings(check, &place),
    };
    let (names, values) = variables(check, members, declarer)?;
    let origin = CommandOrigin::new(command?, args?, names).into();
    Some(DeclaredServer::Origin { origin, values })
}

/// The names of the variables of a server, and those values that are given.
fn variables(
    check: &mut Checker<'_>,
    members: &Members<'_>,
    declarer: Declarer,
) -> Option<(Vec<String>, BTreeMap<VariableName, String>)> {
    let env = match members.optional("env") {
        None => Some(Environment::Values(BTreeMap::new())),
        Some(place) => environment(check, &place, declarer),
    };
    let (names, values) = match env? {
        Environment::Names(names) => (names, BTreeMap::new()),
        Environment::Values(values) => (values.keys().cloned().collect(), values),
    };
    Some((names.iter().map(ToString::to_string).collect(), values))
}

fn command(check: &mut Checker<'_>, place: &Place<'_>) -> Option<String> {
    let text = check.string(place)?;
    if text.trim().is_empty() || text.contains('\0') {
        check.problem(
            "manifest-bad-value",
            place,
            &shorten(text),
            "the name of a program",
            "write the program to start",
        );
        return None;
    }
    Some(text.to_owned())
}

/// A list of strings that can be passed to a program.
pub(super) fn strings(check: &mut Checker<'_>, place: &Place<'_>) -> Option<Vec<String>> {
    let items = check.items(place)?;
    items.iter().map(|item| plain_string(check, item)).collect::<Vec<_>>().into_iter().collect()
}

fn plain_string(check: &mut Checker<'_>, place: &Place<'_>) -> Option<String> {
    let text = check.string(place)?;
    if text.contains('\0') {
        check.problem(
            "manifest-bad-value",
            place,
            "a NUL character",
            "text without NUL",
            "remove it",
        );
        return None;
    }
    Some(text.to_owned())
}

fn environment(
    check: &mut Checker<'_>,
    place: &Place<'_>,
    declarer: Declarer,
) -> Option<Environment> {
    if declarer == Declarer::Project && matches!(place.node.value, NodeValue::Array(_)) {
        let items = check.items(place)?;
        let names: Vec<_> = items.iter().map(|item| check.word(item)).collect();
        return names.into_iter().collect::<Option<_>>().map(Environment::Names);
    }
    let members = check.members(place)?;
    let mut values = BTreeMap::new();
    for (member, place) in members.entries() {
        let name = check.name::<VariableName>(member, &place);
        let value = plain_string(check, &place);
        if let (Some(name), Some(value)) = (name, value) {
            values.insert(name, value);
        }
    }
    Some(Environment::Values(values))
}
