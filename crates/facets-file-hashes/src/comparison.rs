//! Stated hashes and the files that they are about, each of which is fetched once.

use facets_digest::Digest;
use facets_fetch::{FetchProgress, Fetcher, UpstreamFile};

use crate::file_result::{FileResult, FileStatus};

/// When a comparison is worth a result of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    /// Whatever comes of it.
    Always,
    /// If it contradicts the file: an entry reports everything else.
    IfMismatch,
}

/// A hash that needs a file.
struct Claim {
    /// Where its result goes.
    slot: usize,
    name: String,
    expected: Digest,
    /// Which of the files.
    file: usize,
    report: Report,
}

/// Hashes in the order of their results.
#[derive(Default)]
pub(crate) struct Comparison {
    results: Vec<Option<FileResult>>,
    claims: Vec<Claim>,
    files: Vec<UpstreamFile>,
}

impl Comparison {
    /// A result that needs no file.
    pub(crate) fn settle(&mut self, result: FileResult) {
        self.results.push(Some(result));
    }

    /// A hash to compare with a file.
    pub(crate) fn claim(
        &mut self,
        name: &str,
        expected: Digest,
        file: &UpstreamFile,
        report: Report,
    ) {
        let known = self.files.iter().position(|known| known.identifier == file.identifier);
        let file = known.unwrap_or_else(|| {
            self.files.push(file.clone());
            self.files.len() - 1
        });
        let (slot, name) = (self.results.len(), name.to_owned());
        self.claims.push(Claim { slot, name, expected, file, report });
        self.results.push(None);
    }

    /// Fetches the files, and compares.
    pub(crate) fn finish(self, fetcher: &Fetcher, progress: &dyn FetchProgress) -> Vec<FileResult> {
        let Self { mut results, claims, files } = self;
        let downloads = fetcher.download(&files, progress);
        for claim in claims {
            let (expected, name) = (claim.expected.to_string(), &claim.name);
            let result = match &downloads[claim.file] {
                Err(error) => FileResult::failed(name, error),
                Ok(found) => FileResult::compared(name, &expected, &found.digest.to_string()),
            };
            let is_shown = match claim.report {
                Report::Always => true,
                Report::IfMismatch => {
                    result.status == FileStatus::Mismatch && downloads[claim.file].is_ok()
                }
            };
            results[claim.slot] = is_shown.then(|| result.about(&files[claim.file]));
        }
        results.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use facets_fetch::{FetchLimits, Machine, Reach};

    use super::*;

    #[test]
    fn a_file_with_several_hashes_is_fetched_once() {
        let fetcher = Fetcher::new(Machine::default(), Reach::AsUser, FetchLimits::default());
        // Nothing is sent for the address of a file.
        let files = fetcher.files(&"https://e.example/x.mcpb".parse().unwrap()).unwrap();
        let mut comparison = Comparison::default();
        for name in ["https://e.example/x.mcpb", "packages[0].fileSha256"] {
            comparison.claim(name, Digest::of(b""), &files[0], Report::Always);
        }
        assert_eq!((comparison.claims.len(), comparison.files.len()), (2, 1));
    }
}
