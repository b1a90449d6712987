#![doc = include_str!("../README.md")]
#![expect(clippy::panic, reason = "a test helper fails its test")]

mod client;
mod components;
mod json;
mod object_storage;
mod package_host;
mod package_registry;
mod postgres;
mod processes;
mod random;
pub mod raw_http;
mod reference_cli;

pub use client::Client;
pub use components::{
    ask, ask_oracle, component, ecmascript, put_program, repository_root, shared_vectors, skip,
    workspace_binary,
};
pub use json::{double_literal, random_document, random_json};
pub use object_storage::ObjectStorage;
pub use package_host::{
    IndexFormat, Misbehaviour, NpmPackage, PackageHost, TarEntry, TarballSource, Wheel,
    WheelMetadata, ZipEntry, npm_server_source, npm_server_source_with_prelude,
    python_server_source, python_server_source_with_prelude, tarball, zip,
};
pub use package_registry::{PackageRegistry, unused_address};
pub use postgres::Postgres;
pub use processes::{Process, processes};
pub use random::Random;
pub use reference_cli::ReferenceProgram;

/// A long count: whole in `cargo xtask soak`, a thousandth in `cargo xtask mutants`, where every
/// mutant pays for it, a tenth elsewhere.
#[must_use]
pub fn long_count(full: usize) -> usize {
    let is_set = |name| std::env::var_os(name).is_some();
    let part = if is_set("FACET_MUTANTS") {
        1000
    } else if is_set("FACET_SOAK") {
        1
    } else {
        10
    };
    full.div_ceil(part)
}

/// Bytes as hex, the way batch protocols carry them on one line.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let nibbles = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    nibbles.map(|nibble| char::from(DIGITS[usize::from(nibble)])).collect()
}

/// The reverse of [`to_hex`].
#[must_use]
pub fn from_hex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).unwrap_or_default())
        .collect()
}
