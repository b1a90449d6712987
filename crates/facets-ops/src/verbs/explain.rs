//! `facet explain`: what a code means, and what to do.

pub use facets_failure::Explanation;
use facets_failure::{CodeTable, explanations};
use facets_markers::{ASSET_RULES, RULES, Rule};

use crate::error::{
    AcquireError, ArtifactError, InstallError, OpsError, PackageStartError, PublishError,
    ServerError, TaskError,
};

/// The pages of all crates that can report something here, in the order in which they are listed.
const PAGES: &[&str] = &[
    facets_digest::EXPLANATIONS,
    facets_model::EXPLANATIONS,
    facets_files::EXPLANATIONS,
    facets_failure::EXPLANATIONS,
    crate::EXPLANATIONS,
    facets_launch::EXPLANATIONS,
    facets_mcp::EXPLANATIONS,
    facets_probe::EXPLANATIONS,
    facets_surface::EXPLANATIONS,
    facets_drift::EXPLANATIONS,
    facets_lock::EXPLANATIONS,
    facets_project::EXPLANATIONS,
    facets_plan::EXPLANATIONS,
    facets_store::EXPLANATIONS,
    facets_runtime::EXPLANATIONS,
    facets_packages::EXPLANATIONS,
    facets_closure::EXPLANATIONS,
    facets_archive::EXPLANATIONS,
    facets_policy::EXPLANATIONS,
    facets_clients::EXPLANATIONS,
    facets_file_hashes::EXPLANATIONS,
    facets_fetch::EXPLANATIONS,
    facets_registry_client::EXPLANATIONS,
    facets_registry_client::REFUSAL_EXPLANATIONS,
];

/// Every code that can be reported here: those of the pages in their order, then the markers.
#[must_use]
pub fn codes() -> CodeTable {
    CodeTable::new(PAGES, RULES.iter().chain(ASSET_RULES).map(marker))
}

/// Codes under one heading.
#[derive(Clone, Debug)]
pub struct CodeGroup {
    /// The heading.
    pub title: &'static str,
    /// In the order of their page.
    pub codes: Vec<Explanation>,
}

/// The same codes as people look for them: what they meet first, the details of files last.
#[must_use]
pub fn code_groups() -> Vec<CodeGroup> {
    let (of_servers, others): (Vec<_>, Vec<_>) =
        explanations(crate::EXPLANATIONS).partition(|one| is_about_servers(one.code));
    let (of_registries, others): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|one| PublishError::CODES.contains(&one.code));
    let (of_installing, of_files): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|one| is_about_installing(one.code));
    let pages = |pages: &[&'static str]| -> Vec<Explanation> {
        pages.iter().flat_map(|page| explanations(page)).collect()
    };
    [
        ("Changes of servers", pages(&[facets_drift::EXPLANATIONS])),
        ("Approving, confining and running servers", of_servers),
        ("Starting servers", pages(&[facets_launch::EXPLANATIONS, facets_probe::EXPLANATIONS])),
        ("Answers of servers", pages(&[facets_mcp::EXPLANATIONS])),
        ("Markers in texts for the model", RULES.iter().chain(ASSET_RULES).map(marker).collect()),
        ("Files of MCP clients", pages(&[facets_clients::EXPLANATIONS])),
        ("Project and lock", pages(&[facets_project::EXPLANATIONS, facets_lock::EXPLANATIONS])),
        ("Installing", [of_installing, pages(&[facets_plan::EXPLANATIONS])].concat()),
        ("Store", pages(&[facets_store::EXPLANATIONS])),
        ("Runtimes", pages(&[facets_runtime::EXPLANATIONS])),
        (
            "Servers from npm and PyPI",
            pages(&[facets_packages::EXPLANATIONS, facets_closure::EXPLANATIONS]),
        ),
        ("Archives", pages(&[facets_archive::EXPLANATIONS])),
        ("Policies", pages(&[facets_policy::EXPLANATIONS])),
        ("Hashes of server.json", pages(&[facets_file_hashes::EXPLANATIONS])),
        ("Files of packages", pages(&[facets_fetch::EXPLANATIONS])),
        (
            "Publishing and registries",
            [
                of_registries,
                pages(&[
                    facets_registry_client::EXPLANATIONS,
                    facets_registry_client::REFUSAL_EXPLANATIONS,
                ]),
            ]
            .concat(),
        ),
        ("Surface files and contracts", pages(&[facets_surface::EXPLANATIONS])),
        ("Facets, manifests and their files", of_files),
        ("Members of manifests", pages(&[facets_model::EXPLANATIONS])),
        ("JSON", pages(&[facets_digest::EXPLANATIONS])),
        ("Every command", pages(&[facets_files::EXPLANATIONS, facets_failure::EXPLANATIONS])),
    ]
    .into_iter()
    .map(|(title, codes)| CodeGroup { title, codes })
    .collect()
}

/// Whether a code of this crate is about servers, and not about files that are built or scanned.
fn is_about_servers(code: &str) -> bool {
    ServerError::CODES.contains(&code)
        || ArtifactError::CODES.contains(&code)
        || PackageStartError::CODES.contains(&code)
        || ["bad-header", "bad-url", "not-approved"].contains(&code)
}

/// Whether a code of this crate is about what is installed or upgraded.
fn is_about_installing(code: &str) -> bool {
    [InstallError::CODES, AcquireError::CODES, TaskError::CODES].concat().contains(&code)
}

/// A rule explains itself by its examples.
fn marker(rule: &Rule) -> Explanation {
    Explanation { code: rule.code, text: rule.explanation().into() }
}

