//! Puts hashes into a document, and changes nothing else of it.

use std::collections::BTreeMap;
use std::ops::Range;

use facets_digest::Digest;
use facets_digest::json::quoted;
use facets_jsonc::{
    EditError, JsonDocument, Notation, ObjectSpan, Style, add_behind, apply, remove,
};
use facets_model::server_json::{
    FILE_HASHES, HashPlace, PROVIDED_HASHES, PUBLISHER_PROVIDED, ServerJson,
};

use crate::bundle_hash::BundleHash;

/// The document with the hashes of files in the places that it has for them, at the top if it has none,
/// and those of bundles in their packages. Hashes that stand inside of packages are removed.
pub(crate) fn complete(
    text: &str,
    server: &ServerJson,
    files: &BTreeMap<String, Digest>,
    bundles: &[BundleHash],
) -> Result<String, EditError> {
    let mut text = text.to_owned();
    for place in &server.hash_places {
        if let HashPlace::Package { index } = place {
            text = remove_from_package(&text, *index)?;
        }
    }
    for bundle in bundles {
        text = set_in_package(&text, bundle)?;
    }
    let provided = ["_meta", PUBLISHER_PROVIDED, PROVIDED_HASHES];
    let is_provided = server.hash_places.contains(&HashPlace::Provided);
    if is_provided {
        text = set_hashes(&text, &provided, files)?;
    }
    let is_at_top = server.hash_places.contains(&HashPlace::Top);
    if is_at_top || (!is_provided && !files.is_empty()) {
        text = set_hashes(&text, &[FILE_HASHES], files)?;
    }
    Ok(text)
}

fn not_an_object(place: &str) -> EditError {
    EditError::NotAnObject { place: place.to_owned() }
}

/// The object that a value must be.
fn object_at(
    json: JsonDocument<'_>,
    value: &Range<usize>,
    place: &str,
) -> Result<ObjectSpan, EditError> {
    json.object(value)?.ok_or_else(|| not_an_object(place))
}

fn set_in_package(text: &str, bundle: &BundleHash) -> Result<String, EditError> {
    let json = JsonDocument::new(text, Notation::Plain);
    let package = package_at(json, bundle.index)?;
    set(json, &package, (bundle.member, &["version", "identifier"]), |_| quoted(&bundle.hex))
}

fn remove_from_package(text: &str, index: usize) -> Result<String, EditError> {
    let json = JsonDocument::new(text, Notation::Plain);
    let package = package_at(json, index)?;
    let Some(member) = package.position(FILE_HASHES) else { return Ok(text.to_owned()) };
    let edits = remove(text, &package, &[member]);
    apply(text, &edits).ok_or_else(|| EditError::Entangled { place: FILE_HASHES.to_owned() })
}

fn package_at(json: JsonDocument<'_>, index: usize) -> Result<ObjectSpan, EditError> {
    let root = object_at(json, &json.root()?, "the document")?;
    let packages = root.get("packages").ok_or_else(|| not_an_object("packages"))?;
    let place = format!("packages[{index}]");
    let items = json.array(&packages.value)?.unwrap_or_default();
    let item = items.get(index).ok_or_else(|| not_an_object(&place))?;
    object_at(json, item, &place)
}

fn set_hashes(
    text: &str,
    path: &[&str],
    files: &BTreeMap<String, Digest>,
) -> Result<String, EditError> {
    let json = JsonDocument::new(text, Notation::Plain);
    let root = object_at(json, &json.root()?, "the document")?;
    let unit = root.members.first().map_or_else(
        || "  ".to_owned(),
        |first| Style::of(text, first).lead.trim_start_matches(['\r', '\n']).to_owned(),
    );
    let mut object = root;
    let Some((name, parents)) = path.split_last() else { return Ok(text.to_owned()) };
    for parent in parents {
        let member = object.get(parent).ok_or_else(|| not_an_object(parent))?;
        object = object_at(json, &member.value, parent)?;
    }
    set(json, &object, (*name, &[]), |style| hashes_text(files, style, &unit))
}

/// Sets a member of an object, behind the first of some names, or the last.
fn set(
    json: JsonDocument<'_>,
    object: &ObjectSpan,
    (name, behind): (&str, &[&str]),
    value: impl FnOnce(&Style) -> String,
) -> Result<String, EditError> {
    let there = object.position(name);
    let neighbour = behind.iter().find_map(|name| object.position(name));
    let last = object.members.len().checked_sub(1);
    let index = there.or(neighbour).or(last).ok_or_else(|| not_an_object(name))?;
    let style = Style::of(json.text, &object.members[index]);
    let value = value(&style);
    let edits = match there {
        Some(at) => vec![(object.members[at].value.clone(), value)],
        None => add_behind(json, object, index, &style, &[style.member(name, &value)]),
    };
    apply(json.text, &edits).ok_or_else(|| EditError::Entangled { place: name.to_owned() })
}

