//! Reports as people and machines read them.

mod approval;
mod build;
mod cache;
mod changed_text;
mod checksum_line;
mod clients;
mod contract;
mod cost;
mod decisions;
mod drift;
mod drift_json;
mod facets;
mod file_hashes;
mod finding_groups;
mod first_sight;
mod human;
mod inspect;
mod install;
#[cfg(test)]
mod install_example;
mod install_json;
mod install_page;
mod json;
mod opened;
mod origin;
mod outdated;
mod package;
mod pinned;
mod policy;
mod publish;
mod registry;
mod renderer;
mod runtime;
mod runtime_words;
mod sarif;
mod scan;
mod sessions;
pub(crate) mod summary;

use std::path::Path;

use clap::CommandFactory as _;
use facets_face::json::document;
use facets_face::{Exit, Shown, visible};
use facets_ops::approve::ApproveReport;
use facets_ops::build_check::BuildCheckReport;
use facets_ops::check::CheckReport;
use facets_ops::consent::ApprovalPage;
use facets_ops::diff::DiffReport;
use facets_ops::digest_contract::{DigestCompareReport, DigestContractReport};
use facets_ops::digest_file::DigestFileReport;
use facets_ops::digest_json::DigestJsonReport;
use facets_ops::digest_surface::DigestSurfaceReport;
use facets_ops::doctor::DoctorReport;
use facets_ops::explain::{CodeGroup, Explanation};
use facets_ops::init::InitReport;
use facets_ops::inspect::InspectReport;
use facets_ops::list::ListReport;
use facets_ops::scan::ScanReport;

use crate::args::{Args, OutputFormat};

impl Renderer {
    pub(crate) fn digest_file(&self, report: &DigestFileReport) -> Shown {
        let all_read = report.files.iter().all(|(_, result)| result.is_ok());
        let exit = if all_read { Exit::Yes } else { Exit::Unjudged };
        self.show(|| human::digest_file(report), || json::digest_file(report)).with_exit(exit)
    }

    pub(crate) fn digest_json(&self, report: &DigestJsonReport, print: bool) -> Shown {
        let human = || {
            if print {
                return Shown::canonical(report.canonical.clone());
            }
            Shown::exact(format!("{}\n", report.digest))
        };
        self.show(human, || json::digest_json(report, print))
    }

    pub(crate) fn inspect(&self, report: &InspectReport) -> Shown {
        self.show(|| inspect::human(report, self.quiet, self.verbose), || inspect::json(report))
    }

    pub(crate) fn digest_surface(&self, report: &DigestSurfaceReport) -> Shown {
        self.show(|| inspect::human_digests(report), || inspect::json_digests(report))
    }

    pub(crate) fn digest_contract(&self, report: &DigestContractReport) -> Shown {
        self.show(|| contract::human(report), || contract::json(report))
    }

    pub(crate) fn digest_compare(&self, report: &DigestCompareReport) -> Shown {
        let exit = if report.is_same() { Exit::Yes } else { Exit::No };
        let human = || contract::human_comparison(report, self.verbose);
        self.show(human, || contract::json_comparison(report)).with_exit(exit)
    }

    pub(crate) fn scan(&self, report: &ScanReport) -> Shown {
        self.show(|| scan::human(report, self.verbose), || scan::json(report))
    }

    pub(crate) fn init(&self, report: &InitReport) -> Shown {
        self.show(|| human::init(report, self.quiet), || json::init(report))
    }

    pub(crate) fn build_check(&self, report: &BuildCheckReport) -> Shown {
        let exit = if report.problems.is_empty() { Exit::Yes } else { Exit::No };
        let human = || human::build_check(report, self.quiet, self.verbose);
        self.show(human, || json::build_check(report)).with_exit(exit)
    }

    pub(crate) fn added(&self, page: &ApprovalPage, was_read: bool) -> Shown {
        let human = || {
            // The entry of a client starts the new server in place of the old one.
            let next = self.advice("facet connect cursor");
            let next = format!("{next}, or another client (facet connect --help)");
            let next = page.replaces.is_none().then_some(next.as_str());
            approval::pinned(String::new(), &[page], was_read, next, self)
        };
        self.show(human, || approval::json_of(page))
    }

