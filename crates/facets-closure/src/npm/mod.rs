//! Packages of npm.

mod closure;
mod lock;
mod manifest;
mod place;
mod platform;

pub use closure::{NpmClosure, NpmPackage};
pub use lock::read_lock;
pub use manifest::{PackageManifest, Program};
pub use place::{is_place, package_at};
pub use platform::{NpmPlatform, PlatformRule};
