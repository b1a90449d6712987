//! The commands that say yes or no about servers: arguments become requests, and whoever reviews
//! a pull request is told.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use facets_face::{DownloadBar, Shown};
use facets_files::FileError;
use facets_ops::OpsError;
use facets_ops::check::{CheckRequest, Trust, check};
use facets_ops::diff::{DiffRequest, diff};
use facets_ops::verify::{VerifyRequest, verify};
use facets_ops::verify_file::{VerifyFileRequest, verify_file};

use crate::args::{CheckArguments, Gate, VerifyArguments};
use crate::consent::Terminal;
use crate::progress::Count;
use crate::render::{Renderer, Verb, summary};

pub(crate) fn run_check(arguments: CheckArguments, renderer: &Renderer) -> Result<Shown, OpsError> {
    let CheckArguments { names, gate, trust_lock, timeout } = arguments;
    let trust = if trust_lock { Trust::Lock } else { Trust::Approvals };
    let Gate { fail_on, policy, summary } = gate;
    let request = CheckRequest { names, timeout, trust, fail_on: fail_on.into(), policy };
    let count = Count::new(renderer.is_quiet());
    let result = check(&request, &Terminal::new(false), &count);
    drop(count);
    let report = summarised(result, summary.as_deref(), Verb::Check, summary::of_report)?;
    Ok(renderer.checked(&report, Verb::Check))
}

pub(crate) fn run_verify(
    arguments: VerifyArguments,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    let VerifyArguments { names, against, file, gate, typed_in, .. } = arguments;
    let Gate { fail_on, policy, summary } = gate;
    if let Some(file) = file {
        let request = VerifyFileRequest { file, typed_in, fail_on: fail_on.into(), policy };
        return run_verify_file(&request, renderer);
    }
    let request = VerifyRequest { names, against, fail_on: fail_on.into(), policy };
    let result = verify(&request);
    let report = summarised(result, summary.as_deref(), Verb::Verify, summary::of_report)?;
    Ok(renderer.checked(&report, Verb::Verify))
}

fn run_verify_file(request: &VerifyFileRequest, renderer: &Renderer) -> Result<Shown, OpsError> {
    let bar = DownloadBar::new(renderer.is_quiet());
    let report = verify_file(request, &bar);
    drop(bar);
    Ok(renderer.verified_file(&report?))
}

pub(crate) fn run_diff(
    before: String,
    after: String,
    gate: Gate,
    renderer: &Renderer,
) -> Result<Shown, OpsError> {
    let Gate { fail_on, policy, summary } = gate;
    let request = DiffRequest { before, after, fail_on: fail_on.into(), policy };
    let report = summarised(diff(&request), summary.as_deref(), Verb::Diff, summary::of_diff)?;
    Ok(renderer.diff(&report))
}

/// Appends the summary of what happened, also if that is an error: a page that says nothing looks
/// like one that says yes.
fn summarised<T>(
    result: Result<T, OpsError>,
    file: Option<&Path>,
    verb: Verb,
    text: fn(&T, Verb) -> String,
) -> Result<T, OpsError> {
    let Some(file) = file else { return result };
    let text = match &result {
        Ok(report) => text(report, verb),
        Err(error) => summary::of_error(error, verb),
    };
    let written = OpenOptions::new()
        .append(true)
        .create(true)
        .open(file)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    match (result, written) {
        (Ok(_), Err(source)) => {
            Err(OpsError::File(FileError::Unwritable { path: file.to_owned(), source }))
        }
        (result, _) => result,
    }
}
