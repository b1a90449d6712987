//! The document of a published version.

use facets_digest::Digest;
use facets_digest::json::Value;
use facets_model::{ArtifactName, Version};
use url::Url;

use crate::answer::{AnswerMembers, parse_json};
use crate::error::RegistryClientError;
use crate::wanted::{PublishedKind, WantedVersion};

/// A published version, as a registry states it. Nothing of it is verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionDocument {
    /// What it is.
    pub kind: PublishedKind,
    /// Its name.
    pub name: ArtifactName,
    /// Its version.
    pub version: Version,
    /// SHA-256 of the archive.
    pub content_hash: Digest,
    /// SHA-256 of the uncompressed tar inside.
    pub integrity: Digest,
    /// Bytes of the archive, if the registry says so.
    pub size: Option<u64>,
    /// Who owns the name, if the registry says so.
    pub owner: Option<String>,
    /// When it was published, if the registry says so.
    pub published_at: Option<String>,
    /// Why its author took it back, if that is so.
    pub yanked: Option<VersionYank>,
    /// What the registry saw of a server.
    pub server: Option<ServerVersionHashes>,
}

/// Why a version was taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionYank {
    /// In the words of its author.
    pub reason: String,
    /// When, if the registry says so.
    pub at: Option<String>,
}

/// What a registry saw of a server when it started it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVersionHashes {
    /// spec 5.3
    pub api_surface: Digest,
    /// spec 5.5
    pub surface: Digest,
    /// spec 6.2
    pub behavior: Digest,
    /// SHA-256 of the surface file, if the registry says so.
    pub surface_file: Option<Digest>,
}

/// What was asked for, so that no answer about something else is taken for one.
#[derive(Clone, Copy, Debug)]
pub struct AskedVersion<'q> {
    /// What it is.
    pub kind: PublishedKind,
    /// Its name.
    pub name: &'q ArtifactName,
    /// Which version.
    pub wanted: &'q WantedVersion,
}

impl VersionDocument {
    /// Reads the body of an answer.
    pub fn parse(
        url: &Url,
        body: &[u8],
        asked: &AskedVersion<'_>,
    ) -> Result<Self, RegistryClientError> {
        Self::read(url, &parse_json(url, body)?, asked)
    }

    pub(crate) fn read(
        url: &Url,
        value: &Value<'_>,
        asked: &AskedVersion<'_>,
    ) -> Result<Self, RegistryClientError> {
        let members = AnswerMembers::new(url, value);
        let kind = asked.kind;
        // The reference has facets alone, and no such member.
        if members.optional_text("kind")?.is_some_and(|word| word != kind.word()) {
            return Err(members.wrong(format!("it is not about a {}", kind.word())));
        }
        let name: ArtifactName = members.parsed("name")?;
        let version: Version = members.parsed("version")?;
        if name != *asked.name || !asked.wanted.admits(&version) {
            let (asked_name, wanted) = (asked.name, asked.wanted);
            let problem =
                format!("{asked_name} {wanted} was asked for, it is about {name} {version}");
            return Err(members.wrong(problem));
        }
        let yanked = VersionYank::read(&members)?;
        // spec 2.2: only an exact version is found when it is yanked
        if yanked.is_some() && !matches!(asked.wanted, WantedVersion::Exact(_)) {
            return Err(members.wrong(format!("{name} {version} is yanked, and was chosen")));
        }
        let integrity: Digest = match members.optional_parsed("integrity")? {
            Some(integrity) => integrity,
            None => members.parsed("content_integrity")?,
        };
        let server = match kind {
            PublishedKind::Facet => None,
            PublishedKind::Server => Some(ServerVersionHashes::read(&members)?),
        };
        Ok(Self {
            kind,
            name,
            version,
            content_hash: members.parsed("content_hash")?,
            integrity,
            size: members.optional_integer("size_bytes")?,
            owner: members.optional_text("owner")?.map(str::to_owned),
            published_at: members.optional_text("published_at")?.map(str::to_owned),
            yanked,
            server,
        })
    }
}

