//! A server whose artifact facet verifies, and starts with a runtime of its own.

use std::fmt;

use crate::path::LocalPath;
use crate::url::HttpUrl;

/// A source-mode server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceModeOrigin {
    /// Where its artifact comes from.
    pub source: ArtifactSource,
    /// The names of the variables that the `server.yaml` of its artifact lists, sorted. None before that
    /// is read.
    pub env: Vec<String>,
}

/// Where an artifact comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ArtifactSource {
    /// A directory that is built, or an archive.
    Local {
        /// Where that lies.
        path: LocalPath,
    },
    /// A registry, which knows it by name and version.
    Registry {
        /// Its address.
        url: HttpUrl,
    },
}

impl SourceModeOrigin {
    /// An artifact with its variables in order, each once.
    #[must_use]
    pub fn new(source: ArtifactSource, mut env: Vec<String>) -> Self {
        env.sort_unstable();
        env.dedup();
        Self { source, env }
    }

    pub(super) fn variables(&self) -> Vec<&str> {
        self.env.iter().map(String::as_str).collect()
    }

    pub(super) fn members(&self) -> Vec<(&'static str, String)> {
        let source = match &self.source {
            ArtifactSource::Local { path } => ("path", path.to_string()),
            ArtifactSource::Registry { url } => ("registry", url.to_string()),
        };
        vec![source, ("env", self.env.join("\n"))]
    }
}

impl fmt::Display for SourceModeOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            ArtifactSource::Local { path } => path.fmt(f),
            ArtifactSource::Registry { url } => write!(f, "registry {url}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    fn local(path: &str, env: &[&str]) -> Origin {
        let source = ArtifactSource::Local { path: path.parse().unwrap() };
        SourceModeOrigin::new(source, env.iter().map(ToString::to_string).collect()).into()
    }

    fn registry(url: &str) -> Origin {
        let source = ArtifactSource::Registry { url: url.parse().unwrap() };
        SourceModeOrigin::new(source, Vec::new()).into()
    }

    #[test]
    fn variables_are_sorted_and_each_stands_once() {
        let origin = local("./server", &["TOKEN", "HOST", "TOKEN"]);
        assert_eq!(origin.variables(), ["HOST", "TOKEN"]);
        assert!(!origin.is_remote(), "it is started on this machine");
    }

    #[test]
    fn a_manifest_names_the_place_and_no_variables() {
        let pinned = local("./server", &["TOKEN"]);
        assert!(pinned.is_declared_as(&local("./server", &[])));
        assert!(!pinned.is_declared_as(&local("./other", &["TOKEN"])));
        assert!(!pinned.is_declared_as(&registry("https://registry.example/")));
    }

    #[test]
    fn members_name_the_place_or_the_registry() {
        let members = local("../server.server.tar.gz", &["A", "B"]).members();
        let expected = [("path", "../server.server.tar.gz"), ("env", "A\nB")];
        assert_eq!(members, expected.map(|(name, text)| (name, text.to_owned())));
        let members = registry("https://registry.example/").members();
        assert_eq!(members[0], ("registry", "https://registry.example/".to_owned()));
    }

    #[test]
    fn people_read_the_path_or_the_registry() {
        assert_eq!(local("/srv/server", &[]).to_string(), "/srv/server");
        let shown = registry("https://registry.example/").to_string();
        assert_eq!(shown, "registry https://registry.example/");
    }
}
