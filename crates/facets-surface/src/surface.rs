use std::collections::{BTreeMap, BTreeSet};

use facets_digest::json::{self, Limits, Provenance, Value, compare_utf16, write_string};
use facets_digest::{Digest, Hasher};

use crate::contract::{Contract, ServerContract, ServerPromises};
use crate::declared::{Declared, SystemRules};
use crate::{Definition, Entitlements, Kind, ToolIdentity, api_surface};

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A handshake with `initialize`, up to 2025-11-25.
    Initialize,
    /// No handshake, `server/discover`, from 2026-07-28.
    Discover,
}

impl Era {
    /// The word in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Initialize => "initialize",
            Self::Discover => "discover",
        }
    }
}

/// A list names two things alike.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is listed twice")]
pub struct DuplicateName {
    /// The name.
    pub name: String,
}

/// What a server answered when asked for a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Definitions, sorted by name.
    Items(Vec<Definition>),
    /// It announced the list and then refused it.
    Refused {
        /// The code of the error.
        code: i64,
    },
}

impl Listing {
    /// Sorts definitions by UTF-16 code units. A name that stands twice is the error.
    pub fn new(mut items: Vec<Definition>) -> Result<Self, DuplicateName> {
        items.sort_by(|a, b| compare_utf16(a.name(), b.name()));
        let twins = items.windows(2).find(|pair| pair[0].name() == pair[1].name());
        match twins {
            Some(pair) => Err(DuplicateName { name: pair[0].name().to_owned() }),
            None => Ok(Self::Items(items)),
        }
    }

    /// The definitions; none if the list was refused.
    #[must_use]
    pub fn items(&self) -> &[Definition] {
        match self {
            Self::Items(items) => items,
            Self::Refused { .. } => &[],
        }
    }

    fn hash_into(&self, out: &mut Vec<u8>, hasher: &mut Hasher) {
        match self {
            Self::Refused { code } => {
                out.extend_from_slice(format!("{{\"error\":{code}}}").as_bytes())
            }
            Self::Items(items) => {
                out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    item.write_canonical(out);
                    hasher.drain(out);
                }
                out.push(b']');
            }
        }
    }
}

/// What a server says of itself. Recorded, not hashed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerIdentity {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The whole object, canonical.
    pub info: String,
}

impl ServerIdentity {
    /// Reads name and version out of the whole object.
    #[must_use]
    pub fn from_info(info: &str) -> Self {
        let value = json::parse(info.as_bytes(), Provenance::Captured, Limits::DOCUMENT);
        let text = |name: &str| match &value {
            Ok(Value::Object(object)) => match object.get(name) {
                Some(Value::String(text)) => text.to_string(),
                _ => String::new(),
            },
            _ => String::new(),
        };
        Self { name: text("name"), version: text("version"), info: info.to_owned() }
    }
}

/// Everything a server declares (spec 5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surface {
    /// How it was spoken to.
    pub era: Era,
    /// The revision that was agreed on.
    pub protocol: String,
    /// What it says of itself.
    pub server: ServerIdentity,
    /// Its capabilities, canonical.
    pub capabilities: String,
    /// Its instructions to the model.
    pub instructions: Option<String>,
    /// Its tools; none if it neither announces nor answers the list.
    pub tools: Option<Listing>,
    /// Its prompts.
    pub prompts: Option<Listing>,
    /// Its resources.
    pub resources: Option<Listing>,
    /// Whether two lists of resources differed.
    pub resources_volatile: bool,
    /// Its resource templates.
    pub resource_templates: Option<Listing>,
    /// What is known of it beyond the wire.
    pub source: Source,
    /// What it declares otherwise to other clients.
    pub also: Also,
}

/// What a server declares otherwise to other clients (spec 5.1): those that announce no
/// capability, and those that speak the older era. Pinned with the rest, and in no hash but that
/// of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Also {
    /// Other instructions.
    pub instructions: Vec<String>,
    /// Definitions that are not among the others.
    pub items: Vec<Definition>,
}

impl Also {
    /// Adds whatever of another look at the same server is not in the first.
    pub fn add(&mut self, first: &Surface, other: &Surface) {
        let instructions = other.instructions.as_ref();
        if let Some(text) = instructions.filter(|text| first.instructions.as_ref() != Some(text))
            && !self.instructions.contains(text)
        {
            self.instructions.push(text.clone());
        }
        for kind in [Kind::Tool, Kind::Prompt, Kind::ResourceTemplate, Kind::Resource] {
            // Resources that vary are data, and not pinned one by one.
            if kind == Kind::Resource && (first.resources_volatile || other.resources_volatile) {
                continue;
            }
            for item in other.items(kind) {
                let is_same = |known: &Definition| {
                    known.kind() == kind
                        && known.name() == item.name()
                        && known.digest() == item.digest()
                };
                if !first.items(kind).iter().chain(&self.items).any(is_same) {
                    self.items.push(item.clone());
                }
            }
        }
    }

    /// Adds what another has.
    pub fn extend(&mut self, other: Self) {
        let mut new = other;
        new.remove(self);
        self.instructions.extend(new.instructions);
        self.items.extend(new.items);
    }

    /// Takes away what another has, too.
    pub fn remove(&mut self, other: &Self) {
        self.instructions.retain(|text| !other.instructions.contains(text));
        self.items.retain(|item| {
            !other.items.iter().any(|known| {
                known.kind() == item.kind()
                    && known.name() == item.name()
                    && known.digest() == item.digest()
            })
        });
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.instructions.is_empty() && self.items.is_empty()
    }
}

