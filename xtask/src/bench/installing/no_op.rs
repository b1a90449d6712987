//! Installs that find everything in its place.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::InstallBench;
use super::market::{Market, VERSION};
use super::user::BenchUser;
use crate::Outcome;
use crate::bench::Row;
use crate::bench::measure::{Ratio, median, time};
use crate::run;
use crate::setup;

/// Manifest, lock, approvals and record are read, and every text is read and hashed.
const STARTS: f64 = 8.0;
const REFERENCE: f64 = 50.0;
/// Four times the facets may cost a little more for each; with work by the square it would be four times as much.
const GROWTH: f64 = 1.5;

pub(super) fn rows(bench: &InstallBench<'_>, market: &Market) -> Outcome<Vec<Row>> {
    let user = BenchUser::new(bench.facet, &bench.place.join("settled"), Some(market.url()))?;
    let few = &market.facets[..bench.scale.install.few.min(market.facets.len())];
    let no_op = NoOp {
        bench,
        user: &user,
        all: install(&user, "all", &[&market.servers[..], &market.facets].concat())?,
        texts: install(&user, "texts", &market.facets)?,
        few: install(&user, "few", few)?,
        counts: (few.len(), market.facets.len()),
    };
    let what = format!("{} servers and {} facets", market.servers.len(), market.facets.len());
    let mut rows = vec![no_op.beside_start(&what)?, no_op.growth()?];
    rows.extend(no_op.beside_reference(market)?);
    Ok(rows)
}

/// Installs into a new project.
fn install(user: &BenchUser, project: &str, names: &[String]) -> Outcome<PathBuf> {
    let project = user.project(project)?;
    let mut install = user.command(&project, &["install", "--quiet"]);
    install.args(names).args(["--yes", "--no-connect", "--client", "claude-code"]);
    run::output(&mut install)?;
    Ok(project)
}

/// Projects in which everything is in its place.
struct NoOp<'n> {
    bench: &'n InstallBench<'n>,
    user: &'n BenchUser,
    all: PathBuf,
    texts: PathBuf,
    few: PathBuf,
    /// Facets of the small and of the large project with texts only.
    counts: (usize, usize),
}

impl NoOp<'_> {
    fn install(&self, project: &Path) -> Command {
        self.user.command(project, &["install", "--no-connect", "--quiet"])
    }

    fn start(&self) -> Command {
        self.user.command(&self.few, &["--version"])
    }

    fn pairs(&self) -> usize {
        self.bench.scale.starts.div_ceil(3)
    }

    fn beside_start(&self, what: &str) -> Outcome<Row> {
        let mut ratios = Vec::new();
        time(&mut self.install(&self.all))?;
        for _ in 0..self.pairs() {
            let start = time(&mut self.start())?;
            ratios.push(time(&mut self.install(&self.all))?.as_secs_f64() / start.as_secs_f64());
        }
        let ratio = Ratio::new(ratios);
        Ok(Row {
            what: format!("time of `facet install` with nothing to do, {what}"),
            baseline: "the start of a process (`facet --version`)".to_owned(),
            ratio: ratio.to_string(),
            target: format!("at most {STARTS}"),
            met: ratio.median() <= STARTS,
        })
    }

    /// Medians, without the start of the process: single differences of so small times are noise.
    fn growth(&self) -> Outcome<Row> {
        let (mut starts, mut few, mut many) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..self.pairs() {
            starts.push(time(&mut self.start())?);
            few.push(time(&mut self.install(&self.few))?);
            many.push(time(&mut self.install(&self.texts))?);
        }
        let (start, few, many) = (median(starts), median(few), median(many));
        let (less, more) = self.counts;
        let ratio = per_item(many, start, more) / per_item(few, start, less);
        let micros = |time: f64| format!("{:.0} µs", time * 1e6);
        Ok(Row {
            what: format!("time of the same per facet beyond that start, {more} facets"),
            baseline: format!("{less} facets"),
            ratio: format!(
                "{ratio:.2} ({} against {})",
                micros(per_item(many, start, more)),
                micros(per_item(few, start, less))
            ),
            target: format!("at most {GROWTH}"),
            met: ratio <= GROWTH,
        })
    }

    /// No row where the reference is not installed.
    fn beside_reference(&self, market: &Market) -> Outcome<Option<Row>> {
        let Some(program) = setup::find("facet-reference") else {
            eprintln!("SKIP the comparison with the reference CLI: it is not installed");
            return Ok(None);
        };
        let reference = Reference::install(self.bench, program, market)?;
        let mut ratios = Vec::new();
        for _ in 0..self.bench.scale.runs * 3 {
            let theirs = time(&mut reference.command(&["install", "--frozen-lockfile"]))?;
            let ours = time(&mut self.install(&self.texts))?;
            ratios.push(theirs.as_secs_f64() / ours.as_secs_f64());
        }
        let ratio = Ratio::new(ratios);
        Ok(Some(Row {
            what: format!(
                "speed of `facet install` with nothing to do, {} facets",
                market.facets.len()
            ),
            baseline: "the reference CLI, `install --frozen-lockfile` of the same".to_owned(),
            ratio: ratio.to_string(),
            target: format!("at least {REFERENCE}"),
            met: ratio.median() >= REFERENCE,
        }))
    }
}

fn per_item(time: Duration, start: Duration, count: usize) -> f64 {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    // Never nothing: it is divided by.
    time.saturating_sub(start).max(Duration::from_micros(1)).as_secs_f64() / f64::from(count)
}

/// The reference CLI, and a project into which it has installed.
struct Reference {
    program: PathBuf,
    home: PathBuf,
    project: PathBuf,
    registry: String,
}

impl Reference {
    fn install(bench: &InstallBench<'_>, program: PathBuf, market: &Market) -> Outcome<Self> {
        let folder = bench.place.join("reference");
        let (home, project) = (folder.join("home"), folder.join("project"));
        let mut make = Command::new(bench.facet.with_file_name("facets-bench"));
        run::output(make.arg("reference-project").arg(&home).arg(&project))?;
        let reference = Self { program, home, project, registry: market.url() };
        let names: Vec<String> =
            market.facets.iter().map(|name| format!("{name}@{VERSION}")).collect();
        run::output(reference.command(&["add"]).args(names))?;
        run::output(&mut reference.command(&["install", "--frozen-lockfile"]))?;
        Ok(reference)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(&self.project).env_remove("FACET_TOKEN");
        command.env("HOME", &self.home).env("FACET_DIR", self.home.join("facet"));
        // Without a terminal it asks nothing.
        command.env("CI", "1").env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
        command.env("FACET_REGISTRY_URL", &self.registry);
        command
    }
}
