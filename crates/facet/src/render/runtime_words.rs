//! A runtime, for people.

use facets_lock::RuntimePin;

/// A runtime by name and version.
pub(super) fn runtime_words(runtime: &RuntimePin) -> String {
    format!("{} {}", runtime.name.name(), runtime.version)
}
