//! The registry under load, compared with one that stores a hundredth, and with Debian's registry for images.

mod docker;
mod filled;
mod load;
mod memory;
mod ours;
mod process;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::measure::Ratio;
use super::{Row, Scale};
use crate::Outcome;
use crate::{run, setup};
use docker::DockerRegistry;
use filled::{FilledRegistry, READS, ReadKind};
use ours::FacetArchive;
pub(super) use ours::FacetRegistry;

/// Connections over which facets are published.
const PUBLISHERS: usize = 8;

/// How much slower anything may be with a hundred times as many versions.
const GROWTH: f64 = 1.25;
/// How much faster reads must be than those of the baseline.
const READ: f64 = 5.0;
/// A facet is unpacked, hashed and checked before it is stored, a manifest is parsed. Both wait for the disk.
const PUBLISH: f64 = 1.0;

/// How much is stored, sent and measured.
pub(super) struct RegistryScale {
    /// Names of the small registry.
    few: usize,
    /// Names of the large registry.
    many: usize,
    /// Facets that are published in each run.
    published: usize,
    /// How long requests are counted.
    time: Duration,
    /// Large archives that are published at once.
    at_once: usize,
    /// Bytes of each of them.
    archive: usize,
}

pub(super) const FULL: RegistryScale = RegistryScale {
    few: 100,
    many: 10_000,
    published: 300,
    time: Duration::from_secs(2),
    at_once: 50,
    archive: 20 << 20,
};
pub(super) const QUICK: RegistryScale = RegistryScale {
    few: 10,
    many: 20,
    published: 8,
    time: Duration::from_millis(100),
    at_once: 3,
    archive: 1 << 20,
};

/// What is started.
struct Programs {
    registry: PathBuf,
    bench: PathBuf,
}

pub(super) fn rows(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    let programs = Programs {
        registry: facet.with_file_name("facet-registry"),
        bench: facet.with_file_name("facets-bench"),
    };
    let place = folder.join("registry");
    // What an interrupted run left.
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let runs = scale.runs.min(3);
    let mut rows = RegistryBench::prepare(&programs, &place, &scale.registry, runs)?.rows(runs)?;
    rows.push(memory::row(&programs, &place, &scale.registry)?);
    fs::remove_dir_all(&place).map_err(|error| error.to_string())?;
    Ok(rows)
}

/// Rates of the two registries, run by run.
#[derive(Default)]
struct GrowthRates {
    small: Vec<f64>,
    large: Vec<f64>,
}

/// A kind of request to both registries.
struct ReadLoad {
    kind: ReadKind,
    small: Vec<Vec<u8>>,
    large: Vec<Vec<u8>>,
    rates: GrowthRates,
}

/// Rates of the baseline, run by run.
#[derive(Default)]
struct DockerRates {
    by_tag: Vec<f64>,
    by_digest: Vec<f64>,
    published: Vec<f64>,
}

struct RegistryBench<'b> {
    scale: &'b RegistryScale,
    small: FilledRegistry,
    large: FilledRegistry,
    docker: Option<DockerRegistry>,
    /// As many as all runs together publish.
    facets: Vec<FacetArchive>,
}

impl<'b> RegistryBench<'b> {
    fn prepare(
        programs: &Programs,
        place: &Path,
        scale: &'b RegistryScale,
        runs: usize,
    ) -> Outcome<Self> {
        let facets = place.join("facets");
        let mut pack = Command::new(&programs.bench);
        let count = scale.published * runs;
        run::output(pack.arg("pack-facets").arg(&facets).arg(count.to_string()))?;
        Ok(Self {
            scale,
            small: FilledRegistry::start(programs, &place.join("small"), scale.few)?,
            large: FilledRegistry::start(programs, &place.join("large"), scale.many)?,
            docker: start_docker(&place.join("docker"))?,
            facets: read_facets(&facets)?,
        })
    }

    fn rows(&self, runs: usize) -> Outcome<Vec<Row>> {
        let mut loads = self.read_loads()?;
        let (mut published, mut docker) = (GrowthRates::default(), DockerRates::default());
        for run in 0..runs {
            for load in &mut loads {
                load.rates.small.push(self.small.rate(&load.small, self.scale.time)?);
                load.rates.large.push(self.large.rate(&load.large, self.scale.time)?);
            }
            self.publish(run, &mut published)?;
            self.ask_docker(run, &mut docker)?;
        }
        let mut rows: Vec<Row> =
            loads.iter().map(|load| self.growth_row(load.kind.what(), &load.rates)).collect();
        rows.push(self.growth_row("publishing a facet", &published));
        if self.docker.is_some() {
            rows.extend(self.docker_rows(&loads, &published, &docker));
        }
        Ok(rows)
    }