/// What is known of a server beyond the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The contract that its `server.yaml` declares (spec 6.4), canonical.
    pub contract: Option<String>,
    /// What its code can reach; none if nobody looked.
    pub entitlements: Option<Entitlements>,
}

/// The digest of the resources, which are data that may vary with time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourcesDigest {
    /// None are announced.
    Absent,
    /// Two lists differed.
    Volatile,
    /// Two lists were the same.
    Stable(Digest),
}

/// The hashes of a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurfaceHashes {
    /// spec 5.3
    pub api_surface: Digest,
    /// spec 5.5
    pub surface: Digest,
    /// spec 5.5
    pub resources: ResourcesDigest,
    /// spec 5.4
    pub tools: BTreeMap<String, ToolIdentity>,
    /// spec 6.2
    pub behavior: ServerContract,
}

impl Surface {
    /// The list of one kind.
    #[must_use]
    pub fn listing(&self, kind: Kind) -> Option<&Listing> {
        match kind {
            Kind::Tool => self.tools.as_ref(),
            Kind::Prompt => self.prompts.as_ref(),
            Kind::Resource => self.resources.as_ref(),
            Kind::ResourceTemplate => self.resource_templates.as_ref(),
        }
    }

    /// The definitions of one kind.
    #[must_use]
    pub fn items(&self, kind: Kind) -> &[Definition] {
        self.listing(kind).map(Listing::items).unwrap_or_default()
    }

    /// Puts definitions of a kind, each with a name of its own, in the place of those of their names.
    pub fn put(&mut self, kind: Kind, new: Vec<Definition>) {
        let listing = match kind {
            Kind::Tool => &mut self.tools,
            Kind::Prompt => &mut self.prompts,
            Kind::Resource => &mut self.resources,
            Kind::ResourceTemplate => &mut self.resource_templates,
        };
        let names: BTreeSet<&str> = new.iter().map(Definition::name).collect();
        let items = listing.as_ref().map(Listing::items).unwrap_or_default();
        let others = items.iter().filter(|known| !names.contains(known.name()));
        let mut items: Vec<Definition> = others.cloned().collect();
        items.extend(new);
        // No name stands there twice.
        *listing = Listing::new(items).ok().or_else(|| listing.take());
    }

    /// Whether another has a definition or instructions that are not in this.
    #[must_use]
    pub fn lacks_something_of(&self, other: &Self) -> bool {
        let mut more = Also::default();
        more.add(self, other);
        !more.is_empty()
    }

    /// Computes every hash.
    #[must_use]
    pub fn hashes(&self) -> SurfaceHashes {
        let tools = self.items(Kind::Tool);
        SurfaceHashes {
            api_surface: api_surface(tools),
            surface: self.surface_digest(),
            resources: self.resources_digest(),
            tools: tools.iter().map(|tool| (tool.name().to_owned(), tool.identity())).collect(),
            behavior: self.server_contract(),
        }
    }

    /// The contract of every tool, in the order of the tools (spec 6).
    pub fn contracts(&self) -> impl Iterator<Item = Contract> {
        self.contracts_of(|_| true)
    }

    /// The contracts of the tools with these names, in their order.
    pub fn contracts_of(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = Contract> {
        let server = ServerPromises::new(
            self.source.contract.as_deref(),
            self.instructions.as_deref(),
            self.source.entitlements.as_ref(),
        );
        let tools = self.items(Kind::Tool).iter().filter(move |tool| wanted(tool.name()));
        tools.map(move |tool| Contract::of_tool(tool, &server))
    }

    /// The rules that are declared for the tools with these names, in their order (spec 6.4).
    pub fn system_rules_of(
        &self,
        wanted: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = SystemRules> {
        let declared = Declared::parse(self.source.contract.as_deref()).unwrap_or_default();
        let tools = self.items(Kind::Tool).iter().filter(move |tool| wanted(tool.name()));
        tools.map(move |tool| {
            let value = tool.value();
            SystemRules::of(declared.for_tool(tool.name(), &value).get("systemRules"))
        })
    }

    /// The hashes of all contracts (spec 6.2).
    #[must_use]
    pub fn server_contract(&self) -> ServerContract {
        let hashes = |contract: Contract| (contract.name().to_owned(), contract.digest());
        ServerContract::of(self.contracts().map(hashes).collect())
    }

    fn surface_digest(&self) -> Digest {
        let mut hasher = Hasher::with_domain("surface");
        let mut form = Vec::from(*b"{\"capabilities\":");
        form.extend_from_slice(self.capabilities.as_bytes());
        if let Some(instructions) = &self.instructions {
            form.extend_from_slice(b",\"instructions\":");
            write_string(instructions, &mut form);
        }
        // In the order of their names, which is the canonical one.
        for kind in [Kind::Prompt, Kind::ResourceTemplate, Kind::Tool] {
            if let Some(listing) = self.listing(kind) {
                form.extend_from_slice(format!(",\"{}\":", kind.list()).as_bytes());
                listing.hash_into(&mut form, &mut hasher);
            }
        }
        form.push(b'}');
        hasher.drain(&mut form);
        hasher.finish()
    }

    fn resources_digest(&self) -> ResourcesDigest {
        match &self.resources {
            None => ResourcesDigest::Absent,
            Some(_) if self.resources_volatile => ResourcesDigest::Volatile,
            Some(listing) => {
                let mut hasher = Hasher::with_domain("resources");
                let mut form = Vec::from(*b"{\"resources\":");
                listing.hash_into(&mut form, &mut hasher);
                form.push(b'}');
                hasher.drain(&mut form);
                ResourcesDigest::Stable(hasher.finish())
            }
        }
    }
}
