//! Everything a server declares (spec 5.1, 5.7).

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Duration;

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance, Value, quoted};
use facets_surface::{Also, Definition, Era, Kind, Listing, ServerIdentity, Source, Surface};
use facets_wire::RpcError;

use crate::session::Session;
use crate::{CaptureError, CaptureLimits, Transport, TransportError};

const NEWEST_INITIALIZE: &str = "2025-11-25";
const DISCOVER: &str = "2026-07-28";

/// How long a server may think about `server/discover` before it is taken for an older one.
const DISCOVER_PATIENCE: Duration = Duration::from_secs(5);

/// spec 5.1: everything that the revisions know, so that the server shows all it has
const EVERY_CAPABILITY: &str = r#"{"elicitation":{"form":{},"url":{}},"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"tasks":{"cancel":{},"list":{},"requests":{"elicitation":{"create":{}},"sampling":{"createMessage":{}}}}}"#;
const NO_CAPABILITY: &str = "{}";

/// A thousand of them are kept.
const MAX_CURSOR: usize = 16 << 10;

/// The error of a server that does not speak any revision with a handshake.
const NO_HANDSHAKE: i64 = -32022;

/// The error of a method that a server does not know.
const METHOD_NOT_FOUND: i64 = -32601;

/// Which era to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EraChoice {
    /// The newer one where it answers.
    #[default]
    Preferred,
    /// The one that was used before.
    Only(Era),
}

/// How to look at a server.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaptureOptions {
    /// What it may cost.
    pub limits: CaptureLimits,
    /// Which era to use.
    pub era: EraChoice,
    /// Whether to announce no capability at all.
    pub announce_nothing: bool,
}

/// A surface, and what was seen on the way to it.
#[derive(Clone, Debug)]
pub struct Capture {
    /// What the server declares.
    pub surface: Surface,
    /// How it behaved meanwhile.
    pub conduct: Conduct,
}

/// How a server behaved while it was listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conduct {
    /// Methods that the server asked of us.
    pub requests: Vec<String>,
    /// How many notifications it sent.
    pub notifications: usize,
    /// How many replies came that are to no request of ours.
    pub strays: usize,
    /// How many lines were JSON, but no messages.
    pub other_json: usize,
    /// Lines that were no messages.
    pub noise: Vec<String>,
}

/// Asks a server for everything it declares, and for every list twice.
pub fn capture(
    transport: &mut dyn Transport,
    options: CaptureOptions,
) -> Result<Capture, CaptureError> {
    let client = Client {
        capabilities: if options.announce_nothing { NO_CAPABILITY } else { EVERY_CAPABILITY },
        era: Era::Initialize,
    };
    let mut session = Session::new(transport, options.limits);
    let (client, opening) = open(&mut session, client, options.era)?;
    session.transport.agreed(&opening.protocol);
    let surface = list_everything(&mut session, &client, opening)?;
    let interleaved = session.interleaved;
    let conduct = Conduct {
        requests: interleaved.requests,
        notifications: interleaved.notifications,
        strays: interleaved.strays,
        other_json: interleaved.noise,
        noise: transport.noise().to_vec(),
    };
    Ok(Capture { surface, conduct })
}

/// What we say of ourselves.
#[derive(Clone, Copy)]
struct Client {
    capabilities: &'static str,
    era: Era,
}

impl Client {
    /// The parameters of a request, with a cursor where there is one.
    fn params(self, cursor: Option<&str>) -> String {
        let mut members = Vec::new();
        if self.era == Era::Discover {
            members.push(format!(
                "\"_meta\":{{\"io.modelcontextprotocol/protocolVersion\":\"{DISCOVER}\",\
                 \"io.modelcontextprotocol/clientInfo\":{},\
                 \"io.modelcontextprotocol/clientCapabilities\":{}}}",
                client_info(),
                self.capabilities
            ));
        }
        if let Some(cursor) = cursor {
            members.push(format!("\"cursor\":{}", quoted(cursor)));
        }
        format!("{{{}}}", members.join(","))
    }
}

fn client_info() -> String {
    format!("{{\"name\":\"facet\",\"version\":\"{}\"}}", env!("CARGO_PKG_VERSION"))
}

