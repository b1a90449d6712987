//! The start of a server, explained if it fails: how it was started, what is in its way, and the command that
//! mends it.

use facets_failure::{Describe as _, Note, Stderr, shell_word};
use facets_launch::{Environment, Launchable, ProcessLaunch};
use facets_lock::{Extent, Grants};
use facets_mcp::CaptureError;
use facets_model::{ArtifactSource, Origin, SourceModeOrigin};
use facets_probe::ObserveError;

use crate::error::{OpsError, StartFailure};
use crate::grant_words::{grant_command, process_grants_words};
use crate::obstacles::{obstacles_of, widened, withheld_variables};
use crate::package_words::package_words;
use crate::secret_values::spelled_values;
use crate::start_obstacle::{StartObstacle, blocked_notes};

/// What was to be started, and how that was asked for.
#[derive(Clone, Copy)]
pub(crate) struct StartAttempt<'a> {
    pub(crate) server: &'a Launchable,
    pub(crate) origin: &'a Origin,
    pub(crate) grants: &'a Grants,
    pub(crate) asked: AskedBy<'a>,
}

/// Which command asked for a start.
#[derive(Clone, Copy)]
pub(crate) enum AskedBy<'a> {
    /// `facet inspect`: nothing is pinned.
    Inspect,
    /// `facet publish`: it is confined as in a registry, and no option changes that.
    Publish,
    /// `facet add` and `facet adopt`: the server gets this name, and more options.
    Add { name: &'a str, options: &'a [String] },
    /// Anything about a server that is pinned under this name.
    Pinned { name: &'a str },
}

impl<'a> StartAttempt<'a> {
    /// Of a server that is pinned.
    pub(crate) fn of_pinned(
        name: &'a str,
        server: &'a Launchable,
        origin: &'a Origin,
        grants: &'a Grants,
    ) -> Self {
        Self { server, origin, grants, asked: AskedBy::Pinned { name } }
    }

    /// The error with everything that explains it; errors of another kind as they are.
    pub(crate) fn explain(&self, error: OpsError) -> OpsError {
        match (error, self.server) {
            (OpsError::Observe(source), Launchable::Process(process))
                // A program that was not found, or a variable that is not set, says it all.
                if matches!(source, ObserveError::Capture { .. }) =>
            {
                OpsError::Start(Box::new(self.failure(source, process)))
            }
            // It may have sent back what it was called with.
            (OpsError::Observe(source), Launchable::Remote(_)) => {
                OpsError::Observe(source.without_values(&spelled_values(self.server)))
            }
            (error, _) => error,
        }
    }

    fn failure(&self, source: ObserveError, process: &ProcessLaunch) -> StartFailure {
        let source = source.without_values(&spelled_values(self.server));
        let stderr = source.error_output().unwrap_or_default();
        let obstacles = obstacles_of(process, &stderr);
        let withheld = withheld_variables(process, &stderr);
        let profile = profile_words(process);
        let mut notes: Vec<Note> =
            profile.into_iter().map(|text| Note { label: "profile", text }).collect();
        if let Some(text) = confinement_words(self.grants) {
            notes.push(Note { label: "grants", text });
        }
        notes.extend(blocked_notes(&obstacles));
        notes.extend(withheld.iter().map(|name| withheld_note(name)));
        let is_writing = writes_to_own_files(process, &stderr);
        notes.extend(is_writing.then(copy_note));
        let mend = self.copy_mend(is_writing).or_else(|| self.grants_mend(&obstacles));
        let mend = mend.or_else(|| self.variables_mend(&withheld));
        let mend = mend.or_else(|| self.patience_mend(&source));
        StartFailure { source, notes, mend }
    }

    fn grants_mend(&self, obstacles: &[StartObstacle]) -> Option<String> {
        match self.asked {
            AskedBy::Pinned { name } => {
                grant_command(name, self.grants, &widened(self.grants, obstacles))
            }
            // Nothing is granted before something is pinned.
            AskedBy::Inspect | AskedBy::Publish | AskedBy::Add { .. } => None,
        }
    }

    /// A package that keeps its data beside its code gets a copy of its own.
    fn copy_mend(&self, is_writing: bool) -> Option<String> {
        let is_package = matches!(self.origin, Origin::Package(_));
        (is_writing && is_package).then(|| self.typed_again(["--copy".to_owned()].into_iter()))
    }

    fn variables_mend(&self, withheld: &[String]) -> Option<String> {
        // What an artifact gets, its own manifest lists.
        let is_typed = !matches!(self.origin, Origin::SourceMode(_));
        (is_typed && !withheld.is_empty()).then(|| {
            let words = withheld.iter().flat_map(|name| ["--env".to_owned(), name.clone()]);
            self.typed_again(words)
        })
    }

