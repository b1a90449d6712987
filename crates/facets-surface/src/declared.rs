//! What a server says about itself beyond its definitions (spec 6.4). It comes from outside,
//! so a member of another shape than it should have is kept as it is: nothing is lost.

use facets_digest::Hasher;
use facets_digest::json::{
    self, JsonError, Limits, Provenance, Value, compare_utf16, write_list, write_string,
};

use crate::schema::string_set;

/// Where a tool declares its contract.
pub const META_KEY: &str = "facets.dev/contract";

/// The contract that `server.yaml` declares: for every tool, and under `tools` for one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declared<'a> {
    server: Option<Value<'a>>,
}

impl<'a> Declared<'a> {
    pub(crate) fn parse(text: Option<&'a str>) -> Result<Self, JsonError> {
        let parse =
            |text: &'a str| json::parse(text.as_bytes(), Provenance::Captured, Limits::DEFINITION);
        Ok(Self { server: text.map(parse).transpose()? })
    }

    /// What holds for every tool that says nothing itself.
    pub(crate) fn general(&self, name: &str) -> Option<&Value<'a>> {
        self.server.as_ref().and_then(|server| member(server, name))
    }

    /// The nearest declaration wins: the tool's own, then that for the tool, then the general.
    pub(crate) fn for_tool<'v>(&'v self, name: &str, tool: &'v Value<'v>) -> DeclaredFor<'v> {
        let own = member(tool, "_meta").and_then(|meta| member(meta, META_KEY));
        let server = self.server.as_ref();
        let named = server.and_then(|server| member(server, "tools"));
        let named = named.and_then(|tools| member(tools, name));
        DeclaredFor { layers: [own, named, server] }
    }
}

fn member<'v, 'a>(value: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    match value {
        Value::Object(object) => object.get(name),
        _ => None,
    }
}

/// What is declared for one tool.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeclaredFor<'v> {
    layers: [Option<&'v Value<'v>>; 3],
}

impl<'v> DeclaredFor<'v> {
    pub(crate) fn get(&self, name: &str) -> Option<&'v Value<'v>> {
        self.layers.into_iter().flatten().find_map(|layer| member(layer, name))
    }

    /// Without what holds for every tool.
    pub(crate) fn for_this_tool(&self, name: &str) -> Option<&'v Value<'v>> {
        self.layers[..2].iter().flatten().find_map(|layer| member(layer, name))
    }
}

/// An array of strings is a set; anything else is as it is.
pub(crate) fn write_set(value: Option<&Value<'_>>, out: &mut Vec<u8>) {
    let value = value.unwrap_or(&Value::Null);
    match string_set(value) {
        Some(set) => write_list(['[', ']'], &set, out, |text, out| write_string(text, out)),
        None => value.write_canonical(out),
    }
}

/// An array of objects with one `key` each is sorted by it; anything else is as it is.
pub(crate) fn write_actions(value: Option<&Value<'_>>, out: &mut Vec<u8>) {
    let Some(value) = value else { return out.extend_from_slice(b"[]") };
    match keyed(value) {
        Some(actions) => write_list(['[', ']'], &actions, out, |(_, action), out| {
            action.write_canonical(out);
        }),
        None => value.write_canonical(out),
    }
}

fn keyed<'v, 'a>(actions: &'v Value<'a>) -> Option<Vec<(&'v str, &'v Value<'a>)>> {
    let Value::Array(actions) = actions else { return None };
    let key = |action: &'v Value<'a>| match member(action, "key") {
        Some(Value::String(key)) => Some((key.as_ref(), action)),
        _ => None,
    };
    let mut keyed: Vec<_> = actions.iter().map(key).collect::<Option<_>>()?;
    keyed.sort_by(|a, b| compare_utf16(a.0, b.0));
    let twins = keyed.windows(2).any(|pair| pair[0].0 == pair[1].0);
    (!twins).then_some(keyed)
}

