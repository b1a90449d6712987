//! The `tsconfig.json` that bun obeys: that of the server, or none.

use std::collections::BTreeSet;
use std::path::PathBuf;

use facets_model::tree::{ManifestFormat, Node, NodeValue, parse};

use super::dependencies::member;
use super::workshop::Workshop;
use crate::error::{BundleError, OpsError};

/// In the order in which bun takes them.
const NAMES: [&str; 2] = ["tsconfig.json", "jsconfig.json"];

/// The settings for the compiler. Without being told, bun looks for them in every directory up to the root of the
/// machine.
pub(super) fn settings_file(workshop: &Workshop) -> Result<PathBuf, OpsError> {
    match NAMES.into_iter().find(|name| workshop.has(name)) {
        Some(name) => {
            verify_bases(workshop, name)?;
            Ok(workshop.source().join(name))
        }
        None => workshop.write("tsconfig.json", "{}"),
    }
}

/// Follows `extends` through the files of the server, and refuses one that leads out of it.
fn verify_bases(workshop: &Workshop, first: &'static str) -> Result<(), OpsError> {
    let (mut seen, mut left) = (BTreeSet::new(), vec![first.to_owned()]);
    while let Some(file) = left.pop() {
        if !workshop.has(&file) || !seen.insert(file.clone()) {
            continue;
        }
        let refuse = |problem: String| BundleError::Document { file: first, problem };
        let bytes = workshop.read(&file)?;
        let parsed = parse(&bytes, ManifestFormat::JsonWithComments)
            .map_err(|problem| refuse(format!("{file}: {}", problem.found)))?;
        if let Some(problem) = parsed.problems.first() {
            return Err(refuse(format!("{file}: {}", problem.found)).into());
        }
        for base in bases(&parsed.root) {
            let path = base_path(&file, base);
            left.push(path.ok_or_else(|| BundleError::Outside { path: base.to_owned() })?);
        }
    }
    Ok(())
}

/// The files that settings are based on.
fn bases(settings: &Node) -> Vec<&str> {
    match member(settings, "extends").map(|node| &node.value) {
        Some(NodeValue::String(base)) => vec![base.as_str()],
        Some(NodeValue::Array(bases)) => bases.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

fn text(node: &Node) -> Option<&str> {
    match &node.value {
        NodeValue::String(text) => Some(text),
        _ => None,
    }
}

/// Where `extends` of a file leads: bun takes also the name of a package for a path. Nothing if that is outside.
fn base_path(file: &str, base: &str) -> Option<String> {
    if base.starts_with('/') {
        return None;
    }
    let mut segments: Vec<&str> = file.split('/').collect();
    segments.pop();
    for segment in base.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use facets_failure::Describe as _;

    use super::*;

    #[test]
    fn settings_above_the_server_are_not_read() {
        let cache = tempfile::tempdir().unwrap();
        fs::write(cache.path().join("tsconfig.json"), r#"{"compilerOptions":{}}"#).unwrap();
        let workshop = Workshop::with_files(cache.path(), &[("index.ts", "")]);
        let file = settings_file(&workshop).unwrap();
        assert_eq!(fs::read_to_string(file).unwrap(), "{}");
        for name in ["jsconfig.json", "tsconfig.json"] {
            let workshop = Workshop::with_files(cache.path(), &[(name, "{}")]);
            assert_eq!(settings_file(&workshop).unwrap(), workshop.source().join(name));
        }
    }

    #[test]
    fn settings_based_on_a_file_outside_are_refused() {
        let cache = tempfile::tempdir().unwrap();
        let with = |first: &str, second: &str| {
            let files = [("tsconfig.json", first), ("config/base.json", second)];
            settings_file(&Workshop::with_files(cache.path(), &files))
        };
        let inside = r#"{ "extends": "./config/base.json", /* a comment */ }"#;
        assert!(with(inside, r#"{ "extends": ["../tsconfig.json", "@tsconfig/bun"] }"#).is_ok());
        for base in [r#""/etc/ext.json""#, r#""../ext.json""#, r#"["./a/../../ext.json"]"#] {
            let error = with(&format!(r#"{{ "extends": {base} }}"#), "{}").unwrap_err();
            assert_eq!(error.code(), "build-import-outside", "{base}");
        }
        let error = with(inside, r#"{ "extends": "../../ext.json" }"#).unwrap_err();
        assert_eq!(error.code(), "build-import-outside");
        assert_eq!(with("{", "{}").unwrap_err().code(), "build-package-document");
    }
}
