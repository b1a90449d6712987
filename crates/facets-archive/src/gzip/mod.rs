//! One member of gzip (RFC 1952) around raw deflate.
//!
//! The frame is our own, because a lenient one accepts several members, bytes behind them, and headers that
//! hide something. The deflate stream is the work of `miniz_oxide`.

mod crc32;
mod reader;
mod writer;

pub(crate) use crc32::Crc32;
pub(crate) use reader::{Gunzip, GzipHeader};
pub(crate) use writer::{FACET_HEADER, GzipWriter, SERVER_HEADER};
