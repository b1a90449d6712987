//! How many connections one address has.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::client_address::ClientAddress;

type OpenCounts = Arc<Mutex<HashMap<ClientAddress, usize>>>;

/// The open connections by address. One address gets a part of all, so that it leaves some for the others.
pub(crate) struct AddressShares {
    most: usize,
    open: OpenCounts,
}

/// A connection that counts for its address until this is dropped.
pub(crate) struct AddressShare {
    address: ClientAddress,
    open: OpenCounts,
}

impl AddressShares {
    /// So many for each; 0 is no limit.
    pub(crate) fn new(most: usize) -> Self {
        Self { most, open: OpenCounts::default() }
    }

    /// None if the address has as many as it may.
    pub(crate) fn take(&self, peer: IpAddr) -> Option<AddressShare> {
        let address = ClientAddress::from(peer);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if self.most > 0 && *count >= self.most {
            return None;
        }
        *count += 1;
        Some(AddressShare { address, open: Arc::clone(&self.open) })
    }
}

impl Drop for AddressShare {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_is_forgotten_without_connections() {
        let shares = AddressShares::new(2);
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let taken = [shares.take(one), shares.take(one)];
        assert!(taken.iter().all(Option::is_some) && shares.take(one).is_none());
        assert!(shares.take(other).is_some());
        drop(taken);
        assert!(shares.open.lock().unwrap().is_empty());
        assert!(shares.take(one).is_some());
        let endless = AddressShares::new(0);
        let many: Vec<_> = (0..100).map(|_| endless.take(one)).collect();
        assert!(many.iter().all(Option::is_some));
    }
}
