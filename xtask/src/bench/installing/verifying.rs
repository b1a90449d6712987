//! Everything that the store has of a project, hashed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use super::InstallBench;
use super::user::BenchUser;
use super::whole::files_below;
use crate::Outcome;
use crate::bench::measure::paired_ratio;
use crate::bench::{Row, noise};
use crate::run;

const SERVERS: u64 = 8;
const ALONE: f64 = 0.9;
const TOGETHER: f64 = 1.6;

pub(super) fn rows(bench: &InstallBench<'_>) -> Outcome<Vec<Row>> {
    let user = BenchUser::new(bench.facet, &bench.place.join("verifier"), None)?;
    let project = user.project("project")?;
    // An archive and a tree of each, and the runtime beside them: a little more than the unit.
    let size = usize::try_from(bench.scale.unit / (2 * SERVERS + 1)).unwrap_or(usize::MAX);
    let asset = noise(size);
    for number in 0..SERVERS {
        let name = format!("large-{number}");
        run::output(&mut user.command(&project, &["init", "server", &name]))?;
        fs::write(project.join(&name).join("asset.bin"), &asset)
            .map_err(|error| error.to_string())?;
        let source = format!("./{name}");
        run::output(&mut user.command(&project, &["add", &name, "--yes", &source]))?;
    }
    let verify = Verify { bench, user: &user, project, files: files_below(&user.store())? };
    verify.rows()
}

struct Verify<'v> {
    bench: &'v InstallBench<'v>,
    user: &'v BenchUser,
    project: PathBuf,
    /// All that is hashed.
    files: Vec<String>,
}

impl Verify<'_> {
    fn rows(&self) -> Outcome<Vec<Row>> {
        let runs = self.bench.scale.runs;
        let size = self.size()? >> 20;
        let alone = paired_ratio(runs, || self.openssl(), || self.verify("0"))?;
        let mut rows = vec![Row {
            what: format!("speed of `facet verify` on one core, {size} MiB stored"),
            baseline: "`openssl dgst -sha256` of the same files on one core".to_owned(),
            ratio: alone.to_string(),
            target: format!("at least {ALONE}"),
            met: alone.median() >= ALONE,
        }];
        let together = paired_ratio(runs, || self.verify("0"), || self.verify("0,1"))?;
        rows.push(Row {
            what: "speed of the same on two cores".to_owned(),
            baseline: "on one core".to_owned(),
            ratio: together.to_string(),
            target: format!("at least {TOGETHER}"),
            met: together.median() >= TOGETHER,
        });
        Ok(rows)
    }

    fn size(&self) -> Outcome<u64> {
        let size = |path: &String| fs::metadata(path).map(|found| found.len());
        self.files.iter().map(size).sum::<std::io::Result<u64>>().map_err(|error| error.to_string())
    }

    fn openssl(&self) -> Command {
        let mut command = Command::new("taskset");
        command.args(["-c", "0", "openssl", "dgst", "-sha256"]).args(&self.files);
        command
    }

    /// On these processors.
    fn verify(&self, processors: &str) -> Command {
        let mut command = Command::new("taskset");
        command.args(["-c", processors]).arg(self.bench.facet).args(["verify", "--quiet"]);
        command.current_dir(&self.project);
        self.user.prepare(&mut command);
        command
    }
}
