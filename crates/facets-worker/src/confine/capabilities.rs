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

/// Gives up everything else, for good: what is started here gains no privileges either.
pub(super) fn restrict() -> Result<(), ConfineError> {
    let failed = |error: rustix::io::Errno| ConfineError::Capabilities(error.into());
    let CapabilitySets { effective, permitted, .. } = capabilities(None).map_err(failed)?;
    if effective.contains(CapabilitySet::SETPCAP) {
        for one in CapabilitySet::all().difference(KEPT).iter() {
            // A kernel that does not know it does not give it.
            let _ = remove_capability_from_bounding_set(one);
        }
    }
    let (effective, permitted) = (effective.intersection(KEPT), permitted.intersection(KEPT));
    let inheritable = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective, permitted, inheritable }).map_err(failed)
}
