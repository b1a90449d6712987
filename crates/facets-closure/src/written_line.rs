//! One package of a closure file, written.

use std::collections::BTreeSet;

use facets_digest::json::{quoted, write_list, write_string};

use crate::flags::PackageFlag;

/// One line: the members of a package that it has.
pub(crate) fn line(members: &[(&str, Option<String>)]) -> String {
    let present: Vec<String> = members
        .iter()
        .filter_map(|(name, value)| Some(format!("{}:{}", quoted(name), value.as_ref()?)))
        .collect();
    format!("{{{}}}", present.join(","))
}

/// Flags as a list; none if there are none.
pub(crate) fn flag_list(flags: &BTreeSet<PackageFlag>) -> Option<String> {
    let names: Vec<&str> = flags.iter().map(|flag| flag.name()).collect();
    text_list(&names)
}

/// Texts as a list; none if there are none.
pub(crate) fn text_list(texts: &[&str]) -> Option<String> {
    if texts.is_empty() {
        return None;
    }
    let mut out = Vec::new();
    write_list(['[', ']'], texts, &mut out, |text, out| write_string(text, out));
    Some(String::from_utf8_lossy(&out).into_owned())
}
