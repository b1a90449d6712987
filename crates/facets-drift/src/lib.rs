#![doc = include_str!("../README.md")]

mod annotations;
mod asset_markers;
mod assets;
mod contracts;
mod finding;
mod first_look;
mod fusion;
mod items;
mod marked_risk;
mod names;
mod promises;
mod renames;
pub mod risk;
mod shown;
mod side;
mod surfaces;
mod templates;
mod text;
mod texts;

pub use assets::{asset_findings, asset_removed, critical_rules, powerful_asset_findings};
pub use contracts::{compare_contract_documents, compare_contract_sets};
pub use finding::{Compat, Evidence, Finding, FindingType, Severity, SubjectKind, sort_findings};
pub use first_look::{FirstLook, MarkerLook, MarkersBySubject, ToolLook, first_look};
pub use fusion::compare_fusion_contracts;
pub use names::{confusable_names, names_like_others};
pub use side::Side;
pub use surfaces::compare_surfaces;
pub use text::{TextChange, classify};
pub use texts::text_at;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
