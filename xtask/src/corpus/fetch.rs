//! Fetching packages and capturing what they declare, into a cache outside the repository:
//! what other people wrote stays out of it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::servers::{Registry, Release, Server};
use crate::Outcome;
use crate::run;

/// Newer than what comes with most Pythons, and twice as fast.
const PIP: &str = "pip==26.3";
const INSTALL: Duration = Duration::from_mins(4);
const CAPTURE: Duration = Duration::from_mins(2);
/// More do not help on two cores, and a server that starts slowly may be taken for an older one.
const AT_ONCE: usize = 2;

/// One version of one server.
pub(super) type Wanted<'a> = (&'a Server, &'a Release);

pub(super) struct Fetcher {
    facet: PathBuf,
    cache: PathBuf,
    /// Where node and Python live; a server in its cage sees no other file but its own.
    runtimes: Vec<PathBuf>,
}

/// `$FACET_CORPUS`, or a folder of the user's cache.
pub(super) fn cache() -> Outcome<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let user = || std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    let named = std::env::var_os("FACET_CORPUS").map(PathBuf::from);
    let folder = named.or_else(|| user().map(|folder| folder.join("facet-corpus")));
    let folder = folder.ok_or("set FACET_CORPUS to a folder for what is fetched")?;
    if folder.is_absolute() {
        return Ok(folder);
    }
    let here = std::env::current_dir().map_err(|error| error.to_string())?;
    Ok(here.join(folder))
}

pub(super) fn capture_file(cache: &Path, name: &str, version: &str) -> PathBuf {
    cache.join("captures").join(format!("{name}@{version}.json"))
}

/// Written last: it says how the capture beside it was made.
fn mark(cache: &Path, name: &str, version: &str) -> PathBuf {
    cache.join("captures").join(format!("{name}@{version}.recipe"))
}

/// Those that the cache lacks, or has from another recipe.
pub(super) fn missing<'a>(cache: &Path, wanted: &[Wanted<'a>]) -> Vec<Wanted<'a>> {
    let is_there = |(server, version): &&Wanted<'a>| {
        let mark = mark(cache, &server.name, &version.version);
        fs::read_to_string(mark).is_ok_and(|text| text == server.recipe(version))
            && capture_file(cache, &server.name, &version.version).is_file()
    };
    wanted.iter().filter(|one| !is_there(one)).copied().collect()
}

impl Fetcher {
    pub(super) fn new(facet: PathBuf, cache: PathBuf) -> Outcome<Self> {
        let node = run::text(Command::new("node").args(["-p", "process.execPath"]))?;
        let python = "import sys; print(sys.base_prefix)";
        let python = run::text(Command::new("python3").args(["-c", python]))?;
        let node = Path::new(node.trim()).ancestors().nth(2).map(Path::to_owned);
        let runtimes = node.into_iter().chain([PathBuf::from(python.trim())]).collect();
        for folder in ["captures", "installs"] {
            create(&cache.join(folder))?;
        }
        Ok(Self { facet, cache, runtimes })
    }

