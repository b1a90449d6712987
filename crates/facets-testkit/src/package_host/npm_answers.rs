//! The registry of npm.

use serde_json::{Value, json};

use super::catalog::{Catalog, NpmRelease};
use super::http_answer::HttpAnswer;
use crate::raw_http::RawHead;

/// Asks for what an installation needs, and not for the rest.
const ABBREVIATED: &str = "application/vnd.npm.install-v1+json";

/// The answer to a path below the registry, which ends in a slash.
pub(super) fn answer_npm(
    catalog: &Catalog,
    registry: &str,
    path: &str,
    head: &RawHead,
) -> HttpAnswer {
    // A scope is asked for as `@scope%2fname`.
    let path = path.replace("%2f", "/").replace("%2F", "/").replace("%40", "@");
    if let Some((name, file)) = path.split_once("/-/") {
        let mut releases = catalog.npm_releases(name).iter();
        let found = releases.find(|release| release.file_name(name) == file);
        return found
            .map_or_else(HttpAnswer::not_found, |release| HttpAnswer::file(&release.file, head));
    }
    let releases = catalog.npm_releases(&path);
    if releases.is_empty() {
        return HttpAnswer::not_found();
    }
    let described = |release| (version_of(release), describe(release, registry, &path));
    let versions: Value = releases.iter().map(described).collect();
    let mut document =
        json!({ "name": path, "dist-tags": catalog.npm_tags(&path), "versions": versions });
    if head.headers.get("accept").is_some_and(|accept| accept.contains(ABBREVIATED)) {
        return HttpAnswer::json(ABBREVIATED, &document);
    }
    document["time"] = times(releases);
    HttpAnswer::json("application/json", &document)
}

fn version_of(release: &NpmRelease) -> String {
    release.version.clone()
}

/// What is said about one version.
fn describe(release: &NpmRelease, registry: &str, name: &str) -> Value {
    let mut described = release.manifest.clone();
    let file = release.file_name(name);
    described["dist"] = json!({
        "tarball": format!("{registry}{name}/-/{file}"),
        "integrity": release.file.hash,
    });
    let scripts = &release.manifest["scripts"];
    let runs_at_install = ["preinstall", "install", "postinstall"];
    if runs_at_install.iter().any(|script| scripts.get(*script).is_some()) {
        described["hasInstallScript"] = json!(true);
    }
    described
}

/// When each version was published, and the first and the last of all.
fn times(releases: &[NpmRelease]) -> Value {
    let published = releases.iter().map(|release| release.published.as_str());
    let mut times =
        json!({ "created": published.clone().min(), "modified": published.clone().max() });
    for (release, time) in releases.iter().zip(published) {
        times[&release.version] = json!(time);
    }
    times
}
