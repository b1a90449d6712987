//! The page of a project, and the files of one release on it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use facets_model::FileIdentifier;
use url::Url;

use super::names::{normalized_name, version_of_file};
use super::version::same_version;
use crate::error::FetchError;
use crate::stated_hash::{StatedAlgorithm, StatedHash};
use crate::upstream::{UpstreamFile, Yanked};

/// How many files a page may list.
pub(super) const MAX_FILES: usize = 100_000;

/// A file, as the page of its project lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SimpleFile {
    /// Its name, as listed: [`files_of`] refuses names that lead elsewhere.
    pub name: String,
    /// Where it lies, without fragment and credentials.
    pub url: Url,
    /// The hashes that are stated, of algorithms that are known.
    pub hashes: Vec<StatedHash>,
    /// How long it is, if that is stated.
    pub size: Option<u64>,
    /// Whether its author has withdrawn it.
    pub yanked: Option<Yanked>,
    /// The versions of Python that it is for.
    pub requires_python: Option<String>,
}

/// The address of the page of a project.
#[must_use]
pub fn project_url(index: &Url, project: &str) -> Url {
    let mut url = index.clone();
    let path = format!("{}/{}/", index.path().trim_end_matches('/'), normalized_name(project));
    url.set_path(&path);
    url.set_fragment(None);
    url
}

/// Every wheel and archive of sources of one version, sorted by name.
pub fn files_of(
    files: Vec<SimpleFile>,
    name: &str,
    version: &str,
) -> Result<Vec<UpstreamFile>, FetchError> {
    let mut found: BTreeMap<String, UpstreamFile> = BTreeMap::new();
    for file in files {
        if let Some(problem) = name_problem(&file.name) {
            let shown: String = file.name.escape_debug().take(100).collect();
            return Err(document(&file.url, format!("the file name `{shown}` {problem}")));
        }
        let its_version = version_of_file(&file.name, name);
        if !its_version.is_some_and(|its_version| same_version(&its_version, version)) {
            continue;
        }
        let file = upstream_file(file, name, version);
        match found.entry(file.name.clone()) {
            Entry::Vacant(place) => {
                place.insert(file);
            }
            Entry::Occupied(first) if *first.get() == file => {}
            Entry::Occupied(_) => {
                let problem = format!("`{}` is listed twice, differently", file.name);
                return Err(document(&file.url, problem));
            }
        }
    }
    Ok(found.into_values().collect())
}

/// The one file of a release that an identifier names.
pub fn choose(
    identifier: &FileIdentifier,
    mut files: Vec<UpstreamFile>,
) -> Result<Vec<UpstreamFile>, FetchError> {
    if let FileIdentifier::Pypi { file: Some(name), .. } = identifier {
        files.retain(|file| file.name == *name);
    }
    match files.len() {
        0 => Err(FetchError::NotFound {
            what: identifier.to_string(),
            host: "the package index".to_owned(),
        }),
        1 => Ok(files),
        _ => Err(FetchError::Ambiguous {
            identifier: identifier.clone(),
            files: files.into_iter().map(|file| file.name).collect(),
        }),
    }
}

fn upstream_file(file: SimpleFile, name: &str, version: &str) -> UpstreamFile {
    let identifier = FileIdentifier::Pypi {
        name: name.to_owned(),
        version: version.to_owned(),
        file: Some(file.name.clone()),
    };
    UpstreamFile {
        identifier,
        name: file.name,
        url: file.url,
        size: file.size,
        stated: file.hashes,
        yanked: file.yanked,
    }
}

/// Why a name must not become that of a file.
fn name_problem(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("is empty")
    } else if name.starts_with('.') {
        Some("begins with a dot")
    } else if name.contains(['/', '\\']) {
        Some("has a slash")
    } else if name.contains(char::is_control) {
        Some("has a control character")
    } else {
        None
    }
}

/// The error about a page or a link; a query may hold a secret and is not shown.
pub(super) fn document(url: &Url, problem: impl Into<String>) -> FetchError {
    let mut shown = url.clone();
    shown.set_query(None);
    FetchError::Document { url: shown.to_string(), problem: problem.into() }
}

/// Where a link leads, and its fragment. Nothing if that is no address that can be fetched.
pub(super) fn resolve(base: &Url, link: &str) -> Option<(Url, String)> {
    let mut url = base.join(link.trim()).ok()?;
    if !is_web(&url) {
        return None;
    }
    let fragment = url.fragment().unwrap_or_default().to_owned();
    url.set_fragment(None);
    url.set_username("").and_then(|()| url.set_password(None)).ok()?;
    Some((url, fragment))
}

