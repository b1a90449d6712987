#![doc = include_str!("../README.md")]

mod edit;
mod error;
mod grants;
mod launch;
mod lock;
mod server;

pub use edit::{EditError, Order, remove_member, set_member};
pub use error::LockError;
pub use grants::{Extent, Grants};
pub use launch::Launch;
pub use lock::{LOCKFILE_VERSION, Lock, LockedEntry, SERVERS_VERSION};
pub use server::{LockedServer, LockedTool};
