//! `facet inspect`: everything a server declares, and its identity.

use std::path::{Path, PathBuf};

use facets_digest::NoProgress;
use facets_lock::{Extent, Grants, READ_ONLY};
use facets_model::Origin;
use facets_surface::{Source, Surface};

use crate::capturing::capture_options;
use crate::consent::{Consent, TypedAddress};
use crate::error::OpsError;
pub use crate::launch_options::SandboxRequest;
use crate::launch_options::{EnvironmentChoice, LaunchOptions, StartPurpose};
use crate::launching::prepare;
use crate::observing::observe_once;
use crate::resolving::{Resolved, resolve};
use crate::source_scan::{ScanRequest, scan};
use crate::start_attempt::{AskedBy, StartAttempt};
use crate::start_progress::WatchedStart;
pub use crate::surface_report::InspectReport;
use crate::surface_report::{read_surface, report, surface_text};
use crate::write_file;

/// What to inspect.
#[derive(Clone, Debug)]
pub enum InspectSubject {
    /// A server, which is started or called.
    Server {
        /// Where it comes from.
        origin: Origin,
        /// What it is kept from.
        sandbox: SandboxRequest,
    },
    /// A surface file.
    File(PathBuf),
}

/// How to inspect it.
#[derive(Debug)]
pub struct InspectRequest {
    /// What.
    pub subject: InspectSubject,
    /// Seconds to wait for an answer; none is as usual.
    pub timeout: Option<u64>,
    /// Where to write the surface file.
    pub save: Option<PathBuf>,
    /// Where the source of the server lies.
    pub source: Option<PathBuf>,
}

/// Starts or calls a server, or reads a surface file, and hashes what it declares.
pub fn inspect(request: InspectRequest, consent: &dyn Consent) -> Result<InspectReport, OpsError> {
    let InspectRequest { subject, timeout, save, source } = request;
    // Before anything is started: a wrong path is found at once.
    let scanned = source.map(|path| scan(&ScanRequest { path }, &NoProgress)).transpose()?;
    let (mut surface, conduct) = match subject {
        InspectSubject::File(path) => (read_surface(&path)?, None),
        InspectSubject::Server { origin, sandbox } => {
            // spec 5.2: the profile follows the files; a server that is not pinned has no private home.
            let environment = match sandbox.filesystem {
                None => EnvironmentChoice::Native,
                Some(_) => EnvironmentChoice::Scratch,
            };
            let launch = LaunchOptions { sandbox, environment, ..LaunchOptions::default() }
                .for_purpose(StartPurpose::Capture);
            launch.require_values(&origin)?;
            let Resolved { origin, pin, .. } =
                resolve(&origin, Path::new("."), None, consent.progress())?;
            let server = prepare((&origin, &pin), &launch, &TypedAddress(consent))?;
            let options = capture_options(&server, timeout, None);
            let shown = origin.to_string();
            let watched = WatchedStart::new(&shown, consent.progress());
            let seen = observe_once(&server.normalised(), options, &watched);
            let grants = granted_by(&launch.sandbox);
            let asked = AskedBy::Inspect;
            let attempt = StartAttempt { server: &server, origin: &origin, grants: &grants, asked };
            let (surface, conduct) = seen.map_err(|error| attempt.explain(error))?;
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

/// A sandbox in the words of grants.
fn granted_by(sandbox: &SandboxRequest) -> Grants {
    let read = |path: &PathBuf| format!("{READ_ONLY}{}", path.display());
    let filesystem = match &sandbox.filesystem {
        None => Extent::All,
        Some(paths) if paths.is_empty() => Extent::None,
        Some(paths) => Extent::Listed(paths.iter().map(read).collect()),
    };
    let network = if sandbox.network { Extent::None } else { Extent::All };
    Grants { network, filesystem, ..Grants::ALL }
}

/// Writes a surface file, and only one that can be read again.
fn save_surface(surface: &Surface, path: &Path) -> Result<(), OpsError> {
    let text = surface_text(surface, path)?;
    write_file::replace(path, text.as_bytes())
}
