//! Entries of the store that this process found modified. The store evicts them, and the next server that uses the
//! same entry would find none: it gets the same verdict instead of fetching or building it anew.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use facets_runtime::RuntimeError;
use facets_store::{EntryKey, StoreError};

use crate::error::OpsError;

/// Why an entry was evicted.
#[derive(Clone, Debug)]
enum Eviction {
    Tampered {
        path: PathBuf,
        expected: String,
        actual: String,
    },
    /// A program that was replaced together with its manifest.
    OtherProgram {
        what: String,
        expected: String,
        actual: String,
    },
}

impl Eviction {
    fn of(error: &OpsError) -> Option<Self> {
        match error {
            OpsError::Store(StoreError::Tampered { path, expected, actual })
            | OpsError::Runtime(RuntimeError::Store(StoreError::Tampered {
                path,
                expected,
                actual,
            })) => {
                let (path, expected, actual) = (path.clone(), expected.clone(), actual.clone());
                Some(Self::Tampered { path, expected, actual })
            }
            OpsError::Runtime(RuntimeError::Mismatch { what, expected, actual }) => {
                let (what, expected, actual) = (what.clone(), expected.clone(), actual.clone());
                Some(Self::OtherProgram { what, expected, actual })
            }
            _ => None,
        }
    }

    fn into_error(self) -> OpsError {
        match self {
            Self::Tampered { path, expected, actual } => {
                StoreError::Tampered { path, expected, actual }.into()
            }
            Self::OtherProgram { what, expected, actual } => {
                RuntimeError::Mismatch { what, expected, actual }.into()
            }
        }
    }
}

type Evictions = Mutex<BTreeMap<EntryKey, Arc<Mutex<Option<Eviction>>>>>;

static EVICTIONS: Evictions = Mutex::new(BTreeMap::new());

/// What a look at an entry gives; if that is nothing because this process found it modified before, that error again.
/// An entry that is there was stored anew.
pub(crate) fn look_at<T>(
    key: EntryKey,
    look: impl FnOnce() -> Result<Option<T>, OpsError>,
) -> Result<Option<T>, OpsError> {
    let mut evictions = EVICTIONS.lock().unwrap_or_else(PoisonError::into_inner);
    let eviction = Arc::clone(evictions.entry(key).or_default());
    drop(evictions);
    // Servers are checked at the same time: one waits for the verdict of the other.
    let mut eviction = eviction.lock().unwrap_or_else(PoisonError::into_inner);
    match look() {
        Ok(None) => eviction.clone().map_or(Ok(None), |eviction| Err(eviction.into_error())),
        Ok(found) => {
            *eviction = None;
            Ok(found)
        }
        Err(error) => {
            *eviction = Eviction::of(&error).or_else(|| eviction.take());
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use facets_digest::Digest;
    use facets_failure::Describe as _;

    use super::*;

    fn tampered() -> OpsError {
        let (path, expected, actual) = (PathBuf::from("/e"), "a".to_owned(), "b".to_owned());
        StoreError::Tampered { path, expected, actual }.into()
    }

    #[test]
    fn an_entry_that_was_evicted_is_modified_for_all_until_it_is_stored_anew() {
        let key = EntryKey::File(Digest::of(b"evicted entries"));
        let code = |look: Result<Option<()>, OpsError>| {
            look_at(key, || look).map_err(|error| error.code())
        };
        assert_eq!(code(Ok(None)), Ok(None));
        assert_eq!(code(Err(tampered())), Err("store-tampered"));
        assert_eq!(code(Ok(None)), Err("store-tampered"));
        assert_eq!(code(Ok(None)), Err("store-tampered"));
        assert_eq!(code(Ok(Some(()))), Ok(Some(())));
        assert_eq!(code(Ok(None)), Ok(None), "it was collected, not evicted");
    }

    #[test]
    fn a_program_that_was_replaced_is_another_one_for_all() {
        let key = EntryKey::File(Digest::of(b"evicted program"));
        let replaced = || RuntimeError::Mismatch {
            what: "bun".to_owned(),
            expected: "a".to_owned(),
            actual: "b".to_owned(),
        };
        let look = |look: Result<Option<()>, OpsError>| look_at(key, || look);
        let first = look(Err(replaced().into())).unwrap_err();
        assert_eq!(look(Ok(None)).unwrap_err().to_string(), first.to_string());
    }
}
