#![doc = include_str!("../README.md")]

mod command;
mod environment;
mod error;
mod launchable;
mod program;
mod reaper;
mod running;
mod settled;
mod tail;
mod verified_files;
mod watcher;

pub use command::Launcher;
pub use environment::{
    CERTIFICATES, Environment, FOR_SERVER, NetworkReach, Variables, is_passed_on, value_of,
};
pub use error::LaunchError;
pub use facets_worker::{
    Confinement, Filesystem, GrantedHost, Network, PRIVATE, ResourceLimits, Sandbox, Stage,
    Subprocess, available_confinement, is_supervised,
};
pub use launchable::{Launchable, ProcessLaunch, RemoteLaunch};
pub use program::{executables, find_program, is_of_system, search_path};
pub use running::{Ending, RunningProcess};
pub use settled::settled_path;
pub use tail::Tail;
pub use verified_files::{StartCheck, UnverifiedFiles, VerifiedFiles};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
