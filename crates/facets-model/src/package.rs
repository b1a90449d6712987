//! A package of npm or PyPI as a person names it (spec 10.8): which version that is now, the resolver of the
//! ecosystem says.

use std::fmt;
use std::str::FromStr;

/// Where a package is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// npm, for Node.js and bun.
    Npm,
    /// PyPI, for Python.
    Pypi,
}

impl Ecosystem {
    /// Its name, as it begins a package.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pypi => "pypi",
        }
    }

    const fn form(self) -> &'static str {
        match self {
            Self::Npm => NPM,
            Self::Pypi => PYPI,
        }
    }
}

impl fmt::Display for Ecosystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const NPM: &str = "npm:NAME or npm:NAME@VERSION";
const PYPI: &str = "pypi:NAME or pypi:NAME==VERSION";

/// Longer names and versions exist in no registry.
const LONGEST: usize = 214;

/// Why a text names no package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackageSpecError {
    /// Neither of the two ecosystems.
    #[error("it does not begin with `npm:` or `pypi:`")]
    UnknownEcosystem,
    /// A part is missing or has a character that it cannot have.
    #[error("{part} is malformed: `{found}`; the form is `{form}`")]
    Part {
        /// Which part.
        part: &'static str,
        /// What stands there.
        found: String,
        /// How the whole is written.
        form: &'static str,
    },
}

/// `npm:NAME[@VERSION|TAG|RANGE]` or `pypi:NAME[EXTRAS][SPECIFIER]`, kept as written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageSpec {
    /// Where it is published.
    pub ecosystem: Ecosystem,
    /// Its name, with its scope.
    pub name: String,
    /// Optional parts that are asked for, in brackets. PyPI only.
    pub extras: Vec<String>,
    /// Which version: of npm a version, a tag or a range, of PyPI a specifier with its operators. None is the
    /// latest.
    pub wanted: Option<String>,
}

impl PackageSpec {
    /// Whether a text means a package, well-formed or not.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        text.starts_with("npm:") || text.starts_with("pypi:")
    }

    /// The package alone, whichever version.
    #[must_use]
    pub fn latest(ecosystem: Ecosystem, name: &str) -> Self {
        Self { ecosystem, name: name.to_owned(), extras: Vec::new(), wanted: None }
    }

    /// What stands behind the name, as the ecosystem's own resolver reads it.
    #[must_use]
    pub fn requirement(&self) -> String {
        match (self.ecosystem, &self.wanted) {
            (Ecosystem::Npm, None) => "latest".to_owned(),
            (Ecosystem::Npm, Some(wanted)) => wanted.clone(),
            (Ecosystem::Pypi, wanted) => {
                format!("{}{}{}", self.name, self.extras(), wanted.as_deref().unwrap_or_default())
            }
        }
    }

    fn extras(&self) -> String {
        if self.extras.is_empty() { String::new() } else { format!("[{}]", self.extras.join(",")) }
    }
}

impl FromStr for PackageSpec {
    type Err = PackageSpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once(':') {
            Some(("npm", rest)) => npm(rest),
            Some(("pypi", rest)) => pypi(rest),
            _ => Err(PackageSpecError::UnknownEcosystem),
        }
    }
}

impl fmt::Display for PackageSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}{}", self.ecosystem, self.name, self.extras())?;
        match (&self.wanted, self.ecosystem) {
            (None, _) => Ok(()),
            (Some(wanted), Ecosystem::Npm) => write!(f, "@{wanted}"),
            (Some(wanted), Ecosystem::Pypi) => f.write_str(wanted),
        }
    }
}

/// Whether a text is the name of a package of npm, as npm itself reads it.
#[must_use]
pub fn is_npm_name(text: &str) -> bool {
    let is_part = |part: &str| {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '~');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(allowed)
    };
    let is_name = match text.strip_prefix('@') {
        // npm takes a name without a scope that ends like this for a file of this machine.
        None => is_part(text) && !is_archive(text) && text != "node_modules",
        Some(scoped) => {
            scoped.split_once('/').is_some_and(|(scope, name)| is_part(scope) && is_part(name))
        }
    };
    is_name && text.len() <= LONGEST
}

/// Whether npm takes a name without a scope, or a version, for a file of this machine.
pub(crate) fn is_archive(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    [".tgz", ".tar", ".tar.gz"].iter().any(|end| text.ends_with(end))
}

fn npm(rest: &str) -> Result<PackageSpec, PackageSpecError> {
    // The first `@` may be that of a scope.
    let at = rest.char_indices().skip(1).find(|(_, c)| *c == '@').map(|(at, _)| at);
    let (name, wanted) = match at {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    };
    if !is_npm_name(name) {
        return Err(malformed("the package name", name, Ecosystem::Npm));
    }
    // Neither an address nor a path: `:`, `/` and blanks are in no version, tag or plain range.
    let allowed = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, '.' | '_' | '-' | '+' | '^' | '~' | '*' | '<' | '>' | '=')
    };
    let is_wanted = |text: &str| {
        !text.is_empty() && text.len() <= LONGEST && text.chars().all(allowed) && !is_archive(text)
    };
    if let Some(wanted) = wanted.filter(|wanted| !is_wanted(wanted)) {
        return Err(malformed("the version", wanted, Ecosystem::Npm));
    }
    let wanted = wanted.map(str::to_owned);
    Ok(PackageSpec { wanted, ..PackageSpec::latest(Ecosystem::Npm, name) })
}

