//! No crate has a circle of modules, and no verb imports another verb.
//!
//! A file is a module. It has an edge to every module whose items it names, wherever those are
//! re-exported in between; a re-export itself is only a sign at the door, and no edge.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::sources::tracked_files;
use crate::Outcome;

/// The names that lead to a module from the root of its crate.
type Module = Vec<String>;

/// Where one verb must not know another.
const VERBS: &str = "crates/facets-ops/src/verbs/";

pub(super) fn check() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for (name, files) in crates()? {
        let edges = edges(&files)?;
        for circle in circles(&edges) {
            complaints.push(format!("{name} has a circle of modules:{}", shown(&circle, &edges)));
        }
    }
    complaints.extend(verbs_that_import_verbs()?);
    Ok(complaints)
}

/// Who names whom inside a circle, one module a line.
fn shown(circle: &BTreeSet<Module>, edges: &Edges) -> String {
    let name = |module: &Module| match module.join("::") {
        empty if empty.is_empty() => "(root)".to_owned(),
        path => path,
    };
    let line = |module: &Module| {
        let named = edges.get(module).into_iter().flatten().filter(|other| circle.contains(*other));
        let named: Vec<String> = named.map(name).collect();
        format!("\n  {} -> {}", name(module), named.join(", "))
    };
    circle.iter().map(line).collect()
}

/// The modules of every crate, by the name of its folder.
fn crates() -> Outcome<BTreeMap<String, BTreeMap<Module, String>>> {
    let mut crates: BTreeMap<String, BTreeMap<Module, String>> = BTreeMap::new();
    for (path, text) in tracked_files(".rs")? {
        let Some((name, file)) =
            path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        if !file.starts_with("bin/") && !file.ends_with("tests.rs") {
            crates.entry(name.to_owned()).or_default().insert(module_of(file), text);
        }
    }
    Ok(crates)
}

fn module_of(file: &str) -> Module {
    let mut names: Module = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(names.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        names.pop();
    }
    names
}

/// A path as a file names it.
struct Named {
    segments: Vec<String>,
    /// Whether the file only passes it on.
    is_reexport: bool,
}

/// Collects the paths of a file, without its tests.
#[derive(Default)]
struct Paths {
    found: Vec<Named>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg"))
            && item.ident == "tests";
        if !is_test {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let is_reexport = !matches!(item.vis, syn::Visibility::Inherited);
        expand(&item.tree, &mut Vec::new(), &mut |segments| {
            self.found.push(Named { segments: segments.to_vec(), is_reexport });
        });
    }

    /// `pub(super)` names a module and uses nothing of it.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.found.push(Named { segments, is_reexport: false });
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string().replace(" :: ", "::");
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            let segments = word.split("::").map(str::to_owned).collect();
            self.found.push(Named { segments, is_reexport: false });
        }
    }
}

fn expand(tree: &syn::UseTree, prefix: &mut Vec<String>, found: &mut impl FnMut(&[String])) {
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            expand(&path.tree, prefix, found);
            prefix.pop();
        }
        syn::UseTree::Name(syn::UseName { ident })
        | syn::UseTree::Rename(syn::UseRename { ident, .. }) => {
            prefix.push(ident.to_string());
            found(prefix);
            prefix.pop();
        }
        syn::UseTree::Glob(_) => found(prefix),
        syn::UseTree::Group(group) => {
            group.items.iter().for_each(|tree| expand(tree, prefix, found));
        }
    }
}

type Edges = BTreeMap<Module, BTreeSet<Module>>;

fn edges(files: &BTreeMap<Module, String>) -> Outcome<Edges> {
    let mut named = BTreeMap::new();
    for (module, text) in files {
        let file = syn::parse_file(text).map_err(|error| format!("{module:?}: {error}"))?;
        let mut paths = Paths::default();
        paths.visit_file(&file);
        named.insert(module.clone(), paths.found);
    }
    let resolve = |module: &Module, segments: &[String]| resolve(module, segments, files);
    let mut doors: BTreeMap<(Module, String), Module> = BTreeMap::new();
    for (module, paths) in &named {
        for path in paths.iter().filter(|path| path.is_reexport) {
            if let Some((target, Some(item))) = resolve(module, &path.segments) {
                doors.insert((module.clone(), item), target);
            }
        }
    }
    let mut edges = Edges::new();
    for (module, paths) in &named {
        for path in paths.iter().filter(|path| !path.is_reexport) {
            let Some((mut target, item)) = resolve(module, &path.segments) else { continue };
            let item = item.unwrap_or_default();
            // Bounded: a door leads further in, or out once.
            for _ in 0..16 {
                match doors.get(&(target.clone(), item.clone())) {
                    Some(next) if *next != target => target.clone_from(next),
                    _ => break,
                }
            }
            if target != *module {
                edges.entry(module.clone()).or_default().insert(target);
            }
        }
    }
    Ok(edges)
}

