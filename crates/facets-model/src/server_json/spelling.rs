//! Identifiers of one file that are spelled differently.

use crate::FileIdentifier;

/// Other hosts with the same images as `docker.io`.
const DOCKER_HUB: [&str; 4] =
    ["hub.docker.com", "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"];

/// The one spelling of a file's identifier: names of PyPI as PEP 503 has them, owners and repositories of
/// GitHub in lower case, addresses in their normal form, and those of files of a GitHub release as
/// `github:`. Two identifiers with the same one name the same file. Names of npm are case-sensitive.
#[must_use]
pub fn one_spelling(identifier: &FileIdentifier) -> FileIdentifier {
    match identifier {
        FileIdentifier::Npm { .. } => identifier.clone(),
        FileIdentifier::Pypi { name, version, file } => FileIdentifier::Pypi {
            name: normalized_project(name),
            version: version.clone(),
            file: file.clone(),
        },
        FileIdentifier::GitHub { owner, repository, tag, asset } => FileIdentifier::GitHub {
            owner: owner.to_ascii_lowercase(),
            repository: repository.to_ascii_lowercase(),
            tag: tag.clone(),
            asset: asset.clone(),
        },
        FileIdentifier::Url(url) => match release_asset(url.as_str()) {
            Some(asset) => one_spelling(&asset),
            None => normal_address(url.as_str()).parse().unwrap_or_else(|_| identifier.clone()),
        },
    }
}

/// The one spelling of a project's name (PEP 503): lower case, with single hyphens.
#[must_use]
pub fn normalized_project(name: &str) -> String {
    let mut normalized = String::with_capacity(name.len());
    let mut after_separator = false;
    for c in name.chars() {
        let separator = matches!(c, '-' | '_' | '.');
        if !separator {
            // As Python does it: some characters beyond ASCII become ASCII letters.
            normalized.extend(c.to_lowercase());
        } else if !after_separator {
            normalized.push('-');
        }
        after_separator = separator;
    }
    normalized
}

/// The one spelling of the host of images: in lower case, without the usual port, and Docker Hub as `docker.io`.
#[must_use]
pub fn normalized_image_host(host: &str) -> String {
    let host = host.to_ascii_lowercase();
    let host = match host.rsplit_once(':') {
        Some((name, port)) if port.parse::<u16>() == Ok(443) => name,
        _ => host.as_str(),
    };
    if DOCKER_HUB.contains(&host) { "docker.io".to_owned() } else { host.to_owned() }
}

/// The file of a GitHub release at an address, if that is one.
pub(super) fn release_asset(address: &str) -> Option<FileIdentifier> {
    let address = normal_address(address);
    let rest = address.strip_prefix("https://")?;
    let path =
        ["github.com/", "www.github.com/"].iter().find_map(|host| rest.strip_prefix(host))?;
    let mut parts = path.splitn(3, '/');
    let (owner, name, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let asset = rest.strip_prefix("releases/download/")?;
    format!("github:{owner}/{name}/{asset}").parse().ok()
}

/// An https address as a client asks for it (RFC 3986, 6.2.2 and 6.2.3): the host in lower case, without the
/// usual port and a dot at its end, escapes only where they are needed, and no `.` and `..` in the path.
fn normal_address(address: &str) -> String {
    let Some(rest) = address.strip_prefix("https://") else { return address.to_owned() };
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, behind) = rest.split_at(end);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>() == Ok(443) => host,
        _ => authority,
    };
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    let (path, query) = match behind.split_once('?') {
        Some((path, query)) => (path, format!("?{query}")),
        None => (behind, String::new()),
    };
    format!("https://{host}{}{query}", without_dots(&decoded(path)))
}

/// Escapes of letters, digits, `-`, `.`, `_` and `~` mean those characters.
fn decoded(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut parts = path.split('%');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let byte = part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        let plain = byte
            .map(char::from)
            .filter(|&c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '~'));
        if let (Some(c), Some(rest)) = (plain, part.get(2..)) {
            out.push(c);
            out.push_str(rest);
        } else {
            out.push('%');
            out.push_str(part);
        }
    }
    out
}

/// A path whose segments are what they seem to be.
fn without_dots(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." => {}
            ".." => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
        if is_last && matches!(segment, "." | "..") {
            kept.push("");
        }
    }
    format!("/{}", kept.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> String {
        one_spelling(&text.parse().unwrap()).to_string()
    }

    #[test]
    fn one_file_has_one_spelling() {
        for (text, expected) in [
            ("pypi:Secret__Tool.X==1.0/a.whl", "pypi:secret-tool-x==1.0/a.whl"),
            ("npm:Left-Pad@1.0.0", "npm:Left-Pad@1.0.0"),
            ("github:Evil/Repo/V1/X.mcpb", "github:evil/repo/V1/X.mcpb"),
            ("https://GitHub.com:0443/Evil/r/releases/download/v1/x", "github:evil/r/v1/x"),
            ("https://github.com/%65vil/r/releases/download/v1/x", "github:evil/r/v1/x"),
            ("https://github.com/a/../evil/r/releases/download/v1/x", "github:evil/r/v1/x"),
            ("https://www.github.com/evil/./r/releases/download/v1/x", "github:evil/r/v1/x"),
            ("https://E.example.:443/A%7e/%2E%2e/b?c=/../", "https://e.example/b?c=/../"),
            ("https://e.example:8443/a%2fb/..", "https://e.example:8443/"),
            ("https://e.example", "https://e.example/"),
        ] {
            assert_eq!(spelled(text), expected, "{text}");
        }
        for host in ["docker.io:443", "Registry-1.docker.io", "registry.hub.docker.com:443"] {
            assert_eq!(normalized_image_host(host), "docker.io", "{host}");
        }
        for host in ["ghcr.io", "localhost:5000", "[::1]", "[::443]", "docker.io.example"] {
            assert_eq!(normalized_image_host(host), host);
        }
        assert_ne!(spelled("github:a/b/V1/x"), spelled("github:a/b/v1/x"));
        assert_ne!(spelled("https://e.example/A"), spelled("https://e.example/a"));
    }
}