    fn patience_mend(&self, source: &ObserveError) -> Option<String> {
        let seconds = longer_wait(source)?.to_string();
        match self.asked {
            AskedBy::Pinned { name } => Some(format!("facet approve {name} --timeout {seconds}")),
            // A registry waits no longer.
            AskedBy::Publish => None,
            AskedBy::Inspect | AskedBy::Add { .. } => {
                Some(self.typed_again(["--timeout".to_owned(), seconds].into_iter()))
            }
        }
    }

    /// The command line that asks for the same with more options.
    fn typed_again(&self, more: impl Iterator<Item = String>) -> String {
        let mut words: Vec<String> = match self.asked {
            AskedBy::Inspect | AskedBy::Publish => vec!["inspect".to_owned()],
            AskedBy::Add { name, options } => {
                let first = ["add".to_owned(), name.to_owned()];
                first.into_iter().chain(options.iter().cloned()).collect()
            }
            AskedBy::Pinned { name } => {
                vec!["add".to_owned(), name.to_owned(), "--replace".to_owned()]
            }
        };
        let known = match self.origin {
            Origin::Command(_) | Origin::Address(_) | Origin::Package(_) => self.origin.variables(),
            Origin::SourceMode(_) => Vec::new(),
        };
        let known = known.into_iter().flat_map(|name| ["--env", name]);
        words.extend(known.map(str::to_owned));
        words.extend(more);
        match self.origin {
            Origin::Command(command) => {
                words.push("--".to_owned());
                words.extend(command.words().map(str::to_owned));
            }
            Origin::SourceMode(SourceModeOrigin {
                source: ArtifactSource::Local { path }, ..
            }) => words.push(path.to_string()),
            Origin::Package(package) => words.extend(package_words(package)),
            Origin::Address(_) | Origin::SourceMode(_) => {}
        }
        let words: Vec<String> = words.iter().map(|word| shell_word(word.as_ref())).collect();
        format!("facet {}", words.join(" "))
    }
}

/// Seconds that may be enough for a server that did not answer in time.
pub(crate) fn longer_wait(source: &ObserveError) -> Option<u64> {
    const MOST: u64 = 600;
    match source {
        ObserveError::Capture { source: CaptureError::NoAnswer { after, .. }, .. } => {
            (after.as_secs() < MOST).then(|| (after.as_secs().max(1) * 4).min(MOST))
        }
        _ => None,
    }
}

/// Whether a server failed because it cannot write to the files that it is started from.
fn writes_to_own_files(process: &ProcessLaunch, stderr: &Stderr) -> bool {
    const REFUSALS: [&str; 5] =
        ["EACCES", "EROFS", "EPERM", "Permission denied", "Read-only file system"];
    let Some(files) = &process.verified else { return false };
    let tree = files.tree.display().to_string();
    stderr
        .lines()
        .any(|line| line.contains(&tree) && REFUSALS.iter().any(|refusal| line.contains(refusal)))
}

fn copy_note() -> Note {
    let text = "it writes beside its own code, which all projects share and nothing may change; --copy gives it a \
                copy of its own, in which every pinned file is still verified"
        .to_owned();
    Note { label: "writes", text }
}

fn withheld_note(name: &str) -> Note {
    let text = format!(
        "{name} is set here and not passed to the server; pass it only if the server should have it"
    );
    Note { label: "env", text }
}

/// The environment that a server was started with, if that is not the user's own.
fn profile_words(process: &ProcessLaunch) -> Option<String> {
    match &process.variables.environment {
        Environment::Native => None,
        Environment::Private { home, .. } => Some(format!(
            "private: HOME is a folder of its own, not your home directory: {}",
            home.display()
        )),
        Environment::Scratch | Environment::Older => {
            Some("scratch: HOME is an empty folder that is removed afterwards".to_owned())
        }
    }
}

/// What it was kept from; none if from nothing.
fn confinement_words(grants: &Grants) -> Option<String> {
    let is_open =
        grants.network == Extent::All && grants.filesystem == Extent::All && grants.subprocess;
    (!is_open).then(|| process_grants_words(grants))
}

/// What is in the way of a server that ended before it said anything, for whoever ran it.
pub(crate) fn explain_end(
    name: &str,
    server: &Launchable,
    grants: &Grants,
    stderr: &Stderr,
) -> Vec<String> {
    let Launchable::Process(process) = server else { return Vec::new() };
    let obstacles = obstacles_of(process, stderr);
    let profile = profile_words(process).map(|words| format!("profile: {words}"));
    let mut lines: Vec<String> = profile.into_iter().collect();
    lines.extend(confinement_words(grants).map(|words| format!("grants: {words}")));
    lines.extend(obstacles.iter().map(|one| format!("blocked: {}", one.reason)));
    if writes_to_own_files(process, stderr) {
        lines.push(format!("writes: {}", copy_note().text));
    }
    let withheld = withheld_variables(process, stderr);
    lines.extend(withheld.iter().map(|name| format!("env: {}", withheld_note(name).text)));
    let mend = grant_command(name, grants, &widened(grants, &obstacles));
    lines.extend(mend.map(|command| format!("try: {command}")));
    lines
}
