#![doc = include_str!("../README.md")]

mod identifier;
mod image;
pub mod manifest;
mod name;
mod origin;
mod path;
pub mod server_json;
pub mod tree;
mod url;
mod version;

pub use identifier::{FileIdentifier, FileIdentifierError};
pub use image::{ImageReference, ImageReferenceError};
pub use name::{ArtifactName, AssetName, InlineServerName, NameError, VariableName};
pub use origin::{AddressOrigin, CommandOrigin, HeaderSource, Origin};
pub use path::{ArtifactPath, PathError, collision_key};
pub use url::{HttpUrl, UrlError};
pub use version::{Floor, PlainVersion, Published, Version, VersionError};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
