//! How what the server listed stands in this session.

use std::collections::BTreeMap;

use facets_surface::Kind;

use crate::event::Reason;

/// How an approved item stands in this session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ItemStatus {
    /// The server listed it as it was approved.
    Approved,
    /// It listed something else under its name.
    Withheld(Reason),
}

/// How the items that the server listed stand.
#[derive(Debug, Default)]
pub(crate) struct ItemStatuses(BTreeMap<Kind, BTreeMap<String, ItemStatus>>);

impl ItemStatuses {
    pub(crate) fn get(&self, kind: Kind, name: &str) -> Option<&ItemStatus> {
        self.0.get(&kind)?.get(name)
    }

    pub(crate) fn set(&mut self, kind: Kind, name: &str, status: ItemStatus) {
        self.0.entry(kind).or_default().insert(name.to_owned(), status);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.values().map(BTreeMap::len).sum()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What was listed before says nothing any more; what was wrong once, was.
    pub(crate) fn forget_approved(&mut self, kind: Kind) {
        if let Some(statuses) = self.0.get_mut(&kind) {
            statuses.retain(|_, status| *status != ItemStatus::Approved);
        }
    }

    pub(crate) fn approved(&self) -> usize {
        let all = self.0.values().flat_map(BTreeMap::values);
        all.filter(|status| **status == ItemStatus::Approved).count()
    }
}
