//! An artifact in a lock entry: where it comes from (`path` or `registry`), and `env`. What exactly it is
//! stands in the members of its pin.

use facets_digest::json::quoted;
use facets_model::{ArtifactSource, SourceModeOrigin, VariableName};

use crate::error::LockError;
use crate::members::{EntryMembers, text_list};

/// The names that these members can have.
pub(super) const KNOWN: &[&str] = &["path", "registry", "env"];

/// Members that only an artifact has. One of them is enough to know the kind of an entry, so that a
/// message names the others that are missing.
const SIGNS: &[&str] = &["integrity", "content_hash", "runtime", "path", "registry"];

/// Whether an entry is about an artifact.
pub(super) fn is_meant_by(entry: &EntryMembers<'_>) -> bool {
    SIGNS.iter().any(|member| entry.raw(member).is_some())
}

pub(super) fn write(origin: &SourceModeOrigin) -> Vec<(&'static str, String)> {
    let source = match &origin.source {
        ArtifactSource::Local { path } => ("path", quoted(path.as_str())),
        ArtifactSource::Registry { url } => ("registry", quoted(url.as_str())),
    };
    vec![source, ("env", text_list(&origin.env))]
}

pub(super) fn read(entry: &EntryMembers<'_>) -> Result<SourceModeOrigin, LockError> {
    let source = match (entry.raw("path"), entry.raw("registry")) {
        (Some(_), None) => {
            let path = entry.parsed("path", "a path that begins with `./`, `../` or `/`")?;
            ArtifactSource::Local { path }
        }
        (None, Some(_)) => {
            let url = entry.parsed("registry", "a URL that facet supports")?;
            ArtifactSource::Registry { url }
        }
        (Some(_), Some(_)) => return Err(entry.bad("registry", "allowed beside `path`")),
        (None, None) => return Err(entry.bad("registry", "present, and neither is `path`")),
    };
    let env = entry.texts("env")?;
    let are_names = env.iter().all(|name| name.parse::<VariableName>().is_ok());
    if !are_names || !env.is_sorted_by(|one, next| one < next) {
        return Err(entry.bad("env", "a sorted list of names of variables"));
    }
    Ok(SourceModeOrigin { source, env })
}
