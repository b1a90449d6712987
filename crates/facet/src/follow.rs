//! `facet logs --follow`: what a server says, as it comes.

use std::io::Write as _;

use facets_face::{Shown, visible};
use facets_files::FileError;
use facets_ops::{OpsError, sessions};

use crate::args::OutputFormat;
use crate::face::FACE;
use crate::render::Renderer;

/// Prints whole lines until the session ends, or nobody reads any more.
pub(crate) fn run_follow(name: &str, renderer: &Renderer) -> Result<Shown, OpsError> {
    if renderer.format != OutputFormat::Human {
        return Ok(FACE.usage("--follow prints lines and supports no other --format"));
    }
    let mut stdout = std::io::stdout().lock();
    let mut failure = None;
    sessions::follow(name, &mut |line| {
        let text = visible(&String::from_utf8_lossy(line)) + "\n";
        let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
        failure = written.err();
        failure.is_none()
    })?;
    match failure {
        Some(source) if source.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(OpsError::File(FileError::Unwritable { path: "standard output".into(), source }))
        }
        _ => Ok(Shown::exact(Vec::new())),
    }
}
