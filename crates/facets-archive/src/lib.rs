#![doc = include_str!("../README.md")]

mod copied_file;
mod entry_mode;
mod error;
mod facet;
mod folder;
mod gzip;
mod handed_files;
mod hashed_writer;
mod ignore;
mod index;
mod kept;
mod limits;
mod npm;
mod paths;
mod scan;
mod secrets;
mod server;
mod source;
mod tar;
mod tree;
mod unpack;
mod validated;
mod wheel;

pub use entry_mode::EntryMode;
pub use error::{
    ArchiveError, ContentError, EntryPathError, FacetError, GzipError, LimitError, LimitKind,
    TarError, TreeError, TreeProblem, TreeProblemKind, UnpackError, WheelError,
};
pub use facet::{
    FacetArchive, PackedFacet, pack_facet, read_facet, read_facet_files, read_facet_texts,
    unpack_facet, validate_facet,
};
pub use index::{ArchiveIndex, ArchivedFile, ExpectedArtifact, TakeFile};
pub use limits::ArchiveLimits;
pub use npm::{copy_npm_file, read_npm_package, unpack_npm_package, visit_npm_package};
pub use server::{
    LeftOut, LeftOutReason, PackRequest, PackedServer, ServerArchive, ServerTarHasher, pack_server,
    read_server_archive, unpack_server, validate_server,
};
pub use tree::{SourceTree, is_build_output};
pub use validated::ValidatedArchive;
pub use wheel::{WheelIndex, copy_wheel_file, read_wheel, visit_wheel};

/// What the codes of this crate mean.
pub const EXPLANATIONS: &str = include_str!("../codes.md");
