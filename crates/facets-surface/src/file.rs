use facets_digest::json::{
    self, JsonError, Limits, Number, Provenance, RawMember, Value, quoted, write_string,
};

use crate::{
    Also, Definition, DefinitionError, Entitlements, Era, Kind, Listing, ServerIdentity, Source,
    Surface,
};

/// The format that this version writes, and the newest that it reads.
pub const FORMAT_VERSION: u32 = 1;

const LISTS: [Kind; 4] = [Kind::Tool, Kind::Prompt, Kind::ResourceTemplate, Kind::Resource];

/// Why a text is not a surface file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceFileError {
    /// Not JSON that can be hashed.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// Not an object with `surfaceVersion`.
    #[error("it is not a surface file: `surfaceVersion` is missing")]
    NotASurface,
    /// Written by a newer facet.
    #[error("surfaceVersion {found} is not supported; this facet reads up to {FORMAT_VERSION}")]
    Newer {
        /// What it says.
        found: String,
    },
    /// A member is missing or has another type than it should.
    #[error("`{member}` is missing or invalid")]
    Member {
        /// Which.
        member: &'static str,
    },
    /// A definition is malformed.
    #[error("an item of `{list}` is invalid: {source}")]
    Definition {
        /// In which list.
        list: &'static str,
        /// What is wrong.
        source: DefinitionError,
    },
    /// A name stands twice in a list.
    #[error("duplicate `{name}` in `{list}`")]
    Duplicate {
        /// In which list.
        list: &'static str,
        /// Which.
        name: String,
    },
    /// The same content, but not as facet writes it: somebody edited it.
    #[error("it was modified: it does not have the format that facet writes")]
    NotAsWritten,
}

/// Writes the one serialisation of a surface (spec 5.6), made for review: what a reader
/// wants first comes first, every definition is canonical inside and indented.
#[must_use]
pub fn write_surface_file(surface: &Surface) -> String {
    let mut out = Vec::from(*b"{\n");
    let mut member = |name: &str, raw: &str| {
        if out.len() > 2 {
            out.extend_from_slice(b",\n");
        }
        out.extend_from_slice(b"  ");
        write_string(name, &mut out);
        out.extend_from_slice(b": ");
        let value = json::parse(raw.as_bytes(), Provenance::Captured, FILE_LIMITS);
        value.unwrap_or(Value::Null).write_pretty(1, &mut out);
    };
    member("surfaceVersion", &FORMAT_VERSION.to_string());
    member("server", &surface.server.info);
    member("era", &quoted(surface.era.name()));
    member("protocol", &quoted(&surface.protocol));
    member("capabilities", &surface.capabilities);
    if let Some(instructions) = &surface.instructions {
        member("instructions", &quoted(instructions));
    }
    for kind in LISTS {
        if let Some(listing) = surface.listing(kind) {
            member(kind.list(), &listing_text(listing));
        }
    }
    if surface.resources_volatile {
        member("resourcesVolatile", "true");
    }
    if surface.source != Source::default() {
        member("source", &source_text(&surface.source));
    }
    if !surface.also.is_empty() {
        member("also", &surface.also.to_json());
    }
    if matches!(surface.tools, Some(Listing::Items(_))) {
        write_contracts(surface, &mut out);
    }
    out.extend_from_slice(b"\n}\n");
    String::from_utf8_lossy(&out).into_owned()
}

/// The envelope of the file stands around definitions of up to 128.
const FILE_LIMITS: Limits = Limits { bytes: 256 << 20, depth: 136, values: 8_000_000 };

/// Each tool's contract (spec 6.1). It follows from the rest of the file, and stands here for
/// its readers.
fn write_contracts(surface: &Surface, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\n  \"contracts\": ");
    let start = out.len();
    for contract in surface.contracts() {
        // A file beyond its own limit is refused by whoever wants to write it.
        if out.len() > FILE_LIMITS.bytes {
            return;
        }
        out.extend_from_slice(if out.len() == start { b"{\n    " } else { b",\n    " });
        write_string(contract.name(), out);
        out.extend_from_slice(b": ");
        let text = contract.to_json();
        let value = json::parse(text.as_bytes(), Provenance::Captured, FILE_LIMITS);
        value.unwrap_or(Value::Null).write_pretty(2, out);
    }
    out.extend_from_slice(if out.len() == start { b"{}" } else { b"\n  }" });
}

