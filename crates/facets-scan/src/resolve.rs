//! Which file an import means: Node's rules and Bun's, over files that somebody else reads.

mod exports;

use std::collections::BTreeMap;

use facets_digest::json::{self, Limits, Provenance};
use facets_surface::fusion::{Js, parse};

use crate::files::Files;
use exports::{leaves, matching};

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

/// The files that a package starts with.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// Those that are started as commands.
    pub(crate) commands: Vec<String>,
    /// Those that others load.
    pub(crate) loaded: Vec<String>,
    /// Names under which nothing is there.
    pub(crate) missing: Vec<String>,
    /// Folders of commands that were not read to their end.
    pub(crate) unread: Vec<(String, String)>,
}

pub(crate) struct Resolver<'f> {
    files: &'f dyn Files,
    manifests: BTreeMap<String, Option<Vec<u8>>>,
    /// Manifests that runtimes read differently.
    odd: Vec<String>,
}

impl<'f> Resolver<'f> {
    pub(crate) fn new(files: &'f dyn Files) -> Self {
        Self { files, manifests: BTreeMap::new(), odd: Vec::new() }
    }

    /// The files that an import in `from` means.
    pub(crate) fn resolve(&mut self, specifier: &str, from: &str, by_require: bool) -> Target {
        if is_odd(specifier) {
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

    /// The files that a package starts with; none if it has no manifest that can be read.
    pub(crate) fn entries(&mut self, root: &str) -> Option<Entries> {
        let manifest = self.manifest(root)?;
        let Ok(manifest) = parse(without_mark(&manifest)) else { return None };
        let mut entries = Entries::default();
        let mut commands = self.commands(&manifest, root, &mut entries.unread);
        // Package managers make other paths of these, each in its own way.
        let is_plain = |name: &String| !is_odd(name) && !name.split('/').any(|part| part == "..");
        entries.missing.extend(commands.iter().filter(|name| !is_plain(name)).cloned());
        commands.retain(is_plain);
        let main = ["main", "module"].iter().filter_map(|name| manifest.get(name)?.text());
        let mut loaded: Vec<String> = main.map(str::to_owned).collect();
        if let Some(exports) = manifest.get("exports") {
            leaves(exports, &mut loaded);
            // Patterns and types are no programs of their own.
            loaded.retain(|name| !name.contains('*') && !name.ends_with(".d.ts"));
        }
        // `node .` knows neither `module` nor `exports`.
        if manifest.get("main").and_then(Js::text).is_none() {
            loaded.push("index".to_owned());
        }
        entries.missing.extend(loaded.iter().filter(|name| is_odd(name)).cloned());
        entries.commands = self.named(root, commands, &mut entries.missing);
        entries.loaded = self.named(root, loaded, &mut entries.missing);
        Some(entries)
    }

    /// What a package manager installs as commands.
    fn commands(
        &self,
        manifest: &Js<'_>,
        root: &str,
        unread: &mut Vec<(String, String)>,
    ) -> Vec<String> {
        match manifest.get("bin") {
            Some(Js::String(path)) => vec![path.to_string()],
            Some(Js::Array(all)) => all.iter().filter_map(Js::text).map(str::to_owned).collect(),
            Some(Js::Object(all)) if !all.is_empty() => {
                all.iter().filter_map(|(_, path)| path.text()).map(str::to_owned).collect()
            }
            _ => {
                let folder = manifest.get("directories").and_then(|all| all.get("bin")?.text());
                let folder = folder.map(|folder| join(root, folder));
                let listing = folder.map(|folder| self.files.list(&folder)).unwrap_or_default();
                unread.extend(listing.unread);
                let below = |file: String| file.strip_prefix(root).map(str::to_owned);
                listing.files.into_iter().filter_map(below).collect()
            }
        }
    }

    /// The files of these names, each once.
    fn named(&mut self, root: &str, names: Vec<String>, missing: &mut Vec<String>) -> Vec<String> {
        let mut found = Vec::new();
        for name in names {
            let files = self.file_or_folder(&join(root, &name));
            if files.is_empty() && name != "index" {
                missing.push(name);
            }
            found.extend(files);
        }
        found.sort();
        found.dedup();
        found
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
                if is_odd(named) {
                    self.odd.push(join(path, "package.json"));
                }
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
        let named = matching(exports, subpath, by_require);
        // Node takes a target as a URL.
        if named.iter().any(|name| is_odd(name)) {
            return Vec::new();
        }
        let mut found: Vec<String> =
            named.into_iter().flat_map(|name| self.file(&join(root, &name))).collect();
        found.sort();
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
        if let Some(known) = self.manifests.get(folder) {
            return known.clone();
        }
        let path = join(folder, "package.json");
        let read = self.files.is_file(&path).then(|| self.files.read(&path));
        // Bun reads comments, too, and of two members of one name the first.
        let is_plain = |bytes: &[u8]| {
            json::parse(without_mark(bytes), Provenance::Captured, Limits::DOCUMENT).is_ok()
        };
        if read.as_ref().is_some_and(|read| !read.as_ref().is_ok_and(|bytes| is_plain(bytes))) {
            self.odd.push(path);
        }
        let manifest = read.and_then(Result::ok);
        self.manifests.insert(folder.to_owned(), manifest.clone());
        manifest
    }

    /// Manifests that runtimes read differently, or that cannot be read.
    pub(crate) fn odd_manifests(&mut self) -> Vec<String> {
        std::mem::take(&mut self.odd)
    }
}

/// Whether runtimes disagree about what a path means: Node decodes and cuts the one as a URL,
/// and takes the other as it is.
fn is_odd(path: &str) -> bool {
    let odd = |c: char| matches!(c, '%' | '#' | '\\' | '?') || c.is_control();
    path.strip_prefix('#').unwrap_or(path).chars().any(odd)
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