    fn read_loads(&self) -> Outcome<Vec<ReadLoad>> {
        let load = |kind: ReadKind| -> Outcome<ReadLoad> {
            let (small, large) = (kind.requests(&self.small)?, kind.requests(&self.large)?);
            Ok(ReadLoad { kind, small, large, rates: GrowthRates::default() })
        };
        READS.into_iter().map(load).collect()
    }

    fn publish(&self, run: usize, rates: &mut GrowthRates) -> Outcome {
        let count = self.scale.published;
        let facets = self.facets.get(run * count..(run + 1) * count);
        let facets = facets.ok_or("too few facets were packed")?;
        rates.small.push(self.small.process.publish(facets, PUBLISHERS)?);
        rates.large.push(self.large.process.publish(facets, PUBLISHERS)?);
        Ok(())
    }

    fn ask_docker(&self, run: usize, rates: &mut DockerRates) -> Outcome {
        let Some(docker) = &self.docker else { return Ok(()) };
        rates.by_tag.push(docker.rate_by_tag(self.scale.time)?);
        rates.by_digest.push(docker.rate_by_digest(self.scale.time)?);
        rates.published.push(docker.publish(run, self.scale.published, PUBLISHERS)?);
        Ok(())
    }

    fn growth_row(&self, what: &str, rates: &GrowthRates) -> Row {
        let slower = ratio(&rates.small, &rates.large);
        Row {
            what: format!("time of {what}, {} stored versions", self.large.versions()),
            baseline: format!("{} stored versions", self.small.versions()),
            ratio: format!("{slower}, {}", against(&rates.large, &rates.small)),
            target: format!("at most {GROWTH}"),
            met: slower.median() <= GROWTH,
        }
    }

    fn docker_rows(
        &self,
        loads: &[ReadLoad],
        published: &GrowthRates,
        docker: &DockerRates,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for ReadLoad { kind, rates, .. } in loads {
            let (theirs, baseline) = match kind {
                ReadKind::Floor => (docker.by_tag.as_slice(), "a manifest by tag"),
                ReadKind::Document => (docker.by_digest.as_slice(), "a manifest by digest"),
                ReadKind::Archive | ReadKind::Page | ReadKind::Search => continue,
            };
            rows.push(self.docker_row(kind.what(), &rates.large, (baseline, theirs), READ));
        }
        let baseline = ("storing a manifest", docker.published.as_slice());
        rows.push(self.docker_row("publishing a facet", &published.large, baseline, PUBLISH));
        rows
    }

    fn docker_row(
        &self,
        what: &str,
        ours: &[f64],
        (baseline, theirs): (&str, &[f64]),
        target: f64,
    ) -> Row {
        let faster = ratio(ours, theirs);
        Row {
            what: format!("speed of {what}, {} stored versions", self.large.versions()),
            baseline: format!("`docker-registry`, {baseline}"),
            ratio: format!("{faster}, {}", against(ours, theirs)),
            target: format!("at least {target}"),
            met: faster.median() >= target,
        }
    }
}

/// No baseline where Debian's package cannot be installed.
fn start_docker(folder: &Path) -> Outcome<Option<DockerRegistry>> {
    let Some(program) = setup::find("docker-registry") else {
        eprintln!("SKIP the comparison with `docker-registry`: it is not installed");
        return Ok(None);
    };
    DockerRegistry::start(&program, folder).map(Some)
}

fn read_facets(folder: &Path) -> Outcome<Vec<FacetArchive>> {
    let read = |(name, path): (String, PathBuf)| -> Outcome<FacetArchive> {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        Ok(FacetArchive { name, bytes })
    };
    files_in(folder)?.into_iter().map(read).collect()
}

/// Names and paths of the files in a directory, by name.
fn files_in(folder: &Path) -> Outcome<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(|error| error.to_string())? {
        let entry = entry.map_err(|error| error.to_string())?;
        files.push((entry.file_name().to_string_lossy().into_owned(), entry.path()));
    }
    files.sort();
    Ok(files)
}

/// Run by run.
fn ratio(of: &[f64], to: &[f64]) -> Ratio {
    Ratio::new(of.iter().zip(to).map(|(of, to)| of / to).collect())
}

fn against(ours: &[f64], theirs: &[f64]) -> String {
    format!("{:.0} against {:.0} per second", middle(ours), middle(theirs))
}

fn middle(rates: &[f64]) -> f64 {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_compared_run_by_run() {
        assert_eq!(ratio(&[10.0, 30.0, 20.0], &[5.0, 10.0, 20.0]).median().to_string(), "2");
        assert_eq!(against(&[1.0, 9.0, 5.0], &[2.0]), "5 against 2 per second");
    }
}
