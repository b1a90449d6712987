//! Servers from npm and PyPI: how fast they start when they are locked, and what it takes to lock them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::measure::{median, time};
use super::starts::{shown, until_listed};
use super::{Row, Scale};
use crate::Outcome;
use crate::run;

const NPM: &str = "@modelcontextprotocol/server-filesystem@2026.8.31";
const PYPI: &str = "mcp-server-time==2026.10.19";

/// Servers with some hundred and with some ten thousand files.
const MANY_FILES: [(&str, &str); 2] =
    [("few", "chrome-devtools-mcp@1.11.0"), ("many", "@sentry/mcp-server@0.39.0")];

/// What one of them asks for.
const TOKEN: &str = "SENTRY_ACCESS_TOKEN";

/// What starts a module of a tree, without facet.
const BARE_PYTHON: &str = "import sys; sys.path.insert(0, sys.argv[1]); sys.argv = ['x']; import mcp_server_time; mcp_server_time.main()";

pub(super) fn rows(facet: &Path, _folder: &Path, scale: &Scale) -> Outcome<Vec<Row>> {
    // Outside of this repository, in which the cache lies.
    let project = run::user_folder("bench-packages");
    let cache = run::root().join("target/tools/bench-cache");
    for place in [&project, &cache] {
        std::fs::create_dir_all(place).map_err(|error| error.to_string())?;
    }
    let bench = PackageBench { facet, project: &project, cache, pairs: scale.runs };
    let rows = bench.rows();
    let _ = std::fs::remove_dir_all(&project);
    rows
}

struct PackageBench<'b> {
    facet: &'b Path,
    project: &'b Path,
    cache: PathBuf,
    pairs: usize,
}

