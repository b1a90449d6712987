//! Dependencies point one way, and the words are pure.

use std::collections::BTreeMap;

use serde_json::Value;

use super::sources::{self, tracked_files};
use crate::Outcome;
use crate::run::{self, cargo};

/// Lower layers first; a crate may use only what stands before it.
const LAYERS: &[&[&str]] = &[
    &["facets-removal"],
    &["facets-digest", "facets-failure", "facets-http", "facets-markers", "facets-worker"],
    &[
        "facets-files",
        "facets-jsonc",
        "facets-model",
        "facets-schema",
        "facets-surface",
        "facets-wire",
    ],
    &[
        "facets-clients",
        "facets-closure",
        "facets-drift",
        "facets-guard",
        "facets-lock",
        "facets-scan",
        "facets-validator",
    ],
    &[
        "facets-archive",
        "facets-blobs",
        "facets-catalog",
        "facets-fetch",
        "facets-plan",
        "facets-policy",
        "facets-project",
        "facets-store",
    ],
    &[
        "facets-file-hashes",
        "facets-launch",
        "facets-mcp",
        "facets-registry-client",
        "facets-runtime",
    ],
    &["facets-face", "facets-packages", "facets-probe", "facets-run"],
    &["facets-ops", "facets-registry"],
    &["facet", "facet-registry", "mcp-publisher"],
];

/// Used by tests and chores only, never by what is shipped.
const WORKSHOP: &[&str] = &["facets-testkit", "facets-bench", "xtask"];

/// Crates without files, network, environment, clock or randomness.
const PURE: &[&str] = &[
    "facets-clients",
    "facets-closure",
    "facets-digest",
    "facets-model",
    "facets-wire",
    "facets-surface",
    "facets-scan",
    "facets-lock",
    "facets-drift",
    "facets-failure",
    "facets-guard",
    "facets-jsonc",
    "facets-markers",
    "facets-plan",
    "facets-schema",
];

/// Pure in what they say, but on a parser that stands on many others: they run in a cage.
const CAGED: &[&str] = &["facets-scan"];

/// What pure crates may stand on. Adding one is a decision about the trust core.
const PURE_DEPENDENCIES: &[&str] = &[
    "facets-digest",
    "facets-failure",
    "facets-jsonc",
    "facets-lock",
    "facets-markers",
    "facets-model",
    "facets-schema",
    "facets-surface",
    "facets-wire",
    "memchr",
    "oxc_allocator",
    "oxc_ast",
    "oxc_ast_visit",
    "oxc_parser",
    "oxc_span",
    "oxc_str",
    "oxc_syntax",
    "ryu-js",
    "saphyr-parser",
    "semver",
    "sha2",
    "thiserror",
    "toml_edit",
    "unicode-normalization",
];

/// What those stand on in turn.
const PURE_FOUNDATION: &[&str] = &[
    "arraydeque",
    "block-buffer",
    "cfg-if",
    "const-oid",
    "cpufeatures",
    "crypto-common",
    "digest",
    "equivalent",
    "hashbrown",
    "hybrid-array",
    "indexmap",
    "libc",
    "proc-macro2",
    "quote",
    "syn",
    "thiserror-impl",
    "tinyvec",
    "tinyvec_macros",
    "toml_datetime",
    "toml_parser",
    "typenum",
    "unicode-ident",
    "winnow",
];

/// What a pure crate never says. Imports are written out one by one, so that none hides.
const IMPURE: &[&str] = &[
    "std::{",
    "std::fs",
    "std::env",
    "std::process",
    "std::time",
    "std::os",
    "fs::",
    "env::",
    "stdin",
    "stdout",
    "stderr",
    "SystemTime",
    "Instant::",
    "TcpStream",
    "TcpListener",
    "UdpSocket",
    "UnixStream",
    "UnixDatagram",
    "UnixListener",
    "ToSocketAddrs",
    "File::",
    "OpenOptions",
    "println!",
    "eprintln!",
    "print!(",
    "dbg!",
    "RandomState",
    "HashMap",
    "HashSet",
    "tokio",
    "async fn",
    "unsafe ",
    "include_bytes!",
    "option_env!",
];

/// A map whose hashes are the same in every run.
const FIXED_MAP: &str = "IdentHashMap";

/// Tables of names that scanned programs use.
const NAMES_OF_OTHERS: [&str; 2] = ["facets-scan/src/words.rs", "facets-scan/src/words/members.rs"];

fn metadata() -> Outcome<Vec<Value>> {
    let text = run::text(cargo().args(["metadata", "--format-version", "1", "--no-deps"]))?;
    let mut value: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match value["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => Err("cargo metadata lists no packages".to_owned()),
    }
}

/// Names of the dependencies of one kind: null is normal, "dev" and "build" are not.
fn dependencies(package: &Value, kind: &Value) -> Vec<String> {
    let all = package["dependencies"].as_array().cloned().unwrap_or_default();
    let of_kind = all.iter().filter(|dependency| dependency["kind"] == *kind);
    of_kind.filter_map(|dependency| dependency["name"].as_str().map(str::to_owned)).collect()
}

