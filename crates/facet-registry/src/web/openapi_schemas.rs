//! The members of every document (spec 9.3), as schemas of the description.

/// Every schema but that of refusals, with its name.
pub(super) const SCHEMAS: &[(&str, &str)] = &[
    ("Digest", r#"{"type":"string","pattern":"^sha256:[0-9a-f]{64}$"}"#),
    ("Time", r#"{"type":"string","format":"date-time"}"#),
    ("AssetCounts", ASSET_COUNTS),
    ("Yank", YANK),
    ("Name", NAME),
    ("FacetList", FACET_LIST),
    ("ServerList", SERVER_LIST),
    ("Version", VERSION),
    ("VersionSummary", VERSION_SUMMARY),
    ("VersionList", VERSION_LIST),
    ("VersionAmong", VERSION_AMONG),
    ("LatestVersion", LATEST_VERSION),
    ("Contents", CONTENTS),
    ("Surface", SURFACE),
    ("ToolContract", TOOL_CONTRACT),
    ("Contract", CONTRACT),
    ("SchemaChange", SCHEMA_CHANGE),
    ("Finding", FINDING),
    ("FileChange", FILE_CHANGE),
    ("Diff", DIFF),
    ("Accepted", ACCEPTED),
    ("PublishStatus", PUBLISH_STATUS),
    ("Account", ACCOUNT),
    ("Live", LIVE),
    ("Health", HEALTH),
    ("Description", DESCRIPTION),
];

const ASSET_COUNTS: &str = r#"{"type":"object","required":["agents","commands","servers","skills"],
"properties":{"agents":{"type":"integer"},"commands":{"type":"integer"},"servers":{"type":"integer"},
"skills":{"type":"integer"}}}"#;

const YANK: &str = r##"{"type":"object","required":["reason","at"],"properties":{
"reason":{"type":"string","maxLength":500},"at":{"$ref":"#/components/schemas/Time"}}}"##;

const NAME: &str = r##"{"type":"object","required":["name","latest_version","publisher","published_at",
"asset_counts","owner","visibility"],"properties":{"name":{"type":"string"},"latest_version":{"type":"string"},
"publisher":{"type":"string"},"published_at":{"$ref":"#/components/schemas/Time"},
"asset_counts":{"$ref":"#/components/schemas/AssetCounts"},"owner":{"type":"string"},
"visibility":{"const":"public"},"description":{"type":"string"},"author":{"type":"string"}}}"##;

const FACET_LIST: &str = r##"{"type":"object","required":["facets"],"properties":{
"scope":{"type":"string","description":"Only in the list of a scope."},
"facets":{"type":"array","items":{"$ref":"#/components/schemas/Name"}},
"next_cursor":{"type":"string","description":"Only if there are more."}}}"##;

const SERVER_LIST: &str = r##"{"type":"object","required":["servers"],"properties":{
"scope":{"type":"string","description":"Only in the list of a scope."},
"servers":{"type":"array","items":{"$ref":"#/components/schemas/Name"}},
"next_cursor":{"type":"string","description":"Only if there are more."}}}"##;

const VERSION: &str = r##"{"type":"object","required":["kind","name","version","content_hash","integrity",
"content_integrity","size_bytes","manifest_json","publisher","owner","published_at","asset_counts","visibility",
"archive"],"properties":{"kind":{"enum":["facet","server"]},"name":{"type":"string"},"version":{"type":"string"},
"content_hash":{"$ref":"#/components/schemas/Digest"},"integrity":{"$ref":"#/components/schemas/Digest"},
"content_integrity":{"$ref":"#/components/schemas/Digest"},"size_bytes":{"type":"integer"},
"manifest_json":{"type":"string","description":"The manifest, as canonical JSON."},"publisher":{"type":"string"},
"owner":{"type":"string"},"published_at":{"$ref":"#/components/schemas/Time"},
"asset_counts":{"$ref":"#/components/schemas/AssetCounts"},"visibility":{"const":"public"},
"description":{"type":"string"},"author":{"type":"string"},"yanked":{"$ref":"#/components/schemas/Yank"},
"archive":{"type":"string","description":"The path of the archive."},
"api_surface":{"$ref":"#/components/schemas/Digest","description":"Only of a server."},
"surface":{"$ref":"#/components/schemas/Digest","description":"Only of a server."},
"behavior":{"$ref":"#/components/schemas/Digest","description":"Only of a server."},
"resources":{"type":"string","description":"Only of a server: a digest, or volatile."},
"entitlements":{"type":"object","description":"Only of a server."},
"runtime":{"type":"string","description":"Only of a server."},
"tools":{"type":"integer","description":"Only of a server: how many."},
"surface_file":{"$ref":"#/components/schemas/Digest","description":"Only of a server."}}}"##;

