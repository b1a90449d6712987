#![doc = include_str!("../README.md")]

mod describe;
mod disk_problem;
mod error_output;
mod excerpt;
mod explanation;
mod failure;
mod line_column;
mod problem;
mod shell;
mod similar_name;

/// What the codes mean that any binary can report: `usage`, `output-failed`, `disk-full`,
/// `disk-read-only`, `internal-error` and `unknown-code`.
pub const EXPLANATIONS: &str = include_str!("../codes.md");

pub use describe::Describe;
pub use disk_problem::DiskProblem;
pub use error_output::Stderr;
pub use excerpt::last_lines;
pub use explanation::{CodeTable, Explanation, explanations};
pub use failure::{Failure, Note};
pub use line_column::LineColumn;
pub use problem::FileProblem;
pub use shell::shell_word;
pub use similar_name::similar_names;
