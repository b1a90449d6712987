//! `facet publish`.

use std::fmt::Write as _;

use facets_digest::Digest;
use facets_face::human::problem;
use facets_face::style::{BAD, GOOD, QUIET, STRONG, WARN};
use facets_face::{Exit, Shown, plural, visible};
use facets_ops::publish::{
    HashDifference, PublishPage, PublishReport, PublishStatus, ShownSurface,
};
use facets_surface::{Definition, Kind};
use serde_json::{Value, json};

use super::build::{file_json, packed_lines};
use super::registry::yank_json;
use super::{Renderer, human};

impl Renderer {
    pub(crate) fn publish_shown(&self, page: &PublishPage) -> Shown {
        let human = || {
            let mut out = self::page(page, self.verbose);
            let _ = writeln!(out, "{STRONG}dry run{STRONG:#}: nothing was uploaded");
            Shown { talk: self.publish_warnings(page), ..Shown::styled(out) }
        };
        self.show(human, || json_of(page, "dry-run"))
    }

    /// The page is shown once: here, or before the question.
    pub(crate) fn published(&self, report: &PublishReport, was_read: bool) -> Shown {
        let human = || {
            let page = &report.page;
            let mut out = if was_read { String::new() } else { self::page(page, self.verbose) };
            outcome(report, &mut out);
            Shown { talk: self.publish_warnings(page), ..Shown::styled(out) }
        };
        let exit = if report.differences.is_empty() { Exit::Yes } else { Exit::No };
        self.show(human, || published_json(report)).with_exit(exit)
    }

    fn publish_warnings(&self, page: &PublishPage) -> String {
        let mut talk = String::new();
        for warning in page.warnings.iter().filter(|_| !self.quiet) {
            let _ = write!(talk, "warning: ");
            problem(warning, "", &mut talk);
        }
        talk
    }
}

/// What would be published: files, hashes, and what a server declares.
pub(crate) fn page(page: &PublishPage, is_verbose: bool) -> String {
    let mut out = String::new();
    let packed = (&page.files[..], page.bundle.as_ref(), &page.left_out[..]);
    packed_lines(packed, is_verbose, &mut out);
    let artifact = format!("{} {} {}", page.kind.word(), page.name, page.version);
    let (files, size) = (plural(page.files.len(), "file"), human::size(page.size));
    let _ = writeln!(out, "{STRONG}{artifact}{STRONG:#} ({files}, {size})");
    let mut hash = |label: &str, digest: &Digest| {
        let _ = writeln!(out, "{label:<13} {digest}");
    };
    hash("integrity", &page.integrity);
    hash("content hash", &page.content_hash);
    if let Some(ShownSurface { hashes, .. }) = &page.surface {
        hash("api surface", &hashes.api_surface);
        hash("surface", &hashes.surface);
        hash("behaviour", &hashes.behavior.digest);
    }
    if let Some(shown) = &page.surface {
        declared(shown, &mut out);
    }
    if let Some(url) = &page.url {
        let _ = writeln!(out, "address       {}", visible(url));
    }
    out
}

/// The names of everything that a server declares.
fn declared(ShownSurface { surface, .. }: &ShownSurface, out: &mut String) {
    let kinds = [
        (Kind::Tool, "tools"),
        (Kind::Prompt, "prompts"),
        (Kind::Resource, "resources"),
        (Kind::ResourceTemplate, "templates"),
    ];
    for (kind, label) in kinds {
        let names: Vec<&str> = surface.items(kind).iter().map(Definition::name).collect();
        if !names.is_empty() {
            let _ = writeln!(out, "{label:<13} {}", visible(&names.join(", ")));
        }
    }
}

fn outcome(report: &PublishReport, out: &mut String) {
    let PublishReport { page, registry, url, status, document, differences } = report;
    let verb = match status {
        PublishStatus::Published => "published",
        PublishStatus::Unchanged => "already published",
    };
    let artifact = format!("{} {} {}", page.kind.word(), page.name, page.version);
    let registry = visible(registry);
    let _ = writeln!(out, "{GOOD}{verb}{GOOD:#}: {artifact} on {registry}");
    let _ = writeln!(out, "  {}", visible(url));
    if let Some(yank) = &document.yanked {
        let reason = visible(&yank.reason);
        let _ = writeln!(out, "  {WARN}yanked{WARN:#}: {reason} (facet yank --undo)");
    }
    if differences.is_empty() {
        let compared = compared(report).join(", ");
        let _ = writeln!(out, "  {QUIET}the registry computed the same {compared}{QUIET:#}");
        return;
    }
    for HashDifference { what, own, registry } in differences {
        let _ = writeln!(out, "{BAD}{what} differs{BAD:#}");
        let _ = writeln!(out, "    here:     {own}");
        let _ = writeln!(out, "    registry: {registry}");
    }
}

/// The hashes that both sides have computed, as they are called in JSON.
fn compared(report: &PublishReport) -> Vec<&'static str> {
    let mut names = vec!["integrity"];
    if report.status == PublishStatus::Published {
        names.push("content_hash");
    }
    if report.page.surface.is_some() && report.document.server.is_some() {
        names.extend(["api_surface", "surface", "behavior"]);
    }
    names
}

/// What was computed here.
fn json_of(page: &PublishPage, status: &str) -> Value {
    let hashes = page.surface.as_ref().map(|shown| &shown.hashes);
    json!({
        "kind": page.kind.word(),
        "name": page.name.as_str(),
        "version": page.version.to_string(),
        "content_hash": page.content_hash.to_string(),
        "integrity": page.integrity.to_string(),
        "api_surface": hashes.map(|hashes| hashes.api_surface.to_string()),
        "surface": hashes.map(|hashes| hashes.surface.to_string()),
        "behavior": hashes.map(|hashes| hashes.behavior.digest.to_string()),
        "size": page.size,
        "files": page.files.iter().map(file_json).collect::<Vec<_>>(),
        "registry": page.registry,
        "url": page.url,
        "status": status,
        "differences": [],
        "yanked": null,
        "warnings": page.warnings.iter().map(facets_face::json::problem).collect::<Vec<_>>(),
    })
}

/// What the registry has, and where that is not what was computed here.
fn published_json(report: &PublishReport) -> Value {
    let status = match report.status {
        PublishStatus::Published => "published",
        PublishStatus::Unchanged => "unchanged",
    };
    let document = &report.document;
    let mut value = json_of(&report.page, status);
    value["content_hash"] = document.content_hash.to_string().into();
    value["integrity"] = document.integrity.to_string().into();
    if let Some(server) = &document.server {
        value["api_surface"] = server.api_surface.to_string().into();
        value["surface"] = server.surface.to_string().into();
        value["behavior"] = server.behavior.to_string().into();
    }
    let difference = |one: &HashDifference| {
        json!({
            "hash": one.what,
            "own": one.own.to_string(),
            "registry": one.registry.to_string(),
        })
    };
    value["differences"] = report.differences.iter().map(difference).collect::<Vec<_>>().into();
    value["yanked"] = document.yanked.as_ref().map(yank_json).into();
    value
}