/// Explains one code.
pub fn explain(code: &str) -> Result<Explanation, OpsError> {
    let unknown = |similar| OpsError::UnknownCode { code: code.to_owned(), similar };
    codes().find(code).cloned().map_err(unknown)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::error::{BuildError, BundleError};

    fn codes_of(page: &'static str) -> Vec<&'static str> {
        let mut codes: Vec<&str> = explanations(page).map(|one| one.code).collect();
        codes.sort_unstable();
        codes
    }

    /// The codes of this crate.
    fn codes_of_commands() -> Vec<&'static str> {
        let of_manifests = crate::manifest_check::CODES;
        let of_installing = [InstallError::CODES, AcquireError::CODES, TaskError::CODES].concat();
        let of_commands = [
            OpsError::CODES,
            ServerError::CODES,
            ArtifactError::CODES,
            PackageStartError::CODES,
            BuildError::CODES,
            BundleError::CODES,
            PublishError::CODES,
            of_manifests,
            &of_installing,
        ];
        of_commands.concat()
    }

    /// Each crate explains exactly the codes that it can report.
    #[test]
    fn every_crate_explains_its_own_codes() {
        let findings: Vec<&str> =
            facets_drift::FindingType::ALL.iter().map(|kind| kind.name()).collect();
        let of_commands = codes_of_commands();
        let of_policies = [facets_policy::CODES, facets_policy::PolicyError::CODES].concat();
        let of_files =
            facets_file_hashes::FileStatus::ALL.map(facets_file_hashes::FileStatus::word);
        let of_files: Vec<&str> = of_files.into_iter().filter(|word| *word != "ok").collect();
        let of_hashes = [facets_file_hashes::FileHashesError::CODES, &of_files[..]].concat();
        let of_clients =
            [facets_clients::ClientError::CODES, facets_clients::assets::AssetError::CODES]
                .concat();
        let of_everything = ["internal-error", "output-failed", "unknown-code", "usage"];
        let of_everything = [&of_everything[..], facets_failure::DiskProblem::CODES].concat();
        let crates: &[(&'static str, &[&str])] = &[
            (facets_digest::EXPLANATIONS, facets_digest::json::JsonErrorKind::CODES),
            (facets_model::EXPLANATIONS, facets_model::manifest::CODES),
            (facets_files::EXPLANATIONS, facets_files::FileError::CODES),
            (facets_failure::EXPLANATIONS, &of_everything),
            (crate::EXPLANATIONS, &of_commands),
            (facets_launch::EXPLANATIONS, facets_launch::LaunchError::CODES),
            (facets_mcp::EXPLANATIONS, facets_mcp::CaptureError::CODES),
            (facets_probe::EXPLANATIONS, facets_probe::ObserveError::CODES),
            (facets_surface::EXPLANATIONS, facets_surface::CODES),
            (facets_drift::EXPLANATIONS, &findings),
            (facets_lock::EXPLANATIONS, facets_lock::LockError::CODES),
            (facets_project::EXPLANATIONS, facets_project::ProjectError::CODES),
            (facets_plan::EXPLANATIONS, facets_plan::PlanProblem::CODES),
            (facets_store::EXPLANATIONS, facets_store::StoreError::CODES),
            (facets_runtime::EXPLANATIONS, facets_runtime::RuntimeError::CODES),
            (facets_packages::EXPLANATIONS, facets_packages::PackageError::CODES),
            (facets_closure::EXPLANATIONS, facets_closure::ClosureError::CODES),
            (facets_archive::EXPLANATIONS, facets_archive::ArchiveError::CODES),
            (facets_policy::EXPLANATIONS, &of_policies),
            (facets_clients::EXPLANATIONS, &of_clients),
            (facets_file_hashes::EXPLANATIONS, &of_hashes),
            (facets_fetch::EXPLANATIONS, facets_fetch::FetchError::CODES),
            (
                facets_registry_client::EXPLANATIONS,
                facets_registry_client::RegistryClientError::CODES,
            ),
            (facets_registry_client::REFUSAL_EXPLANATIONS, facets_registry_client::REFUSAL_CODES),
        ];
        assert_eq!(crates.len(), PAGES.len());
        for (page, codes) in crates {
            let mut codes = codes.to_vec();
            codes.sort_unstable();
            assert_eq!(codes_of(page), codes);
            assert!(PAGES.contains(page));
        }
    }

    #[test]
    fn no_code_is_explained_twice_or_in_a_few_words() {
        let table = codes();
        let codes: BTreeSet<&str> = table.all().iter().map(|one| one.code).collect();
        assert_eq!(table.all().len(), codes.len());
        for explanation in table.all() {
            assert!(explanation.text.len() > 60, "{} says too little", explanation.code);
        }
    }

    #[test]
    fn every_code_stands_under_one_heading() {
        let groups = code_groups();
        let mut grouped: Vec<&str> =
            groups.iter().flat_map(|group| group.codes.iter().map(|one| one.code)).collect();
        let table = codes();
        let mut all: Vec<&str> = table.all().iter().map(|one| one.code).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
        assert!(groups.iter().all(|group| !group.codes.is_empty()));
        assert!(groups[1].codes.iter().any(|one| one.code == "not-approved"));
    }

    #[test]
    fn a_code_is_found_with_either_dash() {
        for (asked, code) in [
            ("tool-changed", "tool_changed"),
            ("not_approved", "not-approved"),
            ("E_FORBIDDEN", "E_FORBIDDEN"),
        ] {
            assert_eq!(explain(asked).unwrap().code, code);
        }
    }

    #[test]
    fn an_unknown_code_leads_to_a_similar_one() {
        let nearest = |code: &str| match explain(code) {
            Err(OpsError::UnknownCode { similar, .. }) => similar[0],
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("json-duplicate"), "json-duplicate-member");
        assert_eq!(nearest("yaml-anchors"), "yaml-anchor");
        assert!(explain("json-too-deep").is_ok());
    }
}