/// The hashes, sorted by identifier, in the style of the members around them.
fn hashes_text(files: &BTreeMap<String, Digest>, style: &Style, unit: &str) -> String {
    let members = files.iter().map(|(name, digest)| {
        format!("{}{}{}", quoted(name), style.colon, quoted(&digest.to_string()))
    });
    let members: Vec<String> = members.collect();
    if members.is_empty() {
        return "{}".to_owned();
    }
    if !style.on_lines() {
        let comma = if style.spaced() { ", " } else { "," };
        return format!("{{{}}}", members.join(comma));
    }
    let lead = format!("{}{unit}", style.lead);
    format!("{{{lead}{}{}}}", members.join(&format!(",{lead}")), style.lead)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> BTreeMap<String, Digest> {
        let names = ["npm:b@1", "npm:a@1"];
        names.iter().map(|name| ((*name).to_owned(), Digest::of(b""))).collect()
    }

    fn completed(text: &str, bundles: &[BundleHash]) -> String {
        complete(text, &ServerJson::parse(text).unwrap(), &files(), bundles).unwrap()
    }

    #[test]
    fn hashes_are_added_in_the_style_of_the_document() {
        let hash = Digest::of(b"");
        for (before, after) in [
            (
                "{\n  \"b\": 1.10,\n  \"a\": \"\\u00e9\"\n}\n",
                format!(
                    "{{\n  \"b\": 1.10,\n  \"a\": \"\\u00e9\",\n  \"file_hashes\": {{\n    \"npm:a@1\": \"{hash}\",\n    \"npm:b@1\": \"{hash}\"\n  }}\n}}\n"
                ),
            ),
            (
                "{\"a\":1}",
                format!(
                    "{{\"a\":1,\"file_hashes\":{{\"npm:a@1\":\"{hash}\",\"npm:b@1\":\"{hash}\"}}}}"
                ),
            ),
            (
                "{\r\n\t\"file_hashes\": {\"x\": 1},\r\n\t\"z\": 2\r\n}",
                format!(
                    "{{\r\n\t\"file_hashes\": {{\r\n\t\t\"npm:a@1\": \"{hash}\",\r\n\t\t\"npm:b@1\": \"{hash}\"\r\n\t}},\r\n\t\"z\": 2\r\n}}"
                ),
            ),
        ] {
            assert_eq!(completed(before, &[]), after);
        }
    }

    #[test]
    fn hashes_below_meta_stay_there() {
        let before = format!(
            "{{\"_meta\": {{\"{PUBLISHER_PROVIDED}\": {{\"{PROVIDED_HASHES}\": {{\"npm:a@1\": \"x\"}}, \"k\": 1}}}}}}"
        );
        let after = completed(&before, &[]);
        assert!(!after.contains("\"file_hashes\": {"), "{after}");
        assert!(after.ends_with("}, \"k\": 1}}}"), "{after}");
        let hashes = ServerJson::parse(&after).unwrap().file_hashes.unwrap();
        assert!(hashes.len() == 2 && hashes.iter().all(|one| one.digest.is_ok()), "{after}");
    }

    #[test]
    fn an_empty_place_is_a_place() {
        let before =
            format!("{{\"_meta\": {{\"{PUBLISHER_PROVIDED}\": {{\"{PROVIDED_HASHES}\": {{}}}}}}}}");
        let after = completed(&before, &[]);
        assert_eq!(ServerJson::parse(&after).unwrap().hash_places, [HashPlace::Provided]);
        assert_eq!(ServerJson::parse(&after).unwrap().file_hashes.unwrap().len(), 2);
    }

    #[test]
    fn hashes_inside_of_packages_are_removed() {
        let before = r#"{"packages": [
  {"registryType": "npm", "identifier": "a", "file_hashes": {"x": "y"}, "version": "1"},
  {"registryType": "npm", "identifier": "b", "version": "1", "file_hashes": []}
]}"#;
        let after = completed(before, &[]);
        let server = ServerJson::parse(&after).unwrap();
        assert_eq!(server.hash_places, [HashPlace::Top], "{after}");
        assert_eq!(server.packages.len(), 2);
        assert!(server.packages.iter().all(|one| one.version.is_some()), "{after}");
    }

    #[test]
    fn bundles_get_their_hash_behind_their_identifier() {
        let before = r#"{"packages": [{"registryType": "oci", "identifier": "x"}, {"registryType": "mcpb", "identifier": "https://e.example/x", "transport": {}}]}"#;
        let bundle = BundleHash { index: 1, member: "fileSha256", hex: "ab".to_owned() };
        let after = completed(before, &[bundle]);
        assert!(
            after.contains(
                r#""identifier": "https://e.example/x", "fileSha256": "ab", "transport": {}}"#
            ),
            "{after}"
        );
    }
}
