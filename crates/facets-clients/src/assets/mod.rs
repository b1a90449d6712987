//! Text assets of facets as clients read them (spec 10.2): in which folder each lies, and its bytes.

mod decoded;
mod error;
mod folder;
mod front_matter;
mod materialize;
mod powers;
mod quoted;

pub use error::AssetError;
pub use folder::{CLIENTS, has_folders, is_asset_path};
pub use materialize::{AssetFile, AssetSource, materialize};
pub use powers::asset_powers;
