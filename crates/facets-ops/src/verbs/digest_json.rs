//! `facet digest json`: the canonical form of a document, and its digest (spec 1.3, 1.4).

use facets_digest::Digest;
use facets_digest::json::{self, Limits, Provenance};

use crate::error::OpsError;
use crate::input::Input;

/// Which document to read, and how.
#[derive(Debug)]
pub struct DigestJsonRequest {
    /// The document.
    pub input: Input,
    /// Whether it is ours or captured from a server.
    pub provenance: Provenance,
}

/// The document in its one form.
#[derive(Debug)]
pub struct DigestJsonReport {
    /// The document.
    pub input: Input,
    /// SHA-256 of the canonical form.
    pub digest: Digest,
    /// The canonical form.
    pub canonical: Vec<u8>,
}

/// Reads a document strictly and makes it canonical.
pub fn digest_json(request: DigestJsonRequest) -> Result<DigestJsonReport, OpsError> {
    let DigestJsonRequest { input, provenance } = request;
    let bytes = input.read(Limits::DOCUMENT.bytes as u64)?;
    let canonical = match json::parse(&bytes, provenance, Limits::DOCUMENT) {
        Ok(value) => value.to_canonical(),
        Err(source) => {
            return Err(OpsError::Json { path: input.name(), source });
        }
    };
    Ok(DigestJsonReport { input, digest: Digest::of(&canonical), canonical })
}
