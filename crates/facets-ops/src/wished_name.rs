//! What somebody types to install: a name of a registry, and perhaps a version.

use std::fmt;
use std::str::FromStr;

use facets_model::manifest::FacetSource;
use facets_model::{ArtifactName, Version};

/// `NAME`, `NAME@1.2.3`, `NAME@1.*` or `NAME@latest` of a registry; `NAME=./DIRECTORY` or `NAME=github:OWNER/REPO#REF`
/// for a facet from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WishedName {
    /// Its name.
    pub name: ArtifactName,
    /// The directory or git repository that a facet comes from; none is a registry.
    pub source: Option<String>,
    /// The version as it was typed; none is the latest, which is then asked for exactly.
    pub version: Option<String>,
}

/// Why a text is no such name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WishedNameError {
    /// The name is none.
    #[error("{0}")]
    Name(#[from] facets_model::NameError),
    /// The source is none.
    #[error(
        "`{found}` is not the source of a facet: write ./DIRECTORY, github:OWNER/REPO#REF or a git URL"
    )]
    Source {
        /// What was typed.
        found: String,
    },
    /// A directory or repository without a name.
    #[error("write the name of the facet before its source: NAME={found}")]
    Unnamed {
        /// What was typed.
        found: String,
    },
    /// The version is none.
    #[error("`{found}` is not a version: write 1.2.3, 1.2.*, 1.* or latest")]
    Version {
        /// What was typed.
        found: String,
    },
}

impl FromStr for WishedName {
    type Err = WishedNameError;

    fn from_str(text: &str) -> Result<Self, WishedNameError> {
        if let Some((name, source)) = text.split_once('=') {
            return Self::of_source(name, source);
        }
        if is_source(text) {
            return Err(WishedNameError::Unnamed { found: text.to_owned() });
        }
        // The first sign may be that of a scope.
        let at = text.char_indices().skip(1).find(|(_, sign)| *sign == '@').map(|(at, _)| at);
        let (name, version) = match at {
            Some(at) => (&text[..at], Some(&text[at + 1..])),
            None => (text, None),
        };
        let name = name.parse()?;
        match version {
            None => Ok(Self { name, source: None, version: None }),
            Some(version) if is_version(version) => {
                Ok(Self { name, source: None, version: Some(version.to_owned()) })
            }
            Some(other) => Err(WishedNameError::Version { found: other.to_owned() }),
        }
    }
}

impl WishedName {
    /// A facet of a directory or a git repository.
    fn of_source(name: &str, source: &str) -> Result<Self, WishedNameError> {
        if !is_source(source) {
            return Err(WishedNameError::Source { found: source.to_owned() });
        }
        Ok(Self { name: name.parse()?, source: Some(source.to_owned()), version: None })
    }
}

/// Whether a text is a directory of the project or a git repository, as a manifest names them.
fn is_source(text: &str) -> bool {
    matches!(text.parse(), Ok(FacetSource::Local(_) | FacetSource::Git { .. }))
}

fn is_version(text: &str) -> bool {
    let padded = match text.strip_suffix(".*") {
        Some(prefix) if prefix.contains('.') => format!("{prefix}.0"),
        Some(prefix) => format!("{prefix}.0.0"),
        None => text.to_owned(),
    };
    matches!(text, "latest" | "*") || padded.parse::<Version>().is_ok()
}

impl fmt::Display for WishedName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.source, &self.version) {
            (Some(source), _) => write!(f, "{}={source}", self.name),
            (None, Some(version)) => write!(f, "{}@{version}", self.name),
            (None, None) => self.name.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_scopes_and_versions() {
        for text in
            ["demo", "@acme/demo", "demo@1.2.3", "@acme/demo@1.*", "demo@latest", "demo@1.2.*"]
        {
            let name: WishedName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
        }
        let name: WishedName = "@acme/demo@2.0.0-rc.1".parse().unwrap();
        assert_eq!(
            (name.name.as_str(), name.version.as_deref()),
            ("@acme/demo", Some("2.0.0-rc.1"))
        );
    }

    #[test]
    fn facets_of_directories_and_repositories_have_a_name_and_a_source() {
        for text in ["loc=./facets/loc", "@acme/viper=github:acme/viper#main"] {
            let name: WishedName = text.parse().unwrap();
            assert_eq!(name.to_string(), text);
            assert!(name.source.is_some() && name.version.is_none());
        }
        let unnamed = "./facets/loc".parse::<WishedName>().unwrap_err();
        assert!(unnamed.to_string().ends_with("NAME=./facets/loc"));
        for text in ["loc=1.0.0", "loc=", "=./loc", "loc=../out", "loc=/absolute"] {
            assert!(text.parse::<WishedName>().is_err(), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        for text in
            ["", "Demo", "demo@", "demo@^1.0.0", "demo@1", "demo@1.2.3+b", "@acme", "demo@1.2.3.*"]
        {
            assert!(text.parse::<WishedName>().is_err(), "{text}");
        }
    }
}
