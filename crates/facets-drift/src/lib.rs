#![doc = include_str!("../README.md")]

mod annotations;
mod contracts;
mod finding;
mod first_look;
mod fusion;
mod items;
pub mod markers;
mod promises;
mod renames;
pub mod risk;
mod schema;
mod surfaces;
mod templates;
mod text;
mod texts;

pub use contracts::{compare_contract_documents, compare_contract_sets};
pub use finding::{Compat, Evidence, Finding, FindingType, Severity, SubjectKind, sort_findings};
pub use first_look::{FirstLook, MarkerLook, ToolLook, first_look};
pub use fusion::compare_fusion_contracts;
pub use schema::{
    Domain, Instance, SchemaChange, Validator, Verdict, closed_copy, compare_schemas,
};
pub use surfaces::{Side, compare_surfaces};
pub use text::{TextChange, classify};