impl PackageBench<'_> {
    fn rows(&self) -> Outcome<Vec<Row>> {
        let mut rows = self.npm()?;
        rows.extend(self.pypi()?);
        rows.push(self.add()?);
        rows.extend(self.verification()?);
        Ok(rows)
    }

    fn facet(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.facet);
        command.args(arguments).current_dir(self.project);
        command.env("FACET_DIR", run::user_folder("bench")).env("XDG_CACHE_HOME", &self.cache);
        command
    }

    fn lock(&self) -> Outcome<serde_json::Value> {
        let text = std::fs::read_to_string(self.project.join("facets.lock"));
        let text = text.map_err(|error| error.to_string())?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    /// The tree of the store that has this file.
    fn tree_with(&self, file: &str) -> Outcome<PathBuf> {
        let mut find = Command::new("find");
        find.arg(self.cache.join("facet/store/v1/closures"));
        find.args(["-path", &format!("*/tree/{file}")]);
        let found = text_of(&mut find)?;
        let path = found.lines().next().ok_or("the tree was not found")?;
        let tree = path.strip_suffix(file).ok_or("another path")?;
        Ok(PathBuf::from(tree.trim_end_matches('/')))
    }

    /// Medians of starts in turn: bare runtime, the ecosystem's own runner, facet.
    fn three(&self, commands: [&dyn Fn() -> Command; 3]) -> Outcome<[Duration; 3]> {
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..self.pairs {
            for (command, times) in commands.iter().zip(&mut times) {
                times.push(until_listed(&mut command())?);
            }
        }
        Ok(times.map(median))
    }

    fn npm(&self) -> Outcome<Vec<Row>> {
        let package = format!("npm:{NPM}");
        run::output(&mut self.facet(&["add", "files", &package, "--yes", "--quiet", "--", "."]))?;
        let entry =
            self.lock()?["servers"]["files"]["entry"].as_str().unwrap_or_default().to_owned();
        let tree = self.tree_with(&entry)?;
        let bun = self.bun()?;
        let bare = || self.here(&[&bun, &tree.join(&entry).display().to_string(), "."]);
        let runner = || self.here(&["npx", "-y", NPM, "."]);
        let facet = || self.facet(&["run", "files"]);
        let times = self.three([&bare, &runner, &facet])?;
        Ok(start_rows("server-filesystem", "bun", "npx -y", times, Duration::from_millis(60)))
    }

    fn pypi(&self) -> Outcome<Vec<Row>> {
        let package = format!("pypi:{PYPI}");
        run::output(&mut self.facet(&["add", "time", &package, "--yes", "--quiet"]))?;
        let tree = self.tree_with("mcp_server_time/__init__.py")?.display().to_string();
        let uvx = run::root().join("target/tools/servers/venv/bin/uvx").display().to_string();
        let bare = || self.here(&["python3", "-I", "-S", "-B", "-c", BARE_PYTHON, &tree]);
        let runner = || self.here(&[&uvx, PYPI]);
        let facet = || self.facet(&["run", "time"]);
        let times = self.three([&bare, &runner, &facet])?;
        Ok(start_rows("mcp-server-time", "python", "uvx", times, Duration::from_millis(100)))
    }

    fn here(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.project);
        command
    }

    /// Everything that `add` does, with a warm store, beside an installation with a warm cache.
    fn add(&self) -> Outcome<Row> {
        let package = format!("npm:{NPM}");
        let (mut installed, mut added) = (Vec::new(), Vec::new());
        for number in 0..self.pairs {
            let target = self.project.join(format!("install{number}"));
            std::fs::create_dir_all(&target).map_err(|error| error.to_string())?;
            let mut npm = Command::new("npm");
            npm.args([
                "install",
                "--silent",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--prefix",
            ]);
            installed.push(time(npm.arg(&target).arg(NPM))?);
            let mut add = self.facet(&["add", "added", &package, "--yes", "--quiet", "--", "."]);
            added.push(time(&mut add)?);
            run::output(&mut self.facet(&["remove", "added", "--yes"]))?;
        }
        let (installed, added) = (median(installed), median(added));
        let ratio = added.as_secs_f64() / installed.as_secs_f64();
        Ok(Row {
            what:
                "`facet add npm:…` of server-filesystem: resolved, fetched, scanned, started twice"
                    .to_owned(),
            baseline: "`npm install` of the same, with a warm cache".to_owned(),
            ratio: format!("{ratio:.2} ({} against {})", shown(added), shown(installed)),
            target: "written down".to_owned(),
            met: true,
        })
    }

    /// What facet adds to starts of servers with few and with many files: all of these are looked at before each start.
    fn verification(&self) -> Outcome<Vec<Row>> {
        let mut rows = Vec::new();
        for (name, package) in MANY_FILES {
            let spec = format!("npm:{package}");
            let add = ["add", name, &spec, "--accept", "critical", "--quiet", "--env", TOKEN];
            run::output(self.facet(&add).env(TOKEN, "harmless"))?;
            let entry =
                self.lock()?["servers"][name]["entry"].as_str().unwrap_or_default().to_owned();
            let tree = self.tree_with(&entry)?;
            let mut find = Command::new("find");
            let files = text_of(find.arg(&tree).args(["-type", "f"]))?.lines().count();
            let bun = self.bun()?;
            let path = tree.join(&entry).display().to_string();
            let (mut bare, mut locked) = (Vec::new(), Vec::new());
            for _ in 0..self.pairs {
                bare.push(until_listed(self.here(&[&bun, &path]).env(TOKEN, "harmless"))?);
                locked.push(until_listed(self.facet(&["run", name]).env(TOKEN, "harmless"))?);
            }
            let (bare, locked) = (median(bare), median(locked));
            let more = locked.saturating_sub(bare);
            rows.push(Row {
                what: format!("start of `facet run` of {package}, {files} files looked at"),
                baseline: "bun and the entry file of the same tree".to_owned(),
                ratio: format!("{} more ({} against {})", shown(more), shown(locked), shown(bare)),
                target: "written down".to_owned(),
                met: true,
            });
        }
        Ok(rows)
    }

    fn bun(&self) -> Outcome<String> {
        let mut find = Command::new("find");
        find.arg(self.cache.join("facet/store/v1/runtimes")).args(["-name", "bun", "-type", "f"]);
        Ok(text_of(&mut find)?.trim().to_owned())
    }
}

/// What a command prints.
fn text_of(command: &mut Command) -> Outcome<String> {
    Ok(String::from_utf8_lossy(&run::output(command)?.stdout).into_owned())
}

fn start_rows(
    server: &str,
    runtime: &str,
    runner: &str,
    [bare, run_by, locked]: [Duration; 3],
    most: Duration,
) -> Vec<Row> {
    let more = locked.saturating_sub(bare);
    let ratio = locked.as_secs_f64() / run_by.as_secs_f64();
    let what = format!("start of `facet run`, {server} locked, until its tools are listed");
    vec![
        Row {
            what: what.clone(),
            baseline: format!("{runtime} and the entry file of the same tree"),
            ratio: format!("{} more ({} against {})", shown(more), shown(locked), shown(bare)),
            target: format!("at most {} ms", most.as_millis()),
            met: more <= most,
        },
        Row {
            what,
            baseline: format!("`{runner}` with a warm cache"),
            ratio: format!("{ratio:.2} ({} against {})", shown(locked), shown(run_by)),
            target: "at most 1".to_owned(),
            met: ratio <= 1.0,
        },
    ]
}
