#![doc = include_str!("../README.md")]

mod confine;
mod enter;
mod forward;
mod granted_host;
mod launch_spec;
mod limit_watch;
mod proxy;
mod public_address;
mod remove;
mod rlimits;
mod route;
mod stage;
mod supervise;
mod tree;
mod usage;
mod verified_path;

pub use confine::{Confinement, available_confinement};
pub use enter::{abort_on_panic, enter};
pub use granted_host::{GrantedHost, PRIVATE};
pub use launch_spec::{
    Filesystem, LaunchSpec, LaunchSpecError, Network, Program, ResourceLimits, Sandbox, Subprocess,
};
pub use stage::{SUPERVISE, Stage, TERMINATE, own_executable};
pub use supervise::{ENDED_FOR, remove_scratch};
pub use tree::{children, end_reparented, is_supervised};
pub use verified_path::VerifiedPath;
