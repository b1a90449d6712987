//! Every archive in `testdata/attacks/archives`: refused for the right reason, and nothing is written.

use std::fs::File;
use std::io::Cursor;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use facets_archive::{
    ArchiveLimits, ExpectedArtifact, read_facet, read_npm_package, read_server_archive,
    unpack_facet, unpack_npm_package, unpack_server,
};

use crate::support::script::{Format, Script};
use crate::support::{code, listing};

fn scripts() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/attacks/archives");
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn read(format: Format, bytes: &[u8]) -> &'static str {
    let limits = ArchiveLimits::SPEC;
    match format {
        Format::Server => code(&read_server_archive(bytes, &limits)),
        Format::Facet => code(&read_facet(Cursor::new(bytes), &limits)),
        Format::Npm => code(&read_npm_package(bytes, &limits)),
    }
}

fn unpack(format: Format, bytes: &[u8], into: &Path) -> &'static str {
    let (limits, expected) = (ArchiveLimits::SPEC, ExpectedArtifact::default());
    let directory = File::open(into).unwrap();
    let (directory, mut archive) = (directory.as_fd(), Cursor::new(bytes));
    match format {
        Format::Server => code(&unpack_server(&mut archive, &expected, directory, &limits)),
        Format::Facet => code(&unpack_facet(&mut archive, &expected, directory, &limits)),
        Format::Npm => code(&unpack_npm_package(&mut archive, &expected, directory, &limits)),
    }
}

/// Runs one script; the error says what worked.
fn attempt(path: &Path) -> Result<(), String> {
    let script = Script::read(path);
    let bytes = script.archive();
    let found = read(script.format, &bytes);
    if found != script.expected {
        return Err(format!("{}: {found}, not {}", script.name, script.expected));
    }
    let place = tempfile::tempdir().unwrap();
    let inside = place.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    let unpacked = unpack(script.format, &bytes, &inside);
    let written = listing(&inside).len();
    let beside = std::fs::read_dir(place.path()).unwrap().count();
    if unpacked != found || (written > 0) != (found == "accepted") || beside != 1 {
        return Err(format!("{}: unpacked: {unpacked}, {written} written", script.name));
    }
    Ok(())
}

#[test]
fn hostile_archives_are_refused_and_leave_nothing() {
    let paths = scripts();
    assert!(paths.len() >= 90, "only {}", paths.len());
    let failed: Vec<String> = paths.iter().filter_map(|path| attempt(path).err()).collect();
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), paths.len(), failed.join("\n"));
}

fn honest_server() -> Vec<u8> {
    let is_honest = |path: &PathBuf| path.ends_with("honest-server.attack");
    Script::read(&scripts().into_iter().find(is_honest).unwrap()).archive()
}

#[test]
fn an_archive_that_is_cut_anywhere_is_refused() {
    let bytes = honest_server();
    assert_eq!(read(Format::Server, &bytes), "accepted");
    for length in 0..bytes.len() {
        assert_ne!(read(Format::Server, &bytes[..length]), "accepted", "{length}");
    }
}

#[test]
fn an_archive_with_any_other_byte_is_refused() {
    let bytes = honest_server();
    // Time, extra flags and system of the gzip header say nothing; the content hash covers them.
    for at in (0..bytes.len()).filter(|at| !(4..10).contains(at)) {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_ne!(read(Format::Server, &changed), "accepted", "{at}");
    }
}
