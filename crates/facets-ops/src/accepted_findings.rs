//! Critical findings that the lock says were accepted, in words (spec 8.8).

use facets_lock::AcceptedFindings;
use facets_markers::spelled_out;

/// How many are named; the lock has all of them.
const MOST: usize = 8;

/// What was accepted, for people; none if nothing critical was.
#[must_use]
pub fn accepted_words(accepted: &AcceptedFindings) -> Option<String> {
    Some(format!("critical findings were accepted: {}", names(accepted)?))
}

/// What was accepted since a revision, and what is not recorded any more although the entry is the same.
pub(crate) fn accepted_since(
    revision: &str,
    (old, now): (&AcceptedFindings, &AcceptedFindings),
    is_same: bool,
) -> Vec<String> {
    let new = names(&now.without(old)).map(|names| format!("accepted since {revision}: {names}"));
    let gone = names(&old.without(now))
        .filter(|_| is_same)
        .map(|names| format!("recorded as accepted at {revision}, and not any more: {names}"));
    new.into_iter().chain(gone).collect()
}

fn names(accepted: &AcceptedFindings) -> Option<String> {
    let all = accepted.all().iter();
    let count = all.len();
    let shown = all.take(MOST).map(|one| format!("{} [{}]", spelled_out(&one.subject), one.code));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match (count, count.saturating_sub(MOST)) {
        (0, _) => None,
        (_, 0) => Some(shown),
        (_, more) => Some(format!("{shown}, and {more} more")),
    }
}
