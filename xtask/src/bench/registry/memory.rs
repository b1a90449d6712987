//! The memory of a registry that takes many large archives at once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Barrier;
use std::thread;

use super::ours::FacetRegistry;
use super::{Programs, RegistryScale, files_in};
use crate::Outcome;
use crate::bench::Row;
use crate::run;

/// What the registry may have, in MiB.
const LIMIT: f64 = 256.0;

/// Archives of servers, because those of facets may not be that large. Each is received, hashed, read to its end,
/// stored and queued; what happens to it then happens in other processes.
pub(super) fn row(programs: &Programs, place: &Path, scale: &RegistryScale) -> Outcome<Row> {
    let archives = place.join("servers");
    let (count, size) = (scale.at_once, scale.archive);
    let mut pack = Command::new(&programs.bench);
    pack.arg("pack-servers").arg(&archives).args([count.to_string(), size.to_string()]);
    run::output(&mut pack)?;
    let queued = count.to_string();
    let flags = ["--uploads-at-once", &queued, "--queued-per-owner", &queued, "--probe-wait", "1s"];
    let registry = FacetRegistry::start(&programs.registry, &place.join("memory"), &flags)?;
    let before = registry.peak_mib();
    publish_at_once(&registry, &files_in(&archives)?)?;
    let peak = registry.peak_mib();
    let mib = size >> 20;
    Ok(Row {
        what: format!(
            "peak memory of `facet-registry` while {count} archives of {mib} MiB are published at once"
        ),
        baseline: "before".to_owned(),
        ratio: format!("{peak:.1} MiB against {before:.1} MiB"),
        target: format!("under {LIMIT} MiB"),
        // A process whose memory cannot be read proves nothing.
        met: peak > 0.0 && peak < LIMIT,
    })
}

fn publish_at_once<'f>(registry: &FacetRegistry, files: &'f [(String, PathBuf)]) -> Outcome {
    let barrier = &Barrier::new(files.len());
    thread::scope(|scope| {
        let publish = |(name, file): (&'f str, &'f Path)| {
            scope.spawn(move || {
                barrier.wait();
                registry.publish_server(name, file)
            })
        };
        let files = files.iter().map(|(name, file)| (name.as_str(), file.as_path()));
        let threads: Vec<_> = files.map(publish).collect();
        let mut ended = threads.into_iter().map(thread::ScopedJoinHandle::join);
        ended.try_for_each(|ended| ended.unwrap_or_else(|_| Err("the client panicked".to_owned())))
    })
}
