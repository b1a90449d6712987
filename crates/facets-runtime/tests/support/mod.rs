//! A store in a directory of its own, packages of runtimes, and registries that serve them.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of this")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use facets_digest::Digest;
use facets_fetch::{FetchLimits, Fetcher, Machine, Reach};
use facets_model::RuntimeName;
use facets_runtime::{ManagedRuntime, RuntimeBinary, this_platform};
use facets_store::Store;
use facets_testkit::PackageRegistry;

pub const PACKAGE: &str = "@oven/bun-test";
pub const VERSION: &str = "9.9.9";
pub const PROGRAM: &[u8] = b"#!/bin/sh\necho 9.9.9\n";

/// A cache directory that goes with everything in it, sealed trees included.
pub struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn cache(&self) -> PathBuf {
        self.path().join("cache")
    }

    pub fn store(&self) -> Store {
        Store::open(&self.cache()).unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        unlock(self.folder.path());
    }
}

/// Lets `tempdir` remove sealed directories.
fn unlock(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            unlock(&entry.path());
        }
    }
}

/// A runtime for this machine whose package has these files, and the package.
pub fn runtime(files: &[(&str, &[u8])]) -> (&'static ManagedRuntime, Vec<u8>) {
    let package = tarball(files);
    (described(&package), package)
}

/// A row of a table for a package whose program is [`PROGRAM`].
pub fn described(package: &[u8]) -> &'static ManagedRuntime {
    let text = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let binaries = Box::new([RuntimeBinary {
        wheel: None,
        tree: None,
        platform: text(this_platform()),
        package: PACKAGE,
        package_size: package.len() as u64,
        package_sha256: text(Digest::of(package).hex()),
        path: "bin/bun",
        size: PROGRAM.len() as u64,
        sha256: text(Digest::of(PROGRAM).hex()),
    }]);
    let binaries: &'static [RuntimeBinary] = Box::leak(binaries);
    Box::leak(Box::new(ManagedRuntime { name: RuntimeName::Bun, version: VERSION, binaries }))
}

/// A registry that serves a package.
pub fn registry(package: &[u8]) -> PackageRegistry {
    let mut registry = PackageRegistry::bind();
    registry.add_npm(PACKAGE, VERSION, package);
    registry.start()
}

/// A fetcher that asks a registry, whatever is configured on this machine.
pub fn fetcher(base: &str, home: &Path) -> Fetcher {
    let registry = format!("{base}/npm/");
    let variables =
        [("npm_config_registry", registry.as_str()), ("npm_config_globalconfig", "/dev/null")];
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let machine = Machine {
        variables: variables.map(owned).into_iter().collect(),
        home: Some(home.to_owned()),
        directory: home.to_owned(),
    };
    Fetcher::new(machine, Reach::AsUser, FetchLimits::default())
}

/// A package as npm packs it.
pub fn tarball(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (path, content) in files {
        tar.extend(header(&format!("package/{path}"), content.len()));
        tar.extend_from_slice(content);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

fn header(path: &str, size: usize) -> [u8; 512] {
    let mut block = [0; 512];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, path.as_bytes());
    put(100, b"0000755\x000000000\x000000000\0");
    put(124, format!("{size:011o}\0").as_bytes());
    put(136, b"00000000000\0        0");
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|&byte| u32::from(byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(miniz_oxide::deflate::compress_to_vec(content, 6));
    bytes.extend(checksum(content).to_le_bytes());
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes()[..4]);
    bytes
}

/// CRC-32, bit by bit.
fn checksum(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| (crc >> 1) ^ if crc & 1 == 1 { 0xEDB8_8320 } else { 0 };
    !bytes
        .iter()
        .fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| shift(crc)))
}

/// Changes one byte in the middle of a sealed file.
pub fn flip(path: &Path) {
    let before = fs::metadata(path).unwrap().permissions();
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, before).unwrap();
}
