#![doc = include_str!("../README.md")]

mod command;
mod launchable;
mod program;
mod running;
mod tail;

pub use command::{LaunchError, Launcher};
pub use facets_worker::{
    Confinement, Filesystem, Network, Sandbox, Stage, Subprocess, available_confinement,
};
pub use launchable::{Launchable, ProcessLaunch, RemoteLaunch};
pub use program::{executables, find_program};
pub use running::{Ending, Running};
pub use tail::Tail;
