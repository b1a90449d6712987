//! The page of a project, and the files of one release on it.

use facets_model::FileIdentifier;
use url::Url;

use super::link::linked_names;
use super::names::{is_identifiable, normalized_name, version_of_file};
use super::percent::percent_decoded;
use super::version::is_wanted;
use crate::error::FetchError;
use crate::stated_hash::StatedHash;
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
    /// The algorithm of a hash that cannot be compared, if no other hash is stated.
    pub uncompared: Option<String>,
    /// How long it is, if that is stated.
    pub size: Option<u64>,
    /// Whether its author has withdrawn it.
    pub yanked: Option<Yanked>,
    /// The versions of Python that it is for.
    pub requires_python: Option<String>,
    /// `#egg=PROJECT-VERSION` of a link: pip goes by it, whatever the file is called.
    pub egg: Option<String>,
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

/// Every wheel and archive of sources that pip takes for one version, sorted by name. A file that is listed
/// twice is there twice: [`union_of`](super::union_of) compares them.
pub fn files_of(
    files: Vec<SimpleFile>,
    name: &str,
    version: &str,
) -> Result<Vec<UpstreamFile>, FetchError> {
    let mut found: Vec<UpstreamFile> = Vec::new();
    for file in files {
        if let Some(problem) = name_problem(&file.name) {
            return Err(refused_name(&file, problem));
        }
        let is_asked = |file_name: &str| is_of_release(file_name, name, version);
        let contradicts = |linked: &String| *linked != file.name && is_asked(linked);
        // pip goes by the address, others by the name that is listed.
        if linked_names(&file.url).iter().any(contradicts) {
            return Err(refused_name(&file, "is not the one that its address ends in"));
        }
        let is_of_egg = file.egg.as_deref().is_some_and(|egg| is_asked(&format!("{egg}.zip")));
        if is_identifiable(&file.name) && is_asked(&file.name) {
            require_comparable(&file)?;
            found.push(upstream_file(file, name, version));
        } else if is_asked(&file.name) || is_asked(&percent_decoded(&file.name)) {
            return Err(refused_name(&file, "is none that a file identifier can have"));
        } else if is_of_egg {
            return Err(refused_name(&file, "is not the one that `#egg=` says"));
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Whether pip takes a file of this name for a release. Beyond ASCII Python reads versions in a way of its
/// own, so that such a version may be any.
fn is_of_release(file: &str, name: &str, version: &str) -> bool {
    version_of_file(file, name).is_some_and(|its| !its.is_ascii() || is_wanted(version, &its))
}

/// The only hash of a file must not be one that pip compares and this program does not.
fn require_comparable(file: &SimpleFile) -> Result<(), FetchError> {
    let Some(algorithm) = &file.uncompared else { return Ok(()) };
    let shown: String = algorithm.escape_debug().take(100).collect();
    Err(document(&file.url, format!("its only hash is `{shown}`, which is not supported")))
}

fn refused_name(file: &SimpleFile, problem: &str) -> FetchError {
    let shown: String = file.name.escape_debug().take(100).collect();
    document(&file.url, format!("the file name `{shown}` {problem}"))
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

/// The error about a page with a link that clients may read differently.
pub(super) fn refused_link(page: &Url, problem: &str) -> FetchError {
    document(page, format!("a link on the page {problem}, so that pip may read it differently"))
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
            uncompared: None,
            size: Some(size),
            yanked: None,
            requires_python: None,
            egg: None,
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
        let expected = ["mcp-1.0.0-py3-none-any.whl", "mcp-1.0.tar.gz", "mcp-1.0.tar.gz"];
        assert_eq!(names(&files), expected);
        assert_eq!(files[1].identifier.to_string(), "pypi:MCP==1/mcp-1.0.tar.gz");
        assert_eq!(files[1].size, Some(1));
    }

    #[test]
    fn files_with_a_local_label_belong_to_the_public_version() {
        let listed =
            ["mcp-1.0+cpu-py3-none-any.whl", "mcp-1.0.tar.gz", "mcp-1.1+cpu-py3-none-any.whl"];
        let of = |version: &str| {
            let files = listed.iter().map(|name| file(name, 1)).collect();
            files_of(files, "mcp", version).unwrap()
        };
        assert_eq!(names(&of("1.0")), ["mcp-1.0+cpu-py3-none-any.whl", "mcp-1.0.tar.gz"]);
        assert_eq!(names(&of("1.0+CPU")), ["mcp-1.0+cpu-py3-none-any.whl"]);
        assert_eq!(names(&of("1.0+gpu")), [""; 0]);
    }

    #[test]
    fn files_of_the_release_that_no_identifier_can_name_are_refused() {
        let long = format!("mcp-1.0-1{}-py3-none-any.whl", "a".repeat(255));
        for name in [
            "mcp-1.0-9~a-py3-none-any.whl",
            "mcp-1.0+cpu-9~a-py3-none-any.whl",
            "mcp-1.0 .tar.gz",
            "mcp-1.0-py3-none-é.whl",
            "mcp%2D1.0-py3-none-any.whl",
            "mcp-1.0.po\u{17f}t1.zip",
            long.as_str(),
        ] {
            let error = files_of(vec![file(name, 1)], "mcp", "1.0").unwrap_err();
            assert!(matches!(error, FetchError::Document { .. }), "{name}: {error}");
        }
        for name in [
            "mcp-1.1-9~a-py3-none-any.whl",
            "other-1.0-9~a-py3-none-any.whl",
            "mcp-1.0~a.exe",
            "mcp-1.0~a.zip",
        ] {
            assert_eq!(files_of(vec![file(name, 1)], "mcp", "1.0").unwrap(), [], "{name}");
        }
    }

    #[test]
    fn names_that_the_address_contradicts_are_refused() {
        let listed = |name: &str, linked: &str| {
            let url = format!("https://files.example/x/{linked}").parse().unwrap();
            files_of(vec![SimpleFile { url, ..file(name, 1) }], "mcp", "1.0")
        };
        for name in ["mcp-2.0.zip", "mcp-1.0.tar.gz", "readme.txt"] {
            assert!(listed(name, "mcp-1.0.zip").is_err(), "{name}");
            for linked in [
                "mcp-1.0+x.zip/",
                "x%2Fmcp-1.0-9-py3-none-any.whl",
                "mc%2570-1.0-9-py3-none-any.whl",
                "mcp-1.0-9-py3-none-any.whl%2F",
                "mcp-1.0-9-py3-none-any.whl/%2F",
            ] {
                assert!(listed(name, linked).is_err(), "{name}: {linked}");
            }
        }
        assert_eq!(names(&listed("mcp-1.0.zip", "mcp-1.0.zip").unwrap()), ["mcp-1.0.zip"]);
        assert_eq!(names(&listed("mcp-1.0.zip", "0123").unwrap()), ["mcp-1.0.zip"]);
        assert_eq!(listed("mcp-2.0.zip", "mcp-3.0.zip").unwrap(), []);
        let egg = |egg: &str, name: &str| {
            files_of(vec![SimpleFile { egg: Some(egg.to_owned()), ..file(name, 1) }], "mcp", "1.0")
        };
        assert!(egg("mcp-1.0", "latest.bin").is_err());
        assert!(egg("mcp-1.0", "mcp-1.0.zip").is_ok_and(|files| files.len() == 1));
        assert!(egg("mcp", "latest.bin").is_ok_and(|files| files.is_empty()));
    }

    #[test]
    fn a_file_of_the_release_needs_a_hash_that_can_be_compared_or_none() {
        let listed = |version: &str| {
            let uncompared = Some("md5".to_owned());
            files_of(vec![SimpleFile { uncompared, ..file("mcp-1.0.zip", 1) }], "mcp", version)
        };
        let error = listed("1.0").unwrap_err().to_string();
        assert!(error.ends_with("its only hash is `md5`, which is not supported"), "{error}");
        assert_eq!(listed("2.0").unwrap(), []);
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