fn source_text(source: &Source) -> String {
    let contract = source.contract.as_ref().map(|text| format!("\"contract\":{text}"));
    let entitlements = source.entitlements.as_ref().map(|entitlements| {
        let form = String::from_utf8_lossy(&entitlements.to_canonical()).into_owned();
        let scanner = entitlements.scanner.map_or_else(|| "null".to_owned(), |v| v.to_string());
        format!("\"entitlements\":{form},\"scanner\":{scanner}")
    });
    let members: Vec<String> = [contract, entitlements].into_iter().flatten().collect();
    format!("{{{}}}", members.join(","))
}

fn listing_text(listing: &Listing) -> String {
    match listing {
        Listing::Refused { code } => format!("{{\"error\":{code}}}"),
        Listing::Items(items) => {
            let texts: Vec<&str> = items.iter().map(Definition::raw).collect();
            format!("[{}]", texts.join(","))
        }
    }
}

impl Also {
    /// As it stands in a surface file.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut members = Vec::new();
        if !self.instructions.is_empty() {
            let texts: Vec<String> = self.instructions.iter().map(|text| quoted(text)).collect();
            members.push(format!("\"instructions\":[{}]", texts.join(",")));
        }
        for kind in LISTS {
            let items = self.items.iter().filter(|item| item.kind() == kind);
            let items: Vec<&str> = items.map(Definition::raw).collect();
            if !items.is_empty() {
                members.push(format!("\"{}\":[{}]", kind.list(), items.join(",")));
            }
        }
        format!("{{{}}}", members.join(","))
    }

    /// Reads it.
    pub fn parse(text: &str) -> Result<Self, SurfaceFileError> {
        let malformed = || SurfaceFileError::Member { member: "also" };
        let members = json::split_object(text.as_bytes(), FILE_LIMITS)?.ok_or_else(malformed)?;
        let inner = File { members };
        let mut also = Self::default();
        if let Some(texts) = inner.value("instructions")? {
            let Value::Array(texts) = texts else { return Err(malformed()) };
            for text in texts {
                let Value::String(text) = text else { return Err(malformed()) };
                also.instructions.push(text.into_owned());
            }
        }
        for kind in LISTS {
            let Some(raw) = inner.raw(kind.list()) else { continue };
            let items = json::split_array(raw.as_bytes(), FILE_LIMITS)?.ok_or_else(malformed)?;
            for item in items {
                let item = Definition::parse(kind, item);
                let list = kind.list();
                also.items
                    .push(item.map_err(|source| SurfaceFileError::Definition { list, source })?);
            }
        }
        Ok(also)
    }
}

/// Reads a surface file, and refuses one that facet did not write just so.
pub fn parse_surface_file(bytes: &[u8]) -> Result<Surface, SurfaceFileError> {
    let members = json::split_object(bytes, FILE_LIMITS)?.ok_or(SurfaceFileError::NotASurface)?;
    let file = File { members };
    let version = file.raw("surfaceVersion").ok_or(SurfaceFileError::NotASurface)?;
    if version != FORMAT_VERSION.to_string() {
        return Err(SurfaceFileError::Newer { found: version.chars().take(20).collect() });
    }
    let surface = Surface {
        era: match file.text("era")?.as_deref() {
            Some("initialize") => Era::Initialize,
            Some("discover") => Era::Discover,
            _ => return Err(SurfaceFileError::Member { member: "era" }),
        },
        protocol: file.text("protocol")?.ok_or(SurfaceFileError::Member { member: "protocol" })?,
        server: file.server()?,
        capabilities: file.canonical("capabilities")?,
        instructions: file.text("instructions")?,
        tools: file.listing(Kind::Tool)?,
        prompts: file.listing(Kind::Prompt)?,
        resources: file.listing(Kind::Resource)?,
        resources_volatile: file.raw("resourcesVolatile") == Some("true"),
        resource_templates: file.listing(Kind::ResourceTemplate)?,
        source: file.source()?,
        also: file.also()?,
    };
    if write_surface_file(&surface).as_bytes() == bytes {
        Ok(surface)
    } else {
        Err(SurfaceFileError::NotAsWritten)
    }
}