fn is_pypi_name(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let edges = is_edge(text.chars().next()) && is_edge(text.chars().next_back());
    edges && text.len() <= LONGEST && text.chars().all(is_inner)
}

fn pypi(rest: &str) -> Result<PackageSpec, PackageSpecError> {
    let wrong = |part, found: &str| malformed(part, found, Ecosystem::Pypi);
    let end = rest.find(['[', '=', '<', '>', '~', '!']).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if !is_pypi_name(name) {
        return Err(wrong("the package name", name));
    }
    let (extras, rest) = match rest.strip_prefix('[') {
        Some(inner) => inner.split_once(']').ok_or_else(|| wrong("the list of extras", rest))?,
        None => ("", rest),
    };
    let extras: Vec<String> =
        extras.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect();
    if let Some(bad) = extras.iter().find(|extra| !is_pypi_name(extra)) {
        return Err(wrong("an extra", bad));
    }
    if !rest.is_empty() && !rest.split(',').all(is_clause) {
        return Err(wrong("the version", rest));
    }
    let wanted = (!rest.is_empty()).then(|| rest.to_owned());
    Ok(PackageSpec { extras, wanted, ..PackageSpec::latest(Ecosystem::Pypi, name) })
}

/// One clause of a version specifier (PEP 440): an operator and a version.
fn is_clause(text: &str) -> bool {
    let operators = ["===", "==", "~=", "!=", "<=", ">=", "<", ">"];
    let Some(version) = operators.iter().find_map(|one| text.strip_prefix(one)) else {
        return false;
    };
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '!' | '*');
    !version.is_empty() && version.len() <= LONGEST && version.chars().all(allowed)
}

fn malformed(part: &'static str, found: &str, ecosystem: Ecosystem) -> PackageSpecError {
    PackageSpecError::Part { part, found: found.to_owned(), form: ecosystem.form() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_and_printed_as_written() {
        for (text, name, wanted) in [
            (
                "npm:@modelcontextprotocol/server-filesystem",
                "@modelcontextprotocol/server-filesystem",
                None,
            ),
            ("npm:@s/a@1.2.3", "@s/a", Some("1.2.3")),
            ("npm:firecrawl-mcp@latest", "firecrawl-mcp", Some("latest")),
            ("npm:a@^1.2", "a", Some("^1.2")),
            ("npm:a@>=1.0.0-beta.1", "a", Some(">=1.0.0-beta.1")),
            ("pypi:mcp-server-time", "mcp-server-time", None),
            ("pypi:mcp_server.git==2026.10.19", "mcp_server.git", Some("==2026.10.19")),
            ("pypi:mcp<2", "mcp", Some("<2")),
            ("pypi:mcp>=1,!=1.5.*,<2", "mcp", Some(">=1,!=1.5.*,<2")),
        ] {
            let package: PackageSpec = text.parse().unwrap();
            assert_eq!((package.name.as_str(), package.wanted.as_deref()), (name, wanted));
            assert_eq!(package.to_string(), text);
        }
        let package: PackageSpec = "pypi:markitdown-mcp[pdf, docx]==1.0".parse().unwrap();
        assert_eq!(package.extras, ["pdf", "docx"]);
        assert_eq!(package.to_string(), "pypi:markitdown-mcp[pdf,docx]==1.0");
        assert_eq!(package.requirement(), "markitdown-mcp[pdf,docx]==1.0");
    }

    #[test]
    fn what_npm_or_pip_would_fetch_from_elsewhere_is_no_package() {
        for bad in [
            "",
            "left-pad",
            "npm:",
            "npm:@scope",
            "npm:@scope/",
            "npm:@/a",
            "npm:.hidden",
            "npm:a/b",
            "npm:a b",
            "npm:node_modules",
            "npm:left.tgz",
            "npm:a@",
            "npm:a@file:../b",
            "npm:a@git+ssh://host/a",
            "npm:a@npm:b@1.0.0",
            "npm:a@user/repository",
            "npm:a@https://host/a.tgz",
            "npm:a@x.tgz",
            "npm:a@1 || 2",
            "pypi:",
            "pypi:-a",
            "pypi:a-",
            "pypi:a @ https://host/a.whl",
            "pypi:a==",
            "pypi:a==1;python_version>'3'",
            "pypi:a[b",
            "pypi:a[--x]",
            "pypi:a[]]",
            "pypi:a=1",
            "pypi:a==1,",
            "pypi:git+https://host/a",
            "cargo:serde",
            "NPM:a",
        ] {
            assert!(bad.parse::<PackageSpec>().is_err(), "{bad}");
        }
    }
}
