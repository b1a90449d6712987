//! Names of projects and of their files.

/// The longest name of a file.
const MAX_FILE_NAME: usize = 255;

/// How archives of sources end.
const SOURCE_SUFFIXES: [&str; 12] = [
    ".tar.gz",
    ".zip",
    ".tar.bz2",
    ".tgz",
    ".tar.xz",
    ".tar.Z",
    ".tar.lz",
    ".tar.lzma",
    ".tbz",
    ".txz",
    ".tlz",
    ".tar",
];

const WHEEL_SUFFIX: &str = ".whl";

pub use facets_model::server_json::normalized_project as normalized_name;

/// Whether a file is called like a wheel or an archive of sources.
#[must_use]
pub fn is_distribution(file: &str) -> bool {
    file.ends_with(WHEEL_SUFFIX) || source_stem(file).is_some()
}

/// Whether a file identifier (spec 2.4) can have this name.
pub(super) fn is_identifiable(file: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+!".contains(&byte);
    file.len() <= MAX_FILE_NAME && file.bytes().all(allowed)
}

/// The version that a wheel or an archive of sources of this project has by its name. Nothing if the name
/// is not made like that, or is another project's. Characters are not checked, as pip does not.
#[must_use]
pub fn version_of_file(file: &str, project: &str) -> Option<String> {
    let project = normalized_name(project);
    let version = match file.strip_suffix(WHEEL_SUFFIX) {
        Some(stem) => wheel_version(stem, &project),
        None => source_version(source_stem(file)?, &project),
    }?;
    Some(without_python(&version).to_owned())
}

/// pip cuts `-py3` or `-py3.8` off a version: the file is for that Python alone.
fn without_python(version: &str) -> &str {
    let Some((before, python)) = version.rsplit_once("-py") else { return version };
    let is_python = match python.as_bytes() {
        [b'1'..=b'3'] | [b'1'..=b'3', b'.'] => true,
        [b'1'..=b'3', minor] | [b'1'..=b'3', b'.', minor] => minor.is_ascii_digit(),
        _ => false,
    };
    if is_python { before } else { version }
}

/// `{name}-{version}(-{build})?-{python}-{abi}-{platform}` (PEP 427).
fn wheel_version(stem: &str, project: &str) -> Option<String> {
    let parts: Vec<&str> = stem.split('-').collect();
    let (name, version) = match parts.as_slice() {
        [name, version, _, _, _] => (name, version),
        [name, version, build, _, _, _] if build.starts_with(char::is_numeric) => (name, version),
        _ => return None,
    };
    if parts.iter().any(|part| part.is_empty()) || normalized_name(name) != project {
        return None;
    }
    // A hyphen of the version is written as an underscore.
    Some(version.replace('_', "-"))
}

/// `{name}-{version}`, where an old name may have hyphens: the first one that leaves the project's.
fn source_version(stem: &str, project: &str) -> Option<String> {
    let hyphens = stem.match_indices('-').map(|(at, _)| at);
    let mut splits = hyphens.filter_map(|at| Some((stem.get(..at)?, stem.get(at + 1..)?)));
    let (_, version) = splits.find(|(name, _)| normalized_name(name) == project)?;
    (!version.is_empty()).then(|| version.to_owned())
}

