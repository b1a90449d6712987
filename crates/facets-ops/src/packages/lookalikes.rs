//! Packages that are easily taken for another: the same name in the other ecosystem, or in the scope of a vendor.

use facets_fetch::Fetcher;
use facets_model::{Ecosystem, PackageSpec};

/// The scope under which the reference servers are published.
const REFERENCE: &str = "@modelcontextprotocol";

/// What is worth a second look before a package is trusted, in words. What cannot be looked up is not said.
pub(crate) fn lookalikes(package: &PackageSpec, fetcher: &Fetcher) -> Vec<String> {
    let candidates = candidates(package);
    let found: Vec<bool> = std::thread::scope(|scope| {
        let asked: Vec<_> = candidates
            .iter()
            .map(|(ecosystem, name)| scope.spawn(move || fetcher.exists(*ecosystem, name)))
            .collect();
        asked.into_iter().map(|one| one.join().ok().flatten() == Some(true)).collect()
    });
    let known = candidates.into_iter().zip(found).filter(|(_, is_found)| *is_found);
    known.map(|((ecosystem, name), _)| words(package, ecosystem, &name)).collect()
}

fn words(package: &PackageSpec, ecosystem: Ecosystem, name: &str) -> String {
    if ecosystem == package.ecosystem {
        return format!("{ecosystem}:{name} is another package with nearly the same name");
    }
    format!("{ecosystem}:{name} exists, too, and may be another project")
}

/// The packages that somebody may have meant.
fn candidates(package: &PackageSpec) -> Vec<(Ecosystem, String)> {
    let name = package.name.as_str();
    if name.starts_with('@') {
        return Vec::new();
    }
    let plain = name.strip_prefix("mcp-").unwrap_or(name);
    let mut scoped = vec![format!("{REFERENCE}/{plain}")];
    // `vendor-mcp` beside `@vendor/mcp`.
    let parts = plain.split_once('-').filter(|(vendor, _)| *vendor != "server");
    scoped.extend(parts.map(|(vendor, rest)| format!("@{vendor}/{rest}")));
    let mut candidates: Vec<(Ecosystem, String)> = match package.ecosystem {
        Ecosystem::Npm => vec![(Ecosystem::Pypi, name.to_owned())],
        Ecosystem::Pypi => vec![(Ecosystem::Npm, name.to_owned())],
    };
    if package.ecosystem == Ecosystem::Npm {
        candidates.extend(scoped.into_iter().map(|name| (Ecosystem::Npm, name)));
    }
    candidates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_taken_for_each_other_are_candidates() {
        let of = |text: &str| -> Vec<String> {
            let found = candidates(&text.parse().unwrap());
            found.iter().map(|(ecosystem, name)| format!("{ecosystem}:{name}")).collect()
        };
        assert!(of("npm:playwright-mcp").contains(&"npm:@playwright/mcp".to_owned()));
        let filesystem = "npm:@modelcontextprotocol/server-filesystem".to_owned();
        assert!(of("npm:mcp-server-filesystem").contains(&filesystem));
        assert_eq!(of("pypi:mcp-atlassian"), ["npm:mcp-atlassian"]);
        assert!(of("npm:@playwright/mcp").is_empty());
    }
}
