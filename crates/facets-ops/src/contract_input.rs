//! Documents with contracts, of ours and of MCP Fusion.

use facets_digest::json::{self, Limits, Provenance, Value};
use facets_surface::{Contracts, parse_contracts, parse_surface_file};

use crate::error::OpsError;
use crate::input::Input;

pub(crate) const MAX_INPUT: u64 = 256 << 20;
pub(crate) const LIMITS: Limits = Limits { bytes: 256 << 20, depth: 140, values: 8_000_000 };

/// Whose digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Ours.
    V1,
    /// Those of MCP Fusion, bit for bit.
    FusionV1,
}

impl Mode {
    /// The word on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::FusionV1 => "fusion-v1",
        }
    }
}

pub(crate) fn read_v1(bytes: &[u8], input: &Input) -> Result<Contracts, OpsError> {
    let path = input.name();
    let json_error = |source| OpsError::Json { path: path.clone(), source };
    if is_surface(bytes) {
        let surface = parse_surface_file(bytes)
            .map_err(|source| OpsError::SurfaceFile { path: path.clone(), source })?;
        return Ok(Contracts::Server(surface.contracts().collect()));
    }
    let document = json::parse(bytes, Provenance::Captured, LIMITS).map_err(json_error)?;
    let fusion = looks_like_fusion(&document);
    parse_contracts(&document).map_err(|source| OpsError::Contract { path, source, fusion })
}

/// A tool may be called `surfaceVersion`; what stands there then is a contract.
pub(crate) fn is_surface(bytes: &[u8]) -> bool {
    let members = json::split_object(bytes, LIMITS).ok().flatten().unwrap_or_default();
    members.iter().any(|member| member.name == "surfaceVersion" && !member.value.starts_with('{'))
}

/// Their contracts have another member where ours has `inputSchema`.
pub(crate) fn looks_like_fusion(document: &Value<'_>) -> bool {
    let is_theirs = |contract: &Value<'_>| {
        member(contract, "surface")
            .and_then(|surface| member(surface, "inputSchemaDigest"))
            .is_some()
    };
    let Value::Object(root) = document else { return false };
    is_theirs(document)
        || matches!(root.get("lockfileVersion"), Some(Value::Number(_)))
        || root.members().first().is_some_and(|first| is_theirs(&first.value))
}

fn member<'v, 'a>(value: &'v Value<'a>, name: &str) -> Option<&'v Value<'a>> {
    match value {
        Value::Object(object) => object.get(name),
        _ => None,
    }
}

/// Whose contracts a document has.
pub(crate) fn mode_of(bytes: &[u8]) -> Mode {
    // What cannot be read is refused by its reader, with the place.
    match json::parse(bytes, Provenance::Captured, LIMITS) {
        Ok(document) if looks_like_fusion(&document) => Mode::FusionV1,
        _ => Mode::V1,
    }
}
