//! Fetching files of a server that is given, as a program of its own: its time and memory are measured
//! from outside.

use std::collections::BTreeMap;
use std::path::PathBuf;

use facets_fetch::{FetchLimits, Fetcher, Machine, NoFetchProgress, Reach, UpstreamFile};

const USAGE: &str = "fetch SERVER FOLDER SIZE COUNT [PARALLEL]";

/// What is fetched, and how.
#[derive(Debug, PartialEq, Eq)]
struct FetchJob {
    /// Such as `http://127.0.0.1:1234`.
    server: String,
    /// Where files lie while they are there.
    folder: PathBuf,
    /// Bytes of each file.
    size: u64,
    count: usize,
    /// As many at once as by default, if nothing is said.
    parallel: Option<usize>,
}

/// Fetches all files, and prints the digest of each.
pub(crate) fn run(words: &[&str]) {
    let job = FetchJob::parse(words).expect(USAGE);
    let fetcher = job.fetcher();
    let files: Vec<UpstreamFile> =
        (0..job.count).flat_map(|number| job.files(&fetcher, number)).collect();
    for fetched in fetcher.download(&files, &NoFetchProgress) {
        let file = fetched.expect("every file arrives");
        assert_eq!(file.size, job.size, "a file has another length");
        println!("{}", file.digest);
    }
}

impl FetchJob {
    fn parse(words: &[&str]) -> Option<Self> {
        let (&[server, folder, size, count], rest) = words.split_first_chunk::<4>()?;
        let parallel = match rest {
            [] => None,
            [parallel] => Some(parallel.parse().ok()?),
            _ => return None,
        };
        Some(Self {
            server: server.to_owned(),
            folder: folder.into(),
            size: size.parse().ok()?,
            count: count.parse().ok()?,
            parallel,
        })
    }

    /// GitHub is the kind that needs no document first and states no hash beside SHA-256, so that the
    /// same is hashed as by the baseline. Nothing of this machine's configuration is read.
    fn fetcher(&self) -> Fetcher {
        let variables = BTreeMap::from([("FACET_GITHUB_URL".to_owned(), self.server.clone())]);
        let machine = Machine { variables, home: None, directory: self.folder.clone() };
        let usual = FetchLimits::default();
        let limits = FetchLimits {
            file: self.size,
            total: self.size * self.count as u64,
            parallel: self.parallel.unwrap_or(usual.parallel),
            ..usual
        };
        Fetcher::new(machine, Reach::AsUser, limits).with_folder(self.folder.clone())
    }

    /// The server sends as many bytes as the tag says.
    fn files(&self, fetcher: &Fetcher, number: usize) -> Vec<UpstreamFile> {
        let identifier = format!("github:bench/files/{}/{number}", self.size);
        let identifier = identifier.parse().expect("it names a file of a release");
        fetcher.files(&identifier).expect("its address is known")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_read_with_and_without_a_number_of_threads() {
        let words = ["http://127.0.0.1:1", "folder", "100", "7", "3"];
        let job = FetchJob::parse(&words).unwrap();
        assert_eq!((job.size, job.count, job.parallel), (100, 7, Some(3)));
        assert_eq!(FetchJob::parse(&words[..4]).unwrap().parallel, None);
        assert_eq!(FetchJob::parse(&words[..3]), None);
        let files = job.files(&job.fetcher(), 5);
        let address = "http://127.0.0.1:1/bench/files/releases/download/100/5";
        assert_eq!(files.iter().map(|file| file.url.as_str()).collect::<Vec<_>>(), [address]);
    }
}
