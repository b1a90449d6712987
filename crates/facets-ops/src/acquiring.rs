//! The bytes of facets and servers: from the store, a registry, a git repository or a directory of the project,
//! verified before anything is done with them (spec 10.10).

mod acquirer;
mod archives;
mod built;
mod comparing;
mod facets;
mod freshness;
mod git_program;
mod git_references;
mod git_repository;
mod latest;
mod origins;
mod parallel;
mod progress;
mod registry_ask;
mod servers;
mod surfaces;
#[cfg(test)]
mod tests;

pub(crate) use acquirer::{AcquireRequest, Acquirer};
pub(crate) use facets::AcquiredFacet;
pub(crate) use git_references::is_commit;
pub use progress::{InstallProgress, NoInstallProgress};
pub(crate) use servers::{AcquiredServer, ServerWish};
