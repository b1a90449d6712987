//! Fetching and hashing files, compared with the programs that people use for it.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::file_server::FileServer;
use super::measure::{paired_ratio, peak_memory_mib};
use super::{Row, Scale};
use crate::Outcome;
use crate::run;

/// The file is removed as well: one that facet fetches has no name, and is gone with its process.
const SCRIPT: &str = r#"curl -s --noproxy '*' "$1" | tee "$2" | openssl dgst -sha256 && rm "$2""#;
/// Before each answer of a server that is far away.
const LATENCY: Duration = Duration::from_millis(20);
/// Bytes of one of many files.
const SMALL: u64 = 100 << 10;

pub(super) fn rows(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    let binary = &facet.with_file_name("facets-bench");
    let near = FetchBench { binary, folder, server: FileServer::start(Duration::ZERO)? };
    let far = FetchBench { binary, folder, server: FileServer::start(LATENCY)? };
    Ok(vec![
        near.speed(scale.unit / 4, scale.runs)?,
        near.speed(scale.unit, scale.runs)?,
        near.memory(scale.unit * 2)?,
        far.at_once(scale.files, scale.runs.min(3))?,
    ])
}

struct FetchBench<'b> {
    binary: &'b Path,
    folder: &'b Path,
    server: FileServer,
}

impl FetchBench<'_> {
    fn fetch(&self, size: u64, count: usize) -> Command {
        let mut command = Command::new(self.binary);
        command.arg("fetch").arg(self.server.url()).arg(self.folder);
        command.args([size.to_string(), count.to_string()]);
        command
    }

    fn pipeline(&self, size: u64) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", SCRIPT, "sh"]).arg(self.server.file_url(size));
        command.arg(self.folder.join("fetched"));
        command
    }

    fn speed(&self, size: u64, runs: usize) -> Outcome<Row> {
        self.require_equal_digests(size)?;
        let ratio = paired_ratio(runs, || self.pipeline(size), || self.fetch(size, 1))?;
        Ok(Row {
            what: format!("speed of fetching and hashing one file of {} MiB", size >> 20),
            baseline: "`curl -s URL \\| tee FILE \\| openssl dgst -sha256`".to_owned(),
            ratio: ratio.to_string(),
            target: "at least 0.9".to_owned(),
            met: ratio.median() >= 0.9,
        })
    }

    /// Both must have had the same bytes: neither program of a pipeline fails if another one does.
    fn require_equal_digests(&self, size: u64) -> Outcome {
        let ours = run::text(&mut self.fetch(size, 1))?;
        let theirs = run::text(&mut self.pipeline(size))?;
        let digests = (ours.trim().strip_prefix("sha256:"), theirs.split_whitespace().next_back());
        match digests {
            (Some(ours), Some(theirs)) if ours == theirs => Ok(()),
            _ => Err(format!("fetched different bytes: {ours} and {theirs}")),
        }
    }

    fn memory(&self, size: u64) -> Outcome<Row> {
        let large = peak_memory_mib(&mut self.fetch(size, 1))?;
        let base = peak_memory_mib(&mut self.fetch(1 << 20, 1))?;
        Ok(Row {
            what: format!("peak memory of fetching and hashing, {} MiB", size >> 20),
            baseline: "the same for 1 MiB".to_owned(),
            ratio: format!("{large:.1} MiB against {base:.1} MiB"),
            target: "under 64 MiB".to_owned(),
            met: large < 64.0,
        })
    }

    /// As many at once as by default, which `fetch` does if no number follows.
    fn at_once(&self, count: usize, runs: usize) -> Outcome<Row> {
        let one_by_one = || {
            let mut command = self.fetch(SMALL, count);
            command.arg("1");
            command
        };
        let ratio = paired_ratio(runs, one_by_one, || self.fetch(SMALL, count))?;
        let (kib, ms) = (SMALL >> 10, LATENCY.as_millis());
        Ok(Row {
            what: format!(
                "speed of fetching {count} files of {kib} KiB, {ms} ms before each answer"
            ),
            baseline: "one after another".to_owned(),
            ratio: ratio.to_string(),
            target: "at least 3".to_owned(),
            met: ratio.median() >= 3.0,
        })
    }
}