/// What a server says of itself before it lists anything.
struct Opening {
    protocol: String,
    server: ServerIdentity,
    capabilities: String,
    instructions: Option<String>,
}

fn open(
    session: &mut Session<'_>,
    client: Client,
    choice: EraChoice,
) -> Result<(Client, Opening), CaptureError> {
    let newer = Client { era: Era::Discover, ..client };
    match choice {
        EraChoice::Only(Era::Discover) => {
            Ok((newer, discover(session, newer, session.limits.answer)?))
        }
        EraChoice::Only(Era::Initialize) => Ok((client, initialize(session, client)?)),
        EraChoice::Preferred => match discover(session, newer, DISCOVER_PATIENCE) {
            Ok(opening) => Ok((newer, opening)),
            Err(error) if means_older(&error) => match initialize(session, client) {
                Ok(opening) => Ok((client, opening)),
                // It was only slow: a server of the newer era has no handshake.
                Err(CaptureError::Refused { source, .. }) if source.code == NO_HANDSHAKE => {
                    Ok((newer, discover(session, newer, session.limits.answer)?))
                }
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        },
    }
}

/// It does not know the method, answers nonsense to it, or does not answer at all.
fn means_older(error: &CaptureError) -> bool {
    match error {
        CaptureError::Refused { .. }
        | CaptureError::NoAnswer { .. }
        | CaptureError::Malformed { .. } => true,
        CaptureError::Transport { source: TransportError::Status { status, .. }, .. } => {
            (400..600).contains(status) && !matches!(status, 401 | 403)
        }
        _ => false,
    }
}

fn discover(
    session: &mut Session<'_>,
    client: Client,
    patience: Duration,
) -> Result<Opening, CaptureError> {
    const METHOD: &str = "server/discover";
    let patience = patience.min(session.limits.answer);
    let result = session.ask_within(METHOD, &client.params(None), patience)?;
    let result = Reply::new(METHOD, result)?;
    let versions = result.value("supportedVersions")?;
    let speaks = matches!(&versions, Some(Value::Array(list))
        if list.iter().any(|version| matches!(version, Value::String(text) if text == DISCOVER)));
    if !speaks {
        return Err(CaptureError::Malformed { method: METHOD, member: "supportedVersions" });
    }
    // Where the information stands has changed between drafts; either place will do.
    let info = match result.raw("serverInfo") {
        Some(raw) => Some(raw.to_owned()),
        None => result.meta("io.modelcontextprotocol/serverInfo")?,
    };
    result.opening(DISCOVER.to_owned(), info)
}

fn initialize(session: &mut Session<'_>, client: Client) -> Result<Opening, CaptureError> {
    const METHOD: &str = "initialize";
    let params = format!(
        "{{\"protocolVersion\":\"{NEWEST_INITIALIZE}\",\"capabilities\":{},\"clientInfo\":{}}}",
        client.capabilities,
        client_info()
    );
    let result = Reply::new(METHOD, session.ask(METHOD, &params)?)?;
    let protocol = result.text("protocolVersion")?;
    let protocol =
        protocol.ok_or(CaptureError::Malformed { method: METHOD, member: "protocolVersion" })?;
    let opening = result.opening(protocol, result.raw("serverInfo").map(str::to_owned))?;
    session.transport.agreed(&opening.protocol);
    session.tell("notifications/initialized")?;
    Ok(opening)
}

/// The members of a result, each as written.
struct Reply {
    method: &'static str,
    raw: String,
    members: Vec<(String, Range<usize>)>,
}

impl Reply {
    fn new(method: &'static str, result: Result<String, RpcError>) -> Result<Self, CaptureError> {
        let raw = result.map_err(|source| CaptureError::Refused { method, source })?;
        let invalid = |source: json::JsonError| CaptureError::InvalidMessage {
            method,
            source: source.into(),
            line: start_of(&raw),
        };
        let members = json::split_object(raw.as_bytes(), ENVELOPE).map_err(invalid)?;
        let members = members.ok_or(CaptureError::Malformed { method, member: "result" })?;
        // A result may be large, so its members are places in it and no copies.
        let place = |member: json::RawMember<'_>| {
            let start = member.value.as_ptr().addr() - raw.as_ptr().addr();
            (member.name.into_owned(), start..start + member.value.len())
        };
        let members = members.into_iter().map(place).collect();
        Ok(Self { method, raw, members })
    }

    fn raw(&self, name: &str) -> Option<&str> {
        let (_, place) = self.members.iter().find(|(member, _)| member == name)?;
        self.raw.get(place.clone())
    }

    fn value(&self, name: &str) -> Result<Option<Value<'_>>, CaptureError> {
        self.raw(name).map(|raw| self.parse(raw)).transpose()
    }

    fn parse<'r>(&self, raw: &'r str) -> Result<Value<'r>, CaptureError> {
        json::parse(raw.as_bytes(), Provenance::Captured, Limits::DOCUMENT).map_err(|source| {
            let line = start_of(raw);
            CaptureError::InvalidMessage { method: self.method, source: source.into(), line }
        })
    }

    fn text(&self, name: &'static str) -> Result<Option<String>, CaptureError> {
        match self.value(name)? {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.into_owned())),
            Some(_) => Err(CaptureError::Malformed { method: self.method, member: name }),
        }
    }

    fn meta(&self, name: &str) -> Result<Option<String>, CaptureError> {
        let Some(Value::Object(meta)) = self.value("_meta")? else { return Ok(None) };
        Ok(meta.get(name).map(|value| canonical(value)))
    }

    fn opening(&self, protocol: String, info: Option<String>) -> Result<Opening, CaptureError> {
        let info = match info {
            Some(raw) => canonical(&self.parse(&raw)?),
            None => "{}".to_owned(),
        };
        let Some(capabilities @ Value::Object(_)) = self.value("capabilities")? else {
            return Err(CaptureError::Malformed { method: self.method, member: "capabilities" });
        };
        Ok(Opening {
            protocol,
            server: ServerIdentity::from_info(&info),
            capabilities: canonical(&capabilities),
            instructions: self.text("instructions")?,
        })
    }
}

