#![doc = include_str!("../README.md")]

mod asset;
mod identifier;
mod image;
pub mod manifest;
mod name;
mod origin;
mod package;
mod path;
mod runtime;
pub mod server_json;
pub mod tree;
mod url;
mod version;

pub use asset::{AssetBase, AssetKind, AssetScope, UnknownAssetWord};
pub use identifier::{FileIdentifier, FileIdentifierError};
pub use image::{ImageReference, ImageReferenceError};
pub use name::{ArtifactName, AssetName, InlineServerName, NameError, PlatformName, VariableName};
pub use origin::{
    AddressOrigin, ArtifactSource, CommandOrigin, HeaderSource, Origin, PackageOrigin,
    PackageTreeUse, RuntimeChoice, SourceModeOrigin, UnknownRuntime,
};
pub use package::{Ecosystem, PackageSpec, PackageSpecError, is_npm_name};
pub use path::{ArtifactPath, LocalPath, LocalPathError, PathError, collision_key};
pub use runtime::RuntimeName;
pub use url::{HttpUrl, UrlError};
pub use version::{Floor, PlainVersion, Published, Version, VersionError};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
