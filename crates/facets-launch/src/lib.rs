#![doc = include_str!("../README.md")]

mod command;
mod running;
mod tail;

pub use command::{LaunchError, Launcher, ServerCommand};
pub use facets_worker::{Filesystem, Network, Sandbox};
pub use running::{Ending, Running};
pub use tail::Tail;
