//! Putting files into the store, and getting them back verified.

use std::fs::{self, DirBuilder, File, Permissions};
use std::hint::black_box;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use facets_digest::{Digest, NoProgress, digest_reader};
use facets_store::{EntryKey, RemovalOutcome, Store};

use crate::{Target, ratios, report, time};

/// A verified get hashes every byte once, as the baseline does; the rest is for locks and stamps.
const GET: f64 = 0.8;
/// A put hashes every byte while it writes it, and again when it reads the entry back: half the speed
/// of the baseline at best. In between it waits until the disk has the file.
const PUT: f64 = 0.3;

/// Entries of the small store, and lookups of a round in both.
const FEW: usize = 100;
/// Rounds of lookups in one measurement: a single one is too short for the clock.
const ROUNDS: usize = 10;

/// Stores lie beside the file, so that both are on the same disk. Without one nothing is measured.
pub(crate) fn measure(runs: usize, file: Option<&Path>) {
    let Some(file) = file else { return };
    let folder = file.with_file_name("stores");
    let _ = fs::remove_dir_all(&folder);
    large(runs, file, &folder.join("large"));
    lookups(runs, &folder);
    fs::remove_dir_all(&folder).expect("the stores can be removed");
}

fn large(runs: usize, file: &Path, cache: &Path) {
    let store = Store::open(cache).expect("a store can be made");
    let open = || File::open(file).expect("the file can be opened");
    let read = digest_reader(open(), &NoProgress).expect("the file can be read");
    let (digest, size) = (read.digest, read.size >> 20);
    let openssl = || hash_with_openssl(file);
    let put = || {
        black_box(store.put_file(&digest, open()).expect("the file is stored"));
    };
    let get = || {
        black_box(store.get_file(&digest).expect("the entry is intact").expect("it is stored"));
    };
    put();
    let baseline = "`openssl dgst -sha256`";
    let what = format!("speed of a verified get of {size} MiB from the store");
    report(&what, baseline, ratios(runs, openssl, get), &Target::AtLeast(GET));
    let pair = |_: usize| {
        // A file that is stored already is only verified.
        let removed = store.remove(&EntryKey::File(digest)).expect("the entry can be removed");
        assert_eq!(removed, RemovalOutcome::Removed);
        time(openssl).as_secs_f64() / time(put).as_secs_f64()
    };
    let what = format!("speed of a put of {size} MiB into the store");
    report(&what, baseline, (0..runs).map(pair).collect(), &Target::AtLeast(PUT));
}

fn hash_with_openssl(file: &Path) {
    let mut command = Command::new("openssl");
    command.args(["dgst", "-sha256"]).arg(file).stdout(Stdio::null());
    assert!(command.status().expect("openssl starts").success(), "openssl failed");
}

fn lookups(runs: usize, folder: &Path) {
    // In a hurry one run shows that the row works.
    let count = if runs > 1 { 10_000 } else { 1000 };
    let few = FilledStore::new(&folder.join("few"), FEW);
    let many = FilledStore::new(&folder.join("many"), count);
    let what = format!("time of a verified lookup among {count} entries");
    let baseline = format!("among {FEW} entries");
    let measured = ratios(runs * 5, || many.look_up(), || few.look_up());
    report(&what, &baseline, measured, &Target::AtMost(1.3));
}

/// A store with many small entries, and the digests of some of them.
struct FilledStore {
    store: Store,
    digests: Vec<Digest>,
}

impl FilledStore {
    /// Entries are written as the store writes them, but nothing waits for the disk: ten thousand puts
    /// would take minutes.
    fn new(cache: &Path, count: usize) -> Self {
        let store = Store::open(cache).expect("a store can be made");
        for number in 0..count {
            write_entry(&store, &content(number));
        }
        let entries = store.entries().expect("the store can be listed").len();
        assert_eq!(entries, count, "entries lie elsewhere by now");
        // Equally many in every store, so that processor caches hold them equally well.
        let digests = (0..FEW).map(|number| Digest::of(&content(number * 37 % count))).collect();
        Self { store, digests }
    }

    fn look_up(&self) {
        for digest in self.digests.iter().cycle().take(ROUNDS * FEW) {
            let found = self.store.get_file(digest).expect("the entry is intact");
            black_box(found.expect("it is stored"));
        }
    }
}

fn content(number: usize) -> Vec<u8> {
    number.to_le_bytes().repeat(12)
}

fn write_entry(store: &Store, content: &[u8]) {
    let hex = Digest::of(content).hex();
    let entry = store.path().join("files/sha256").join(&hex[..2]).join(&hex[2..]);
    let made = DirBuilder::new().recursive(true).mode(0o700).create(&entry);
    made.expect("an entry can be made");
    fs::write(entry.join("used"), "").expect("its lock can be written");
    let file = entry.join("content");
    fs::write(&file, content).expect("its content can be written");
    fs::set_permissions(&file, Permissions::from_mode(0o444)).expect("it can be sealed");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_are_written_by_hand_are_found_verified() {
        let cache = std::env::temp_dir().join(format!("facets-bench-{}", std::process::id()));
        FilledStore::new(&cache, 7).look_up();
        fs::remove_dir_all(&cache).unwrap();
    }
}
