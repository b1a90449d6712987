//! Documents about versions, names and publishes (spec 9.2, 9.3).

use facets_digest::json::write_string;
use facets_model::ArtifactName;
use facets_registry::{
    ArtifactKind, AssetCounts, Cursor, NameSummary, Page, ServerRecord, VersionRecord,
    VersionSummary, Yank,
};

use super::object_writer::ObjectWriter;

/// Where a kind is found.
pub(crate) fn base_path(kind: ArtifactKind) -> &'static str {
    match kind {
        ArtifactKind::Facet => "/v0/facets",
        ArtifactKind::Server => "/v0/source-servers",
    }
}

/// Appends the path of a version, as it is typed: `@` needs no escape.
pub(crate) fn write_version_path(record: &VersionRecord, end: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(base_path(record.kind).as_bytes());
    out.push(b'/');
    out.extend_from_slice(record.name.as_str().as_bytes());
    out.push(b'/');
    out.extend_from_slice(record.version.to_string().as_bytes());
    out.extend_from_slice(end.as_bytes());
}

/// The document of a version.
pub(crate) fn version_document(record: &VersionRecord) -> Vec<u8> {
    // Names, hashes and times are some 900 bytes beside the manifest, whose quotes are escaped.
    let mut out = Vec::with_capacity(1200 + record.manifest.len() * 5 / 4);
    write_version(record, &mut out);
    out
}

/// Appends the document of a version.
pub(crate) fn write_version(record: &VersionRecord, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.text("kind", record.kind.as_str());
    object.text("name", record.name.as_str());
    object.text("version", &record.version.to_string());
    object.digest("content_hash", &record.content_hash);
    object.digest("integrity", &record.integrity);
    // What the reference calls it.
    object.digest("content_integrity", &record.integrity);
    object.number("size_bytes", record.size);
    object.text("manifest_json", &record.manifest);
    object.text("publisher", record.owner.as_str());
    object.text("owner", record.owner.as_str());
    object.moment("published_at", record.published_at.0);
    write_assets(&mut object, record.assets);
    object.text("visibility", "public");
    object.optional_text("description", record.description.as_deref());
    object.optional_text("author", record.author.as_deref());
    write_yank(&mut object, record.yanked.as_ref());
    let archive = object.member("archive");
    archive.push(b'"');
    write_version_path(record, "/archive", archive);
    archive.push(b'"');
    if let Some(server) = &record.server {
        write_server(&mut object, server);
    }
    object.end();
}

fn write_server(object: &mut ObjectWriter<'_>, server: &ServerRecord) {
    object.digest("api_surface", &server.api_surface);
    object.digest("surface", &server.surface);
    object.digest("behavior", &server.behavior);
    object.optional_text("resources", server.resources.as_deref());
    object.raw("entitlements", server.entitlements.as_bytes());
    object.text("runtime", &server.runtime);
    object.number("tools", u64::from(server.tools));
    object.digest("surface_file", &server.surface_file);
}

fn write_assets(object: &mut ObjectWriter<'_>, assets: AssetCounts) {
    let mut counts = object.object("asset_counts");
    counts.number("agents", u64::from(assets.agents));
    counts.number("commands", u64::from(assets.commands));
    counts.number("servers", u64::from(assets.servers));
    counts.number("skills", u64::from(assets.skills));
    counts.end();
}

fn write_yank(object: &mut ObjectWriter<'_>, yank: Option<&Yank>) {
    if let Some(yank) = yank {
        let mut yanked = object.object("yanked");
        yanked.text("reason", &yank.reason);
        yanked.moment("at", yank.at.0);
        yanked.end();
    }
}

/// A page of names, of one scope if it is given.
pub(crate) fn name_list(
    kind: ArtifactKind,
    scope: Option<&str>,
    page: &Page<NameSummary>,
) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 + page.items.len() * 320);
    let mut object = ObjectWriter::begin(&mut out);
    object.optional_text("scope", scope);
    let member = match kind {
        ArtifactKind::Facet => "facets",
        ArtifactKind::Server => "servers",
    };
    object.list(member, &page.items, write_name);
    write_next(&mut object, page.next.as_ref());
    object.end();
    out
}

fn write_name(name: &NameSummary, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.text("name", name.name.as_str());
    object.text("latest_version", &name.latest_version.to_string());
    object.text("publisher", name.owner.as_str());
    object.moment("published_at", name.published_at.0);
    write_assets(&mut object, name.assets);
    object.text("owner", name.owner.as_str());
    object.text("visibility", "public");
    object.optional_text("description", name.description.as_deref());
    object.optional_text("author", name.author.as_deref());
    object.end();
}

fn write_next(object: &mut ObjectWriter<'_>, next: Option<&Cursor>) {
    if let Some(next) = next {
        object.text("next_cursor", &next.to_string());
    }
}

/// A page of the versions of a name.
pub(crate) fn version_list(name: &ArtifactName, page: &Page<VersionSummary>) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 + page.items.len() * 280);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("name", name.as_str());
    object.list("versions", &page.items, write_summary);
    write_next(&mut object, page.next.as_ref());
    object.end();
    out
}

fn write_summary(summary: &VersionSummary, out: &mut Vec<u8>) {
    let mut object = ObjectWriter::begin(out);
    object.text("version", &summary.version.to_string());
    object.digest("content_hash", &summary.content_hash);
    object.digest("integrity", &summary.integrity);
    object.moment("published_at", summary.published_at.0);
    write_yank(&mut object, summary.yanked.as_ref());
    object.end();
}

