//! What a tool promises, declared or not (spec 6): four parts, each with a hash of its own.

use std::fmt::Write as _;

use facets_digest::json::{Value, compare_utf16, write_list, write_string};
use facets_digest::{Digest, Hasher};

use crate::declared::{Declared, DeclaredFor, Rules, write_actions, write_set};
use crate::economics::Economics;
use crate::part::{Part, write_object};
use crate::schema::write_schema;
use crate::{Definition, Entitlements};

/// The contract of one tool: each part as canonical JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    name: String,
    parts: [Vec<u8>; 4],
}

/// The hashes of a contract (spec 6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractDigest {
    /// Of the whole.
    pub digest: Digest,
    /// Of the four parts, in the order of [`Part::ALL`].
    pub parts: [Digest; 4],
}

/// What is the same for every tool of a server. Hashed once: a hostile server may have long
/// instructions and many tools.
#[derive(Clone, Debug)]
pub(crate) struct ServerPromises<'s> {
    declared: Declared<'s>,
    instructions: Option<&'s str>,
    rules: String,
    entitlements: Vec<u8>,
}

impl<'s> ServerPromises<'s> {
    pub(crate) fn new(
        contract: Option<&'s str>,
        instructions: Option<&'s str>,
        entitlements: Option<&Entitlements>,
    ) -> Self {
        // What cannot be read declares nothing; the reader of `server.yaml` has refused it.
        let declared = Declared::parse(contract).unwrap_or_default();
        let rules = Rules::new(declared.general("systemRules"), instructions).fingerprint();
        let entitlements = entitlements.cloned().unwrap_or_else(Entitlements::unknown);
        Self { declared, instructions, rules, entitlements: entitlements.to_canonical() }
    }

    fn rules_for(&self, declared: DeclaredFor<'_>) -> String {
        match declared.for_this_tool("systemRules") {
            None => self.rules.clone(),
            own => Rules::new(own, self.instructions).fingerprint(),
        }
    }
}

impl Contract {
    /// Puts together what the wire shows of a tool, what is declared, and what its source shows.
    pub(crate) fn of_tool(tool: &Definition, server: &ServerPromises<'_>) -> Self {
        let value = tool.value();
        let declared = server.declared.for_tool(tool.name(), &value);
        let member = |name: &str| match &value {
            Value::Object(object) => object.get(name),
            _ => None,
        };
        let surface = write_object(Part::Surface, |name, out| match name {
            "name" => write_string(tool.name(), out),
            "inputSchema" => write_schema_hash(member(name), out),
            "tags" => write_set(declared.get(name), out),
            "actions" => write_actions(declared.get(name), out),
            _ => write_optional(member(name), out),
        });
        let behavior = write_object(Part::Behavior, |name, out| match name {
            "outputSchema" => write_schema_hash(member(name), out),
            "annotations" | "execution" => write_optional(member(name), out),
            "systemRules" => write_string(&server.rules_for(declared), out),
            "affordances" | "presenters" => write_set(declared.get(name), out),
            _ => write_optional(declared.get(name), out),
        });
        let economics = Economics::of(tool.size(), member("outputSchema"));
        Self {
            name: tool.name().to_owned(),
            parts: [surface, behavior, economics.to_canonical(), server.entitlements.clone()],
        }
    }

    pub(crate) fn from_parts(name: String, parts: [Vec<u8>; 4]) -> Self {
        Self { name, parts }
    }

    /// The tool it is about.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A part as canonical JSON.
    #[must_use]
    pub fn part(&self, part: Part) -> &[u8] {
        &self.parts[part as usize]
    }

    /// The whole contract as JSON, its parts in the order in which they are hashed.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        for (part, form) in Part::ALL.iter().zip(&self.parts) {
            let separator = if out.is_empty() { '{' } else { ',' };
            let form = String::from_utf8_lossy(form);
            let _ = write!(out, "{separator}\"{}\":{form}", part.name());
        }
        out.push('}');
        out
    }

    /// Its hashes (spec 6.2).
    #[must_use]
    pub fn digest(&self) -> ContractDigest {
        let hash = |part: Part| {
            let mut hasher = Hasher::with_domain(part.domain());
            hasher.update(self.part(part));
            hasher.finish()
        };
        let parts = Part::ALL.map(hash);
        let mut hasher = Hasher::with_domain("tool-contract");
        for (index, part) in parts.iter().enumerate() {
            hasher.update(if index > 0 { b":" } else { b"" });
            hasher.update(part.hex().as_bytes());
        }
        ContractDigest { digest: hasher.finish(), parts }
    }
}

/// The hashes of all contracts of a server (spec 6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerContract {
    /// Of the whole.
    pub digest: Digest,
    tools: Vec<(String, ContractDigest)>,
}

impl ServerContract {
    /// Hashes the contracts of a server. Of two with one name the first counts; readers of
    /// contracts refuse the second.
    #[must_use]
    pub fn of(mut tools: Vec<(String, ContractDigest)>) -> Self {
        tools.sort_by(|a, b| compare_utf16(&a.0, &b.0));
        tools.dedup_by(|a, b| a.0 == b.0);
        let mut hasher = Hasher::with_domain("server-contract");
        let mut form = Vec::new();
        write_list(['[', ']'], &tools, &mut form, |(name, contract), out| {
            out.push(b'[');
            write_string(name, out);
            out.extend_from_slice(b",\"");
            out.extend_from_slice(contract.digest.hex().as_bytes());
            out.extend_from_slice(b"\"]");
        });
        hasher.update(&form);
        Self { digest: hasher.finish(), tools }
    }

    /// The tools, sorted by the UTF-16 code units of their names.
    #[must_use]
    pub fn tools(&self) -> &[(String, ContractDigest)] {
        &self.tools
    }

    /// The hashes of one tool.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&ContractDigest> {
        let found = self.tools.binary_search_by(|(other, _)| compare_utf16(other, name));
        found.ok().map(|index| &self.tools[index].1)
    }
}

fn write_optional(value: Option<&Value<'_>>, out: &mut Vec<u8>) {
    value.unwrap_or(&Value::Null).write_canonical(out);
}

/// spec 6.1: a schema is its hash, and none is `null`
fn write_schema_hash(schema: Option<&Value<'_>>, out: &mut Vec<u8>) {
    let Some(schema) = schema.filter(|schema| **schema != Value::Null) else {
        return out.extend_from_slice(b"null");
    };
    let mut form = Vec::new();
    write_schema(schema, &mut form);
    let mut hasher = Hasher::with_domain("schema");
    hasher.update(&form);
    write_string(&hasher.finish().hex(), out);
}
