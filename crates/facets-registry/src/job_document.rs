//! What a job says beside its columns: everything that the version needs once the server was probed, which may be
//! by another process.

use facets_digest::json::{self, Limits, Provenance, Value};

use crate::json_text::JsonText;

/// What the version of a job will say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobDocument {
    /// The manifest as canonical JSON.
    pub(crate) manifest: String,
    pub(crate) description: Option<String>,
    pub(crate) author: Option<String>,
    /// The id of the token it was sent with.
    pub(crate) token: String,
}

impl JobDocument {
    pub(crate) fn to_json(&self) -> String {
        let mut out = JsonText::object();
        out.text("manifest", &self.manifest);
        out.optional_text("description", self.description.as_deref());
        out.optional_text("author", self.author.as_deref());
        out.text("token", &self.token);
        out.finish()
    }

    /// Nothing if another version of the registry wrote something else.
    pub(crate) fn from_json(text: &str) -> Option<Self> {
        let value = json::parse(text.as_bytes(), Provenance::Captured, Limits::DOCUMENT).ok()?;
        let member = |name: &str| match value.member(name) {
            Some(Value::String(text)) => Some(text.to_string()),
            _ => None,
        };
        Some(Self {
            manifest: member("manifest")?,
            description: member("description"),
            author: member("author"),
            token: member("token")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_read_as_it_was_written() {
        let mut document = JobDocument {
            manifest: r#"{"name":"demo"}"#.to_owned(),
            description: Some("a \"server\"".to_owned()),
            author: None,
            token: "0123".to_owned(),
        };
        assert_eq!(JobDocument::from_json(&document.to_json()), Some(document.clone()));
        document.author = Some("acme".to_owned());
        assert_eq!(JobDocument::from_json(&document.to_json()), Some(document));
        assert_eq!(JobDocument::from_json("{}"), None);
        assert_eq!(JobDocument::from_json("no"), None);
    }
}
