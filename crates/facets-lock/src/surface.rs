//! What a server declared when it was approved, as hashes (spec 5 and 6).

use std::collections::BTreeMap;

use facets_digest::Digest;
use facets_digest::json::{Value, quoted};
use facets_surface::{ContractDigest, Part, ResourcesDigest, SurfaceHashes, ToolIdentity};

use crate::error::LockError;
use crate::members::EntryMembers;

/// The folder of the surface files, from the project on.
pub const SURFACES: &str = ".facets/surfaces";

/// The surface file of a server, from the project on.
#[must_use]
pub fn surface_path(server: &str) -> String {
    format!("{SURFACES}/{server}.json")
}

/// Where closure files lie, from the project on.
pub const CLOSURES: &str = ".facets/closures";

/// Where the closure file of a server lies (spec 10.8).
#[must_use]
pub fn closure_path(server: &str) -> String {
    format!("{CLOSURES}/{server}.json")
}

/// The names of the members that hold it.
pub(crate) const KNOWN: &[&str] = &[
    "api_surface",
    "surface",
    "resources",
    "surface_file",
    "surface_file_digest",
    "behavior",
    "tools",
];

/// What identifies a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedTool {
    /// spec 5.4
    pub identity: ToolIdentity,
    /// spec 6.2
    pub behavior: ContractDigest,
}

/// What a server declared when it was approved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedSurface {
    /// spec 5.3
    pub api_surface: Digest,
    /// spec 5.5
    pub digest: Digest,
    /// spec 5.5
    pub resources: ResourcesDigest,
    /// Where its surface file lies, from the lock on.
    pub file: String,
    /// The digest of that file.
    pub file_digest: Digest,
    /// spec 6.2
    pub behavior: Digest,
    /// Its tools by name.
    pub tools: BTreeMap<String, LockedTool>,
}

impl LockedSurface {
    /// What is locked of a server that has these hashes, and this surface file.
    #[must_use]
    pub fn new(server: &str, hashes: &SurfaceHashes, file_digest: Digest) -> Self {
        let tools = hashes.tools.iter().filter_map(|(tool, identity)| {
            let behavior = hashes.behavior.tool(tool)?.clone();
            Some((tool.clone(), LockedTool { identity: identity.clone(), behavior }))
        });
        Self {
            api_surface: hashes.api_surface,
            digest: hashes.surface,
            resources: hashes.resources,
            file: surface_path(server),
            file_digest,
            behavior: hashes.behavior.digest,
            tools: tools.collect(),
        }
    }

    /// The first hash that is not that of these definitions, by the name it has in the lock.
    #[must_use]
    pub fn first_difference(&self, hashes: &SurfaceHashes, file_digest: Digest) -> Option<String> {
        let other = Self::new("", hashes, file_digest);
        let checks = [
            ("api_surface", self.api_surface == other.api_surface),
            ("surface", self.digest == other.digest),
            ("resources", self.resources == other.resources),
            ("behavior", self.behavior == other.behavior),
            ("surface_file_digest", self.file_digest == other.file_digest),
        ];
        let different = checks.into_iter().find(|(_, same)| !same).map(|(name, _)| name.to_owned());
        different.or_else(|| {
            let names = self.tools.keys().chain(other.tools.keys());
            let mut names = names.filter(|name| self.tools.get(*name) != other.tools.get(*name));
            names.next().map(|name| format!("tools.{name}"))
        })
    }

    /// The members as JSON, in the order in which they are written.
    pub(crate) fn write(&self) -> Vec<(&'static str, String)> {
        let mut members = vec![
            ("api_surface", quoted(&self.api_surface.to_string())),
            ("surface", quoted(&self.digest.to_string())),
        ];
        match self.resources {
            ResourcesDigest::Absent => {}
            ResourcesDigest::Volatile => members.push(("resources", quoted("volatile"))),
            ResourcesDigest::Stable(digest) => {
                members.push(("resources", quoted(&digest.to_string())));
            }
        }
        members.push(("surface_file", quoted(&self.file)));
        members.push(("surface_file_digest", quoted(&self.file_digest.to_string())));
        members.push(("behavior", quoted(&self.behavior.to_string())));
        members.push(("tools", self.tools_json()));
        members
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

    /// Reads the members of an entry.
    pub(crate) fn read(entry: &EntryMembers<'_>) -> Result<Self, LockError> {
        let resources = match entry.raw("resources") {
            None => ResourcesDigest::Absent,
            Some("\"volatile\"") => ResourcesDigest::Volatile,
            Some(_) => ResourcesDigest::Stable(entry.digest("resources")?),
        };
        Ok(Self {
            api_surface: entry.digest("api_surface")?,
            digest: entry.digest("surface")?,
            resources,
            file: entry.text("surface_file")?,
            file_digest: entry.digest("surface_file_digest")?,
            behavior: entry.digest("behavior")?,
            tools: read_tools(entry)?,
        })
    }
}

fn read_tools(entry: &EntryMembers<'_>) -> Result<BTreeMap<String, LockedTool>, LockError> {
    let Value::Object(object) = entry.value("tools")? else {
        return Err(entry.bad("tools", "an object"));
    };
    let tools = object.members().iter().map(|member| {
        let tool = locked_tool(&member.value);
        let place = format!("tools.{}", member.name);
        let tool = tool.ok_or_else(|| entry.bad(&place, "the hashes of a tool"))?;
        Ok((member.name.to_string(), tool))
    });
    tools.collect()
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
