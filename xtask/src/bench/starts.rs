//! What facet adds to the start of real servers, until their tools are listed.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::measure::{median, time};
use super::talker::Talker;
use super::{Row, Scale};
use crate::Outcome;
use crate::run;

/// The commonest way to write a server.
const PACKAGE: &str = "@modelcontextprotocol/server-memory@2026.8.31";

/// Pairs for each run of the others: a start is a noisy thing.
const PAIRS: usize = 5;

pub(super) fn rows(facet: &Path, folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    let project = folder.join("starts");
    std::fs::create_dir_all(&project).map_err(|error| error.to_string())?;
    let installed = run::root().join("target/tools/servers/npm/node_modules");
    let entry = installed.join("@modelcontextprotocol/server-memory/dist/index.js");
    let entry = entry.display().to_string();
    let bench = StartBench { facet, project: &project, pairs: scale.runs * PAIRS };
    let node = bench.compare("node", &["node", &entry])?;
    let fetched = bench.compare("npx", &["npx", "-y", PACKAGE])?;
    let add = bench.add(&["node", &entry])?;
    Ok(vec![node.difference(), fetched.ratio(), add])
}

struct StartBench<'b> {
    facet: &'b Path,
    project: &'b Path,
    pairs: usize,
}

/// Medians of starts that were measured in turn.
struct Compared {
    name: &'static str,
    direct: Duration,
    guarded: Duration,
}

impl StartBench<'_> {
    fn facet(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.facet);
        command.args(arguments).current_dir(self.project);
        command.env("FACET_DIR", run::user_folder("bench"));
        command
    }

    fn direct(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.project);
        command
    }

    fn compare(&self, name: &'static str, words: &[&str]) -> Outcome<Compared> {
        run::output(self.facet(&["add", name, "--yes", "--as-command", "--"]).args(words))?;
        let (mut direct, mut guarded) = (Vec::new(), Vec::new());
        for _ in 0..self.pairs {
            direct.push(until_listed(&mut self.direct(words))?);
            guarded.push(until_listed(&mut self.facet(&["run", name]))?);
        }
        Ok(Compared { name, direct: median(direct), guarded: median(guarded) })
    }

    /// All of `facet add`, compared with one start of the server.
    fn add(&self, words: &[&str]) -> Outcome<Row> {
        let (mut direct, mut added) = (Vec::new(), Vec::new());
        for _ in 0..self.pairs {
            direct.push(until_listed(&mut self.direct(words))?);
            added.push(time(self.facet(&["add", "added", "--yes", "--quiet", "--"]).args(words))?);
            run::output(&mut self.facet(&["remove", "added"]))?;
        }
        let (direct, added) = (median(direct), median(added));
        let ratio = added.as_secs_f64() / direct.as_secs_f64();
        Ok(Row {
            what: "`facet add` of a real server".to_owned(),
            baseline: "one start of it, until its tools are listed".to_owned(),
            ratio: format!("{ratio:.2} ({} against {})", shown(added), shown(direct)),
            target: "at most 2.3".to_owned(),
            met: ratio <= 2.3,
        })
    }
}

impl Compared {
    fn difference(&self) -> Row {
        let more = self.guarded.saturating_sub(self.direct);
        Row {
            what: format!(
                "start of `facet run` with `{} server.js`, until its tools are listed",
                self.name
            ),
            baseline: "the same server without facet".to_owned(),
            ratio: format!(
                "{} more ({} against {})",
                shown(more),
                shown(self.guarded),
                shown(self.direct)
            ),
            target: "at most 15 ms".to_owned(),
            met: more <= Duration::from_millis(15),
        }
    }

    fn ratio(&self) -> Row {
        let ratio = self.guarded.as_secs_f64() / self.direct.as_secs_f64();
        Row {
            what: format!("start of `facet run` with `{} -y`, with a warm cache", self.name),
            baseline: "the same server without facet".to_owned(),
            ratio: format!("{ratio:.2} ({} against {})", shown(self.guarded), shown(self.direct)),
            target: "at most 1.15".to_owned(),
            met: ratio <= 1.15,
        }
    }
}

/// The time from the start of a process to the answer to `tools/list`.
pub(super) fn until_listed(command: &mut Command) -> Outcome<Duration> {
    let begin = Instant::now();
    let mut talker = Talker::start(command)?;
    talker.ask("tools/list", "{}")?;
    Ok(begin.elapsed())
}

pub(super) fn shown(time: Duration) -> String {
    format!("{:.0} ms", time.as_secs_f64() * 1000.0)
}
