//! `facet inspect`: everything a server declares, and its identity.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use facets_digest::NoProgress;
use facets_launch::{Launcher, ServerCommand};
use facets_mcp::{Capture, Conduct, EraChoice, Header};
pub use facets_mcp::{CaptureLimits, CaptureOptions};
use facets_model::HttpUrl;
pub use facets_probe::{Filesystem, Network, Sandbox};
use facets_probe::{Target, observe};
use facets_surface::{
    Also, Era, Source, Surface, SurfaceHashes, parse_surface_file, write_surface_file,
};

pub use crate::consent::{Answer, ApprovalPage, Consent, LaunchShown};
use crate::input::read_regular;
use crate::scan::{ScanReport, ScanRequest, scan};
use crate::surface_warnings::{SurfaceWarning, warnings};
use crate::{OpsError, write_file};

/// A surface file is as large as 64 MiB of definitions, indented.
const MAX_SURFACE_FILE: u64 = 256 << 20;

/// What to inspect.
#[derive(Clone, Debug)]
pub enum InspectTarget {
    /// A command line.
    Command {
        /// The program and its arguments.
        words: Vec<OsString>,
        /// Variables that it gets from our environment.
        variables: Vec<String>,
        /// What it is kept from.
        sandbox: SandboxRequest,
    },
    /// A remote server.
    Url {
        /// Its address.
        url: HttpUrl,
        /// Header names, and the variables that hold their values.
        headers: Vec<(String, String)>,
    },
    /// A surface file.
    File(PathBuf),
}

/// What a server is to be kept from.
#[derive(Clone, Debug, Default)]
pub struct SandboxRequest {
    /// No network at all.
    pub network: bool,
    /// No files but the system's, the current directory's, and these.
    pub filesystem: Option<Vec<PathBuf>>,
}

/// How to inspect it.
#[derive(Debug)]
pub struct InspectRequest {
    /// What.
    pub target: InspectTarget,
    /// Limits and era.
    pub options: CaptureOptions,
    /// Where to write the surface file.
    pub save: Option<PathBuf>,
    /// Where the source of the server lies.
    pub source: Option<PathBuf>,
}

/// Everything there is to say about a surface.
#[derive(Debug)]
pub struct InspectReport {
    /// What the server declares.
    pub surface: Surface,
    /// Its identity.
    pub hashes: SurfaceHashes,
    /// What a reader should look at twice.
    pub warnings: Vec<SurfaceWarning>,
    /// Where the surface file was written.
    pub saved: Option<PathBuf>,
    /// What its source shows, where it was looked at.
    pub scan: Option<ScanReport>,
}

/// Starts or calls a server, or reads a surface file, and hashes what it declares.
pub fn inspect(request: InspectRequest, consent: &dyn Consent) -> Result<InspectReport, OpsError> {
    let InspectRequest { target, options, save, source } = request;
    // Before anything is started: a wrong path is found at once.
    let scanned = source.map(|path| scan(&ScanRequest { path }, &NoProgress)).transpose()?;
    let (mut surface, conduct) = match target {
        InspectTarget::File(path) => (read_surface(&path)?, None),
        other => {
            let (surface, conduct) = look_at(&prepare(other, &Typed(consent))?, options)?;
            (surface, Some(conduct))
        }
    };
    if let Some(scanned) = &scanned {
        surface.source = Source {
            contract: scanned.contract.clone(),
            entitlements: Some(scanned.report.entitlements.clone()),
        };
    }
    if let Some(path) = &save {
        save_surface(&surface, path)?;
    }
    Ok(InspectReport { scan: scanned, ..report(surface, conduct.as_ref(), save) })
}

/// Whoever types an address wants it to be called.
pub(crate) struct Typed<'c>(pub(crate) &'c dyn Consent);

impl Consent for Typed<'_> {
    fn is_there(&self) -> bool {
        self.0.is_there()
    }

    fn has_answered(&self) -> bool {
        self.0.has_answered()
    }

    fn may_start(&self, launch: &LaunchShown<'_>) -> Answer {
        if launch.url.is_some() { Answer::Yes } else { self.0.may_start(launch) }
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        self.0.may_pin(page)
    }
}

/// Starts or calls a server, and takes down what it declares.
pub(crate) fn look_at(
    target: &Target,
    options: CaptureOptions,
) -> Result<(Surface, Conduct), OpsError> {
    let launcher = Launcher::from_current_executable()
        .map_err(|source| OpsError::Unreadable { path: "facet".into(), source })?;
    let Capture { surface, conduct, .. } = observe(&launcher, target, options)?.capture;
    Ok((surface, conduct))
}

/// The same, and what it declares to other clients (spec 5.1): those that announce nothing, and
/// those that speak the older era.
pub(crate) fn look_all_around(
    target: &Target,
    options: CaptureOptions,
) -> Result<(Surface, Conduct), OpsError> {
    let (mut surface, conduct) = look_at(target, options)?;
    let same = EraChoice::Only(surface.era);
    let mut looks = vec![CaptureOptions { era: same, announce_nothing: true, ..options }];
    if surface.era == Era::Discover {
        let older = EraChoice::Only(Era::Initialize);
        looks.push(CaptureOptions { era: older, announce_nothing: false, ..options });
    }
    let mut also = Also::default();
    for look in looks {
        // A server that does not answer such clients declares nothing to them.
        if let Ok((other, _)) = look_at(target, look) {
            also.add(&surface, &other);
        }
    }
    surface.also = also;
    Ok((surface, conduct))
}

