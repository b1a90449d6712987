//! Arguments of `facet build`.

use facets_face::{DownloadBar, Shown};
use facets_ops::OpsError;
use facets_ops::build::{BuildOutcome, BuildRequest, ExistingOutput, build};
use facets_ops::build_check::{BuildCheckRequest, build_check};

use crate::args::Build;
use crate::render::Renderer;

pub(crate) fn run_build(arguments: Build, renderer: &Renderer) -> Result<Shown, OpsError> {
    let Build { target: directory, check, output, allowed_secrets, force } = arguments;
    // The same file, as shells complete it.
    let plain = |path: String| path.trim_start_matches("./").to_owned();
    let allowed_secrets = allowed_secrets.into_iter().map(plain).collect();
    if check {
        let request = BuildCheckRequest { directory, allowed_secrets };
        return Ok(renderer.build_check(&build_check(&request)?));
    }
    let existing = if force { ExistingOutput::Replace } else { ExistingOutput::Keep };
    let request = BuildRequest { directory, output, allowed_secrets, existing };
    let bar = DownloadBar::new(renderer.is_quiet());
    let outcome = build(&request, &bar)?;
    drop(bar);
    Ok(match outcome {
        BuildOutcome::Refused(report) => renderer.build_check(&report),
        BuildOutcome::Built(report) => renderer.built(&report),
    })
}
