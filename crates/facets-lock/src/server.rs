//! One server in the lock (spec 8.2).

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::{
    self, Limits, Origin, RawMember, Value, quoted, split_object, write_pretty_list, write_string,
};
use facets_surface::{ContractDigest, Era, Part, ResourcesDigest, SurfaceHashes, ToolIdentity};

use crate::{Grants, Launch, LockError};

/// A tool of 10,000, its hashes and its contract's, is ten values; a lock may have many servers.
pub(crate) const LIMITS: Limits = Limits { bytes: 256 << 20, depth: 128, values: 8_000_000 };

/// What identifies a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedTool {
    /// spec 5.4
    pub identity: ToolIdentity,
    /// spec 6.2
    pub behavior: ContractDigest,
}

/// A server that was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedServer {
    /// How it starts.
    pub launch: Launch,
    /// Where its source lies, if that is looked at.
    pub source: Option<String>,
    /// How it is spoken to.
    pub era: Era,
    /// spec 5.3
    pub api_surface: Digest,
    /// spec 5.5
    pub surface: Digest,
    /// spec 5.5
    pub resources: ResourcesDigest,
    /// Where its surface file lies, from the lock on.
    pub surface_file: String,
    /// The digest of that file.
    pub surface_file_digest: Digest,
    /// spec 6.2
    pub behavior: Digest,
    /// Its tools by name.
    pub tools: BTreeMap<String, LockedTool>,
    /// What it may do.
    pub grants: Grants,
    /// Members that this facet does not know, as written.
    pub unknown: Vec<(String, String)>,
}

/// The members that this facet writes.
const KNOWN: &[&str] = &[
    "command",
    "args",
    "env",
    "url",
    "headers",
    "launch",
    "source",
    "era",
    "api_surface",
    "surface",
    "resources",
    "surface_file",
    "surface_file_digest",
    "behavior",
    "tools",
    "grants",
];

impl LockedServer {
    /// Pins a server with what it declares.
    #[must_use]
    pub fn new(
        name: &str,
        launch: Launch,
        era: Era,
        hashes: &SurfaceHashes,
        surface_file_digest: Digest,
    ) -> Self {
        let tools = hashes.tools.iter().filter_map(|(tool, identity)| {
            let behavior = hashes.behavior.tool(tool)?.clone();
            Some((tool.clone(), LockedTool { identity: identity.clone(), behavior }))
        });
        Self {
            launch,
            source: None,
            era,
            api_surface: hashes.api_surface,
            surface: hashes.surface,
            resources: hashes.resources,
            surface_file: format!(".facets/surfaces/{name}.json"),
            surface_file_digest,
            behavior: hashes.behavior.digest,
            tools: tools.collect(),
            grants: Grants::ALL,
            unknown: Vec::new(),
        }
    }

    /// The first hash that is not that of these definitions, by the name it has in the lock.
    #[must_use]
    pub fn first_difference(
        &self,
        era: Era,
        hashes: &SurfaceHashes,
        surface_file_digest: Digest,
    ) -> Option<String> {
        let other = Self::new("", self.launch.clone(), era, hashes, surface_file_digest);
        let checks = [
            ("era", self.era == other.era),
            ("api_surface", self.api_surface == other.api_surface),
            ("surface", self.surface == other.surface),
            ("resources", self.resources == other.resources),
            ("behavior", self.behavior == other.behavior),
            ("surface_file_digest", self.surface_file_digest == other.surface_file_digest),
        ];
        let different = checks.into_iter().find(|(_, same)| !same).map(|(name, _)| name.to_owned());
        different.or_else(|| {
            let names = self.tools.keys().chain(other.tools.keys());
            let mut names = names.filter(|name| self.tools.get(*name) != other.tools.get(*name));
            names.next().map(|name| format!("tools.{name}"))
        })
    }

    /// Who has to have signed what it starts, if the lock says so. Whatever else stands there
    /// than a text is somebody, too: nobody can have signed for them.
    #[must_use]
    pub fn signer(&self) -> Option<&str> {
        let (_, raw) = self.unknown.iter().find(|(name, _)| name == "signer")?;
        (raw != "null").then_some(raw.trim_matches('"'))
    }

