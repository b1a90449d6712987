#![doc = include_str!("../README.md")]

mod command;
mod running;
mod scanner;
mod tail;

pub use command::{LaunchError, Launcher, ServerCommand, executables, find_program};
pub use facets_worker::{
    Confinement, Filesystem, Network, Sandbox, Subprocess, available_confinement,
};
pub use running::{Ending, Running};
pub use scanner::Scanners;
pub use tail::Tail;