const VERSION_SUMMARY: &str = r##"{"type":"object","required":["version","content_hash","integrity",
"published_at"],"properties":{"version":{"type":"string"},"content_hash":{"$ref":"#/components/schemas/Digest"},
"integrity":{"$ref":"#/components/schemas/Digest"},"published_at":{"$ref":"#/components/schemas/Time"},
"yanked":{"$ref":"#/components/schemas/Yank"}}}"##;

const VERSION_LIST: &str = r##"{"type":"object","required":["name","versions"],"properties":{
"name":{"type":"string"},"versions":{"type":"array","items":{"$ref":"#/components/schemas/VersionSummary"}},
"next_cursor":{"type":"string","description":"Only if there are more."}}}"##;

const VERSION_AMONG: &str = r#"{"type":"object","required":["name","version","versions"],"properties":{
"name":{"type":"string"},"version":{"type":"string"},"versions":{"type":"array","items":{"type":"string"}}}}"#;

const LATEST_VERSION: &str = r#"{"type":"object","required":["name","latest"],"properties":{
"name":{"type":"string"},"latest":{"type":"string"}}}"#;

const CONTENTS: &str = r##"{"type":"object","required":["name","version","content_integrity","resources"],
"properties":{"name":{"type":"string"},"version":{"type":"string"},
"content_integrity":{"$ref":"#/components/schemas/Digest"},
"resources":{"type":"object","description":"Texts by path.","additionalProperties":{"type":"string"}}}}"##;

const SURFACE: &str = r#"{"type":"object","required":["surfaceVersion","server","era","protocol",
"capabilities"],"properties":{"surfaceVersion":{"const":1},"server":{"type":"object"},
"era":{"enum":["initialize","discover"]},"protocol":{"type":"string"},"capabilities":{"type":"object"},
"instructions":{"type":"string"},"tools":{"type":"array","items":{"type":"object"}},
"prompts":{"type":"array","items":{"type":"object"}},
"resourceTemplates":{"type":"array","items":{"type":"object"}},
"resources":{"type":"array","items":{"type":"object"}},"resourcesVolatile":{"const":true},
"source":{"type":"object"},"also":{"type":"object"},
"contracts":{"type":"object","additionalProperties":{"type":"object"}}}}"#;

const TOOL_CONTRACT: &str = r##"{"type":"object","required":["surface","behavior","tokenEconomics",
"entitlements","digest"],"properties":{"surface":{"type":"object"},"behavior":{"type":"object"},
"tokenEconomics":{"type":"object"},"entitlements":{"type":"object"},
"digest":{"$ref":"#/components/schemas/Digest"}}}"##;

const CONTRACT: &str = r##"{"type":"object","required":["name","version","behavior","tools"],"properties":{
"name":{"type":"string"},"version":{"type":"string"},"behavior":{"$ref":"#/components/schemas/Digest"},
"tools":{"type":"object","description":"Contracts by the names of tools.",
"additionalProperties":{"$ref":"#/components/schemas/ToolContract"}}}}"##;

const SCHEMA_CHANGE: &str = r#"{"type":"object","required":["verdict","accepted_now","refused_now","keyword",
"new_arguments","other_notes"],"properties":{
"verdict":{"enum":["equivalent","narrower","wider","incomparable","cannot_tell"]},
"accepted_now":{"type":["string","null"]},"refused_now":{"type":["string","null"]},
"keyword":{"type":["string","null"]},"new_arguments":{"type":"array","items":{"type":"string"}},
"other_notes":{"type":"array","items":{"type":"string"}}}}"#;

const FINDING: &str = r##"{"type":"object","required":["type","subject","member","severity","compat","before",
"after","sentence","evidence","schema","policy"],"properties":{"type":{"type":"string"},
"subject":{"type":"object","required":["kind","name"],
"properties":{"kind":{"type":"string"},"name":{"type":"string"}}},"member":{"type":"string"},
"severity":{"enum":["info","safe","moderate","critical"]},
"compat":{"enum":["cosmetic","safe","risky","breaking"]},"before":{"type":["string","null"]},
"after":{"type":["string","null"]},"sentence":{"type":"string"},
"evidence":{"type":"array","items":{"type":"object","required":["rule","words"],
"properties":{"rule":{"type":"string"},"words":{"type":"string"}}}},
"schema":{"anyOf":[{"$ref":"#/components/schemas/SchemaChange"},{"type":"null"}]},
"policy":{"type":"null"}}}"##;

