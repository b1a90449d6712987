//! Servers from npm and PyPI (spec 10.8): what they need is resolved, fetched and unpacked, and started from that tree.

mod changes;
mod fetch_progress;
mod lookalikes;
mod outdated;
mod pinned_closure;
mod private_copy;
mod resolution;
mod runtime;
mod shown;
mod tools;
mod variables;
mod verification;

pub(crate) use changes::{compare_packages, findings_of};
pub(crate) use outdated::{NewerPackages, newer_packages};
pub(crate) use pinned_closure::{closure_of, is_stored, make_stored, read_closure, stored_tree};
pub(crate) use private_copy::{private_copy, verify_copy};
pub(crate) use resolution::{
    LockedPackage, ResolvedClosure, package_source, resolve_package, resolve_pinned_package,
};
pub(crate) use runtime::{PackageRuntime, platform};
pub use shown::PackageShown;
pub(crate) use tools::PackageTools;
pub(crate) use variables::require_harmless;
pub(crate) use verification::verify_package;