    /// The entry as it stands in the lock; `depth` is that of the line it begins on.
    #[must_use]
    pub fn to_json(&self, depth: usize) -> String {
        let mut members: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: String| members.push((name.to_owned(), value));
        for (name, value) in self.launch.members() {
            add(name, value);
        }
        add("launch", quoted(&self.launch.digest().to_string()));
        if let Some(source) = &self.source {
            add("source", quoted(source));
        }
        add("era", quoted(self.era.name()));
        add("api_surface", quoted(&self.api_surface.to_string()));
        add("surface", quoted(&self.surface.to_string()));
        match self.resources {
            ResourcesDigest::Absent => {}
            ResourcesDigest::Volatile => add("resources", quoted("volatile")),
            ResourcesDigest::Stable(digest) => add("resources", quoted(&digest.to_string())),
        }
        add("surface_file", quoted(&self.surface_file));
        add("surface_file_digest", quoted(&self.surface_file_digest.to_string()));
        add("behavior", quoted(&self.behavior.to_string()));
        add("tools", self.tools_json());
        add("grants", self.grants.to_json());
        members.extend(self.unknown.iter().cloned());
        let mut out = Vec::new();
        write_pretty_list(['{', '}'], &members, depth, &mut out, |(name, value), out| {
            write_string(name, out);
            out.extend_from_slice(b": ");
            let parsed = json::parse(value.as_bytes(), Origin::Captured, LIMITS);
            parsed.unwrap_or(Value::Null).write_pretty(depth + 1, out);
        });
        String::from_utf8_lossy(&out).into_owned()
    }

    fn tools_json(&self) -> String {
        let tools: Vec<String> = self
            .tools
            .iter()
            .map(|(name, tool)| {
                let LockedTool { identity, behavior } = tool;
                let optional = |name: &str, digest: Option<Digest>| {
                    digest.map_or_else(String::new, |digest| format!(",\"{name}\":\"{digest}\""))
                };
                let parts: Vec<String> = Part::ALL
                    .iter()
                    .zip(&behavior.parts)
                    .map(|(part, digest)| format!("\"{}\":\"{digest}\"", part.name()))
                    .collect();
                format!(
                    "{}:{{\"digest\":\"{}\"{}{},\"behavior\":{{\"digest\":\"{}\",{}}}}}",
                    quoted(name),
                    identity.digest,
                    optional("description", identity.description),
                    optional("schema", identity.schema),
                    behavior.digest,
                    parts.join(",")
                )
            })
            .collect();
        format!("{{{}}}", tools.join(","))
    }

    /// Reads an entry.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, LockError> {
        let members =
            split_object(text.as_bytes(), LIMITS)?.ok_or_else(|| bad(name, "", "an object"))?;
        let entry = Entry { name, members };
        let launch = entry.launch()?;
        let digest = entry.digest("launch")?;
        if digest != launch.digest() {
            return Err(bad(name, "launch", "the digest of how the server starts"));
        }
        let era = match entry.text("era")?.as_str() {
            "initialize" => Era::Initialize,
            "discover" => Era::Discover,
            _ => return Err(bad(name, "era", "`initialize` or `discover`")),
        };
        let resources = match entry.raw("resources") {
            None => ResourcesDigest::Absent,
            Some("\"volatile\"") => ResourcesDigest::Volatile,
            Some(_) => ResourcesDigest::Stable(entry.digest("resources")?),
        };
        let source = entry.raw("source").map(|_| entry.text("source")).transpose()?;
        Ok(Self {
            launch,
            source,
            era,
            api_surface: entry.digest("api_surface")?,
            surface: entry.digest("surface")?,
            resources,
            surface_file: entry.text("surface_file")?,
            surface_file_digest: entry.digest("surface_file_digest")?,
            behavior: entry.digest("behavior")?,
            tools: entry.tools()?,
            grants: entry.grants()?,
            unknown: entry.unknown(),
        })
    }
}

fn bad(server: &str, member: &str, expected: &'static str) -> LockError {
    let place = format!("servers.{server}.{member}");
    LockError::Member { place: place.trim_end_matches('.').to_owned(), expected }
}

