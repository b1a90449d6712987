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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_resource_that_is_withheld_withholds_its_address() {
        let mut statuses = ItemStatuses::default();
        statuses.set(Kind::Resource, "x:approved", ItemStatus::Approved);
        statuses.set(Kind::Tool, "x:tool", ItemStatus::Withheld(Reason::New));
        statuses.set(Kind::Resource, "x:withheld", ItemStatus::Withheld(Reason::New));
        for (uri, is_withheld) in
            [("x:approved", false), ("x:tool", false), ("x:withheld", true), ("x:%77ithheld", true)]
        {
            assert_eq!(statuses.is_withheld_address(uri), is_withheld, "{uri}");
        }
    }

    #[test]
    fn items_of_all_kinds_are_counted_whatever_their_status() {
        let mut statuses = ItemStatuses::default();
        statuses.set(Kind::Tool, "a", ItemStatus::Approved);
        statuses.set(Kind::Tool, "b", ItemStatus::Withheld(Reason::New));
        statuses.set(Kind::Prompt, "a", ItemStatus::Approved);
        assert_eq!(statuses.len(), 3);
    }
}