    /// Fetches and captures; says what could not be had, and goes on with the rest.
    pub(super) fn fetch(&self, wanted: &[Wanted<'_>]) -> Vec<String> {
        if wanted.iter().any(|(server, _)| server.registry == Registry::Pypi)
            && let Err(problem) = self.install_pip()
        {
            return vec![problem];
        }
        let next = AtomicUsize::new(0);
        let work = || {
            let mut problems = Vec::new();
            while let Some(one) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                problems.extend(self.fetch_one(one, wanted.len()));
            }
            problems
        };
        thread::scope(|scope| {
            let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
            let died = |_| vec!["a thread that fetches died".to_owned()];
            workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(died)).collect()
        })
    }

    fn fetch_one(&self, (server, version): &Wanted<'_>, count: usize) -> Option<String> {
        let start = Instant::now();
        let label = format!("{} {}", server.name, version.version);
        let folder =
            self.cache.join("installs").join(format!("{}@{}", server.name, version.version));
        let result = self.install_and_capture(server, version, &folder);
        let _ = fs::remove_dir_all(&folder);
        let seconds = start.elapsed().as_secs_f64();
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        println!("  {label:<42} {verdict} ({seconds:.1} s, one of {count})");
        result.err().map(|problem| format!("{label}: {problem}"))
    }

    fn install_and_capture(&self, server: &Server, version: &Release, folder: &Path) -> Outcome {
        let mark = mark(&self.cache, &server.name, &version.version);
        let _ = fs::remove_file(&mark);
        let _ = fs::remove_dir_all(folder);
        create(&folder.join("home"))?;
        let programs = match server.registry {
            Registry::Npm => install_npm(server, version, folder)?,
            Registry::Pypi => self.install_pypi(server, version, folder)?,
        };
        let capture = || self.capture(server, version, folder, &programs);
        // The first start of a large program may be too slow; the second finds it warm.
        capture().or_else(|_| capture())?;
        let file = capture_file(&self.cache, &server.name, &version.version);
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        if text.contains(&*folder.to_string_lossy()) {
            return Err("it names the folder that it is in, so nobody can repeat it".to_owned());
        }
        run::write(&mark, &server.recipe(version))
    }

    /// In a cage: a server that is only asked for its tools needs neither network nor files.
    fn capture(
        &self,
        server: &Server,
        version: &Release,
        folder: &Path,
        programs: &Path,
    ) -> Outcome {
        let file = capture_file(&self.cache, &server.name, &version.version);
        let mut inspect = Command::new(&self.facet);
        inspect.args(["inspect", "--yes", "--quiet", "--sandbox", "network,filesystem"]);
        for runtime in &self.runtimes {
            inspect.arg("--allow-read").arg(runtime);
        }
        inspect.env("FACET_DIR", folder.join("facet")).env("HOME", folder.join("home"));
        for (name, value) in &server.variables {
            inspect.env(name, value).args(["--env", name]);
        }
        inspect.arg("--directory").arg(folder).arg("--save").arg(file).arg("--");
        let (program, arguments) = server.command(version);
        inspect.arg(programs.join(program)).args(arguments);
        within(CAPTURE, &mut inspect, folder)
    }

    fn install_pip(&self) -> Outcome {
        let folder = self.cache.join("pip");
        let mark = folder.join("installed");
        if fs::read_to_string(&mark).is_ok_and(|text| text == PIP) {
            return Ok(());
        }
        run::output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
        let mut pip = Command::new(folder.join("bin/python"));
        run::output(pip.args(["-m", "pip", "install", "--quiet", PIP]))?;
        run::write(&mark, PIP)
    }

    fn install_pypi(&self, server: &Server, version: &Release, folder: &Path) -> Outcome<PathBuf> {
        let venv = folder.join("venv");
        let mut make = Command::new("python3");
        within(INSTALL, make.args(["-m", "venv", "--without-pip"]).arg(&venv), folder)?;
        let mut pip = Command::new(self.cache.join("pip/bin/pip"));
        pip.arg("--python").arg(venv.join("bin/python")).args(["install", "--quiet"]);
        pip.arg(format!("{}=={}", server.package, version.version)).args(&version.with);
        within(INSTALL, &mut pip, folder)?;
        Ok(venv.join("bin"))
    }
}

/// Never runs the scripts of packages.
fn install_npm(server: &Server, version: &Release, folder: &Path) -> Outcome<PathBuf> {
    let pins = version.with.iter().filter_map(|pin| pin.rsplit_once('@'));
    let overrides: Map<String, Value> =
        pins.map(|(name, version)| (name.to_owned(), version.into())).collect();
    let package = server.package.as_str();
    let manifest = json!({
        "private": true,
        "dependencies": { package: version.version },
        "overrides": overrides,
    });
    run::write(&folder.join("package.json"), &manifest.to_string())?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"]);
    npm.args(["--no-package-lock", "--prefix"]).arg(folder);
    within(INSTALL, &mut npm, folder)?;
    Ok(folder.join("node_modules/.bin"))
}

/// Runs to the end or until the time is up; a failure comes back with its last words.
fn within(limit: Duration, command: &mut Command, folder: &Path) -> Outcome {
    let log = folder.join("log");
    let file = File::create(&log).map_err(|error| error.to_string())?;
    let copy = file.try_clone().map_err(|error| error.to_string())?;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(std::process::Stdio::null()).stdout(copy).stderr(file);
    let mut child =
        command.spawn().map_err(|error| format!("cannot start `{program}`: {error}"))?;
    let start = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) if status.success() => return Ok(()),
            Some(_) => return Err(format!("`{program}` failed\n{}", last_words(&log))),
            None if start.elapsed() < limit => thread::sleep(Duration::from_millis(50)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`{program}` took more than {} s", limit.as_secs()));
            }
        }
    }
}

fn last_words(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(8)..].join("\n")
}

fn create(folder: &Path) -> Outcome {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}
