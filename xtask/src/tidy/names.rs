//! One name, one type: no two types in a crate's reach share a name, and none shadows the prelude.
//!
//! In reach are the types of the crate itself and the public types of the crates that it uses. A
//! reader who sees a name should not have to look up which of two it is.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};

use super::layers;
use super::sources::tracked_files;
use crate::Outcome;

/// What every module has in scope without saying so.
const PRELUDE: &[&str] = &[
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "String",
    "Sync",
    "ToOwned",
    "ToString",
    "TryFrom",
    "TryInto",
    "Unpin",
    "Vec",
];

/// A type, where it is defined, and whether other crates can see it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct TypeName {
    name: String,
    file: String,
    is_public: bool,
}

pub(super) fn check() -> Outcome<Vec<String>> {
    let mut types: BTreeMap<String, Vec<TypeName>> = BTreeMap::new();
    for (path, text) in tracked_files(".rs")? {
        let Some((krate, file)) =
            path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"))
        else {
            continue;
        };
        // Programs beside a library do not see each other.
        if file.starts_with("bin/") || super::circles::is_tests(file) {
            continue;
        }
        types.entry(krate.to_owned()).or_default().extend(types_of(&path, &text)?);
    }
    Ok(complaints(&types, &layers::uses()?))
}

fn complaints(
    types: &BTreeMap<String, Vec<TypeName>>,
    uses: &BTreeMap<String, Vec<String>>,
) -> Vec<String> {
    let mut complaints = BTreeSet::new();
    for (krate, own) in types {
        let below = uses.get(krate).into_iter().flatten().filter_map(|name| types.get(name));
        let foreign = below.flatten().filter(|one| one.is_public);
        let mut seen: BTreeMap<&str, &TypeName> = BTreeMap::new();
        for one in own.iter().chain(foreign) {
            if PRELUDE.contains(&one.name.as_str()) {
                complaints.insert(format!("{}: `{}` shadows the prelude", one.file, one.name));
            }
            if let Some(other) = seen.insert(&one.name, one) {
                let (first, second) = (one.min(other), one.max(other));
                let (name, first, second) = (&one.name, &first.file, &second.file);
                complaints.insert(format!("{krate} reaches two types `{name}`: {first}, {second}"));
            }
        }
    }
    complaints.into_iter().collect()
}

fn types_of(path: &str, text: &str) -> Outcome<Vec<TypeName>> {
    let file = syn::parse_file(text).map_err(|error| format!("{path}: {error}"))?;
    let mut types = Types { file: path.to_owned(), found: Vec::new() };
    types.visit_file(&file);
    Ok(types.found)
}

/// Collects the types of a file, without its tests and without those inside functions.
struct Types {
    file: String,
    found: Vec<TypeName>,
}

impl Types {
    fn add(&mut self, name: &syn::Ident, visibility: &syn::Visibility) {
        let is_public = matches!(visibility, syn::Visibility::Public(_));
        let (name, file) = (name.to_string(), self.file.clone());
        self.found.push(TypeName { name, file, is_public });
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if item.ident != "tests" {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_block(&mut self, _: &'ast syn::Block) {}

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.ident, &item.vis);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.ident, &item.vis);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.ident, &item.vis);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.ident, &item.vis);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints_of(files: &[(&str, &str)], uses: &[(&str, &[&str])]) -> Vec<String> {
        let mut types: BTreeMap<String, Vec<TypeName>> = BTreeMap::new();
        for (krate, text) in files {
            let found = types_of(krate, text).unwrap_or_default();
            types.entry((*krate).to_owned()).or_default().extend(found);
        }
        let owned = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        let uses = uses.iter().map(|(name, list)| ((*name).to_owned(), owned(list)));
        complaints(&types, &uses.collect())
    }

    #[test]
    fn two_types_of_one_name_in_reach_are_noticed() {
        let low = ("low", "pub struct Answer; struct Hidden;");
        assert!(complaints_of(&[low, ("top", "struct Answer;")], &[]).is_empty(), "not in reach");
        let found = complaints_of(&[low, ("top", "struct Answer;")], &[("top", &["low"])]);
        assert_eq!(found, ["top reaches two types `Answer`: low, top"]);
        let hidden = ("top", "struct Hidden; fn f() { struct Answer; }");
        assert!(complaints_of(&[low, hidden], &[("top", &["low"])]).is_empty());
        let twice = [("one", "struct A;"), ("one", "enum A {}")];
        assert_eq!(complaints_of(&twice, &[]).len(), 1, "in one crate");
    }

    #[test]
    fn a_type_that_shadows_the_prelude_is_noticed() {
        let found = complaints_of(&[("one", "enum From { Client } trait Drop {}")], &[]);
        assert_eq!(found.len(), 2);
        let inside = "impl std::str::FromStr for X { type Err = Y; }";
        assert!(complaints_of(&[("one", inside)], &[]).is_empty());
    }
}
