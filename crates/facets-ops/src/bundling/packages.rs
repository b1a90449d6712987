//! The packages that were installed, and those that a bundle cannot hold.

use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};

use facets_model::tree::{ManifestFormat, Node, NodeValue, parse};

use super::dependencies::{PACKAGE, member};
use super::workshop::{failed, read_file};
use crate::error::{BundleError, OpsError, RefusedPackage};

/// Scripts that run when a package is installed: without them it may not be complete.
const SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

const MODULES: &str = "node_modules";

/// All packages below a `node_modules`, as `NAME@VERSION`, sorted. Those that a bundle cannot hold are refused.
pub(super) fn list_installed(modules: &Path) -> Result<Vec<String>, OpsError> {
    let (mut names, mut refused) = (Vec::new(), Vec::new());
    let mut left = vec![modules.to_owned()];
    while let Some(modules) = left.pop() {
        for folder in package_folders(&modules)? {
            let (package, reason) = look_at(&folder)?;
            if let Some(reason) = reason {
                refused.push(RefusedPackage { package: package.clone(), reason });
            }
            names.push(package);
            left.push(folder.join(MODULES));
        }
    }
    names.sort();
    names.dedup();
    if refused.is_empty() {
        return Ok(names);
    }
    refused.sort_by(|one, other| one.package.cmp(&other.package));
    refused.dedup();
    Err(BundleError::RefusedPackages { refused }.into())
}

/// The directories of packages, also of those with a scope. Links lead to files of the server itself.
fn package_folders(modules: &Path) -> Result<Vec<PathBuf>, OpsError> {
    let mut found = Vec::new();
    for (name, entry) in entries(modules)? {
        if name.starts_with('@') {
            found.extend(entries(&entry.path())?.into_iter().map(|(_, entry)| entry.path()));
        } else if !name.starts_with('.') {
            found.push(entry.path());
        }
    }
    found.retain(|path| fs::symlink_metadata(path).is_ok_and(|data| data.is_dir()));
    Ok(found)
}

/// What is in a directory; nothing if there is no such directory.
fn entries(folder: &Path) -> Result<Vec<(String, DirEntry)>, OpsError> {
    if !fs::symlink_metadata(folder).is_ok_and(|data| data.is_dir()) {
        return Ok(Vec::new());
    }
    let listed = fs::read_dir(folder).map_err(failed(folder))?;
    let listed: Result<Vec<DirEntry>, _> = listed.collect();
    let listed = listed.map_err(failed(folder))?.into_iter();
    Ok(listed.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry)).collect())
}

/// Name and version of a package, and why it cannot be bundled.
fn look_at(folder: &Path) -> Result<(String, Option<String>), OpsError> {
    let bytes = read_file(&folder.join(PACKAGE)).unwrap_or_default();
    let Ok(parsed) = parse(&bytes, ManifestFormat::Json) else {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok((name, Some("its package.json cannot be read".to_owned())));
    };
    let text = |name: &str| match member(&parsed.root, name).map(|node| &node.value) {
        Some(NodeValue::String(text)) => text.clone(),
        _ => String::new(),
    };
    let package = format!("{}@{}", text("name"), text("version"));
    if let Some(script) = install_script(&parsed.root) {
        return Ok((package, Some(format!("it has the install script {script:?}"))));
    }
    let native = find_native(folder)?;
    Ok((package, native.map(|file| format!("it is a native addon: {file}"))))
}

fn install_script(root: &Node) -> Option<&'static str> {
    let scripts = member(root, "scripts")?;
    SCRIPTS.into_iter().find(|script| member(scripts, script).is_some())
}

/// A file of a native addon, which works on one platform only.
fn find_native(folder: &Path) -> Result<Option<String>, OpsError> {
    let mut left = vec![folder.to_owned()];
    while let Some(current) = left.pop() {
        for (name, entry) in entries(&current)? {
            let kind = entry.file_type().map_err(failed(&current))?;
            let path = entry.path();
            let is_addon = path.extension().is_some_and(|ending| ending == "node");
            if kind.is_file() && (is_addon || name == "binding.gyp") {
                let inside = path.strip_prefix(folder).unwrap_or(&path);
                return Ok(Some(inside.display().to_string()));
            }
            if kind.is_dir() && name != MODULES {
                left.push(path);
            }
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    fn package(modules: &Path, name: &str, json: &str, files: &[&str]) {
        let folder = modules.join(name);
        for file in files {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(PACKAGE), json).unwrap();
    }

    #[test]
    fn packages_of_all_depths_are_listed() {
        let root = tempfile::tempdir().unwrap();
        package(root.path(), "a", r#"{"name":"a","version":"1.0.0"}"#, &["index.js"]);
        package(root.path(), "@s/b", r#"{"name":"@s/b","version":"2.0.0"}"#, &[]);
        package(&root.path().join("a/node_modules"), "c", r#"{"name":"c","version":"3.0.0"}"#, &[]);
        fs::create_dir(root.path().join(".bin")).unwrap();
        assert_eq!(list_installed(root.path()).unwrap(), ["@s/b@2.0.0", "a@1.0.0", "c@3.0.0"]);
        assert!(list_installed(&root.path().join("none")).unwrap().is_empty());
    }

    #[test]
    fn native_addons_and_install_scripts_are_refused_by_name() {
        let root = tempfile::tempdir().unwrap();
        package(root.path(), "fine", r#"{"name":"fine","version":"1.0.0"}"#, &["a.js"]);
        let script = r#"{"name":"script","version":"1.0.0","scripts":{"postinstall":"x"}}"#;
        package(root.path(), "script", script, &[]);
        let native = r#"{"name":"native","version":"1.0.0","scripts":{"test":"x"}}"#;
        package(root.path(), "native", native, &["build/Release/x.node"]);
        package(root.path(), "gyp", r#"{"name":"gyp","version":"1.0.0"}"#, &["binding.gyp"]);
        package(root.path(), "broken", "{", &[]);
        let error = list_installed(root.path()).unwrap_err();
        let files: Vec<String> =
            error.problems().iter().map(|one| one.file.display().to_string()).collect();
        assert_eq!(files, ["broken", "gyp@1.0.0", "native@1.0.0", "script@1.0.0"]);
        assert_eq!(error.code(), "build-package-refused");
    }
}
