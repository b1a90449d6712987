//! Tar entries, read strictly and written in one form.

mod blocks;
mod format;
mod header;
mod pax;
mod reader;
mod writer;

pub(crate) use format::ArchiveFormat;
pub(crate) use reader::{TarEntry, TarEntryKind, TarReader};
pub(crate) use writer::TarWriter;
