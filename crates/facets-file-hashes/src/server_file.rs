//! A `server.json` on disk.

use std::path::{Path, PathBuf};

use facets_files::read_regular;
use facets_model::manifest::Problem;
use facets_model::server_json::ServerJson;
use facets_model::tree::{self, MANIFEST_LIMITS, ManifestFormat};

use crate::error::FileHashesError;

/// A file and its text.
#[derive(Debug)]
pub struct ServerFile {
    /// Where it lies.
    pub path: PathBuf,
    /// The text, or why the bytes are none.
    pub text: Result<String, Problem>,
}

impl ServerFile {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, FileHashesError> {
        let bytes = read_regular(path, MANIFEST_LIMITS.bytes as u64)?;
        let text = String::from_utf8(bytes).map_err(|error| not_text(error.as_bytes()));
        Ok(Self { path: path.to_owned(), text })
    }

    /// The text, with what hashing needs from it.
    pub(crate) fn parse(&self) -> Result<(&str, ServerJson), FileHashesError> {
        let unreadable =
            |problems| FileHashesError::Unreadable { path: self.path.clone(), problems };
        let text: &str = self.text.as_ref().map_err(|problem| unreadable(vec![problem.clone()]))?;
        let server = ServerJson::parse(text).map_err(unreadable)?;
        Ok((text, server))
    }
}

/// Where bytes stop being a text.
fn not_text(bytes: &[u8]) -> Problem {
    match tree::parse(bytes, ManifestFormat::Json) {
        Err(problem) => *problem,
        // What is no UTF-8 is no JSON, either: this is not reached.
        Ok(_) => Problem {
            code: "json-invalid-utf8",
            position: facets_digest::json::Position::of(bytes, 0),
            member: String::new(),
            found: "bytes that are not UTF-8".to_owned(),
            allowed: "UTF-8".to_owned(),
            fix: "save the file as UTF-8".to_owned(),
        },
    }
}
