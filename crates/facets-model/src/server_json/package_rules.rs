//! What each type of package may and must have.

use super::address::{host, path, scheme};
use super::placeholder::template_in;
use super::stated::check_stated_hex;
use crate::manifest::check::{Checker, Members, Place, shorten};

/// The type of a package: which registry has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Npm,
    Pypi,
    NuGet,
    Oci,
    Mcpb,
    Cargo,
}

/// Hosts of images that the registry knows, and endings of others.
const IMAGE_HOSTS: &[&str] =
    &["docker.io", "index.docker.io", "ghcr.io", "quay.io", "mcr.microsoft.com"];
const IMAGE_HOST_ENDS: &[&str] = &[".pkg.dev", ".azurecr.io"];

impl Kind {
    pub(super) const WORDS: &'static str = "npm, pypi, nuget, oci, mcpb, cargo";

    pub(super) fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "npm" => Self::Npm,
            "pypi" => Self::Pypi,
            "nuget" => Self::NuGet,
            "oci" => Self::Oci,
            "mcpb" => Self::Mcpb,
            "cargo" => Self::Cargo,
            _ => return None,
        })
    }

    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
            Self::NuGet => "nuget",
            Self::Oci => "oci",
            Self::Mcpb => "mcpb",
            Self::Cargo => "cargo",
        }
    }

    /// The one address of its registry; none where the identifier names it.
    pub(super) const fn base_url(self) -> Option<&'static str> {
        match self {
            Self::Npm => Some("https://registry.npmjs.org"),
            Self::Pypi => Some("https://pypi.org"),
            Self::NuGet => Some("https://api.nuget.org/v3/index.json"),
            Self::Cargo => Some("https://crates.io"),
            Self::Oci | Self::Mcpb => None,
        }
    }
}

/// Checks the members whose rules depend on the type.
pub(super) fn check_kind(
    check: &mut Checker<'_>,
    kind: Kind,
    members: &Members<'_>,
    identifier: Option<&Place<'_>>,
) {
    if let Some(place) = members.optional("registryBaseUrl") {
        check_base_url(check, kind, &place);
    }
    match (kind, members.optional("version")) {
        (Kind::Oci, Some(place)) => refuse(check, &place, kind, "version", "the tag names it"),
        (Kind::Oci | Kind::Mcpb, _) => {}
        _ => drop(members.required(check, "version", "\"1.0.0\"")),
    }
    match (kind, members.optional("fileSha256")) {
        (Kind::Mcpb, Some(place)) => check_stated_hex(check, &place),
        (Kind::Mcpb, None) => {
            drop(members.required(check, "fileSha256", "the SHA-256 of the file, 64 hex digits"));
        }
        (_, Some(place)) => refuse(check, &place, kind, "fileSha256", "it is for mcpb alone"),
        (_, None) => {}
    }
    let Some(place) = identifier else { return };
    match kind {
        Kind::Oci => check_image(check, place),
        Kind::Mcpb => check_bundle(check, place),
        _ => note_template(check, place),
    }
}

/// A member that this type of package must not have.
fn refuse(check: &mut Checker<'_>, place: &Place<'_>, kind: Kind, name: &str, reason: &str) {
    let found = format!("\"{name}\" in a package of type {}", kind.word());
    let allowed = format!("no \"{name}\": {reason}");
    check.problem("server-json-package", place, &found, &allowed, "remove it");
}

fn check_base_url(check: &mut Checker<'_>, kind: Kind, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let Some(expected) = kind.base_url() else {
        return refuse(check, place, kind, "registryBaseUrl", "the identifier names the place");
    };
    if text != expected {
        let fix = format!("write \"{expected}\", or remove the member");
        check.problem("server-json-package", place, &shorten(text), expected, &fix);
    }
}

/// A placeholder in an identifier is accepted by the registry, and names nothing.
fn note_template(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(template) = check.string(place).and_then(template_in) else { return };
    let found = format!("the placeholder {}", shorten(template));
    let words = [&*found, "the name of a package", "fill it in before you publish"];
    check.warning("server-json-placeholder", place, words);
}