struct Entry<'e> {
    name: &'e str,
    members: Vec<RawMember<'e>>,
}

impl Entry<'_> {
    fn raw(&self, member: &str) -> Option<&str> {
        self.members.iter().find(|other| other.name == member).map(|other| other.value)
    }

    fn value(&self, member: &str) -> Result<Value<'_>, LockError> {
        let raw = self.raw(member).ok_or_else(|| bad(self.name, member, "there"))?;
        Ok(json::parse(raw.as_bytes(), Origin::Captured, LIMITS)?)
    }

    fn text(&self, member: &str) -> Result<String, LockError> {
        match self.value(member)? {
            Value::String(text) => Ok(text.into_owned()),
            _ => Err(bad(self.name, member, "a string")),
        }
    }

    fn texts(&self, member: &str) -> Result<Vec<String>, LockError> {
        let wrong = || bad(self.name, member, "a list of strings");
        let Value::Array(items) = self.value(member)? else { return Err(wrong()) };
        let texts = items.into_iter().map(|item| match item {
            Value::String(text) => Some(text.into_owned()),
            _ => None,
        });
        texts.collect::<Option<_>>().ok_or_else(wrong)
    }

    fn digest(&self, member: &str) -> Result<Digest, LockError> {
        let text = self.text(member)?;
        text.parse().map_err(|_| bad(self.name, member, "a digest"))
    }

    fn launch(&self) -> Result<Launch, LockError> {
        if self.raw("url").is_none() {
            let (command, args) = (self.text("command")?, self.texts("args")?);
            return Ok(Launch::Command { command, args, env: self.texts("env")? });
        }
        let Value::Object(object) = self.value("headers")? else {
            return Err(bad(self.name, "headers", "an object"));
        };
        let headers = object.members().iter().map(|member| match &member.value {
            Value::String(text) => Some((member.name.to_string(), text.to_string())),
            _ => None,
        });
        let headers = headers.collect::<Option<_>>();
        let headers = headers.ok_or_else(|| bad(self.name, "headers", "names of variables"))?;
        Ok(Launch::Url { url: self.text("url")?, headers })
    }

    fn grants(&self) -> Result<Grants, LockError> {
        let value = self.value("grants")?;
        Grants::parse(&value).ok_or_else(|| bad(self.name, "grants", "a full list of grants"))
    }

    fn tools(&self) -> Result<BTreeMap<String, LockedTool>, LockError> {
        let Value::Object(object) = self.value("tools")? else {
            return Err(bad(self.name, "tools", "an object"));
        };
        let tools = object.members().iter().map(|member| {
            let tool = locked_tool(&member.value);
            let place = format!("tools.{}", member.name);
            let tool = tool.ok_or_else(|| bad(self.name, &place, "the hashes of a tool"))?;
            Ok((member.name.to_string(), tool))
        });
        tools.collect()
    }

    fn unknown(&self) -> Vec<(String, String)> {
        let unknown = self.members.iter().filter(|member| !KNOWN.contains(&&*member.name));
        unknown.map(|member| (member.name.to_string(), member.value.to_owned())).collect()
    }
}

fn locked_tool(value: &Value<'_>) -> Option<LockedTool> {
    let Value::Object(object) = value else { return None };
    let known = ["behavior", "description", "digest", "schema"];
    if object.members().iter().any(|member| !known.contains(&&*member.name)) {
        return None;
    }
    let Value::Object(behavior) = object.get("behavior")? else { return None };
    if behavior.members().len() != 1 + Part::ALL.len() {
        return None;
    }
    let digest = |value: &Value<'_>| match value {
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let optional = |name: &str| match object.get(name) {
        None => Some(None),
        Some(value) => digest(value).map(Some),
    };
    let mut parts = Vec::new();
    for part in Part::ALL {
        parts.push(digest(behavior.get(part.name())?)?);
    }
    Some(LockedTool {
        identity: ToolIdentity {
            digest: digest(object.get("digest")?)?,
            description: optional("description")?,
            schema: optional("schema")?,
        },
        behavior: ContractDigest {
            digest: digest(behavior.get("digest")?)?,
            parts: parts.try_into().ok()?,
        },
    })
}
