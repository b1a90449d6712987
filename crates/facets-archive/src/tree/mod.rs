//! Reading a tree of source files: each file is opened once, and no link is followed.

mod file;
mod problems;
mod source_tree;
mod walk;

pub(crate) use file::FileContent;
pub(crate) use problems::refuse;
pub use source_tree::SourceTree;
pub use walk::is_build_output;
pub(crate) use walk::{SkippedPath, TreeVisitor, walk};
