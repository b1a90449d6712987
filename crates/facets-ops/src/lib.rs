#![doc = include_str!("../README.md")]

pub mod add;
pub mod adopt;
pub mod approve;
pub mod build_check;
pub mod check;
pub mod clients;
pub mod connect;
pub mod diff;
pub mod digest_contract;
pub mod digest_file;
pub mod digest_json;
pub mod digest_surface;
pub mod doctor;
pub mod explain;
pub mod grant;
pub mod init;
pub mod inspect;
pub mod list;
pub mod locate;
pub mod policy;
pub mod remove;
pub mod run;
pub mod scan;
pub mod verify;

mod consent;
mod error;
mod git;
mod input;
mod pin;
mod pinned;
mod problem;
mod surface_warnings;
mod write_file;

pub use error::{Failure, OpsError, PolicyError, ServerError, shell_word};
pub use input::Input;
pub use problem::FileProblem;
pub use surface_warnings::SurfaceWarning;
