//! No crate has a circle of modules, and no verb imports another verb.
//!
//! A file is a module. It has an edge to every module whose items it names, wherever those are
//! re-exported in between; a re-export itself is no edge, unless the file uses what it passes on.
//! Methods are not seen: those of one type may be spread over files that call each other, as those of
//! the guard are.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::sources::tracked_files;
use crate::Outcome;

/// The names that lead to a module from the root of its crate.
type Module = Vec<String>;

/// Where one verb must not know another.
const VERBS: &str = "facets-ops";

pub(super) fn check() -> Outcome<Vec<String>> {
    let mut complaints = Vec::new();
    for (name, files) in crates()? {
        let edges = edges(&files)?;
        if name == VERBS {
            complaints.extend(verbs_that_import_verbs(&edges));
        }
        for circle in circles(&edges) {
            complaints.push(format!("{name} has a circle of modules:{}", shown(&circle, &edges)));
        }
    }
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
        if !file.starts_with("bin/") && !is_tests(file) {
            crates.entry(name.to_owned()).or_default().insert(module_of(file), text);
        }
    }
    Ok(crates)
}

/// Whether a file holds the tests of the module beside it.
pub(super) fn is_tests(file: &str) -> bool {
    file == "tests.rs" || file.ends_with("/tests.rs")
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
    /// The name under which the file passes it on, if it does.
    local: Option<String>,
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
        expand(&item.tree, &mut Vec::new(), &mut |segments, local| {
            let local = Some(local.to_owned()).filter(|_| is_reexport);
            self.found.push(Named { segments: segments.to_vec(), local });
        });
    }

    /// `pub(super)` names a module and uses nothing of it.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.found.push(Named { segments, local: None });
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string().replace(" :: ", "::");
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            let segments = word.split("::").map(str::to_owned).collect();
            self.found.push(Named { segments, local: None });
        }
    }
}

fn expand(tree: &syn::UseTree, prefix: &mut Vec<String>, found: &mut impl FnMut(&[String], &str)) {
    match tree {
        syn::UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            expand(&path.tree, prefix, found);
            prefix.pop();
        }
        syn::UseTree::Name(syn::UseName { ident }) => {
            prefix.push(ident.to_string());
            found(prefix, &ident.to_string());
            prefix.pop();
        }
        syn::UseTree::Rename(syn::UseRename { ident, rename, .. }) => {
            prefix.push(ident.to_string());
            found(prefix, &rename.to_string());
            prefix.pop();
        }
        syn::UseTree::Glob(_) => found(prefix, "*"),
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
        for path in paths {
            if let (Some(local), Some((target, _))) = (&path.local, resolve(module, &path.segments))
            {
                doors.insert((module.clone(), local.clone()), target);
            }
        }
    }
    let mut edges = Edges::new();
    for (module, paths) in &named {
        for path in paths.iter().filter(|path| path.local.is_none()) {
            // A plain name may be one that the file itself passes on.
            let first = path.segments.first().cloned().unwrap_or_default();
            let own = doors.contains_key(&(module.clone(), first.clone()));
            let found = resolve(module, &path.segments);
            let found = found.or_else(|| own.then(|| (module.clone(), Some(first))));
            let Some((mut target, item)) = found else { continue };
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

/// No verb names another verb, however the import is written.
fn verbs_that_import_verbs(edges: &Edges) -> Vec<String> {
    let verb = |module: &Module| match module.as_slice() {
        [folder, name, ..] if folder == "verbs" => Some(name.clone()),
        _ => None,
    };
    let mut complaints = Vec::new();
    for (module, named) in edges {
        for other in named {
            if let (Some(one), Some(other)) = (verb(module), verb(other))
                && one != other
            {
                complaints.push(format!("facets-ops: the verb `{one}` imports the verb `{other}`"));
            }
        }
    }
    complaints
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
    fn a_verb_that_imports_a_verb_is_noticed() {
        let files = [
            ("verbs/mod.rs", "pub mod add; pub mod check;"),
            ("verbs/add.rs", "use super::{check}; fn f() { check::g() }"),
            ("verbs/check.rs", "pub fn g() {}"),
        ];
        let files = files.map(|(path, text)| (module_of(path), text.to_owned()));
        let edges = edges(&files.into()).unwrap_or_default();
        assert_eq!(verbs_that_import_verbs(&edges).len(), 1, "{edges:?}");
    }

    #[test]
    fn re_exports_are_followed_and_are_no_edges_themselves() {
        let parent = ("p/mod.rs", "mod c; mod d; pub use c::C;");
        let d = ("p/d.rs", "use super::C;");
        assert_eq!(circles_of(&[parent, ("p/c.rs", "pub struct C;"), d]), 0);
        let parent = ("p/mod.rs", "mod c; pub use c::C; pub struct P; fn f() { c::g(); }");
        assert_eq!(circles_of(&[parent, ("p/c.rs", "pub struct C; use super::P;")]), 1);
        let a = ("a.rs", "pub use crate::b::B as Other; pub struct A; fn f(_: Other) {}");
        assert_eq!(circles_of(&[a, ("b.rs", "pub struct B; use crate::a::A;")]), 1, "used as well");
    }
}
