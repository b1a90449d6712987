//! The lock that uv writes (`pylock.toml`, PEP 751), turned into packages.

use facets_digest::Digest;
use toml_edit::{Document, Item, TableLike, Value};

use super::closure::normalised_name;
use super::wheel_name::WheelName;
use crate::error::ClosureError;

const WHAT: &str = "the lock that uv wrote";

/// The lock of a hundred packages has 200 kB.
const LARGEST: usize = 16 << 20;

/// A package that was resolved, with the wheels of its release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPackage {
    /// Its name, normalised.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its wheels.
    pub wheels: Vec<ListedWheel>,
}

/// A wheel of a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedWheel {
    /// The name of its file.
    pub file: String,
    /// The same, in parts.
    pub name: WheelName,
    /// The SHA-256 that the index states.
    pub sha256: Digest,
}

/// The packages of a lock. Addresses are left out: the file is looked up by its name.
pub fn read_pylock(text: &str) -> Result<Vec<ResolvedPackage>, ClosureError> {
    if text.len() > LARGEST {
        return Err(bad("", "a file of at most 16 MiB"));
    }
    let document: Document<&str> = Document::parse(text).map_err(|_| bad("", "a TOML document"))?;
    let Some(packages) = document.get("packages").and_then(Item::as_array_of_tables) else {
        return Err(bad("packages", "a list of tables"));
    };
    packages.iter().map(|table| read_package(table)).collect()
}

fn read_package(table: &dyn TableLike) -> Result<ResolvedPackage, ClosureError> {
    let text = |member: &str| table.get(member).and_then(Item::as_str);
    let name =
        text("name").and_then(normalised_name).ok_or_else(|| bad("name", "a package name"))?;
    let refuse = |reason| ClosureError::NotLockable { package: name.clone(), reason };
    if ["vcs", "directory", "archive"].iter().any(|member| table.contains_key(member)) {
        return Err(refuse("it comes from git, an address or a directory, not from the index"));
    }
    let version = text("version").filter(|version| is_version(version));
    let version = version.ok_or_else(|| bad(&format!("{name}.version"), "a version"))?.to_owned();
    let Some(Value::Array(wheels)) = table.get("wheels").and_then(Item::as_value) else {
        return Err(refuse("it has no wheel: it would have to be built"));
    };
    let wheels = wheels.iter().map(|wheel| {
        wheel.as_inline_table().and_then(|wheel| read_wheel(wheel)).ok_or_else(|| {
            bad(&format!("{name}.wheels"), "wheels with their file name and SHA-256")
        })
    });
    Ok(ResolvedPackage { version, wheels: wheels.collect::<Result<_, _>>()?, name })
}

fn read_wheel(table: &dyn TableLike) -> Option<ListedWheel> {
    let text = |member: &str| table.get(member).and_then(Item::as_str);
    let file = match text("name") {
        Some(name) => name.to_owned(),
        None => file_of(text("url").or_else(|| text("path"))?)?,
    };
    let hashes = table.get("hashes")?.as_table_like()?;
    let sha256 = hashes.get("sha256").and_then(Item::as_str)?;
    Some(ListedWheel {
        name: file.parse().ok()?,
        sha256: format!("sha256:{sha256}").parse().ok()?,
        file,
    })
}

/// The last part of an address, without what follows the path; the only characters that are escaped in a name.
fn file_of(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next()?;
    let name = path.rsplit('/').next()?;
    Some(name.replace("%2B", "+").replace("%2b", "+").replace("%21", "!"))
}

/// A version that names one release.
fn is_version(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '!');
    !text.is_empty() && text.len() <= 128 && text.chars().all(allowed)
}

fn bad(member: &str, expected: &'static str) -> ClosureError {
    ClosureError::Member { what: WHAT, member: member.to_owned(), expected }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    const HASH: &str = "f072f4d804ea359e4eaf198b1af7a8b0943881a87f31bb764f8bf219bb9419e0";

    fn lock(package: &str) -> Result<Vec<ResolvedPackage>, ClosureError> {
        read_pylock(&format!(
            "lock-version = \"1.0\"\n[[packages]]\n{}",
            package.replace("HASH", HASH)
        ))
    }

    #[test]
    fn packages_have_wheels_by_file_name_and_hash() {
        let found = lock(
            "name = \"Zope.Interface\"\nversion = \"1.0+local\"\nmarker = \"x\"\nwheels = [\
             { url = \"https://host/a/zope_interface-1.0%2Blocal-py3-none-any.whl#x\", upload-time = 2026-07-23T20:16:12Z,\
               hashes = { sha256 = \"HASH\" } },\
             { name = \"zope_interface-1.0+local-cp311-cp311-manylinux_2_17_x86_64.whl\", size = 1, hashes = { sha256 = \"HASH\" } }]\n",
        )
        .unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].name.as_str(), found[0].version.as_str()),
            ("zope-interface", "1.0+local")
        );
        assert_eq!(found[0].wheels[0].file, "zope_interface-1.0+local-py3-none-any.whl");
        assert_eq!(found[0].wheels[1].sha256.hex(), HASH);
    }

    #[test]
    fn what_no_index_vouches_for_is_refused() {
        for (package, code) in [
            ("name = \"a\"\nversion = \"1\"\nvcs = { type = \"git\" }\n", "package-not-lockable"),
            (
                "name = \"a\"\nversion = \"1\"\ndirectory = { path = \".\" }\n",
                "package-not-lockable",
            ),
            ("name = \"a\"\nversion = \"1\"\nsdist = { url = \"x\" }\n", "package-not-lockable"),
            ("name = \"../a\"\nversion = \"1\"\nwheels = []\n", "closure-invalid"),
            ("name = \"a\"\nversion = \"../1\"\nwheels = []\n", "closure-invalid"),
            (
                "name = \"a\"\nversion = \"1\"\nwheels = [{ url = \"https://h/a-1-py3-none-any.whl\" }]\n",
                "closure-invalid",
            ),
            (
                "name = \"a\"\nversion = \"1\"\nwheels = [{ url = \"https://h/a.zip\", hashes = { sha256 = \"HASH\" } }]\n",
                "closure-invalid",
            ),
        ] {
            assert_eq!(lock(package).unwrap_err().code(), code, "{package}");
        }
        assert_eq!(read_pylock("x = [").unwrap_err().code(), "closure-invalid");
        assert_eq!(read_pylock("x = 1").unwrap_err().code(), "closure-invalid");
    }
}
