//! Archives of source-mode servers (spec 4.2).

mod pack;
mod read;
mod tar_hash;

pub use pack::{LeftOut, LeftOutReason, PackRequest, PackedServer, pack_server};
pub use read::{ServerArchive, read_server_archive, unpack_server, validate_server};
pub use tar_hash::ServerTarHasher;
