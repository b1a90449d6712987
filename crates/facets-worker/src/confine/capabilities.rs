//! Root, and the root of a namespace, can do more than any of the other walls would stop.

use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set,
    set_capabilities,
};

use super::error::ConfineError;

/// What concerns nothing but files, users and ports, which others decide about.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Of these, what is about files that it does not own: where files are closed, those are not its own.
const OF_ALL_FILES: CapabilitySet =
    CapabilitySet::CHOWN.union(CapabilitySet::FOWNER).union(CapabilitySet::FSETID);

/// Gives up everything else, for good: what is started here gains no privileges either.
pub(super) fn restrict(closes_files: bool) -> Result<(), ConfineError> {
    let kept = if closes_files { KEPT.difference(OF_ALL_FILES) } else { KEPT };
    let failed = |error: rustix::io::Errno| ConfineError::Capabilities(error.into());
    let CapabilitySets { effective, permitted, .. } = capabilities(None).map_err(failed)?;
    if effective.contains(CapabilitySet::SETPCAP) {
        for one in CapabilitySet::all().difference(kept).iter() {
            // A kernel that does not know it does not give it.
            let _ = remove_capability_from_bounding_set(one);
        }
    }
    let (effective, permitted) = (effective.intersection(kept), permitted.intersection(kept));
    let inheritable = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable }).map_err(failed)
}
