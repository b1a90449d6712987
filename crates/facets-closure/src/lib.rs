#![doc = include_str!("../README.md")]

mod changes;
mod closure;
mod error;
mod flags;
mod format_version;
mod forms;
mod integrity;
pub mod npm;
mod package_file;
pub mod pypi;
mod read_line;
mod written_line;

pub use changes::{ClosureChange, closure_changes};
pub use closure::Closure;
pub use error::ClosureError;
pub use flags::PackageFlag;
pub use forms::{CommandForm, PackageCommand, command_form};
pub use integrity::Integrity;
pub use package_file::PackageFile;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
