#![doc = include_str!("../README.md")]

mod bun;
mod error;
mod install;
mod installed;
mod managed_runtime;
mod platform;
mod surroundings;
mod table;

pub use bun::{
    BunCommand, bun_command, bun_command_of, bun_command_with_tsconfig, is_variable_of_bun,
};
pub use error::RuntimeError;
pub use install::Runtimes;
pub use installed::InstalledRuntime;
pub use managed_runtime::{ANY, ManagedRuntime, RuntimeBinary};
pub use platform::this_platform;
pub use surroundings::read_surroundings;
pub use table::{TABLE, current, find};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
