//! Wheels: packages of PyPI, which others write.
//!
//! A wheel is a zip file, and zip files are the format that readers disagree about most: some believe the directory
//! at the end, some the header before each file, and what stands between files is seen by none. So the reader is
//! our own, and accepts a file only if all of them would see the same: headers and directory state the same, files
//! follow each other without a gap, and the directory and its end record follow the last one. The deflate stream is
//! the work of `miniz_oxide`.

mod attributes;
mod content;
mod contents;
mod directory;
mod end;
mod entry;
mod extra;
mod fields;
mod hashed_reader;
mod index;
mod inflater;
mod input;
mod local;
mod read;
mod scan;

pub use index::WheelIndex;
pub use read::{copy_wheel_file, read_wheel, visit_wheel};
