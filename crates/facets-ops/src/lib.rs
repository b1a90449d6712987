#![doc = include_str!("../README.md")]

pub mod build_check;
pub mod digest_file;
pub mod digest_json;
pub mod doctor;
pub mod explain;
pub mod init;

mod error;
mod input;
mod problem;

pub use error::{Failure, OpsError, shell_word};
pub use input::Input;
pub use problem::FileProblem;
