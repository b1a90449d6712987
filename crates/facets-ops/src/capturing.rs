//! How long is waited for a server, and in which era it is spoken to.

use std::time::Duration;

use facets_launch::Launchable;
use facets_mcp::{CaptureLimits, CaptureOptions};

use crate::obstacles::is_fetcher;

/// Seconds to wait for an answer, unless something else is said.
const USUAL: u64 = 30;

/// The same for a program that fetches what it starts, which takes its time and must not be ended in
/// the middle: npm, for one, does not notice that half of a package is missing.
const USUAL_OF_FETCHERS: u64 = 60;

/// Everything together may take as long as a few slow answers.
const ANSWERS: u32 = 4;

/// Whether a server is fetched when it starts, by the names of the programs that it starts with.
pub(crate) fn is_fetched(server: &Launchable) -> bool {
    match server {
        Launchable::Process(process) => is_fetcher(process),
        Launchable::Remote(_) => false,
    }
}

/// How long a server may take for its first answer: as is asked for, as its entry says, or as usual.
pub(crate) fn first_answer(
    server: &Launchable,
    asked: Option<u64>,
    pinned: Option<u64>,
) -> Duration {
    let usual = if is_fetched(server) { USUAL_OF_FETCHERS } else { USUAL };
    Duration::from_secs(asked.or(pinned).unwrap_or(usual))
}

/// How to look at a server: as long as is asked for, or as its entry says, or as usual.
pub(crate) fn capture_options(
    server: &Launchable,
    asked: Option<u64>,
    pinned: Option<u64>,
) -> CaptureOptions {
    let answer = first_answer(server, asked, pinned);
    let limits = CaptureLimits { answer, total: answer * ANSWERS, ..CaptureLimits::default() };
    CaptureOptions { limits, ..CaptureOptions::default() }
}
