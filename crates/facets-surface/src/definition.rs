use facets_digest::Digest;
use facets_digest::json::{self, JsonError, Limits, Provenance, Value};

use crate::Economics;

/// What is defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A tool.
    Tool,
    /// A prompt.
    Prompt,
    /// A resource.
    Resource,
    /// A resource template.
    ResourceTemplate,
}

impl Kind {
    /// The member that names one of them.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Tool | Self::Prompt => "name",
            Self::Resource => "uri",
            Self::ResourceTemplate => "uriTemplate",
        }
    }

    /// The member of a result that lists them.
    #[must_use]
    pub const fn list(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
            Self::Resource => "resources",
            Self::ResourceTemplate => "resourceTemplates",
        }
    }

    /// One of them, in words.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
            Self::ResourceTemplate => "resource template",
        }
    }

    /// The method that lists them.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::Tool => "tools/list",
            Self::Prompt => "prompts/list",
            Self::Resource => "resources/list",
            Self::ResourceTemplate => "resources/templates/list",
        }
    }
}

/// Why something listed is no definition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// It is not JSON that can be hashed.
    #[error("{0}")]
    Json(#[from] JsonError),
    /// It is not an object.
    #[error("it is not an object")]
    NotAnObject,
    /// It has no name.
    #[error("`{key}` is missing or not a string")]
    NoName {
        /// The member that would name it.
        key: &'static str,
    },
}

/// One tool, prompt, resource or template, as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    kind: Kind,
    name: String,
    raw: String,
    digest: Digest,
    size: usize,
}

/// What identifies a tool (spec 5.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolIdentity {
    /// SHA-256 of the canonical whole object.
    pub digest: Digest,
    /// SHA-256 of the description's text, where it is a string.
    pub description: Option<Digest>,
    /// SHA-256 of the canonical input schema, where there is one.
    pub schema: Option<Digest>,
}

impl Definition {
    /// Reads a definition strictly, and measured alone (spec 1.3).
    pub fn parse(kind: Kind, raw: &str) -> Result<Self, DefinitionError> {
        let value = read(raw)?;
        let Value::Object(object) = &value else { return Err(DefinitionError::NotAnObject) };
        let Some(Value::String(name)) = object.get(kind.key()) else {
            return Err(DefinitionError::NoName { key: kind.key() });
        };
        let name = name.to_string();
        // Few definitions grow; a buffer that doubles would cost more than the text.
        let mut canonical = Vec::with_capacity(raw.len());
        value.write_canonical(&mut canonical);
        let (digest, size) = (Digest::of(&canonical), canonical.len());
        drop((canonical, value));
        Ok(Self { kind, name, raw: raw.to_owned(), digest, size })
    }

    /// What is defined.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Its name, URI or URI template.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The bytes as they came.
    #[must_use]
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// How many bytes its canonical form has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Appends the canonical form. It is not kept: hostile servers have large definitions.
    pub fn write_canonical(&self, out: &mut Vec<u8>) {
        self.value().write_canonical(out);
    }

    /// SHA-256 of the canonical form.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The definition as a value. Its text was read before, so it can be read again.
    #[must_use]
    pub fn value(&self) -> Value<'_> {
        read(&self.raw).unwrap_or(Value::Null)
    }

    /// What it costs, seen as a tool (spec 6.1).
    #[must_use]
    pub fn economics(&self) -> Economics {
        let value = self.value();
        let output = match &value {
            Value::Object(object) => object.get("outputSchema"),
            _ => None,
        };
        Economics::of(self.size, output)
    }

    /// What identifies it, seen as a tool.
    #[must_use]
    pub fn identity(&self) -> ToolIdentity {
        let value = self.value();
        let member = |name: &str| match &value {
            Value::Object(object) => object.get(name),
            _ => None,
        };
        ToolIdentity {
            digest: self.digest(),
            description: match member("description") {
                Some(Value::String(text)) => Some(Digest::of(text.as_bytes())),
                _ => None,
            },
            schema: member("inputSchema").map(Value::canonical_digest),
        }
    }
}

fn read(raw: &str) -> Result<Value<'_>, JsonError> {
    json::parse(raw.as_bytes(), Provenance::Captured, Limits::DEFINITION)
}
