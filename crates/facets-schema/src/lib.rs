#![doc = include_str!("../README.md")]

mod arguments;
mod budget;
mod close;
mod closed_schema;
mod compare;
mod compile;
mod decimal;
mod evaluate;
mod instance;
mod node;
mod patience;
mod regex;
mod solve;
mod validator;
mod verdict;
mod words;

pub use arguments::WORDS;
pub use budget::STEPS_OF_A_SERVER;
pub use closed_schema::ClosedSchema;
pub use compare::{Question, closed_copy, compare_schemas, compare_within};
pub use instance::Instance;
pub use validator::{Domain, Validator};
pub use verdict::{SchemaChange, Verdict};
pub use words::describe;