impl VersionYank {
    /// The member `yanked`: an object, or whether it is so.
    pub(crate) fn read(
        members: &AnswerMembers<'_, '_>,
    ) -> Result<Option<Self>, RegistryClientError> {
        if let Some(Value::Bool(is_yanked)) = members.value_of("yanked") {
            return Ok(is_yanked.then(|| Self { reason: String::new(), at: None }));
        }
        let Some(yank) = members.optional_object("yanked")? else { return Ok(None) };
        let reason = yank.optional_text("reason")?.unwrap_or_default().to_owned();
        Ok(Some(Self { reason, at: yank.optional_text("at")?.map(str::to_owned) }))
    }
}

impl ServerVersionHashes {
    fn read(members: &AnswerMembers<'_, '_>) -> Result<Self, RegistryClientError> {
        Ok(Self {
            api_surface: members.parsed("api_surface")?,
            surface: members.parsed("surface")?,
            behavior: members.parsed("behavior")?,
            surface_file: members.optional_parsed("surface_file")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HASH: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn read(kind: PublishedKind, text: &str) -> Result<VersionDocument, String> {
        let url: Url = "https://r.example/v0/x".parse().unwrap();
        let text = text.replace("HASH", HASH);
        let (name, version) = ("demo".parse().unwrap(), "1.0.0".parse().unwrap());
        let wanted = WantedVersion::Exact(version);
        let asked = AskedVersion { kind, name: &name, wanted: &wanted };
        VersionDocument::parse(&url, text.as_bytes(), &asked).map_err(|error| error.to_string())
    }

    const FACET: &str =
        r#"{"name":"demo","version":"1.0.0","content_hash":"HASH","content_integrity":"HASH"}"#;

    #[test]
    fn the_document_of_the_reference_is_enough_for_a_facet() {
        let document = read(PublishedKind::Facet, FACET).unwrap();
        assert_eq!(document.integrity.to_string(), HASH);
        assert_eq!((document.size, document.yanked, document.server), (None, None, None));
        assert!(
            read(PublishedKind::Server, FACET).unwrap_err().contains("`api_surface` is missing")
        );
    }

    #[test]
    fn an_answer_about_something_else_is_refused() {
        for (old, new) in [
            (r#""demo""#, r#""other""#),
            (r#""demo""#, r#""Demo""#),
            (r#""1.0.0""#, r#""1.0.1""#),
            (r#""1.0.0""#, r#""1.0""#),
            (r"{", r#"{"kind":"server","#),
            ("sha256:e3", "sha256:E3"),
            (r#""content_hash":"HASH","#, ""),
        ] {
            let text = FACET.replace("HASH", HASH).replacen(&old.replace("HASH", HASH), new, 1);
            assert!(read(PublishedKind::Facet, &text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_yanked_version_is_found_only_by_its_number() {
        let url: Url = "https://r.example/v0/x".parse().unwrap();
        let text = FACET.replace("HASH", HASH).replacen('{', r#"{"yanked":{"reason":"x"},"#, 1);
        let name = "demo".parse().unwrap();
        let is_taken = |wanted: &WantedVersion| {
            let asked = AskedVersion { kind: PublishedKind::Facet, name: &name, wanted };
            VersionDocument::parse(&url, text.as_bytes(), &asked).is_ok()
        };
        assert!(is_taken(&WantedVersion::Exact("1.0.0".parse().unwrap())));
        assert!(!is_taken(&WantedVersion::Latest));
        assert!(!is_taken(&WantedVersion::AtLeast("1.0.0".parse().unwrap())));
        assert!(!is_taken(&WantedVersion::Within("1.*".parse().unwrap())));
    }

    #[test]
    fn a_yank_is_read_in_both_forms() {
        let with = |yanked: &str| {
            let text = FACET.replacen('{', &format!("{{\"yanked\":{yanked},"), 1);
            read(PublishedKind::Facet, &text).unwrap().yanked
        };
        let reason = |text: &str| Some(VersionYank { reason: text.to_owned(), at: None });
        assert_eq!(with(r#"{"reason":"broken"}"#), reason("broken"));
        assert_eq!(with("true"), reason(""));
        assert_eq!((with("false"), with("null")), (None, None));
    }
}