fn check_image(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let host = image_host(text);
    let is_known =
        IMAGE_HOSTS.contains(&host) || IMAGE_HOST_ENDS.iter().any(|end| host.ends_with(end));
    if is_known {
        return note_template(check, place);
    }
    check.problem(
        "server-json-package",
        place,
        &format!("the image registry {}", shorten(host)),
        "docker.io, ghcr.io, quay.io, mcr.microsoft.com, *.pkg.dev, *.azurecr.io",
        "push the image to one of these, or name it there",
    );
}

/// The host of an image; Docker Hub where none is written.
fn image_host(text: &str) -> &str {
    match text.split_once('/') {
        Some((first, _)) if first.contains(['.', ':']) || first == "localhost" => first,
        _ => "docker.io",
    }
}

fn check_bundle(check: &mut Checker<'_>, place: &Place<'_>) {
    let Some(text) = check.string(place) else { return };
    let Some((found, allowed, fix)) = bundle_problem(text) else {
        return note_template(check, place);
    };
    let found = format!("{}: {found}", shorten(text));
    check.problem("server-json-package", place, &found, allowed, fix);
}

/// What the registry does not like about the address of a bundle: found, allowed, and a fix.
fn bundle_problem(text: &str) -> Option<(&'static str, &'static str, &'static str)> {
    if scheme(text) != Some("https") {
        let fix = "write the address of the file, beginning with https://";
        return Some(("no https address", "the https address of the file", fix));
    }
    let release = "upload the file to a release, and write its address";
    let is_asset = match host(text) {
        Some("github.com" | "www.github.com") => is_github_asset(path(text)),
        Some("gitlab.com" | "www.gitlab.com") => is_gitlab_asset(path(text)),
        _ => {
            let allowed = "github.com or gitlab.com";
            return Some(("a host that is not allowed", allowed, release));
        }
    };
    if !is_asset {
        let allowed = "a file of a release: /OWNER/REPOSITORY/releases/download/TAG/FILE";
        return Some(("no file of a release", allowed, release));
    }
    let fix = "name the file after what it is, for example weather.mcpb";
    let lacks = !text.to_ascii_lowercase().contains("mcp");
    lacks.then_some(("no `mcp` in it", "an address with `mcp` in it", fix))
}

fn is_github_asset(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), ["", owner, name, "releases", "download", tag, .., file]
        if ![owner, name, tag, file].iter().any(|part| part.is_empty()))
}

fn is_gitlab_asset(path: &str) -> bool {
    path.split_once("/-/").is_some_and(|(project, rest)| {
        let is_release = rest.starts_with("releases/") && rest.contains("/downloads/");
        project.matches('/').count() >= 2 && (is_release || rest.starts_with("package_files/"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bundles_are_files_of_releases() {
        for good in [
            "https://github.com/o/r-mcp/releases/download/v1/x.mcpb",
            "https://github.com/o/r/releases/download/@a/b@2.0/context.mcpb",
            "https://gitlab.com/g/s/p/-/releases/v1/downloads/x.mcpb",
            "https://gitlab.com/g/p/-/package_files/1/download?mcp",
        ] {
            assert_eq!(bundle_problem(good), None, "{good}");
        }
        for bad in [
            "http://github.com/o/r/releases/download/v1/x.mcpb",
            "https://example.com/weather.mcpb",
            "https://github.com/o/r-mcp/raw/main/weather.mcpb",
            "https://github.com/o/r/releases/download/v1/w.zip",
            "https://github.com/o/r/releases/download/x.mcpb",
            "@scope/mcp",
        ] {
            assert!(bundle_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn images_without_a_host_are_those_of_docker_hub() {
        assert_eq!(image_host("mcp/filesystem:1"), "docker.io");
        assert_eq!(image_host("filesystem:1"), "docker.io");
        assert_eq!(image_host("ghcr.io/a/b:${VERSION}"), "ghcr.io");
        assert_eq!(image_host("localhost/a"), "localhost");
    }
}
