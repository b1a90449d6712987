//! What became of the source of a pinned artifact: the same directory or archive, built or read again.

use std::path::Path;

use facets_drift::{Finding, Side};
use facets_lock::{ArtifactPin, Pin};
use facets_model::{ArtifactSource, Origin, SourceModeOrigin};
use facets_surface::{Source, Surface};

use crate::content_changes::compare_with_source;
use crate::error::OpsError;
use crate::pin_changes::compare_origins;
use crate::pinned::{Pinned, differences};
use crate::resolving::{Resolved, resolve};
use crate::start_progress::NoStartProgress;

/// What became of the source of a pinned artifact.
#[derive(Default)]
pub(crate) struct SourceChanges {
    pub(crate) findings: Vec<Finding>,
    /// Why it was not looked at.
    pub(crate) notes: Vec<String>,
}

/// Builds or reads the source of a pinned artifact again, and compares the bytes, what they can reach and which
/// variables they list. Nothing is started, and nothing is pinned.
pub(crate) fn source_changes(root: &Path, pinned: &Pinned) -> Result<SourceChanges, OpsError> {
    let (Origin::SourceMode(artifact), Some(pin)) =
        (&pinned.server.origin, pinned.server.pin.artifact())
    else {
        return Ok(SourceChanges::default());
    };
    // Other versions of a registry are shown by `outdated`, and a published one never changes.
    if matches!(artifact.source, ArtifactSource::Registry { .. }) {
        return Ok(SourceChanges::default());
    }
    if let Some(note) = gone(root, artifact) {
        return Ok(SourceChanges { notes: vec![note], ..SourceChanges::default() });
    }
    let Resolved { origin, pin: now, artifact, .. } =
        resolve(&pinned.server.origin, root, None, &NoStartProgress)?;
    let now = with_runtime_of(pin, now);
    if now == pinned.server.pin {
        return Ok(SourceChanges::default());
    }
    let mut findings = compare_origins(&pinned.server.origin, &origin);
    findings.extend(compare_with_source(&pinned.server.pin, (&origin, &now)));
    if let Some(artifact) = artifact {
        findings.extend(reach_since(pinned, &artifact.source));
    }
    Ok(SourceChanges { findings, notes: Vec::new() })
}

/// What files can reach, or declare, otherwise than those that were approved.
pub(crate) fn reach_since(before: &Pinned, source: &Source) -> Vec<Finding> {
    let surface = Surface { source: source.clone(), ..before.surface.clone() };
    let hashes = surface.hashes();
    differences(before.side(), Side { surface: &surface, hashes: &hashes })
}

/// That a source is not there any more: the pinned bytes are stored, and can be checked without it.
fn gone(root: &Path, artifact: &SourceModeOrigin) -> Option<String> {
    let ArtifactSource::Local { path } = &artifact.source else { return None };
    let is_gone = !root.join(path.as_str()).exists();
    is_gone.then(|| format!("{path} does not exist; only the pinned bytes were checked"))
}

/// What starts is the pinned runtime, whichever this facet would pin today.
fn with_runtime_of(pinned: &ArtifactPin, now: Pin) -> Pin {
    match now {
        Pin::Artifact(now) => {
            Pin::Artifact(Box::new(ArtifactPin { runtime: pinned.runtime.clone(), ..*now }))
        }
        other @ (Pin::AsWritten | Pin::Package(_)) => other,
    }
}
