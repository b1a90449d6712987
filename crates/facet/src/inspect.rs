//! Arguments of `inspect` become a request.

use std::path::Path;

use facets_face::Shown;
use facets_ops::OpsError;
use facets_ops::inspect::{InspectRequest, InspectSubject, SandboxRequest, inspect};

use crate::args::{Inspect, SandboxPart};
use crate::consent::Terminal;
use crate::origin;
use crate::render::Renderer;
use crate::typed_words;

pub(crate) fn run(arguments: Inspect, renderer: &Renderer) -> Result<Shown, OpsError> {
    let consent = Terminal::new(arguments.yes).with_progress(renderer.is_quiet());
    let timeout = arguments.timeout;
    let request = InspectRequest {
        save: arguments.save.clone(),
        source: arguments.source.clone(),
        subject: subject(arguments)?,
        timeout,
    };
    inspect(request, &consent).map(|report| renderer.inspect(&report))
}

fn subject(arguments: Inspect) -> Result<InspectSubject, OpsError> {
    let Inspect { target, words, variables, headers, sandbox, readable, .. } = arguments;
    let Some(target) = target else {
        let filesystem = sandbox.contains(&SandboxPart::Filesystem).then_some(readable);
        let network = sandbox.contains(&SandboxPart::Network);
        let sandbox = SandboxRequest { network, filesystem };
        let origin = origin::of_words(words, variables)?;
        return Ok(InspectSubject::Server { origin, sandbox });
    };
    let is_host = || typed_words::is_host(&target) && !Path::new(&target).exists();
    if target.contains("://") || is_host() {
        let origin = origin::of_address(&target, headers, &["inspect"])?;
        return Ok(InspectSubject::Server { origin, sandbox: SandboxRequest::default() });
    }
    Ok(InspectSubject::File(target.into()))
}
