//! Several things at once, until one fails.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::progress::InstallProgress;
use crate::error::{AcquireError, InstallError, OpsError};

/// How many are acquired at once.
const THREADS: usize = 8;

/// Acquires each item, by its number, and says when it is there. After a failure nothing new is begun, and the first
/// one is returned in the order of the items. What is missing offline is collected from all of them.
pub(super) fn acquire_all<Item: Sync, Acquired: Send>(
    items: &[Item],
    progress: &dyn InstallProgress,
    acquire: impl Fn(usize, &Item) -> Result<Acquired, OpsError> + Sync,
) -> Result<Vec<Acquired>, OpsError> {
    let (next, has_failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        while !has_failed.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let outcome = acquire(index, item);
            match &outcome {
                Ok(_) => progress.files().on_done(index),
                Err(error) if missing_of(error).is_none() => {
                    has_failed.store(true, Ordering::Relaxed);
                }
                Err(_) => {}
            }
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..THREADS.min(items.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut all = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    all.sort_unstable_by_key(|(index, _)| *index);
    all_or_why_not(all.into_iter().map(|(_, outcome)| outcome))
}

fn all_or_why_not<Acquired>(
    outcomes: impl Iterator<Item = Result<Acquired, OpsError>>,
) -> Result<Vec<Acquired>, OpsError> {
    let (mut acquired, mut missing) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        match outcome {
            Ok(one) => acquired.push(one),
            Err(error) => match missing_of(&error) {
                Some(more) => missing.extend_from_slice(more),
                None => return Err(error),
            },
        }
    }
    if missing.is_empty() { Ok(acquired) } else { Err(AcquireError::Offline { missing }.into()) }
}

/// What is missing offline, if that is the failure.
fn missing_of(error: &OpsError) -> Option<&[String]> {
    match error {
        OpsError::Install(InstallError::Acquire(AcquireError::Offline { missing })) => {
            Some(missing)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::super::progress::NoInstallProgress;
    use super::*;

    fn all<Acquired: Send>(
        items: &[usize],
        acquire: impl Fn(usize, &usize) -> Result<Acquired, OpsError> + Sync,
    ) -> Result<Vec<Acquired>, OpsError> {
        acquire_all(items, &NoInstallProgress, acquire)
    }

    fn offline(what: usize) -> OpsError {
        AcquireError::Offline { missing: vec![format!("facet {what}")] }.into()
    }

    #[test]
    fn results_have_the_order_of_their_items() {
        let items: Vec<usize> = (0..100).collect();
        let doubled = all(&items, |index, item| Ok(index + item)).unwrap();
        assert!(doubled.into_iter().eq((0..100).map(|item| item * 2)));
    }

    #[test]
    fn everything_that_is_missing_offline_is_named_at_once() {
        let items: Vec<usize> = (0..20).collect();
        let failed = all(&items, |_, item| match item % 10 {
            3 => Err(offline(*item)),
            _ => Ok(()),
        });
        let failed = failed.unwrap_err();
        assert_eq!(failed.code(), "offline");
        assert_eq!(failed.to_string(), "facet 3, facet 13 are not stored on this machine");
    }

    #[test]
    fn after_a_failure_nothing_new_is_begun() {
        let items: Vec<usize> = (0..1000).collect();
        let begun = AtomicUsize::new(0);
        let failed = all(&items, |_, _| {
            begun.fetch_add(1, Ordering::Relaxed);
            Err::<(), _>(OpsError::StdinTwice)
        });
        assert_eq!(failed.unwrap_err().code(), "stdin-twice");
        assert!(begun.into_inner() <= THREADS);
    }
}
