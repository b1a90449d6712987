#![doc = include_str!("../README.md")]

mod audience;
mod command_line;
pub mod completion;
mod download_bar;
mod face;
pub mod file_results;
pub mod human;
pub mod json;
mod output;
mod shown;
pub mod style;
mod text;

pub use audience::Audience;
pub use download_bar::DownloadBar;
pub use face::Face;
pub use shown::{Exit, Shown, ShownResult};
pub use text::{escape_in_json, plural, visible};