const FILE_CHANGE: &str = r##"{"type":"object","required":["path","change"],"properties":{
"path":{"type":"string"},"change":{"enum":["added","removed","modified"]},
"before":{"$ref":"#/components/schemas/Digest"},"after":{"$ref":"#/components/schemas/Digest"}}}"##;

const DIFF: &str = r##"{"type":"object","required":["name","from","to","content_changed","findings","summary"],
"properties":{"name":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"},
"content_changed":{"type":"boolean"},
"files":{"type":"array","description":"Only of a facet.","items":{"$ref":"#/components/schemas/FileChange"}},
"findings":{"type":"array","items":{"$ref":"#/components/schemas/Finding"}},
"summary":{"type":"object","required":["info","safe","moderate","critical"],"properties":{
"info":{"type":"integer"},"safe":{"type":"integer"},"moderate":{"type":"integer"},
"critical":{"type":"integer"}}}}}"##;

const ACCEPTED: &str = r#"{"type":"object","required":["status","reason","fix","status_url"],
"properties":{"status":{"const":"QUEUED"},"reason":{"type":"string"},"fix":{"type":"string"},
"docs_url":{"type":"string","format":"uri"},"status_url":{"type":"string"}}}"#;

const PUBLISH_STATUS: &str = r##"{"type":"object","required":["id","status","name","version"],"properties":{
"id":{"type":"string"},"status":{"enum":["queued","running","published","refused"]},"name":{"type":"string"},
"version":{"type":"string"},
"ahead":{"type":"integer","description":"Only while it is queued: how many are probed before it."},
"document":{"$ref":"#/components/schemas/Version","description":"Only if it was published."},
"problem":{"$ref":"#/components/schemas/Problem","description":"Only if it was refused."}}}"##;

const ACCOUNT: &str = r#"{"type":"object","required":["user_uuid","username","email","tier","suspended",
"scopes"],"properties":{"user_uuid":{"type":"string"},"username":{"type":"string"},"email":{"type":"null"},
"tier":{"const":"registry"},"suspended":{"const":false},"scopes":{"type":"array","items":{"type":"string"}}}}"#;

const LIVE: &str =
    r#"{"type":"object","required":["status"],"properties":{"status":{"const":"ok"}}}"#;

const HEALTH: &str = r#"{"type":"object","required":["status","catalog","blobs","probes"],"properties":{
"status":{"enum":["ok","unavailable"]},"catalog":{"enum":["ok","unavailable"]},
"blobs":{"enum":["ok","unavailable"]},"probes":{"enum":["ok","unavailable"]}}}"#;

const DESCRIPTION: &str = r#"{"type":"object","required":["openapi","info","paths","components"],"properties":{
"openapi":{"type":"string"},"info":{"type":"object"},"paths":{"type":"object"},"components":{"type":"object"}}}"#;

/// Whether a document has the members of its schema, and no others.
#[cfg(test)]
pub(super) fn is_described(name: &str, document: &serde_json::Value) -> bool {
    let schema = SCHEMAS.iter().find(|(known, _)| *known == name);
    let schema: serde_json::Value =
        schema.and_then(|(_, text)| serde_json::from_str(text).ok()).unwrap_or_default();
    let (Some(members), Some(properties)) =
        (document.as_object(), schema["properties"].as_object())
    else {
        return false;
    };
    let mut required = schema["required"].as_array().into_iter().flatten();
    members.keys().all(|member| properties.contains_key(member))
        && required.all(|member| member.as_str().is_some_and(|name| members.contains_key(name)))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_object_names_its_members_and_requires_only_those() {
        let mut names = BTreeSet::new();
        for (name, text) in SCHEMAS {
            assert!(names.insert(name), "{name} stands twice");
            let schema: Value = serde_json::from_str(text).unwrap();
            if schema["type"] != "object" {
                continue;
            }
            let properties = schema["properties"].as_object().unwrap();
            for required in schema["required"].as_array().unwrap() {
                assert!(properties.contains_key(required.as_str().unwrap()), "{name}: {required}");
            }
        }
    }
}
