//! Which file an import means: Node's rules and Bun's, over files that somebody else reads.

use std::collections::BTreeMap;

use facets_surface::fusion::{Js, parse};

use crate::files::Files;

/// What an import leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Files of the tree, one for each runtime that would choose another.
    Files(Vec<String>),
    /// A package that is not there.
    Package(String),
    /// Nothing.
    Missing,
}

/// Endings that are tried for a name without one.
const ENDINGS: &[&str] =
    &[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".json", ".node"];

/// Written for what will be there when it is built, or run by a runtime that reads TypeScript.
const TYPESCRIPT: &[(&str, &[&str])] =
    &[(".js", &[".ts", ".tsx"]), (".jsx", &[".tsx"]), (".mjs", &[".mts"]), (".cjs", &[".cts"])];

/// Conditions of `exports` that hold in Node and in Bun.
const NODE: &[&str] = &["node", "node-addons", "module-sync", "default"];
const BUN: &[&str] = &["bun", "node", "node-addons", "default"];

pub(crate) struct Resolver<'f> {
    files: &'f dyn Files,
    manifests: BTreeMap<String, Option<Vec<u8>>>,
}

impl<'f> Resolver<'f> {
    pub(crate) fn new(files: &'f dyn Files) -> Self {
        Self { files, manifests: BTreeMap::new() }
    }

    /// The files that an import in `from` means.
    pub(crate) fn resolve(&mut self, specifier: &str, from: &str, by_require: bool) -> Target {
        // Node decodes and cuts the one as a URL, and takes the other as it is.
        let odd = |c: char| matches!(c, '%' | '#' | '\\' | '?') || c.is_control();
        if specifier.chars().skip(1).any(odd) {
            return Target::Missing;
        }
        let folder = parent(from);
        let found = if specifier.starts_with('/') {
            self.file_or_folder(&normal(specifier))
        } else if specifier == "."
            || specifier == ".."
            || specifier.starts_with("./")
            || specifier.starts_with("../")
        {
            self.file_or_folder(&join(folder, specifier))
        } else if specifier.starts_with('#') {
            self.own_import(specifier, folder, by_require)
        } else {
            return self.package(specifier, folder, by_require);
        };
        if found.is_empty() { Target::Missing } else { Target::Files(found) }
    }

    /// The files that a package starts with.
    pub(crate) fn entries(&mut self, root: &str) -> Option<(Vec<String>, Vec<String>)> {
        let manifest = self.manifest(root)?;
        let Ok(manifest) = parse(without_mark(&manifest)) else { return None };
        let mut named: Vec<String> = Vec::new();
        match manifest.get("bin") {
            Some(Js::String(path)) => named.push(path.to_string()),
            Some(Js::Object(all)) => {
                named.extend(all.iter().filter_map(|(_, path)| path.text()).map(str::to_owned));
            }
            _ => {}
        }
        let main = ["main", "module"].iter().filter_map(|name| manifest.get(name)?.text());
        named.extend(main.map(str::to_owned));
        if let Some(exports) = manifest.get("exports") {
            leaves(exports, &mut named);
            // Patterns and types are no programs of their own.
            named.retain(|name| !name.contains('*') && !name.ends_with(".d.ts"));
        }
        if named.is_empty() {
            named.push("index".to_owned());
        }
        named.sort();
        named.dedup();
        let (mut found, mut missing) = (Vec::new(), Vec::new());
        for name in named {
            let files = self.file_or_folder(&join(root, &name));
            if files.is_empty() && name != "index" {
                missing.push(name);
            }
            found.extend(files);
        }
        found.sort();
        found.dedup();
        Some((found, missing))
    }

