#![doc = include_str!("../README.md")]

mod analyse;
mod analysis;
mod bundle;
mod collect;
mod evidence;
mod facts;
mod files;
mod judge;
mod resolve;
mod scan;
mod scopes;
mod settings;
mod startup;
mod thing;
mod tree;
mod values;
mod walk;
mod words;

pub use analyse::{Analyser, Unreadable, analyse};
pub use analysis::{Analysis, Category, Doubt, Import, Perhaps, SourceFinding, Undefined};
pub use files::{Files, FolderListing};
pub use scan::{Analyst, Located, Report, ScanLimits, Start, is_source, scan};

/// The version of the rules. Verdicts of different versions are not compared (spec 6.1).
pub const SCANNER_VERSION: u32 = 3;
