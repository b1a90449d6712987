//! `facet digest surface`: the hashes of a surface file, or of a list of tools.

use std::path::Path;

use facets_digest::Digest;
use facets_digest::json::{self, Limits};
use facets_surface::{Definition, Kind, Listing, SurfaceHashes, ToolIdentity, api_surface};

use crate::error::OpsError;
use crate::input::Input;
use crate::surface_report::{InspectReport, report};

/// A reply may be as large as a capture allows one to be, and a file of it larger.
const MAX_INPUT: u64 = 256 << 20;
const LIMITS: Limits = Limits { bytes: 256 << 20, depth: 140, values: 8_000_000 };

/// What to hash.
#[derive(Debug)]
pub struct DigestSurfaceRequest {
    /// A surface file, or the reply to `tools/list`, or its result.
    pub input: Input,
}

/// The hashes of what was found.
#[derive(Debug)]
pub enum DigestSurfaceReport {
    /// A surface file.
    Surface(Box<InspectReport>),
    /// Tools alone; a surface has more than those.
    Tools {
        /// spec 5.3
        api_surface: Digest,
        /// spec 5.4
        tools: Vec<(String, ToolIdentity)>,
    },
}

impl DigestSurfaceReport {
    /// All hashes, where there is a whole surface.
    #[must_use]
    pub fn hashes(&self) -> Option<&SurfaceHashes> {
        match self {
            Self::Surface(report) => Some(&report.hashes),
            Self::Tools { .. } => None,
        }
    }
}

/// Hashes a surface file or a list of tools.
pub fn digest_surface(request: &DigestSurfaceRequest) -> Result<DigestSurfaceReport, OpsError> {
    let bytes = request.input.read(MAX_INPUT)?;
    let path = request.input.name();
    let json_error = |source| OpsError::Json { path: path.clone(), source };
    let members = json::split_object(&bytes, LIMITS).map_err(json_error)?.unwrap_or_default();
    let member = |name: &str| members.iter().find(|member| member.name == name);
    if member("surfaceVersion").is_some() {
        let surface = facets_surface::parse_surface_file(&bytes)
            .map_err(|source| OpsError::SurfaceFile { path, source })?;
        return Ok(DigestSurfaceReport::Surface(Box::new(report(surface, None, None))));
    }
    let result = member("result").map_or(&*bytes, |member| member.value.as_bytes());
    tools_of(result, &path)
}

fn tools_of(result: &[u8], path: &Path) -> Result<DigestSurfaceReport, OpsError> {
    let json_error = |source| OpsError::Json { path: path.to_owned(), source };
    let no_tools = || OpsError::NoTools { path: path.to_owned() };
    let members = json::split_object(result, LIMITS).map_err(json_error)?.ok_or_else(no_tools)?;
    let goes_on =
        |member: &json::RawMember<'_>| member.name == "nextCursor" && member.value != "null";
    if members.iter().any(goes_on) {
        return Err(OpsError::IncompleteList { path: path.to_owned() });
    }
    let list = members.into_iter().find(|member| member.name == "tools").ok_or_else(no_tools)?;
    let items = json::split_array(list.value.as_bytes(), LIMITS).map_err(json_error)?;
    let mut definitions = Vec::new();
    for (index, raw) in items.ok_or_else(no_tools)?.into_iter().enumerate() {
        let definition = Definition::parse(Kind::Tool, raw);
        definitions.push(definition.map_err(|source| OpsError::Definition {
            path: path.to_owned(),
            index,
            source,
        })?);
    }
    let listing = Listing::new(definitions)
        .map_err(|twice| OpsError::DuplicateTool { path: path.to_owned(), name: twice.name })?;
    let tools = listing.items().iter();
    let tools = tools.map(|tool| (tool.name().to_owned(), tool.identity())).collect();
    Ok(DigestSurfaceReport::Tools { api_surface: api_surface(listing.items()), tools })
}
