//! What was approved of what a server says of itself at the opening.

use facets_digest::json::{self, Member, Object, Provenance, Value};
use facets_markers::key_markers;
use facets_surface::Surface;

use crate::event::Reason;
use crate::limits::PAGE;
use crate::members::known_members;

/// Capabilities whose members the protocol does not name.
const OPEN_CAPABILITIES: [&str; 2] = ["experimental", "extensions"];
/// The names that the protocol has for capabilities, and in them.
const CAPABILITY_NAMES: [&str; 21] = [
    "call",
    "cancel",
    "completions",
    "create",
    "createMessage",
    "elicitation",
    "experimental",
    "extensions",
    "get",
    "list",
    "listChanged",
    "logging",
    "prompts",
    "read",
    "requests",
    "resources",
    "roots",
    "sampling",
    "subscribe",
    "tasks",
    "tools",
];

/// What was approved of what a server says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct PinnedOpenings {
    /// `serverInfo`, each canonical.
    infos: Vec<String>,
    /// `capabilities`, each canonical.
    capabilities: Vec<String>,
}

/// A part of an opening as it is delivered, if that is not as it came.
pub(crate) struct ApprovedPart {
    pub(crate) text: String,
    /// The members that differ, by their names.
    pub(crate) differs: Vec<String>,
}

impl PinnedOpenings {
    pub(crate) fn add(&mut self, surface: &Surface) {
        self.infos.push(surface.server.info.clone());
        self.capabilities.push(surface.capabilities.clone());
    }

    /// `serverInfo` as it was approved. A version may be any, if it is one.
    pub(crate) fn approved_info(&self, raw: &str) -> Result<Option<ApprovedPart>, Reason> {
        let sent = readable_object(raw)?;
        let pinned: Vec<Object<'_>> = self.infos.iter().map(|info| object_of(info)).collect();
        let best = pinned.iter().find(|known| known.get("name") == sent.get("name"));
        let best = best.or(pinned.first()).cloned().unwrap_or_default();
        let approved = info_with_version(&best, &sent);
        if approved == sent {
            return Ok(None);
        }
        let differs = known_members(&approved, &sent);
        let text = canonical(&Value::Object(approved));
        Ok(Some(ApprovedPart { text, differs }))
    }

    /// `capabilities` as they were approved. What says nothing but what the protocol has words
    /// for is not for the model, and may be any.
    pub(crate) fn approved_capabilities(&self, raw: &str) -> Result<Option<ApprovedPart>, Reason> {
        let sent = readable_object(raw)?;
        let pinned: Vec<Object<'_>> = self.capabilities.iter().map(|one| object_of(one)).collect();
        let (approved, differs) = filter_members(&sent, &pinned.iter().collect::<Vec<_>>(), true);
        let text = || canonical(&Value::Object(approved));
        Ok((!differs.is_empty()).then(|| ApprovedPart { text: text(), differs }))
    }
}

/// The members of `sent` that are approved, in the form in which they are, and the names of those
/// that are not.
fn filter_members<'v>(
    sent: &Object<'v>,
    pinned: &[&Object<'v>],
    is_outermost: bool,
) -> (Object<'v>, Vec<String>) {
    let (mut approved, mut differs) = (Vec::new(), Vec::new());
    for Member { name, value } in sent.members() {
        let known: Vec<&Value<'v>> = pinned.iter().filter_map(|object| object.get(name)).collect();
        let is_open = is_outermost && OPEN_CAPABILITIES.contains(&&**name);
        let value = match (value, known.first()) {
            (value, _) if known.contains(&value) || (is_outermost && is_plain(name, value)) => {
                value.clone()
            }
            (Value::Object(inner), _) if is_open => {
                let known: Vec<&Object<'v>> = known.iter().filter_map(|one| object(one)).collect();
                let (inner, others) = filter_members(inner, &known, false);
                if !others.is_empty() {
                    differs.push(name.to_string());
                }
                Value::Object(inner)
            }
            (_, pinned) => {
                // The server chooses the names of others, and they may be read by a model.
                let is_known = CAPABILITY_NAMES.contains(&&**name);
                differs.push(if is_known { name.to_string() } else { "others".to_owned() });
                let Some(pinned) = pinned else { continue };
                (*pinned).clone()
            }
        };
        approved.push(Member { name: name.clone(), value });
    }
    // Names of an object are never twins.
    (Object::new(approved).unwrap_or_default(), differs)
}

/// Whether a capability says nothing but what the protocol has words for.
fn is_plain(name: &str, value: &Value<'_>) -> bool {
    let is_plain_value = match value {
        Value::Null | Value::Bool(_) => true,
        Value::Object(object) => {
            object.members().iter().all(|inner| is_plain(&inner.name, &inner.value))
        }
        Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    };
    is_plain_value && CAPABILITY_NAMES.contains(&name)
}

fn object<'o, 'v>(value: &'o Value<'v>) -> Option<&'o Object<'v>> {
    match value {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

/// The object that a text is; what cannot be read strictly does not pass.
fn readable_object(raw: &str) -> Result<Object<'_>, Reason> {
    match json::parse(raw.as_bytes(), Provenance::Captured, PAGE) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Reason::Malformed),
    }
}

/// The object that a pinned text is.
fn object_of(raw: &str) -> Object<'_> {
    match json::parse(raw.as_bytes(), Provenance::Captured, PAGE) {
        Ok(Value::Object(object)) => object,
        _ => Object::default(),
    }
}

fn canonical(value: &Value<'_>) -> String {
    String::from_utf8_lossy(&value.to_canonical()).into_owned()
}

/// What was approved, with the version that was sent if it is one.
fn info_with_version<'v>(pinned: &Object<'v>, sent: &Object<'v>) -> Object<'v> {
    let plain = |name: &str, is_plain: fn(&str) -> bool| match sent.get(name) {
        Some(value @ Value::String(text)) if is_plain(text) => Some(value.clone()),
        _ => None,
    };
    let pinned_version = pinned.get("version");
    let is_same = pinned_version.is_some() && pinned_version == sent.get("version");
    let sent_version = if is_same { None } else { plain("version", is_version) };
    let version = sent_version.or_else(|| pinned_version.cloned());
    // Clients demand a name, also where none was recorded.
    let name = pinned.get("name").cloned().or_else(|| plain("name", is_plain_name));
    let others = pinned.members().iter().cloned();
    let others = others.filter(|member| !["name", "version"].contains(&&*member.name));
    let both = [("name", name), ("version", version)].into_iter();
    let both = both.filter_map(|(name, value)| Some(Member { name: name.into(), value: value? }));
    Object::new(others.chain(both).collect()).unwrap_or_default()
}

/// Whether a text is a version: numbers first, and a short word behind them.
fn is_version(text: &str) -> bool {
    let text = text.strip_prefix('v').unwrap_or(text);
    let is_number = |letter: char| letter.is_ascii_digit() || letter == '.';
    let word = text.trim_start_matches(is_number);
    text.starts_with(|letter: char| letter.is_ascii_digit())
        && text.len() - word.len() <= 32
        && word.len() <= 24
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".+-_".contains(&byte))
        // Numbers tell nobody anything; the rules about words take two milliseconds to get ready.
        && (word.is_empty() || key_markers(text).is_empty())
}

fn is_plain_name(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"@/.-_".contains(&byte);
    text.len() <= 64 && text.bytes().all(is_plain) && key_markers(text).is_empty()
}
