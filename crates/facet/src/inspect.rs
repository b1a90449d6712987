//! Arguments of `inspect` become a request.

use facets_ops::OpsError;
use facets_ops::inspect::{InspectRequest, InspectTarget, SandboxRequest, inspect};

use crate::args::{Inspect, SandboxPart};
use crate::consent::Terminal;
use crate::output::Shown;
use crate::render::Renderer;
use crate::trust::options;

pub(crate) fn run(arguments: Inspect, renderer: &Renderer) -> Result<Shown, OpsError> {
    let options = options(arguments.timeout);
    let consent = Terminal { yes: arguments.yes };
    let request = InspectRequest {
        save: arguments.save.clone(),
        source: arguments.source.clone(),
        target: target(arguments)?,
        options,
    };
    inspect(request, &consent).map(|report| renderer.inspect(&report))
}

fn target(arguments: Inspect) -> Result<InspectTarget, OpsError> {
    let Inspect { target, words, variables, headers, sandbox, readable, .. } = arguments;
    let Some(target) = target else {
        let filesystem = sandbox.contains(&SandboxPart::Filesystem).then_some(readable);
        let network = sandbox.contains(&SandboxPart::Network);
        let sandbox = SandboxRequest { network, filesystem };
        return Ok(InspectTarget::Command { words, variables, sandbox });
    };
    if target.contains("://") {
        let url = target.parse().map_err(|source| OpsError::BadUrl { source })?;
        return Ok(InspectTarget::Url { url, headers });
    }
    Ok(InspectTarget::File(target.into()))
}