    pub(crate) fn approved(&self, report: &ApproveReport, was_read: bool) -> Shown {
        let all: Vec<&ApprovalPage> = report.pages.iter().collect();
        let json = || {
            let servers: Vec<_> = report.pages.iter().map(approval::json_of).collect();
            let moved: Vec<_> = report.moved.iter().map(decisions::moved_json).collect();
            let failed = report.failed.iter();
            let failed: Vec<_> =
                failed.map(|one| decisions::failed_json(one, self.verbose)).collect();
            serde_json::json!({ "servers": servers, "moved": moved, "failed": failed })
        };
        let human = || {
            let mut lines = decisions::moved_lines(&report.moved);
            for (name, error) in &report.failed {
                lines += &decisions::failed_lines(name, &self.describe(error), self.verbose);
            }
            approval::pinned(lines, &all, was_read, None, self)
        };
        let exit = if report.failed.is_empty() { Exit::Yes } else { Exit::Unjudged };
        self.show(human, json).with_exit(exit)
    }

    pub(crate) fn checked(&self, report: &CheckReport, verb: Verb) -> Shown {
        let human = drift::checked(report, verb, (self.quiet, self.verbose));
        let exit = human.exit;
        if self.format == OutputFormat::Sarif {
            return document(&sarif::of_report(report)).with_exit(exit);
        }
        self.show(|| human, || drift_json::checked_json(report, self.verbose)).with_exit(exit)
    }

    pub(crate) fn diff(&self, report: &DiffReport) -> Shown {
        let exit = drift::exit(report.judgement());
        if self.format == OutputFormat::Sarif {
            return document(&sarif::of_diff(report)).with_exit(exit);
        }
        let human = || drift::diff(report, self.quiet, self.verbose);
        self.show(human, || drift_json::diff_json(report)).with_exit(exit)
    }

    pub(crate) fn list(&self, report: &ListReport) -> Shown {
        self.show(|| approval::list(report, self.quiet), || approval::list_json(report))
    }

    pub(crate) fn doctor(&self, report: &DoctorReport) -> Shown {
        let exit = if report.is_healthy() { Exit::Yes } else { Exit::No };
        self.show(|| human::doctor(report), || json::doctor(report)).with_exit(exit)
    }

    pub(crate) fn explanation(&self, explanation: &Explanation) -> Shown {
        let human = || facets_face::human::explanation(explanation);
        self.show(human, || facets_face::json::explanation(explanation))
    }

    /// People get the codes under headings, programs in one list.
    pub(crate) fn codes(&self, groups: &[CodeGroup], all: &[Explanation]) -> Shown {
        self.show(|| human::codes(groups), || facets_face::json::codes(all))
    }

    /// A text that is one whole: a script, a page.
    pub(crate) fn whole(&self, name: &str, text: Vec<u8>) -> Shown {
        let json = || serde_json::json!({ name: String::from_utf8_lossy(&text) });
        match self.format {
            OutputFormat::Human => Shown::exact(text),
            OutputFormat::Json | OutputFormat::Sarif => document(&json()),
        }
    }

    pub(crate) fn manual(&self, directory: &Path) -> Shown {
        let human = || Shown::exact(format!("{}\n", visible(&directory.display().to_string())));
        self.show(human, || serde_json::json!({ "directory": directory.display().to_string() }))
    }
}

pub(crate) use approval::page as approval_page;
pub(crate) use clients::{compact_pages, edits, found};
pub(crate) use decisions::{homes_text, moved};
pub(crate) use drift::Verb;
pub(crate) use install::{InstallContext, InstallVerb, TypedInstall};
pub(crate) use install_page::page as install_page;
pub(crate) use origin::{launch, published_values};
pub(crate) use publish::page as publish_page;
pub(crate) use renderer::Renderer;
pub(crate) use sessions::{grant_conflicts, wider_grants};

/// The page `facet(1)`.
pub(crate) fn manual_page() -> Vec<u8> {
    facets_face::completion::manual_page(Args::command())
}