fn layer(name: &str) -> Option<usize> {
    LAYERS.iter().position(|crates| crates.contains(&name))
}

pub(super) fn check_direction() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for package in metadata()? {
        let name = package["name"].as_str().unwrap_or_default();
        if WORKSHOP.contains(&name) {
            continue;
        }
        let Some(own) = layer(name) else {
            complaints.push(format!("{name} has no layer in xtask/src/tidy/layers.rs"));
            continue;
        };
        for used in dependencies(&package, &Value::Null) {
            if WORKSHOP.contains(&used.as_str()) {
                complaints.push(format!("{name} ships with the workshop crate {used}"));
            }
            if layer(&used).is_some_and(|other| other >= own) {
                complaints.push(format!("{name} depends upwards on {used}"));
            }
        }
    }
    Ok(complaints)
}

/// The longest chain of crates, each of which needs the next.
const MOST_DEEP: usize = 6;

/// Which crate that is shipped uses which others.
pub(super) fn uses() -> Outcome<BTreeMap<String, Vec<String>>> {
    let name = |package: &Value| package["name"].as_str().unwrap_or_default().to_owned();
    let uses = metadata()?;
    let uses = uses.iter().map(|package| (name(package), dependencies(package, &Value::Null)));
    Ok(uses.filter(|(name, _)| !WORKSHOP.contains(&name.as_str())).collect())
}

/// Depth costs understanding; the number of crates does not.
pub(super) fn check_depth() -> Outcome<Vec<String>> {
    let uses = uses()?;
    let chains = uses.keys().map(|name| longest_chain(name, &uses));
    let longest = chains.max_by_key(Vec::len).unwrap_or_default();
    if longest.len() <= MOST_DEEP {
        return Ok(Vec::new());
    }
    let chain = longest.join(" -> ");
    Ok(vec![format!("a chain of {} crates, more than {MOST_DEEP}: {chain}", longest.len())])
}

fn longest_chain(name: &str, uses: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let below = uses.get(name).into_iter().flatten().filter(|used| uses.contains_key(*used));
    let longest = below.map(|used| longest_chain(used, uses)).max_by_key(Vec::len);
    std::iter::once(name.to_owned()).chain(longest.unwrap_or_default()).collect()
}

pub(super) fn check_purity() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for package in metadata()? {
        let name = package["name"].as_str().unwrap_or_default();
        if PURE.contains(&name) {
            let used = dependencies(&package, &Value::Null);
            let strange = used.iter().filter(|used| !PURE_DEPENDENCIES.contains(&used.as_str()));
            complaints.extend(strange.map(|used| format!("the pure crate {name} uses {used}")));
            if !CAGED.contains(&name) {
                complaints.extend(check_foundation(name)?);
            }
        }
    }
    for (path, text) in tracked_files(".rs")? {
        if !PURE.iter().any(|name| path.starts_with(&format!("crates/{name}/src/"))) {
            continue;
        }
        if NAMES_OF_OTHERS.iter().any(|table| path.ends_with(table)) || path.ends_with("/tests.rs")
        {
            continue;
        }
        for (number, line) in sources::production_lines(&text) {
            let line = line.replace(FIXED_MAP, "");
            if let Some(word) = IMPURE.iter().find(|word| line.contains(**word)) {
                complaints.push(format!("{path}:{number}: `{word}` in a pure crate"));
            }
        }
    }
    Ok(complaints)
}

/// Everything below a pure crate, however far.
fn check_foundation(name: &str) -> Outcome<Vec<String>> {
    let mut tree = cargo();
    tree.args(["tree", "--package", name, "--edges", "normal", "--prefix", "none"]);
    let listing = run::text(tree.args(["--format", "{p}"]))?;
    let names = listing.lines().filter_map(|line| line.split(' ').next());
    let known = |used: &&str| {
        *used == name || PURE_DEPENDENCIES.contains(used) || PURE_FOUNDATION.contains(used)
    };
    let strange = names.filter(|used| !known(used));
    Ok(strange.map(|used| format!("below the pure crate {name} stands {used}")).collect())
}

/// Features of `serde_json` that change what a number or a member means are global: one
/// dependency that switches them on does so for all.
pub(super) fn check_json_features() -> Outcome<Vec<String>> {
    // The last reads every double exactly, which is what it should be without it, too.
    const HARMLESS: &[&str] = &["default", "std", "float_roundtrip"];
    let tree = run::text(cargo().args([
        "tree",
        "--edges",
        "normal,features",
        "--invert",
        "serde_json",
        "--workspace",
        "--prefix",
        "none",
        "--format",
        "{p}",
    ]))?;
    let features = tree.lines().filter_map(|line| line.strip_prefix("serde_json feature \""));
    let names = features.filter_map(|rest| rest.split('"').next());
    let bad = names.filter(|name| !HARMLESS.contains(name));
    Ok(bad
        .map(|name| format!("serde_json has the feature `{name}`, which changes its meaning"))
        .collect())
}