fn source_stem(file: &str) -> Option<&str> {
    SOURCE_SUFFIXES.iter().find_map(|suffix| file.strip_suffix(*suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_normalized() {
        for (name, normalized) in [
            ("Friendly-Bard", "friendly-bard"),
            ("FRIENDLY--_.bard", "friendly-bard"),
            ("zope.interface", "zope-interface"),
            ("_x_", "-x-"),
            ("..", "-"),
            ("", ""),
        ] {
            assert_eq!(normalized_name(name), normalized);
        }
    }

    #[test]
    fn versions_are_found_in_names_of_files() {
        for (project, file, version) in [
            ("mcp", "mcp-2.3.0-py3-none-any.whl", "2.3.0"),
            ("mcp", "mcp-2.3.0-1build-py3-none-any.whl", "2.3.0"),
            ("Zope.Interface", "zope_interface-5.0-cp312-cp312-manylinux_2_17_x86_64.whl", "5.0"),
            ("zope.interface", "zope.interface-5.0-cp312-cp312-win32.whl", "5.0"),
            ("torch", "torch-2.0.0+cu118-cp311-cp311-linux_x86_64.whl", "2.0.0+cu118"),
            ("x", "x-1.0_1-py2.py3-none-any.whl", "1.0-1"),
            ("x", "x-1!2.0-py3-none-any.whl", "1!2.0"),
            ("mcp", "mcp-2.3.0.tar.gz", "2.3.0"),
            ("mcp", "MCP-2.3.0.zip", "2.3.0"),
            ("mcp-server-git", "mcp_server_git-0.6.2.tar.gz", "0.6.2"),
            ("mcp-server-git", "mcp-server-git-0.6.2.tar.gz", "0.6.2"),
            ("foo-2", "foo-2-1.0.tar.gz", "1.0"),
            ("foo", "foo-2-1.0.tar.gz", "2-1.0"),
            ("ruamel.yaml", "ruamel.yaml-0.18.6.tar.gz", "0.18.6"),
            ("python-dateutil", "python-dateutil-1.0-1.tar.bz2", "1.0-1"),
            ("pytz", "pytz-2004d.tar.gz", "2004d"),
            ("foo", "foo-1.0.tar", "1.0"),
            ("foo", "foo-1.0-py3.8.tar.gz", "1.0"),
            ("foo", "foo-1.0-py3.zip", "1.0"),
            ("foo", "foo-1.0_py38-cp38-cp38-win32.whl", "1.0"),
            ("foo", "foo-1.0-py3.12.zip", "1.0-py3.12"),
            ("foo", "foo-1.0-py4.zip", "1.0-py4"),
            // Names that pip takes, and that no identifier can have.
            ("foo", "foo-1.0-9~a-py3-none-any.whl", "1.0"),
            ("foo", "foo-1.0 .tar.gz", "1.0 "),
            ("foo", "foo-1.0-py3-none-é.whl", "1.0"),
            ("kit", "\u{212a}it-1.0.tar.gz", "1.0"),
        ] {
            assert_eq!(version_of_file(file, project).as_deref(), Some(version), "{file}");
        }
    }

    #[test]
    fn other_files_have_no_version() {
        for file in [
            "",
            "foo",
            "foo.whl",
            "foo.tar.gz",
            "foo-.tar.gz",
            "-1.0.tar.gz",
            "foo-1.0-py3-any.whl",
            "foo-1.0-x-py3-none-any.whl",
            "foo-1.0-1-2-py3-none-any.whl",
            "foo--py3-none-any.whl",
            "foo_bar-1.0-py3-none-any.whl",
            "food-1.0.tar.gz",
            "foo-1.0-py3.12.egg",
            "foo-1.0.win32.exe",
            "foo-1.0.tar.gz.asc",
            "foo-1.0-py3-none-any.whl.metadata",
            "../foo-1.0.tar.gz",
        ] {
            assert_eq!(version_of_file(file, "foo"), None, "{file}");
        }
    }

    #[test]
    fn identifiers_can_have_the_names_of_ordinary_files_alone() {
        let long = format!("foo-{}.zip", "1".repeat(MAX_FILE_NAME));
        for (name, expected) in [
            ("torch-2.0.0+cu118-cp311-cp311-linux_x86_64.whl", true),
            ("x-1!2.0.tar.gz", true),
            ("foo-1.0-9~a-py3-none-any.whl", false),
            ("foo-1.0 .tar.gz", false),
            ("foo-1.0-py3-none-é.whl", false),
            (long.as_str(), false),
        ] {
            assert_eq!(is_identifiable(name), expected, "{name}");
        }
    }
}
