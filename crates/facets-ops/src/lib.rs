#![doc = include_str!("../README.md")]

pub mod build_check;
pub mod digest_contract;
pub mod digest_file;
pub mod digest_json;
pub mod digest_surface;
pub mod doctor;
pub mod explain;
pub mod init;
pub mod inspect;
pub mod scan;

mod error;
mod input;
mod problem;
mod surface_warnings;
mod write_file;

pub use error::{Failure, OpsError, shell_word};
pub use input::Input;
pub use problem::FileProblem;
pub use surface_warnings::SurfaceWarning;