/// A version among all versions of its name.
pub(crate) fn version_among(record: &VersionRecord, all: &[VersionSummary]) -> Vec<u8> {
    let mut out = Vec::with_capacity(128 + all.len() * 16);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("name", record.name.as_str());
    object.text("version", &record.version.to_string());
    object.list("versions", all, |summary, out| write_string(&summary.version.to_string(), out));
    object.end();
    out
}

/// The number of the latest version.
pub(crate) fn latest_version(record: &VersionRecord) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("name", record.name.as_str());
    object.text("latest", &record.version.to_string());
    object.end();
    out
}

/// The texts in a facet, by their paths.
pub(crate) fn contents(record: &VersionRecord, files: &[(String, String)]) -> Vec<u8> {
    let size: usize = files.iter().map(|(path, text)| path.len() + text.len() + 16).sum();
    let mut out = Vec::with_capacity(256 + size);
    let mut object = ObjectWriter::begin(&mut out);
    object.text("name", record.name.as_str());
    object.text("version", &record.version.to_string());
    object.digest("content_integrity", &record.integrity);
    let mut resources = object.object("resources");
    for (path, text) in files {
        resources.text(path, text);
    }
    resources.end();
    object.end();
    out
}

#[cfg(test)]
mod tests {
    use facets_digest::Digest;
    use facets_registry::Moment;
    use serde_json::{Value, json};

    use super::*;
    use crate::web::openapi_schemas::is_described;

    fn record(kind: ArtifactKind) -> VersionRecord {
        let server = ServerRecord {
            surface_file: Digest::of(b"f"),
            surface_size: 1,
            api_surface: Digest::of(b"a"),
            surface: Digest::of(b"s"),
            behavior: Digest::of(b"b"),
            resources: Some("volatile".to_owned()),
            entitlements: r#"{"network":"no"}"#.to_owned(),
            runtime: "bun 1.4.4".to_owned(),
            tools: 3,
        };
        VersionRecord {
            kind,
            name: "@acme/demo".parse().unwrap(),
            version: "1.2.3".parse().unwrap(),
            content_hash: Digest::of(b"c"),
            integrity: Digest::of(b"i"),
            size: 5,
            manifest: r#"{"name":"@acme/demo"}"#.to_owned(),
            description: Some("say \"hi\"".to_owned()),
            author: None,
            assets: AssetCounts { skills: 2, ..AssetCounts::default() },
            owner: "acme".parse().unwrap(),
            published_at: Moment(951_782_400_007),
            yanked: None,
            server: (kind == ArtifactKind::Server).then_some(server),
        }
    }

    fn parsed(bytes: &[u8]) -> Value {
        serde_json::from_slice(bytes).unwrap()
    }

    #[test]
    fn a_version_has_what_the_reference_client_needs() {
        let record = record(ArtifactKind::Facet);
        let document = parsed(&version_document(&record));
        assert_eq!(document["name"], "@acme/demo");
        assert_eq!(document["version"], "1.2.3");
        assert_eq!(document["content_hash"], record.content_hash.to_string());
        assert_eq!(document["content_integrity"], document["integrity"]);
        assert_eq!(document["manifest_json"], r#"{"name":"@acme/demo"}"#);
        assert_eq!(document["published_at"], "2000-02-29T00:00:00.007Z");
        assert_eq!(document["archive"], "/v0/facets/@acme/demo/1.2.3/archive");
        assert_eq!(document["asset_counts"]["skills"], 2);
        assert_eq!(document["description"], "say \"hi\"");
        assert!(document.get("author").is_none() && document.get("yanked").is_none());
        assert!(document.get("surface").is_none());
    }

    #[test]
    fn a_server_has_its_hashes_and_a_yanked_version_its_reason() {
        let yank = Yank { reason: "leak".to_owned(), at: Moment(0), by: "acme".parse().unwrap() };
        let record = VersionRecord { yanked: Some(yank), ..record(ArtifactKind::Server) };
        let document = parsed(&version_document(&record));
        assert!(is_described("Version", &document), "{document}");
        assert_eq!(document["entitlements"], json!({ "network": "no" }));
        assert_eq!(document["tools"], 3);
        assert_eq!(document["resources"], "volatile");
        assert_eq!(document["archive"], "/v0/source-servers/@acme/demo/1.2.3/archive");
        let yanked = json!({ "reason": "leak", "at": "1970-01-01T00:00:00.000Z" });
        assert_eq!(document["yanked"], yanked);
    }

    #[test]
    fn lists_have_a_cursor_if_there_is_more() {
        let next: Cursor = "YQ".parse().unwrap();
        let record = record(ArtifactKind::Facet);
        let item = NameSummary {
            name: record.name.clone(),
            owner: record.owner.clone(),
            latest_version: record.version.clone(),
            published_at: record.published_at,
            description: None,
            author: None,
            assets: record.assets,
        };
        let page = Page { items: vec![item], next: Some(next) };
        let list = parsed(&name_list(ArtifactKind::Facet, Some("acme"), &page));
        assert_eq!(list["facets"][0]["latest_version"], "1.2.3");
        assert_eq!((&list["next_cursor"], &list["scope"]), (&json!("YQ"), &json!("acme")));
        let empty = Page { items: Vec::new(), next: None };
        let list = parsed(&name_list(ArtifactKind::Server, None, &empty));
        assert_eq!(list, json!({ "servers": [] }));
    }

    #[test]
    fn contents_are_texts_by_path() {
        let files = [("a/b.md".to_owned(), "# \"x\"\n".to_owned())];
        let document = parsed(&contents(&record(ArtifactKind::Facet), &files));
        assert_eq!(document["resources"], json!({ "a/b.md": "# \"x\"\n" }));
    }
}
