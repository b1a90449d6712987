//! The `package.json` in the file of a package. What a registry states about it is not trusted.

use std::collections::BTreeMap;

use facets_digest::json::{Limits, Object, Provenance, Value, parse};

use crate::error::ClosureError;

const WHAT: &str = "package.json";

/// Few have more than 100 kB.
const LIMITS: Limits = Limits { bytes: 16 << 20, depth: 64, values: 500_000 };

/// Scripts that an installer runs in a package of a registry.
const INSTALL_SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

/// A program of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// Its file in the package.
    pub path: String,
}

/// What a package says about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageManifest {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its programs: the file of each by its name.
    pub programs: BTreeMap<String, String>,
    /// The names of scripts that an installer would run.
    pub install_scripts: Vec<&'static str>,
    /// The versions of Node.js that it asks for.
    pub node: Option<String>,
}

impl PackageManifest {
    /// Reads a `package.json`.
    pub fn parse(bytes: &[u8]) -> Result<Self, ClosureError> {
        // npm skips a byte order mark, and so does every runtime.
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let source = |source| ClosureError::Json { what: WHAT, source };
        let document = parse(bytes, Provenance::Captured, LIMITS).map_err(source)?;
        let Value::Object(document) = &document else { return Err(bad("name", "an object")) };
        let name = text(document, "name").unwrap_or_default().to_owned();
        let node = document.get("engines").and_then(|engines| engines.member("node"));
        let node = match node {
            Some(Value::String(range)) => Some(range.to_string()),
            _ => None,
        };
        Ok(Self {
            programs: programs(&name, document),
            install_scripts: install_scripts(document),
            version: text(document, "version").unwrap_or_default().to_owned(),
            name,
            node,
        })
    }

    /// The program that `npx` starts: the one that is asked for; else the only one, or that with the name of the
    /// package.
    pub fn program(&self, wanted: Option<&str>) -> Result<Program, ClosureError> {
        let own = base_name(&self.name);
        let named = |name: &str| {
            self.programs
                .get(name)
                .map(|path| Program { name: name.to_owned(), path: path.clone() })
        };
        let found = match wanted {
            Some(wanted) => named(wanted),
            None => self.only_program().or_else(|| named(own)),
        };
        found.ok_or_else(|| ClosureError::NoProgram {
            package: self.name.clone(),
            wanted: wanted.unwrap_or(own).to_owned(),
            found: self.programs.keys().cloned().collect(),
        })
    }

    /// The one file that all names lead to.
    fn only_program(&self) -> Option<Program> {
        let (name, path) = self.programs.iter().next()?;
        let is_only = self.programs.values().all(|other| other == path);
        is_only.then(|| Program { name: name.clone(), path: path.clone() })
    }
}

fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn programs(name: &str, document: &Object<'_>) -> BTreeMap<String, String> {
    let file = |text: &str| file_in_package(text);
    match document.get("bin") {
        Some(Value::String(path)) => {
            file(path).map(|path| (base_name(name).to_owned(), path)).into_iter().collect()
        }
        Some(Value::Object(list)) => list
            .members()
            .iter()
            .filter_map(|member| match &member.value {
                // npm takes the last part of a name with slashes.
                Value::String(path) => Some((base_name(&member.name).to_owned(), file(path)?)),
                _ => None,
            })
            .collect(),
        _ => BTreeMap::new(),
    }
}

/// The path of a file inside of the package; nothing if it leads out of it.
fn file_in_package(text: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            // npm takes the root of a package for that of the disk.
            ".." => drop(parts.pop()),
            _ if part.contains(['\\', '\0', ':']) => return None,
            _ => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn install_scripts(document: &Object<'_>) -> Vec<&'static str> {
    let Some(Value::Object(scripts)) = document.get("scripts") else { return Vec::new() };
    let is_set =
        |name: &&&str| matches!(scripts.get(name), Some(Value::String(text)) if !text.is_empty());
    INSTALL_SCRIPTS.iter().filter(is_set).copied().collect()
}

fn text<'v>(object: &'v Object<'_>, name: &str) -> Option<&'v str> {
    match object.get(name)? {
        Value::String(text) => Some(text.as_ref()),
        _ => None,
    }
}

fn bad(member: &str, expected: &'static str) -> ClosureError {
    ClosureError::Member { what: WHAT, member: member.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(bin: &str, wanted: Option<&str>) -> Option<(String, String)> {
        let text = format!(r#"{{"name":"@s/server","version":"1.0.0","bin":{bin}}}"#);
        let manifest = PackageManifest::parse(text.as_bytes()).unwrap();
        manifest.program(wanted).ok().map(|program| (program.name, program.path))
    }

    #[test]
    fn the_program_is_the_one_that_npx_starts() {
        let some = |name: &str, path: &str| Some((name.to_owned(), path.to_owned()));
        assert_eq!(program(r#""./dist/index.js""#, None), some("server", "dist/index.js"));
        assert_eq!(program(r#"{"other":"a.js"}"#, None), some("other", "a.js"));
        assert_eq!(program(r#"{"a":"x.js","b":"./x.js"}"#, None), some("a", "x.js"));
        assert_eq!(program(r#"{"a":"x.js","server":"y.js"}"#, None), some("server", "y.js"));
        assert_eq!(program(r#"{"a":"x.js","b":"y.js"}"#, None), None);
        assert_eq!(program(r#"{"a":"x.js","b":"y.js"}"#, Some("b")), some("b", "y.js"));
        assert_eq!(program(r#"{"a":"x.js"}"#, Some("server")), None);
        assert_eq!(program("{}", None), None);
        assert_eq!(program(r#"{"a":"../../x.js"}"#, None), some("a", "x.js"));
        assert_eq!(program(r#"{"a":"c:\\x.js"}"#, None), None);
    }

    #[test]
    fn scripts_of_installers_and_engines_are_found() {
        let text = br#"{"name":"a","version":"1.0.0","engines":{"node":">=20"},
            "scripts":{"test":"x","postinstall":"node x.js","install":""}}"#;
        let manifest = PackageManifest::parse(text).unwrap();
        assert_eq!(manifest.install_scripts, ["postinstall"]);
        assert_eq!(manifest.node.as_deref(), Some(">=20"));
        let marked = [b"\xef\xbb\xbf".as_slice(), text].concat();
        assert_eq!(PackageManifest::parse(&marked).unwrap(), manifest);
    }
}
