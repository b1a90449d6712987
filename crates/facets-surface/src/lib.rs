#![doc = include_str!("../README.md")]

mod api;
mod definition;
mod file;
mod surface;

pub use api::api_surface;
pub use definition::{Definition, DefinitionError, Kind, ToolIdentity};
pub use file::{FORMAT_VERSION, SurfaceFileError, parse_surface_file, write_surface_file};
pub use surface::{Era, Listing, ResourcesDigest, ServerIdentity, Surface, SurfaceHashes};