fn number_of(number: &Number<'_>) -> Option<u32> {
    let mut text = Vec::new();
    number.write_to(&mut text);
    str::from_utf8(&text).ok()?.parse().ok()
}

struct File<'a> {
    members: Vec<RawMember<'a>>,
}

impl<'a> File<'a> {
    fn raw(&self, name: &str) -> Option<&'a str> {
        self.members.iter().find(|member| member.name == name).map(|member| member.value)
    }

    fn value(&self, member: &'static str) -> Result<Option<Value<'a>>, SurfaceFileError> {
        let parse = |raw: &'a str| json::parse(raw.as_bytes(), Provenance::Captured, FILE_LIMITS);
        Ok(self.raw(member).map(parse).transpose()?)
    }

    fn text(&self, member: &'static str) -> Result<Option<String>, SurfaceFileError> {
        match self.value(member)? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.into_owned())),
            Some(_) => Err(SurfaceFileError::Member { member }),
        }
    }

    fn canonical(&self, member: &'static str) -> Result<String, SurfaceFileError> {
        let value = self.value(member)?.ok_or(SurfaceFileError::Member { member })?;
        Ok(String::from_utf8_lossy(&value.to_canonical()).into_owned())
    }

    fn server(&self) -> Result<ServerIdentity, SurfaceFileError> {
        let info = self.canonical("server")?;
        Ok(ServerIdentity::from_info(&info))
    }

    fn source(&self) -> Result<Source, SurfaceFileError> {
        let malformed = || SurfaceFileError::Member { member: "source" };
        let Some(value) = self.value("source")? else { return Ok(Source::default()) };
        let Value::Object(source) = value else { return Err(malformed()) };
        let text = |value: &Value<'_>| String::from_utf8_lossy(&value.to_canonical()).into_owned();
        let entitlements = source.get("entitlements").map(|value| {
            let scanner = match source.get("scanner") {
                Some(Value::Number(number)) => number_of(number),
                _ => None,
            };
            Entitlements::from_json(value, scanner).ok_or_else(malformed)
        });
        Ok(Source {
            contract: source.get("contract").map(text),
            entitlements: entitlements.transpose()?,
        })
    }

    fn also(&self) -> Result<Also, SurfaceFileError> {
        self.raw("also").map_or_else(|| Ok(Also::default()), Also::parse)
    }

    fn listing(&self, kind: Kind) -> Result<Option<Listing>, SurfaceFileError> {
        let list = kind.list();
        let Some(raw) = self.raw(list) else { return Ok(None) };
        if let Some(members) = json::split_object(raw.as_bytes(), FILE_LIMITS)? {
            let code = members.iter().find(|member| member.name == "error");
            let code = code.and_then(|member| member.value.parse().ok());
            let refused = code.map(|code| Listing::Refused { code });
            return refused.map(Some).ok_or(SurfaceFileError::Member { member: list });
        }
        let items = json::split_array(raw.as_bytes(), FILE_LIMITS)?;
        let items = items.ok_or(SurfaceFileError::Member { member: list })?;
        let items = items.into_iter().map(|raw| Definition::parse(kind, raw));
        let items = items.collect::<Result<_, _>>();
        let items = items.map_err(|source| SurfaceFileError::Definition { list, source })?;
        let listing = Listing::new(items);
        listing.map(Some).map_err(|twice| SurfaceFileError::Duplicate { list, name: twice.name })
    }
}
