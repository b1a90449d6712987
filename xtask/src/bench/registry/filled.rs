//! A registry with many versions, and what its readers ask for.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::Programs;
use super::load::{Connection, Load, request};
use super::ours::FacetRegistry;
use crate::Outcome;
use crate::run;

/// Versions of each name, as `facets-bench fill-registry` makes them.
const VERSIONS: usize = 10;
/// Different requests of a kind: enough for no cache to hold all of what they read.
const REQUESTS: usize = 8192;
/// A page of names. The names of both registries fill whole pages.
const PAGE: usize = 25;
const MOST_PAGES: usize = 64;

/// What a reader asks for.
#[derive(Clone, Copy)]
pub(super) enum ReadKind {
    Floor,
    Document,
    Archive,
    Page,
    Search,
}

pub(super) const READS: [ReadKind; 5] =
    [ReadKind::Floor, ReadKind::Document, ReadKind::Archive, ReadKind::Page, ReadKind::Search];

impl ReadKind {
    pub(super) fn what(self) -> &'static str {
        match self {
            Self::Floor => "resolving a floor",
            Self::Document => "the document of a version",
            Self::Archive => "an archive of 64 KiB",
            Self::Page => "a page of the list",
            Self::Search => "a search",
        }
    }

    /// Requests about names and versions in no order, among all that a registry has.
    pub(super) fn requests(self, registry: &FilledRegistry) -> Outcome<Vec<Vec<u8>>> {
        let paths = match self {
            Self::Page => registry.pages()?,
            other => (0..REQUESTS).map(|number| other.path(number, registry.names)).collect(),
        };
        Ok(paths.iter().map(|path| request("GET", path, &[], b"")).collect())
    }

    fn path(self, number: usize, names: usize) -> String {
        // A prime, so that all names have their turn; each next turn of a name is about its next version.
        let digits = format!("{:05}", number * 7919 % names);
        let minor = (number + number / names) % VERSIONS;
        let name = format!("/v0/facets/bench-{digits}");
        match self {
            Self::Floor => format!("{name}/latest?floor=1.{minor}.0"),
            Self::Document => format!("{name}/1.{minor}.0"),
            Self::Archive => format!("{name}/1.{minor}.0/archive"),
            Self::Page => "/v0/facets".to_owned(),
            // In turn a whole name, which finds one, and the beginning of its number, which finds a page.
            Self::Search if number.is_multiple_of(2) => format!("/v0/facets?q=bench-{digits}"),
            Self::Search => format!("/v0/facets?q={}", &digits[..3]),
        }
    }
}

/// A registry in which every name has ten versions.
pub(super) struct FilledRegistry {
    pub(super) process: FacetRegistry,
    names: usize,
}

impl FilledRegistry {
    pub(super) fn start(programs: &Programs, data: &Path, names: usize) -> Outcome<Self> {
        let mut fill = Command::new(&programs.bench);
        run::output(fill.arg("fill-registry").arg(data).arg(names.to_string()))?;
        Ok(Self { process: FacetRegistry::start(&programs.registry, data, &[])?, names })
    }

    pub(super) fn versions(&self) -> String {
        let count = self.names * VERSIONS;
        match count / 1000 {
            0 => count.to_string(),
            thousands => format!("{thousands},{:03}", count % 1000),
        }
    }

    /// The addresses of pages, each of which names the next.
    fn pages(&self) -> Outcome<Vec<String>> {
        let mut connection = Connection::open(self.process.address)?;
        let mut pages = Vec::new();
        let mut next = Some(format!("/v0/facets?limit={PAGE}"));
        while let Some(path) = next.filter(|_| pages.len() < MOST_PAGES) {
            let reply = connection.ask(&request("GET", &path, &[], b""), 200)?;
            let page: Value =
                serde_json::from_slice(reply.body).map_err(|error| error.to_string())?;
            let cursor = page["next_cursor"].as_str();
            next = cursor.map(|cursor| format!("/v0/facets?limit={PAGE}&cursor={cursor}"));
            pages.push(path);
        }
        Ok(pages)
    }

    pub(super) fn rate(&self, requests: &[Vec<u8>], time: Duration) -> Outcome<f64> {
        Load { address: self.process.address, requests, status: 200 }.rate(time)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn requests_are_spread_over_all_names_and_versions() {
        let paths: BTreeSet<String> =
            (0..REQUESTS).map(|number| ReadKind::Document.path(number, 100)).collect();
        assert_eq!(paths.len(), 100 * VERSIONS);
        assert!(paths.contains("/v0/facets/bench-00099/1.9.0"));
        let searches: Vec<String> =
            (0..2).map(|number| ReadKind::Search.path(number, 10_000)).collect();
        assert_eq!(searches, ["/v0/facets?q=bench-00000", "/v0/facets?q=079"]);
    }
}