    /// Everything that a name may mean: the exact file, or else each that some runtime would
    /// try, because they disagree about which comes first.
    fn file_or_folder(&mut self, path: &str) -> Vec<String> {
        if self.files.is_file(path) {
            return vec![path.to_owned()];
        }
        let mut found = self.endings(path);
        let manifest = self.manifest(path);
        let manifest = manifest.as_deref().and_then(|bytes| parse(without_mark(bytes)).ok());
        for name in ["main", "module"] {
            let named = manifest.as_ref().and_then(|manifest| manifest.get(name)?.text());
            if let Some(named) = named {
                let named = join(path, named);
                if self.files.is_file(&named) {
                    found.push(named);
                } else {
                    found.extend(self.endings(&named));
                    found.extend(self.endings(&join(&named, "index")));
                }
            }
        }
        found.extend(self.endings(&join(path, "index")));
        found.sort();
        found.dedup();
        found
    }

    /// Files that a name becomes with an ending, or as TypeScript.
    fn endings(&self, path: &str) -> Vec<String> {
        let typed = TYPESCRIPT
            .iter()
            .filter_map(|(written, others)| path.strip_suffix(written).map(|stem| (stem, *others)));
        let typed =
            typed.flat_map(|(stem, others)| others.iter().map(move |end| format!("{stem}{end}")));
        let ended = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
        typed.chain(ended).filter(|path| self.files.is_file(path)).collect()
    }

    /// The file that a manifest names.
    fn file(&self, path: &str) -> Vec<String> {
        if self.files.is_file(path) { vec![path.to_owned()] } else { self.endings(path) }
    }

    fn package(&mut self, specifier: &str, folder: &str, by_require: bool) -> Target {
        let (name, rest) = split_package(specifier);
        let subpath = rest.map_or_else(|| ".".to_owned(), |rest| format!("./{rest}"));
        let subpath = subpath.as_str();
        let mut above = Some(folder);
        while let Some(folder) = above {
            // A package may import itself by its name, and that comes first.
            let mut found = self.itself(folder, name, subpath, by_require).unwrap_or_default();
            let root = join(folder, &format!("node_modules/{name}"));
            found.extend(self.in_package(&root, subpath, by_require));
            if !found.is_empty() {
                return Target::Files(found);
            }
            if self.manifest(&root).is_some() {
                return Target::Missing;
            }
            above = (folder != "/" && !folder.is_empty()).then(|| parent(folder));
        }
        Target::Package(name.to_owned())
    }

    fn itself(
        &mut self,
        folder: &str,
        name: &str,
        subpath: &str,
        by_require: bool,
    ) -> Option<Vec<String>> {
        let manifest = self.manifest(folder)?;
        let manifest = parse(without_mark(&manifest)).ok()?;
        if manifest.get("name")?.text()? != name {
            return None;
        }
        let found = self.targets(manifest.get("exports")?, folder, subpath, by_require);
        (!found.is_empty()).then_some(found)
    }

    fn in_package(&mut self, root: &str, subpath: &str, by_require: bool) -> Vec<String> {
        let manifest = self.manifest(root).unwrap_or_default();
        let manifest = parse(without_mark(&manifest)).ok();
        match manifest.as_ref().and_then(|manifest| manifest.get("exports")) {
            Some(exports) => self.targets(exports, root, subpath, by_require),
            None if subpath == "." => self.file_or_folder(root),
            None => self.file_or_folder(&join(root, subpath)),
        }
    }

    fn targets(
        &self,
        exports: &Js<'_>,
        root: &str,
        subpath: &str,
        by_require: bool,
    ) -> Vec<String> {
        let named = matching(exports, subpath, by_require).into_iter();
        let mut found: Vec<String> = named.flat_map(|name| self.file(&join(root, &name))).collect();
        found.dedup();
        found
    }

