#![doc = include_str!("../README.md")]

mod accepted;
mod error;
mod facet;
mod grants;
mod lock;
mod members;
mod origin;
mod pin;
mod place;
mod profile;
mod raw;
mod server;
mod settings;
mod signer;
mod surface;
mod uncaptured;

pub use accepted::{AcceptedFinding, AcceptedFindings};
pub use error::LockError;
pub use facet::{
    LockedAsset, LockedAssetFile, LockedFacet, LockedFacetEntry, LockedFacetSource,
    LockedMaterialization,
};
pub use grants::{Arguments, Extent, Grants, READ_ONLY};
pub use lock::{LOCKFILE_VERSION, Lock, LockedEntry, SERVERS_VERSION};
pub use origin::launch_digest;
pub use pin::{ArtifactPin, PackagePin, Pin, RuntimePin};
pub use profile::Profile;
pub use server::LockedServer;
pub use settings::StartSettings;
pub use signer::Signer;
pub use surface::{CLOSURES, LockedSurface, LockedTool, SURFACES, closure_path, surface_path};
pub use uncaptured::UncapturedServer;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
