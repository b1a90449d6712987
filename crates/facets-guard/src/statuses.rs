//! How what the server listed stands in this session.

use std::collections::{BTreeMap, BTreeSet};

use facets_surface::Kind;

use crate::address::last_reading;
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
pub(crate) struct ItemStatuses {
    items: BTreeMap<Kind, BTreeMap<String, ItemStatus>>,
    /// What withheld addresses stand for, however they are written.
    withheld_addresses: BTreeSet<String>,
}

impl ItemStatuses {
    pub(crate) fn get(&self, kind: Kind, name: &str) -> Option<&ItemStatus> {
        self.items.get(&kind)?.get(name)
    }

    pub(crate) fn set(&mut self, kind: Kind, name: &str, status: ItemStatus) {
        if kind == Kind::Resource && matches!(status, ItemStatus::Withheld(_)) {
            self.withheld_addresses.insert(last_reading(name));
        }
        self.items.entry(kind).or_default().insert(name.to_owned(), status);
    }

    /// Whether an address stands for one that is withheld.
    pub(crate) fn is_withheld_address(&self, uri: &str) -> bool {
        !self.withheld_addresses.is_empty() && self.withheld_addresses.contains(&last_reading(uri))
    }

    pub(crate) fn len(&self) -> usize {
        self.items.values().map(BTreeMap::len).sum()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// What was listed before says nothing any more; what was wrong once, was.
    pub(crate) fn forget_approved(&mut self, kind: Kind) {
        if let Some(statuses) = self.items.get_mut(&kind) {
            statuses.retain(|_, status| *status != ItemStatus::Approved);
        }
    }

    pub(crate) fn approved(&self) -> usize {
        let all = self.items.values().flat_map(BTreeMap::values);
        all.filter(|status| **status == ItemStatus::Approved).count()
    }
}
