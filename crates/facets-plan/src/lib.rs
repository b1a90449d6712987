#![doc = include_str!("../README.md")]

mod all_problems;
mod asset_conflict;
mod assets;
mod effective;
mod fix;
mod frozen;
mod locked;
mod problem;
mod query;
mod resolved;
mod server;
mod standing;
mod step;
mod wanted;

pub use all_problems::find_problems;
pub use asset_conflict::asset_conflicts;
pub use assets::{
    AssetAction, AssetStep, DiskView, InstalledFileView, OnDisk, WriteReason, assets_in_the_way,
    plan_assets,
};
pub use effective::{effective_asset_name, effective_server_name, override_of};
pub use fix::{Fix, source_text};
pub use frozen::{LockDifference, frozen_differences};
pub use locked::locked_facet;
pub use problem::{AssetClaim, PlanProblem, ServerClaim};
pub use query::{FacetQuery, ServerQuery, facet_queries, server_queries};
pub use resolved::ResolvedFacet;
pub use server::{WantedServer, WantedWhat, wanted_servers};
pub use step::{
    FacetStep, Plan, ResolvedServer, ServerState, ServerStep, Step, plan_facets, plan_servers,
};
pub use wanted::{Move, Requirer, Wanted};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
