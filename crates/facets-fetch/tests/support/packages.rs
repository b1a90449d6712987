//! Packages, as registries describe them.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use facets_testkit::to_hex;
use serde_json::{Value, json};
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha512};

use super::server::{Request, Server, answer};

/// A release on GitHub of which nothing is stated.
pub const ASSET: &str = "github:o/r/v1/a";
/// A package of npm.
pub const PAD: &str = "npm:pad@1.0.0";
/// A release of PyPI that has one file.
pub const WHEEL: &str = "pypi:pad==1.0";

pub const TARBALL: &str = "/pad/-/pad-1.0.0.tgz";
pub const WHEEL_NAME: &str = "pad-1.0-py3-none-any.whl";
pub const SIMPLE_JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The bytes of a file that is neither small nor large.
pub fn content() -> Vec<u8> {
    (0..100_000_u32).map(|number| u8::try_from(number % 251).unwrap()).collect()
}

/// What npm states about a file.
pub fn dist(bytes: &[u8]) -> Value {
    json!({
        "tarball": TARBALL,
        "integrity": format!("sha512-{}", STANDARD.encode(&Sha512::digest(bytes)[..])),
        "shasum": to_hex(&Sha1::digest(bytes)[..]),
    })
}

/// What the document of a package says about a version.
pub fn version(dist: &Value) -> Value {
    json!({ "name": "pad", "version": "1.0.0", "dist": dist })
}

/// The document of a package with that version.
pub fn packument(dist: &Value) -> Value {
    json!({ "name": "pad", "versions": { "1.0.0": version(dist) } })
}

pub fn send_json(to: &mut dyn Write, kind: &str, value: &Value) {
    answer(to, "200 OK", &[("Content-Type", kind)], value.to_string().as_bytes());
}

/// A registry of npm that describes a package, and does anything else as it is told.
pub fn npm_server(
    dist: Value,
    file: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static,
) -> Server {
    Server::start(move |request, to| match request.path.as_str() {
        "/pad" => send_json(to, "application/json", &packument(&dist)),
        _ => file(request, to),
    })
}

/// A file in an index of PyPI, which lies beside the page.
pub fn index_file(name: &str, bytes: &[u8]) -> Value {
    let hashes = json!({ "sha256": to_hex(&Sha256::digest(bytes)[..]) });
    json!({ "filename": name, "url": format!("/files/{name}"), "hashes": hashes, "size": bytes.len() })
}

/// The page of a project.
pub fn index_page(files: &[Value]) -> Value {
    json!({ "meta": { "api-version": "1.0" }, "name": "pad", "files": files })
}

/// An index of PyPI that lists files, and does anything else as it is told.
pub fn index_server(
    files: &[Value],
    file: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static,
) -> Server {
    let page = index_page(files);
    Server::start(move |request, to| match request.path.as_str() {
        "/simple/pad/" => send_json(to, SIMPLE_JSON, &page),
        _ => file(request, to),
    })
}
