//! Installs as machines read them.

use facets_digest::Digest;
use facets_model::ArtifactName;
use facets_ops::client_files::FileEdit;
use facets_ops::install::{
    AssetChangeShown, FacetChange, InstallReport, InstalledFileShown, ItemStatus, ServerOutcome,
    YankedVersion,
};
use facets_ops::outdated::{OutdatedItem, OutdatedPackage, OutdatedReport};
use serde_json::{Value, json};

use super::drift_json::{error_json, json_of_all};
use super::first_sight::json_of_markers;
use crate::connect_offer::Connection;

pub(super) fn installed(
    report: &InstallReport,
    next: &[String],
    connection: &Connection,
    verbose: bool,
) -> Value {
    let (connected, error) = match connection {
        Connection::Done(connected, _) => (connected.edits.as_slice(), Value::Null),
        Connection::Failed(error) => (&[][..], error_json(error, verbose)),
        Connection::None | Connection::Declined => (&[][..], Value::Null),
    };
    json!({
        "outcome": report.outcome.word(),
        "facets": report.facets.iter().map(facet).collect::<Vec<_>>(),
        "files": report.files.iter().map(file).collect::<Vec<_>>(),
        "servers": report.servers.iter().map(server).collect::<Vec<_>>(),
        "assets": report.assets.iter().map(asset).collect::<Vec<_>>(),
        "connected": connected.iter().map(client_file).collect::<Vec<_>>(),
        "connect_error": error,
        "yanked": report.yanked.iter().map(yanked).collect::<Vec<_>>(),
        "notes": report.notes,
        "next": next,
    })
}

fn yanked(version: &YankedVersion) -> Value {
    json!({
        "subject": version.subject,
        "version": version.version.to_string(),
        "reason": version.reason,
    })
}

fn facet((change, status): &(FacetChange, ItemStatus)) -> Value {
    json!({
        "name": change.name.as_str(),
        "from": change.from.as_ref().map(ToString::to_string),
        "to": change.to.as_ref().map(ToString::to_string),
        "status": status.word(),
        "source": change.source,
        "integrity": change.integrity.as_ref().map(ToString::to_string),
        "content_hash": change.content_hash.as_ref().map(ToString::to_string),
    })
}

pub(super) fn file(file: &InstalledFileShown) -> Value {
    json!({
        "path": file.path.display().to_string(),
        "client": file.client.name(),
        "facet": file.facet.as_str(),
        "kind": file.kind.word(),
        "name": file.name.as_str(),
        "status": file.status.word(),
    })
}

fn server(server: &ServerOutcome) -> Value {
    let ServerOutcome { change, status, findings, page, pinned } = server;
    let digest = |digest: Option<&Digest>| digest.map(ToString::to_string);
    let pinned = pinned.as_ref();
    json!({
        "name": change.name,
        "what": change.what,
        "from": change.from.as_ref().map(ToString::to_string),
        "to": change.to.as_ref().map(ToString::to_string),
        "status": status.word(),
        "facets": change.facets.iter().map(ArtifactName::as_str).collect::<Vec<_>>(),
        "integrity": digest(pinned.and_then(|pinned| pinned.integrity.as_ref())),
        "content_hash": digest(pinned.and_then(|pinned| pinned.content_hash.as_ref())),
        "api_surface": digest(pinned.map(|pinned| &pinned.api_surface)),
        "surface": digest(pinned.map(|pinned| &pinned.surface)),
        "behavior": digest(pinned.map(|pinned| &pinned.behavior)),
        "findings": json_of_all(findings),
        "markers": page.as_ref().map_or_else(Vec::new, |page| match &page.changes {
            Some(_) => Vec::new(),
            None => json_of_markers(&page.look),
        }),
    })
}

fn asset(asset: &AssetChangeShown) -> Value {
    json!({
        "facet": asset.facet.as_str(),
        "kind": asset.kind.word(),
        "name": asset.name.as_str(),
        "findings": json_of_all(&asset.findings),
    })
}

fn client_file(edit: &FileEdit) -> Value {
    json!({ "client": edit.client.name(), "file": edit.path.display().to_string() })
}

pub(super) fn outdated(report: &OutdatedReport, verbose: bool) -> Value {
    let item = |item: &OutdatedItem| {
        json!({
            "kind": item.kind.word(),
            "name": item.name,
            "locked": item.locked.to_string(),
            "upgrade": item.upgrade.as_ref().map(ToString::to_string),
            "latest": item.latest.as_ref().map(ToString::to_string),
            "yanked": item.yanked,
            "git": item.git.as_ref().map(|git| json!({
                "reference": git.reference,
                "locked": git.locked,
                "newest": git.newest,
            })),
            "error": item.error.as_ref().map(|error| error_json(error, verbose)),
        })
    };
    let package = |package: &OutdatedPackage| {
        json!({
            "name": package.name,
            "locked": package.locked,
            "upgrade": package.upgrade,
            "changed": package.changed,
            "replaced": package.replaced,
            "error": package.error.as_ref().map(|error| error_json(error, verbose)),
        })
    };
    json!({
        "items": report.items.iter().map(item).collect::<Vec<_>>(),
        "packages": report.packages.iter().map(package).collect::<Vec<_>>(),
        "notes": report.notes,
    })
}
