//! Members that differ, by names that can be shown.

use std::collections::BTreeSet;

use facets_digest::json::Object;

/// The members in which two objects differ. The server chooses the names that the protocol does not
/// know, and they are read by a model.
pub(crate) fn known_members(old: &Object<'_>, new: &Object<'_>) -> Vec<String> {
    let names: BTreeSet<&str> =
        old.members().iter().chain(new.members()).map(|member| &*member.name).collect();
    let differs = |name: &&str| old.get(name) != new.get(name);
    let (known, others): (Vec<&str>, Vec<&str>) =
        names.into_iter().filter(differs).partition(|name| MEMBERS.contains(name));
    let others = (!others.is_empty()).then_some("members that the protocol does not know");
    known.into_iter().chain(others).map(str::to_owned).collect()
}

/// Members of definitions that the protocol knows.
const MEMBERS: [&str; 16] = [
    "_meta",
    "annotations",
    "arguments",
    "description",
    "execution",
    "icons",
    "inputSchema",
    "mimeType",
    "name",
    "outputSchema",
    "size",
    "title",
    "uri",
    "uriTemplate",
    "version",
    "websiteUrl",
];
