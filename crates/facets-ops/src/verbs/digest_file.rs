//! `facet digest file`: SHA-256 of raw bytes (spec 1.2).

use std::num::NonZeroUsize;

use facets_digest::{FileDigest, Progress, digest_many};
use facets_files::FileError;

use crate::error::OpsError;
use crate::input::Input;

/// Which files to hash.
#[derive(Debug)]
pub struct DigestFileRequest {
    /// The files, in the order of the report.
    pub inputs: Vec<Input>,
    /// How many to read at a time.
    pub threads: NonZeroUsize,
}

/// What hashing gave, file by file.
#[derive(Debug)]
pub struct DigestFileReport {
    /// In the order of the request.
    pub files: Vec<(Input, Result<FileDigest, OpsError>)>,
}

/// Hashes every file; one that cannot be read does not keep the others from being hashed.
pub fn digest_file(
    request: DigestFileRequest,
    progress: &dyn Progress,
) -> Result<DigestFileReport, OpsError> {
    let stdin = request.inputs.iter().filter(|input| **input == Input::Stdin).count();
    if stdin > 1 {
        return Err(OpsError::StdinTwice);
    }
    let results = digest_many(&request.inputs, request.threads, Input::open, progress);
    let files = request.inputs.into_iter().zip(results).map(|(input, result)| {
        let path = input.name();
        (input, result.map_err(|source| OpsError::File(FileError::Unreadable { path, source })))
    });
    Ok(DigestFileReport { files: files.collect() })
}
