//! Patterns of packages, which match however a package is spelled.

use facets_model::FileIdentifier;
use facets_model::server_json::{normalized_image_host, normalized_project, one_spelling};

use crate::pattern::Pattern;

/// A pattern of identifiers of packages, as written.
#[derive(Clone, Debug)]
pub(crate) struct PackagePattern(String);

impl PackagePattern {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// spec 12.6: as both are written, or in the one spelling of both.
    pub(crate) fn matches(&self, package: &str) -> bool {
        if Pattern::new(&self.0).matches(package) {
            return true;
        }
        if let (Some(pattern), Some(image)) =
            (self.0.strip_prefix("oci:"), package.strip_prefix("oci:"))
        {
            let image = image_on_host(image, "");
            // Docker Hub keeps what is named without an owner below `library/`.
            let spelled = ["", "library/"].map(|folder| image_on_host(pattern, folder));
            return spelled.iter().any(|pattern| Pattern::new(pattern).matches(&image));
        }
        let Ok(identifier) = package.parse::<FileIdentifier>() else { return false };
        let spelled = one_spelling(&identifier);
        let is_one = |pattern: &str, name: &str| Pattern::new(pattern).matches(name);
        match &spelled {
            // Names of npm are what they are.
            FileIdentifier::Npm { .. } => false,
            FileIdentifier::Pypi { .. } => is_one(&project(&self.0), &spelled.to_string()),
            FileIdentifier::GitHub { owner, repository, tag, asset } => {
                let release = format!("{owner}/{repository}/releases/download/{tag}/{asset}");
                is_one(&repository_of(&self.0), &spelled.to_string())
                    || is_one(&address(&self.0), &format!("https://github.com/{release}"))
            }
            FileIdentifier::Url(url) => is_one(&address(&self.0), url.as_str()),
        }
    }
}

/// `HOST/PATH` with the one spelling of the host, on Docker Hub with a folder before a path that has none.
fn image_on_host(image: &str, folder: &str) -> String {
    let Some((host, path)) = image.split_once('/') else { return image.to_owned() };
    let host = normalized_image_host(host);
    let folder = if host == "docker.io" && !path.contains('/') { folder } else { "" };
    format!("{host}/{folder}{path}")
}

/// `pypi:NAME==VERSION` with the name as PEP 503 has it.
fn project(pattern: &str) -> String {
    match pattern.split_once("==") {
        Some((name, version)) => format!("{}=={version}", normalized_project(name)),
        None => normalized_project(pattern),
    }
}

/// `github:OWNER/REPOSITORY/…` with owner and repository in lower case.
fn repository_of(pattern: &str) -> String {
    lower_segments(pattern, 2)
}

/// An address with its host in lower case and without the usual port; on GitHub owner and repository in lower
/// case, too.
fn address(pattern: &str) -> String {
    let Some(rest) = pattern.strip_prefix("https://") else { return pattern.to_owned() };
    let (host, path) = match rest.split_once('/') {
        Some((host, path)) => (host, Some(path)),
        None => (rest, None),
    };
    let host = host.strip_suffix(":443").unwrap_or(host).to_ascii_lowercase();
    let host = if host == "www.github.com" { "github.com".to_owned() } else { host };
    match path {
        Some(path) if host == "github.com" => {
            format!("https://{host}/{}", lower_segments(path, 2))
        }
        Some(path) => format!("https://{host}/{path}"),
        None => format!("https://{host}"),
    }
}

/// The first segments in lower case.
fn lower_segments(text: &str, count: usize) -> String {
    let lower = |(number, segment): (usize, &str)| {
        if number < count { segment.to_ascii_lowercase() } else { segment.to_owned() }
    };
    let segments: Vec<String> = text.split('/').enumerate().map(lower).collect();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_spelling_does_not_avoid_a_pattern() {
        let release = "releases/download/v1/x.mcpb";
        for (pattern, package) in [
            ("pypi:secret-tool==*", "pypi:Secret_Tool==1.0".to_owned()),
            ("pypi:Secret.Tool==1.*", "pypi:secret--tool==1.0".to_owned()),
            ("pypi:SECRET_*", "pypi:secret-tool==1.0".to_owned()),
            ("*Secret_Tool==*", "pypi:secret-tool==1.0".to_owned()),
            ("pypi:x*1.0", "pypi:x-y==1.0".to_owned()),
            ("github:evil/*", "github:Evil/repo/v1/x.mcpb".to_owned()),
            ("github:Evil/Repo/*", "github:evil/repo/v1/x.mcpb".to_owned()),
            ("github:evil/*", format!("https://github.com:443/evil/repo/{release}")),
            ("https://GitHub.com:443/Evil/*", format!("https://github.com/evil/repo/{release}")),
            ("https://github.com/evil/*", "github:Evil/repo/v1/x.mcpb".to_owned()),
            ("https://e.example/*", "https://E.example:443/x.mcpb".to_owned()),
            ("https://E.example:443/x*", "https://e.example/x.mcpb".to_owned()),
            ("oci:ghcr.io/a/*", "oci:ghcr.io/a/b:1".to_owned()),
            ("oci:GHCR.io:443/a/*", "oci:ghcr.io/a/b:1".to_owned()),
            ("oci:docker.io:443/evil/*", "oci:docker.io/evil/x:1".to_owned()),
            ("oci:registry-1.docker.io/evil/*", "oci:docker.io/evil/x:1".to_owned()),
            ("oci:docker.io/evil/*", "oci:registry.hub.docker.com/evil/x:1".to_owned()),
            ("oci:index.docker.io/*", "oci:docker.io/evil/x:1".to_owned()),
            ("oci:docker.io/x:*", "oci:docker.io/library/x:1".to_owned()),
        ] {
            assert!(PackagePattern::new(pattern).matches(&package), "{pattern} {package}");
        }
    }

    #[test]
    fn other_packages_stay_others() {
        for (pattern, package) in [
            ("npm:left-pad@*", "npm:Left-Pad@1.0.0"),
            ("npm:secret-tool@*", "npm:secret_tool@1.0.0"),
            ("pypi:secret-tool==*", "pypi:secret-tools==1.0"),
            ("github:evil/*", "github:evil2/repo/v1/x.mcpb"),
            ("github:a/b/V1/*", "github:a/b/v1/x.mcpb"),
            ("https://e.example/A*", "https://e.example/a.mcpb"),
            ("https://e.example/*", "https://e.example:8443/x.mcpb"),
            ("pypi:*", "npm:pypi@1.0.0"),
            ("oci:docker.io/evil/*", "oci:ghcr.io/evil/x:1"),
            ("oci:ghcr.io/x:*", "oci:ghcr.io/library/x:1"),
            ("oci:docker.io/evil/*", "oci:docker.io:8443/evil/x:1"),
        ] {
            assert!(!PackagePattern::new(pattern).matches(package), "{pattern} {package}");
        }
    }
}