/// The module that a path leads to, and the item that it names there.
fn resolve(
    module: &Module,
    segments: &[String],
    files: &BTreeMap<Module, String>,
) -> Option<(Module, Option<String>)> {
    let mut segments = segments.iter().map(String::as_str).peekable();
    let mut base = module.clone();
    match *segments.peek()? {
        "crate" => {
            segments.next();
            base.clear();
        }
        "self" => {
            segments.next();
        }
        "super" => {
            while segments.next_if_eq(&"super").is_some() {
                base.pop();
            }
        }
        first => {
            base.push(first.to_owned());
            if !files.contains_key(&base) {
                return None;
            }
            segments.next();
        }
    }
    while let Some(next) = segments.peek() {
        base.push((*next).to_owned());
        if !files.contains_key(&base) {
            base.pop();
            break;
        }
        segments.next();
    }
    Some((base, segments.next().map(str::to_owned)))
}

/// Modules that reach each other, each set once.
fn circles(edges: &Edges) -> Vec<BTreeSet<Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> =
        edges.keys().map(|module| (module, reachable(module, edges))).collect();
    let mut found: Vec<BTreeSet<Module>> = Vec::new();
    for (module, reach) in &reached {
        if reach.contains(module) && !found.iter().any(|circle| circle.contains(*module)) {
            let back =
                |other: &&&Module| reached.get(**other).is_some_and(|reach| reach.contains(module));
            found.push(reach.iter().filter(back).map(|other| (*other).clone()).collect());
        }
    }
    found
}

fn reachable<'e>(from: &Module, edges: &'e Edges) -> BTreeSet<&'e Module> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Module> = edges.get(from).into_iter().flatten().collect();
    while let Some(module) = next.pop() {
        if reached.insert(module) {
            next.extend(edges.get(module).into_iter().flatten());
        }
    }
    reached
}

fn verbs_that_import_verbs() -> Outcome<Vec<String>> {
    let mut files: Vec<(String, String)> = tracked_files(".rs")?;
    files.retain(|(path, _)| path.starts_with(VERBS) && !path.ends_with("/mod.rs"));
    let name = |path: &str| path[VERBS.len()..].trim_end_matches(".rs").to_owned();
    let verbs: BTreeSet<String> = files.iter().map(|(path, _)| name(path)).collect();
    let mut complaints = Vec::new();
    for (path, text) in &files {
        for (number, line) in super::sources::production_lines(text) {
            let after = ["crate::verbs::", "super::", "crate::"].map(|way| line.split(way).nth(1));
            let first = |rest: &str| {
                rest.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .next()
                    .is_some_and(|word| verbs.contains(word) && word != name(path))
            };
            if after.into_iter().flatten().any(first) {
                complaints.push(format!("{path}:{number}: a verb imports a verb"));
            }
        }
    }
    Ok(complaints)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(files: &[(&str, &str)]) -> usize {
        let files = files.iter().map(|(path, text)| (module_of(path), (*text).to_owned()));
        circles(&edges(&files.collect()).unwrap_or_default()).len()
    }

    #[test]
    fn two_modules_that_name_each_other_are_a_circle() {
        let a = ("a.rs", "use crate::b::B; pub struct A;");
        assert_eq!(circles_of(&[("lib.rs", "mod a; mod b;"), a, ("b.rs", "pub struct B;")]), 0);
        let b = ("b.rs", "pub struct B; fn f() { crate::a::A; }");
        assert_eq!(circles_of(&[("lib.rs", "mod a; mod b;"), a, b]), 1);
        let c = ("a/c.rs", "pub(super) fn f() {}");
        assert_eq!(circles_of(&[("lib.rs", "mod a;"), ("a.rs", "mod c; fn g() { c::f() }"), c]), 0);
        let b = ("b.rs", "pub struct B; fn f() { println!(\"{}\", super::a::NAME); }");
        assert_eq!(circles_of(&[("lib.rs", "mod a; mod b;"), a, b]), 1, "in a macro");
    }

    #[test]
    fn re_exports_are_followed_and_are_no_edges_themselves() {
        let parent = ("p/mod.rs", "mod c; mod d; pub use c::C;");
        let d = ("p/d.rs", "use super::C;");
        assert_eq!(circles_of(&[parent, ("p/c.rs", "pub struct C;"), d]), 0);
        let parent = ("p/mod.rs", "mod c; pub use c::C; pub struct P; fn f() { c::g(); }");
        assert_eq!(circles_of(&[parent, ("p/c.rs", "pub struct C; use super::P;")]), 1);
    }
}