    /// `#name`, which the package of the importing file maps.
    fn own_import(&mut self, specifier: &str, folder: &str, by_require: bool) -> Vec<String> {
        let mut above = Some(folder);
        while let Some(folder) = above {
            if let Some(manifest) = self.manifest(folder) {
                let Ok(manifest) = parse(without_mark(&manifest)) else { return Vec::new() };
                let Some(imports) = manifest.get("imports") else { return Vec::new() };
                // A name of a package or of a module of the runtime is out of sight here.
                let outside = |name: &String| !name.starts_with("./");
                if matching(imports, specifier, by_require).iter().any(outside) {
                    return Vec::new();
                }
                return self.targets(imports, folder, specifier, by_require);
            }
            above = (folder != "/" && !folder.is_empty()).then(|| parent(folder));
        }
        Vec::new()
    }

    fn manifest(&mut self, folder: &str) -> Option<Vec<u8>> {
        let files = self.files;
        let path = join(folder, "package.json");
        let read = || files.is_file(&path).then(|| files.read(&path).ok()).flatten();
        self.manifests.entry(folder.to_owned()).or_insert_with(read).clone()
    }
}

/// The files that `exports` or `imports` name for a subpath: what Node chooses, and what Bun
/// does.
fn matching(exports: &Js<'_>, subpath: &str, by_require: bool) -> Vec<String> {
    let kind = if by_require { "require" } else { "import" };
    let mut found: Vec<String> = Vec::new();
    for conditions in [NODE, BUN] {
        let holds = |name: &str| name == kind || conditions.contains(&name);
        let target = entry(exports, subpath).and_then(|(value, star)| choose(value, star, &holds));
        found.extend(target);
    }
    found.dedup();
    found
}

/// Every file that `exports` names.
fn leaves(value: &Js<'_>, out: &mut Vec<String>) {
    match value {
        Js::String(path) => out.push(path.to_string()),
        Js::Array(all) => {
            for value in all {
                leaves(value, out);
            }
        }
        Js::Object(all) => {
            let programs = all.iter().filter(|(name, _)| !name.starts_with("types"));
            for (_, value) in programs {
                leaves(value, out);
            }
        }
        _ => {}
    }
}

/// The entry for a subpath, and what stands for its `*`: of several the longest.
fn entry<'v, 'a, 's>(exports: &'v Js<'a>, subpath: &'s str) -> Option<(&'v Js<'a>, &'s str)> {
    let members = exports.members().unwrap_or_default();
    let is_map = members.iter().any(|(name, _)| name.starts_with('.') || name.starts_with('#'));
    if !is_map {
        return (subpath == ".").then_some((exports, ""));
    }
    if let Some(value) = exports.get(subpath) {
        return Some((value, ""));
    }
    let fits = members.iter().filter_map(|(pattern, value)| {
        let (before, after) = pattern.split_once('*')?;
        let star = subpath.strip_prefix(before)?.strip_suffix(after)?;
        Some(((before.len(), pattern.len()), (value, star)))
    });
    fits.max_by_key(|(length, _)| *length).map(|(_, found)| found)
}

/// The first target whose conditions hold.
fn choose(value: &Js<'_>, star: &str, holds: &dyn Fn(&str) -> bool) -> Option<String> {
    match value {
        Js::String(path) => Some(path.replace('*', star)),
        Js::Array(all) => all.iter().find_map(|value| choose(value, star, holds)),
        Js::Object(members) => {
            let chosen = members.iter().filter(|(name, _)| holds(name));
            chosen.into_iter().find_map(|(_, value)| choose(value, star, holds))
        }
        _ => None,
    }
}

/// `@scope/name/sub/path` is a package and a path inside it.
fn split_package(specifier: &str) -> (&str, Option<&str>) {
    let scoped = specifier.starts_with('@');
    let end = specifier.match_indices('/').nth(usize::from(scoped)).map(|(at, _)| at);
    match end {
        None => (specifier, None),
        Some(at) => (&specifier[..at], Some(&specifier[at + 1..])),
    }
}

/// The folder of a path.
pub(crate) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => "",
    }
}

/// A path below a folder, without `.` and `..`.
pub(crate) fn join(folder: &str, path: &str) -> String {
    normal(&format!("{folder}/{path}"))
}

fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Node reads a manifest with a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
}