/// An envelope stands around definitions that may themselves be 128 deep.
const ENVELOPE: Limits = Limits { bytes: 16 << 20, depth: 136, values: 4_000_000 };

/// Enough of a text to recognise it.
fn start_of(text: &str) -> String {
    text.chars().take(200).collect()
}

fn canonical(value: &Value<'_>) -> String {
    String::from_utf8_lossy(&value.to_canonical()).into_owned()
}

fn list_everything(
    session: &mut Session<'_>,
    client: &Client,
    opening: Opening,
) -> Result<Surface, CaptureError> {
    let announced = Announced::new(&opening.capabilities);
    let mut list = |kind: Kind| list_twice(session, client, kind, &announced);
    let (tools, _) = list(Kind::Tool)?;
    let (prompts, _) = list(Kind::Prompt)?;
    let (resources, resources_volatile) = list(Kind::Resource)?;
    let (resource_templates, _) = list(Kind::ResourceTemplate)?;
    Ok(Surface {
        era: client.era,
        protocol: opening.protocol,
        server: opening.server,
        capabilities: opening.capabilities,
        instructions: opening.instructions,
        tools,
        prompts,
        resources,
        resources_volatile,
        resource_templates,
        source: Source::default(),
        also: Also::default(),
    })
}

/// Which lists a server says it has.
struct Announced(BTreeSet<String>);

impl Announced {
    fn new(capabilities: &str) -> Self {
        let members = json::split_object(capabilities.as_bytes(), Limits::DOCUMENT);
        let members = members.ok().flatten().unwrap_or_default();
        Self(members.into_iter().map(|member| member.name.into_owned()).collect())
    }

    fn has(&self, kind: Kind) -> bool {
        self.0.contains(match kind {
            Kind::Tool => "tools",
            Kind::Prompt => "prompts",
            Kind::Resource | Kind::ResourceTemplate => "resources",
        })
    }
}

