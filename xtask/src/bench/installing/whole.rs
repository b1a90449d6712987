//! Everything installed, with a cold store and with a warm one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::market::Market;
use super::user::BenchUser;
use super::{InstallBench, remove_sealed};
use crate::Outcome;
use crate::bench::Row;
use crate::bench::measure::{Ratio, time};
use crate::bench::starts::until_listed;
use crate::run;

/// Each server is scanned, started in a sandbox in two environments, and its lists are read twice. Everything is
/// written durably.
const COLD: f64 = 6.0;
/// Every archive in the store is hashed and read before its texts are written, with a journal; a copy waits for no
/// disk.
const WARM: f64 = 20.0;
/// The folder that gets the texts.
const CLIENT: &str = "claude-code";
const TEXTS: &str = ".claude";

pub(super) fn rows(bench: &InstallBench<'_>, market: &Market) -> Outcome<Vec<Row>> {
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    let runs = bench.scale.runs.min(3);
    for run in 0..runs {
        let folder = bench.place.join(format!("user-{run}"));
        let user = BenchUser::new(bench.facet, &folder, Some(market.url()))?;
        let whole = Whole { user: &user, market, project: user.project("project")? };
        cold.push(whole.cold()?);
        for _ in 0..bench.scale.runs {
            warm.push(whole.warm()?);
        }
        // The next run starts with an empty store.
        remove_sealed(&folder);
    }
    let (servers, facets) = (market.servers.len(), market.facets.len());
    let row = |what: &str, baseline: &str, ratios: Vec<f64>, limit: f64| {
        let ratio = Ratio::new(ratios);
        Row {
            what: format!(
                "time of `facet install` of {servers} servers and {facets} facets, {what}"
            ),
            baseline: baseline.to_owned(),
            ratio: ratio.to_string(),
            target: format!("at most {limit}"),
            met: ratio.median() <= limit,
        }
    };
    let fetching = "`curl` of the same archives and one start of each server with the same bun, one after another";
    Ok(vec![
        row("with an empty store", fetching, cold, COLD),
        row(
            "stored, without its files",
            "`cp -r` of the same files and `openssl dgst` of the stored archives",
            warm,
            WARM,
        ),
    ])
}

struct Whole<'w> {
    user: &'w BenchUser,
    market: &'w Market,
    project: PathBuf,
}

impl Whole<'_> {
    /// The time of a first install, in times of its baseline.
    fn cold(&self) -> Outcome<f64> {
        let baseline = self.fetch_and_start()?;
        let mut install = self.user.command(&self.project, &["install", "--quiet"]);
        install.args(&self.market.servers).args(&self.market.facets);
        install.args(["--yes", "--no-connect", "--client", CLIENT]);
        Ok(time(&mut install)?.as_secs_f64() / baseline.as_secs_f64())
    }

    fn fetch_and_start(&self) -> Outcome<Duration> {
        let folder = self.user.project("fetched")?;
        let bun = self.bun()?;
        let begin = Instant::now();
        for (number, url) in self.market.archives().iter().enumerate() {
            let mut curl = Command::new("curl");
            curl.args(["-sSfL", "-o"]).arg(folder.join(number.to_string())).arg(url);
            time(&mut curl)?;
        }
        for server in &self.market.servers {
            let mut start = Command::new(&bun);
            start.args(["--no-install", "index.ts"]).current_dir(self.market.source(server));
            until_listed(&mut start)?;
        }
        Ok(begin.elapsed())
    }

    fn bun(&self) -> Outcome<PathBuf> {
        let runtimes = self.user.store().join("runtimes");
        let mut find = Command::new("find");
        let found = run::text(find.arg(runtimes).args(["-name", "bun", "-type", "f"]))?;
        found.lines().next().map(PathBuf::from).ok_or_else(|| "no bun is stored".to_owned())
    }

    /// The time of an install whose files are gone, in times of its baseline.
    fn warm(&self) -> Outcome<f64> {
        let (texts, aside) = (self.project.join(TEXTS), self.user.project("aside")?);
        let archives = files_below(&self.user.store().join("files"))?;
        let _ = fs::remove_dir_all(&aside);
        let begin = Instant::now();
        time(Command::new("cp").arg("-r").arg(&texts).arg(&aside))?;
        time(Command::new("openssl").args(["dgst", "-sha256"]).args(archives))?;
        let baseline = begin.elapsed();
        fs::remove_dir_all(&texts).map_err(|error| error.to_string())?;
        let install =
            time(&mut self.user.command(&self.project, &["install", "--yes", "--quiet"]))?;
        require_same(&texts, &aside)?;
        Ok(install.as_secs_f64() / baseline.as_secs_f64())
    }
}

/// What was not installed takes no time.
fn require_same(texts: &Path, aside: &Path) -> Outcome {
    run::output(Command::new("diff").arg("-r").arg(texts).arg(aside)).map(drop)
}

/// The contents of entries of a store.
pub(super) fn files_below(folder: &Path) -> Outcome<Vec<String>> {
    let mut find = Command::new("find");
    find.arg(folder).args(["-type", "f", "(", "-name", "content", "-o", "-path", "*/tree/*", ")"]);
    Ok(run::text(&mut find)?.lines().map(str::to_owned).collect())
}