/// The surface file, if it can be read again.
pub(crate) fn surface_text(surface: &Surface, path: &Path) -> Result<String, OpsError> {
    let text = write_surface_file(surface);
    if text.len() as u64 > MAX_SURFACE_FILE || parse_surface_file(text.as_bytes()).is_err() {
        return Err(OpsError::SurfaceTooLarge { path: path.to_owned(), limit: MAX_SURFACE_FILE });
    }
    Ok(text)
}

/// Writes a surface file, and only one that can be read again.
fn save_surface(surface: &Surface, path: &Path) -> Result<(), OpsError> {
    let text = surface_text(surface, path)?;
    write_file::replace(path, text.as_bytes())
}

pub(crate) fn report(
    surface: Surface,
    conduct: Option<&Conduct>,
    saved: Option<PathBuf>,
) -> InspectReport {
    let hashes = surface.hashes();
    let warnings = warnings(&surface, conduct);
    InspectReport { surface, hashes, warnings, saved, scan: None }
}

pub(crate) fn read_surface(path: &Path) -> Result<Surface, OpsError> {
    let bytes = read_regular(path, MAX_SURFACE_FILE)?;
    let path = path.to_owned();
    parse_surface_file(&bytes).map_err(|source| OpsError::SurfaceFile { path, source })
}

pub(crate) fn prepare(target: InspectTarget, consent: &dyn Consent) -> Result<Target, OpsError> {
    prepare_with(target, &BTreeMap::new(), consent)
}

/// The same, with values of variables that our own environment does not have.
pub(crate) fn prepare_with(
    target: InspectTarget,
    given: &BTreeMap<String, String>,
    consent: &dyn Consent,
) -> Result<Target, OpsError> {
    match target {
        InspectTarget::Command { words, variables, sandbox } => {
            let directory = std::env::current_dir()
                .map_err(|source| OpsError::Unreadable { path: ".".into(), source })?;
            for path in sandbox.filesystem.iter().flatten() {
                // A path that is not there would allow nothing, silently.
                std::fs::metadata(path)
                    .map_err(|source| OpsError::Unreadable { path: path.clone(), source })?;
            }
            let sandbox = sandbox_for(words.first(), &directory, sandbox);
            let shown = LaunchShown {
                words: &words,
                url: None,
                headers: &[],
                program: words
                    .first()
                    .and_then(|word| facets_launch::find_program(word, &directory)),
                variables: &variables,
                directory: &directory,
                sandbox: &sandbox,
            };
            consent.may_start(&shown).required()?;
            let mut words = words.into_iter();
            let program = words.next().unwrap_or_default();
            let args = words.collect();
            let given = given.clone();
            Ok(Target::Command(ServerCommand {
                program,
                args,
                variables,
                given,
                directory,
                sandbox,
            }))
        }
        InspectTarget::Url { url, headers } => {
            let address = url.to_string();
            let shown = LaunchShown {
                words: &[],
                url: Some(&address),
                headers: &headers,
                program: None,
                variables: &[],
                directory: Path::new("."),
                sandbox: &Sandbox::default(),
            };
            consent.may_start(&shown).required()?;
            let headers = headers.into_iter().map(|(name, variable)| {
                let value = given.get(&variable).cloned();
                let value = value.or_else(|| std::env::var(&variable).ok());
                let value = value.ok_or_else(|| OpsError::NoVariable { name: variable.clone() })?;
                if !value.chars().all(|c| c == '\t' || (' '..='~').contains(&c)) {
                    return Err(OpsError::BadHeader { name, variable });
                }
                Ok(Header { name, value })
            });
            Ok(Target::Url {
                url: url.to_string(),
                headers: headers.collect::<Result<_, OpsError>>()?,
            })
        }
        InspectTarget::File(path) => Err(OpsError::NotRegular { path }),
    }
}

fn sandbox_for(program: Option<&OsString>, directory: &Path, request: SandboxRequest) -> Sandbox {
    let network = if request.network { Network::Closed } else { Network::Open };
    let filesystem = match request.filesystem {
        None => Filesystem::Open,
        Some(extra) => {
            let mut read = vec![directory.to_owned()];
            read.extend(program.map(installation_of).unwrap_or_default());
            read.extend(extra);
            Filesystem::Listed { read, write: Vec::new() }
        }
    };
    Sandbox { network, filesystem, ..Sandbox::default() }
}

/// A program outside the system's directories, and the libraries beside its `bin`: as it is
/// named and as it really lies, because a virtual environment is both.
pub(crate) fn installation_of(program: &OsString) -> Vec<PathBuf> {
    const PARTS: [&str; 5] = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = Path::new(program);
    let found = if named.components().count() > 1 {
        Some(named.to_owned())
    } else {
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|full| full.is_file())
    };
    let absolute = found.and_then(|found| std::path::absolute(found).ok());
    let real = absolute.as_ref().and_then(|path| std::fs::canonicalize(path).ok());
    let mut parts = Vec::new();
    for file in [absolute, real].into_iter().flatten() {
        let folder = file.parent().filter(|folder| folder.ends_with("bin"));
        if let Some(root) = folder.and_then(Path::parent) {
            parts
                .extend(PARTS.map(|part| root.join(part)).into_iter().filter(|part| part.exists()));
        }
        parts.push(file);
    }
    parts.retain(|part| !part.starts_with("/usr"));
    parts.sort();
    parts.dedup();
    parts
}