/// The rules that are declared for a tool (spec 6.4), without the instructions of the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemRules {
    /// Rules as they stand, sorted.
    pub fixed: Vec<String>,
    /// The source of rules that are made while the server runs.
    pub dynamic: Option<String>,
    /// A declaration of another shape, canonical.
    pub unverifiable: Option<String>,
}

impl SystemRules {
    pub(crate) fn of(declared: Option<&Value<'_>>) -> Self {
        let owned = |rules: Vec<&str>| rules.into_iter().map(str::to_owned).collect();
        match Rules::new(declared, None) {
            Rules::Known { fixed, dynamic } => Self {
                fixed: owned(fixed),
                dynamic: dynamic.map(str::to_owned),
                unverifiable: None,
            },
            Rules::Unverifiable { declared, .. } => {
                let form = String::from_utf8_lossy(&declared.to_canonical()).into_owned();
                Self { unverifiable: Some(form), ..Self::default() }
            }
        }
    }
}

/// The rules that a server imposes on the model.
#[derive(Clone, Debug)]
pub(crate) enum Rules<'v> {
    /// As spec 6.4 describes them.
    Known { fixed: Vec<&'v str>, dynamic: Option<&'v str> },
    /// Something else, about which nothing can be said but that it is the same.
    Unverifiable { fixed: Vec<&'v str>, declared: &'v Value<'v> },
}

impl<'v> Rules<'v> {
    /// The instructions of the server count as one more rule.
    pub(crate) fn new(declared: Option<&'v Value<'v>>, instructions: Option<&'v str>) -> Self {
        let mut fixed: Vec<&str> = instructions.into_iter().collect();
        let Some(declared) = declared.filter(|value| !matches!(value, Value::Null)) else {
            return Self::Known { fixed, dynamic: None };
        };
        match parse_rules(declared) {
            Some((rules, dynamic)) => {
                fixed.extend(rules);
                Self::Known { fixed, dynamic }
            }
            None => Self::Unverifiable { fixed, declared },
        }
    }

    pub(crate) fn fingerprint(self) -> String {
        let (fixed, dynamic) = match self {
            Self::Known { fixed, dynamic } => {
                let dynamic = dynamic.map(|source| ("dynamic", source.as_bytes().to_vec()));
                (fixed, dynamic)
            }
            Self::Unverifiable { fixed, declared } => {
                (fixed, Some(("unverifiable", declared.to_canonical())))
            }
        };
        let mut parts: Vec<String> =
            dynamic.map(|(kind, form)| hash(kind, &form)).into_iter().collect();
        if !fixed.is_empty() {
            parts.push(hash("static", &rule_list(fixed)));
        }
        if parts.is_empty() { "none".to_owned() } else { parts.join("+") }
    }
}

fn parse_rules<'v>(declared: &'v Value<'v>) -> Option<(Vec<&'v str>, Option<&'v str>)> {
    let Value::Object(object) = declared else { return None };
    let (mut fixed, mut dynamic) = (Vec::new(), None);
    for member in object.members() {
        match (&*member.name, &member.value) {
            ("static", Value::Array(_)) => fixed = string_set(&member.value)?,
            ("dynamic", Value::String(source)) => dynamic = Some(&**source),
            ("static" | "dynamic", Value::Null) => {}
            _ => return None,
        }
    }
    Some((fixed, dynamic))
}

/// Rules are a set: sorted, without twins, and never joined (two rules are not one).
fn rule_list(mut rules: Vec<&str>) -> Vec<u8> {
    rules.sort_unstable_by(|a, b| compare_utf16(a, b));
    rules.dedup();
    let mut form = Vec::new();
    write_list(['[', ']'], &rules, &mut form, |rule, out| write_string(rule, out));
    form
}

fn hash(kind: &str, form: &[u8]) -> String {
    let mut hasher = Hasher::with_domain(&format!("{kind}-rules"));
    hasher.update(form);
    format!("{kind}:{}", hasher.finish().hex())
}
