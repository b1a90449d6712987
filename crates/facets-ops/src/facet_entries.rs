//! Lock entries of facets, compared with what their archives have.

use facets_digest::Digest;
use facets_lock::{Lock, LockedAsset, LockedFacet};

/// What identifies a lock entry of a facet, apart from members that facet does not know.
pub(crate) fn entry_digest(name: &str, facet: &LockedFacet) -> Option<Digest> {
    let lock = Lock::empty().with_facet(name, facet).ok()?;
    Some(Digest::of(lock.text().as_bytes()))
}

/// What an entry states otherwise than the archive that it pins; nothing if it is as facet or the reference wrote it.
/// How assets are named in the project is not a matter of the archive.
pub(crate) fn entry_difference(locked: &LockedFacet, of_archive: &LockedFacet) -> Option<String> {
    let key = |asset: &LockedAsset| (asset.kind, asset.name.clone());
    for asset in &of_archive.assets {
        let Some(stated) = locked.assets.iter().find(|other| key(other) == key(asset)) else {
            return Some(format!("the {} {} is missing", asset.kind, asset.name));
        };
        if stated.files != asset.files || stated.scope != asset.scope {
            return Some(format!("files of the {} {} differ", asset.kind, asset.name));
        }
    }
    let is_known =
        |asset: &&LockedAsset| of_archive.assets.iter().any(|other| key(other) == key(asset));
    if let Some(asset) = locked.assets.iter().find(|asset| !is_known(asset)) {
        return Some(format!("there is no {} {}", asset.kind, asset.name));
    }
    // The reference records neither servers nor the hash of the archive.
    let is_ours = locked.content_hash.is_some() || !locked.servers.is_empty();
    if is_ours && locked.servers != of_archive.servers {
        return Some("servers differ".to_owned());
    }
    None
}
