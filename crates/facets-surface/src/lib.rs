#![doc = include_str!("../README.md")]

mod api;
mod compare;
mod contract;
mod contract_file;
mod declared;
mod definition;
mod described;
mod economics;
mod entitlements;
mod file;
pub mod fusion;
mod part;
mod schema;
mod surface;

pub use api::api_surface;
pub use compare::{Comparison, compare_contracts};
pub use contract::{Contract, ContractDigest, ServerContract};
pub use contract_file::{ContractError, Contracts, parse_contracts};
pub use declared::{META_KEY, SystemRules};
pub use definition::{Definition, DefinitionError, Kind, ToolIdentity};
pub use described::CODES;
pub use economics::{Economics, InflationRisk, Output};
pub use entitlements::{EntitlementVerdict, Entitlements};
pub use file::{FORMAT_VERSION, SurfaceFileError, parse_surface_file, write_surface_file};
pub use part::Part;
pub use surface::{
    Also, DuplicateName, Era, Listing, ResourcesDigest, ServerIdentity, Source, Surface,
    SurfaceHashes,
};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