/// Lists of one kind, and whether the second differed from the first, which only resources
/// may do.
fn list_twice(
    session: &mut Session<'_>,
    client: &Client,
    kind: Kind,
    announced: &Announced,
) -> Result<(Option<Listing>, bool), CaptureError> {
    // spec 5.1: tools always, the rest as announced
    if kind != Kind::Tool && !announced.has(kind) {
        return Ok((None, false));
    }
    let first = list_once(session, client, kind)?;
    if let (Listing::Refused { code: METHOD_NOT_FOUND }, false) = (&first, announced.has(kind)) {
        return Ok((None, false));
    }
    // Of the second list only the digests are kept.
    let mut second = BTreeSet::new();
    let refusal = list_pages(session, client, kind, &mut |item: Definition| {
        second.insert((item.name().to_owned(), item.digest()));
    })?;
    let same_answer = match first {
        Listing::Refused { code } => refusal == Some(code),
        Listing::Items(_) => refusal.is_none(),
    };
    let names = differing_names(&first, &second);
    match kind {
        _ if names.is_empty() && same_answer => Ok((Some(first), false)),
        Kind::Resource => Ok((Some(first), true)),
        _ => Err(CaptureError::Unstable { kind, names }),
    }
}

fn differing_names(first: &Listing, second: &BTreeSet<(String, Digest)>) -> Vec<String> {
    let first: BTreeSet<(String, Digest)> =
        first.items().iter().map(|item| (item.name().to_owned(), item.digest())).collect();
    let names: BTreeSet<String> =
        first.symmetric_difference(second).map(|(name, _)| name.clone()).collect();
    names.into_iter().collect()
}

fn list_once(
    session: &mut Session<'_>,
    client: &Client,
    kind: Kind,
) -> Result<Listing, CaptureError> {
    let mut items = Vec::new();
    match list_pages(session, client, kind, &mut |item| items.push(item))? {
        Some(code) => Ok(Listing::Refused { code }),
        None => {
            Listing::new(items).map_err(|twice| CaptureError::Duplicate { kind, name: twice.name })
        }
    }
}

/// Hands over the items of all pages; or gives back the code of the refusal.
fn list_pages(
    session: &mut Session<'_>,
    client: &Client,
    kind: Kind,
    take: &mut dyn FnMut(Definition),
) -> Result<Option<i64>, CaptureError> {
    let method = kind.method();
    let limits = session.limits;
    let mut count = 0;
    let mut cursors = BTreeSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..limits.pages {
        let reply = match session.ask(method, &client.params(cursor.as_deref()))? {
            Err(error) if cursor.is_none() => return Ok(Some(error.code)),
            other => Reply::new(method, other)?,
        };
        count = read_page(&reply, kind, limits.items, count, take)?;
        match reply.text("nextCursor")? {
            None => return Ok(None),
            Some(next) if next.len() > MAX_CURSOR => {
                return Err(CaptureError::Malformed { method, member: "nextCursor" });
            }
            Some(next) if !cursors.insert(next.clone()) => {
                return Err(CaptureError::RepeatedCursor { method, cursor: next });
            }
            next => cursor = next,
        }
    }
    Err(CaptureError::TooManyPages { method, limit: limits.pages })
}

/// Hands over the items of a page, and gives back how many there are by now.
fn read_page(
    reply: &Reply,
    kind: Kind,
    limit: usize,
    before: usize,
    take: &mut dyn FnMut(Definition),
) -> Result<usize, CaptureError> {
    let method = kind.method();
    let raw = reply.raw(kind.list());
    let raw = raw.ok_or(CaptureError::Malformed { method, member: kind.list() })?;
    let page = json::split_array(raw.as_bytes(), ENVELOPE).map_err(|source| {
        let line = start_of(raw);
        CaptureError::InvalidMessage { method, source: source.into(), line }
    })?;
    let page = page.ok_or(CaptureError::Malformed { method, member: kind.list() })?;
    let count = before + page.len();
    if count > limit {
        return Err(CaptureError::TooManyItems { method, limit });
    }
    for (offset, item) in page.into_iter().enumerate() {
        let definition = Definition::parse(kind, item);
        let index = before + offset;
        take(definition.map_err(|source| CaptureError::Definition { method, index, source })?);
    }
    Ok(count)
}