/// Whether an address can be fetched at all.
pub(super) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// The hash that an index states; nothing of an algorithm that is not known.
pub(super) fn stated(name: &str, hex: &str, file: &Url) -> Result<Option<StatedHash>, FetchError> {
    let Some(algorithm) = StatedAlgorithm::named(&name.to_ascii_lowercase()) else {
        return Ok(None);
    };
    let malformed = || document(file, format!("its {} is malformed", algorithm.name()));
    StatedHash::from_hex(algorithm, hex, "index").map(Some).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn file(name: &str, size: u64) -> SimpleFile {
        SimpleFile {
            name: name.to_owned(),
            url: format!("https://files.example/x/{}", name.len()).parse().unwrap(),
            hashes: Vec::new(),
            size: Some(size),
            yanked: None,
            requires_python: None,
        }
    }

    fn names(files: &[UpstreamFile]) -> Vec<&str> {
        files.iter().map(|file| file.name.as_str()).collect()
    }

    #[test]
    fn pages_of_projects_end_with_a_slash() {
        for (index, project, expected) in [
            (
                "https://a.example/simple/",
                "Zope.Interface",
                "https://a.example/simple/zope-interface/",
            ),
            ("https://a.example/simple", "x", "https://a.example/simple/x/"),
            ("https://a.example", "..", "https://a.example/-/"),
            (
                "http://a.example:3141/team/+simple/#x",
                "a_b",
                "http://a.example:3141/team/+simple/a-b/",
            ),
        ] {
            let index: Url = index.parse().unwrap();
            assert_eq!(project_url(&index, project).as_str(), expected);
        }
    }

    #[test]
    fn files_of_one_version_are_sorted_and_named() {
        let listed = vec![
            file("mcp-1.0.tar.gz", 1),
            file("mcp-1.0.0-py3-none-any.whl", 2),
            file("mcp-1.0.1.tar.gz", 3),
            file("mcp-1.0-py3.12.egg", 4),
            file("mcp_server-1.0.tar.gz", 5),
            file("mcp-1.0.tar.gz", 1),
        ];
        let files = files_of(listed, "MCP", "1").unwrap();
        assert_eq!(names(&files), ["mcp-1.0.0-py3-none-any.whl", "mcp-1.0.tar.gz"]);
        assert_eq!(files[1].identifier.to_string(), "pypi:MCP==1/mcp-1.0.tar.gz");
        assert_eq!(files[1].size, Some(1));
    }

    #[test]
    fn conflicting_duplicates_are_refused() {
        let twins = vec![file("mcp-1.0.tar.gz", 1), file("mcp-1.0.tar.gz", 2)];
        assert!(matches!(files_of(twins.clone(), "mcp", "1.0"), Err(FetchError::Document { .. })));
        assert_eq!(files_of(twins, "mcp", "2.0").unwrap(), []);
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in
            ["", ".", "..", ".ssh", "../mcp-1.0.tar.gz", "a\\b", "a/b", "a\0", "a\n", "a\u{85}"]
        {
            let refused = files_of(vec![file(name, 1)], "mcp", "1.0");
            assert!(matches!(refused, Err(FetchError::Document { .. })), "{name:?}");
        }
    }

    #[test]
    fn an_identifier_names_one_file() {
        let listed = vec![file("mcp-1.0.tar.gz", 1), file("mcp-1.0-py3-none-any.whl", 2)];
        let files = files_of(listed, "mcp", "1.0").unwrap();
        let chosen = |text: &str, files: &[UpstreamFile]| {
            let identifier: FileIdentifier = text.parse().unwrap();
            choose(&identifier, files.to_vec())
        };
        let one = chosen("pypi:mcp==1.0/mcp-1.0.tar.gz", &files).unwrap();
        assert_eq!(names(&one), ["mcp-1.0.tar.gz"]);
        let absent = chosen("pypi:mcp==1.0/mcp-1.0.zip", &files);
        assert!(matches!(absent, Err(FetchError::NotFound { .. })));
        assert!(matches!(chosen("pypi:mcp==1.0", &[]), Err(FetchError::NotFound { .. })));
        assert_eq!(names(&chosen("pypi:mcp==1.0", &one).unwrap()), ["mcp-1.0.tar.gz"]);
        match chosen("pypi:mcp==1.0", &files) {
            Err(FetchError::Ambiguous { files, .. }) => {
                assert_eq!(files, ["mcp-1.0-py3-none-any.whl", "mcp-1.0.tar.gz"]);
            }
            other => panic!("{other:?}"),
        }
    }
}
