//! A program that finds something out, in a sandbox: it writes to a private directory, and starts nothing that it
//! is not given.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use facets_failure::Stderr;
use facets_launch::{
    CERTIFICATES, Ending, Environment, Filesystem, Launcher, Network, ProcessLaunch, Sandbox,
    Subprocess, Variables, available_confinement,
};

use crate::error::PackageError;

/// More than any lock has.
const MAX_OUTPUT: u64 = 64 << 20;

/// How long a resolver may take.
pub(crate) const PATIENCE: Duration = Duration::from_mins(10);

/// What is run.
pub(crate) struct ResolverRun<'r> {
    pub(crate) launcher: &'r Launcher,
    pub(crate) program: &'r Path,
    pub(crate) args: Vec<OsString>,
    /// Where it starts, and what it may write.
    pub(crate) folder: &'r Path,
    /// What it may read beside the files of the system.
    pub(crate) read: Vec<PathBuf>,
    /// Variables and their values; no others are passed on.
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) network: Network,
    /// Whether it may start other programs.
    pub(crate) starts_others: bool,
    pub(crate) patience: Duration,
}

/// How it ended.
pub(crate) struct ResolverEnd {
    /// None if it did not end in time.
    pub(crate) ending: Option<Ending>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Stderr,
}

impl ResolverEnd {
    pub(crate) fn is_success(&self) -> bool {
        self.ending == Some(Ending::Exited(0))
    }

    /// In words.
    pub(crate) fn reason(&self) -> String {
        match &self.ending {
            Some(Ending::Exited(code)) => format!("ended with code {code}"),
            Some(Ending::Killed(signal)) => format!("was ended by signal {signal}"),
            Some(Ending::Unknown | Ending::SupervisorLost) => "was ended".to_owned(),
            None => "did not end in time".to_owned(),
        }
    }
}

impl ResolverRun<'_> {
    /// Runs it to its end, or ends it.
    pub(crate) fn run(self) -> Result<ResolverEnd, PackageError> {
        let patience = self.patience;
        let mut running = self.launcher.start(&self.launch())?;
        let begin = Instant::now();
        let stdout = running.take_streams().map(|(stdout, _stdin)| {
            std::thread::spawn(move || {
                let mut output = Vec::new();
                // What it prints is short; a longer text is cut, and read by nothing.
                let _ = stdout.take(MAX_OUTPUT).read_to_end(&mut output);
                output
            })
        });
        let ending = running.wait(patience.saturating_sub(begin.elapsed()));
        let stderr = running.stderr().clone();
        // Everything that it started ends with it, and with that the stream.
        drop(running);
        let stdout = stdout.and_then(|reader| reader.join().ok()).unwrap_or_default();
        Ok(ResolverEnd { ending, stdout, stderr: stderr.stderr() })
    }

    /// How it is started.
    pub(crate) fn launch(self) -> ProcessLaunch {
        let mut given = self.variables.clone();
        given.insert("HOME".to_owned(), text_of(&self.folder.join("home")));
        given.insert("TMPDIR".to_owned(), text_of(&self.folder.join("tmp")));
        let process = ProcessLaunch {
            program: self.program.into(),
            args: self.args.clone(),
            variables: Variables {
                environment: Environment::Scratch,
                named: given.keys().cloned().collect(),
                given,
                ..Variables::default()
            },
            directory: self.folder.to_owned(),
            sandbox: Sandbox::default(),
            verified: None,
        };
        let sandbox = self.sandbox(&process);
        ProcessLaunch { sandbox, ..process }
    }

    /// As much of a sandbox as this machine has.
    fn sandbox(self, process: &ProcessLaunch) -> Sandbox {
        let confinement = available_confinement();
        if confinement.landlock == 0 || !confinement.seccomp {
            return Sandbox::default();
        }
        let write = vec![self.folder.to_owned()];
        let subprocess = if self.starts_others {
            Subprocess::Open
        } else {
            Subprocess::Closed { execute: process.executed_files(&write) }
        };
        let filesystem = Filesystem::Listed { read: self.read, names: Vec::new(), write };
        Sandbox { network: self.network, filesystem, subprocess }
    }
}

/// Where a program reaches the network, and which certificates it trusts.
pub(crate) fn network_variables(all: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    const PROXIES: &[&str] = &[
        "ALL_PROXY",
        "HTTPS_PROXY",
        "HTTP_PROXY",
        "NO_PROXY",
        "all_proxy",
        "https_proxy",
        "http_proxy",
        "no_proxy",
    ];
    let is_wanted =
        |name: &String| PROXIES.contains(&name.as_str()) || CERTIFICATES.contains(&name.as_str());
    let wanted = all.iter().filter(|(name, value)| is_wanted(name) && !value.is_empty());
    wanted.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The files and folders of certificates that variables name.
pub(crate) fn certificate_files(variables: &BTreeMap<String, String>) -> Vec<PathBuf> {
    let named = variables.iter().filter(|(name, _)| CERTIFICATES.contains(&name.as_str()));
    let paths = named.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute());
    let real = paths.flat_map(|path| [path.canonicalize().ok(), Some(path)]).flatten();
    real.filter(|path| path.exists()).collect()
}

/// A path as text: the folders of resolvers are made by facet, and are text.
pub(crate) fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
