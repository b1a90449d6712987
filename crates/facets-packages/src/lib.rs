#![doc = include_str!("../README.md")]

mod bytecode;
mod entry;
mod error;
mod files;
mod interpreter;
mod machine_code;
mod npm_resolver;
mod npm_tree;
mod resolver_run;
mod transpiled;
mod tree;
mod uv_resolver;
mod wheel_files;
mod wheel_tree;

pub use entry::{npm_entry, pypi_entry};
pub use error::PackageError;
pub use files::PackageFetcher;
pub use interpreter::Interpreter;
pub use npm_resolver::NpmResolver;
pub use transpiled::{CACHE_VARIABLE, Transpiling};
pub use tree::{PackageTree, TreePlace, package_digest};
pub use uv_resolver::UvResolver;

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
