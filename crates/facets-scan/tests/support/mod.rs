//! Programs in memory, analysed in place.

#![allow(dead_code, reason = "each test uses what it needs")]

use std::collections::BTreeMap;

use facets_scan::{
    Analysis, Analyst, Files, FolderListing, Report, ScanLimits, Start, analyse, scan,
};
use facets_surface::EntitlementVerdict;

/// Files by their paths.
pub(crate) struct Memory(BTreeMap<String, Vec<u8>>);

impl Files for Memory {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    fn real(&self, path: &str) -> String {
        path.to_owned()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.0.get(path).cloned().ok_or_else(|| "is not there".to_owned())
    }

    fn has_first_line(&self, path: &str) -> bool {
        self.0.get(path).is_some_and(|source| source.starts_with(b"#!"))
    }

    fn list(&self, folder: &str) -> FolderListing {
        let below = |path: &&String| path.starts_with(folder) && !path.contains("/node_modules/");
        FolderListing { files: self.0.keys().filter(below).cloned().collect(), unread: Vec::new() }
    }
}

struct InPlace;

impl Analyst for InPlace {
    fn analyse(&mut self, files: Vec<(String, Vec<u8>)>) -> Vec<Result<Analysis, String>> {
        let one = |(path, source): (String, Vec<u8>)| {
            // What a sandbox sends is what it has seen.
            let seen = analyse(&path, &source).map_err(|error| format!("{error:?}"))?;
            Analysis::decode(&seen.encode()).ok_or_else(|| "does not travel".to_owned())
        };
        files.into_iter().map(one).collect()
    }
}

pub(crate) fn scan_files(files: &[(&str, &str)], start: &Start) -> Report {
    scan_limited(files, start, ScanLimits::default())
}

pub(crate) fn scan_limited(files: &[(&str, &str)], start: &Start, limits: ScanLimits) -> Report {
    let files = files.iter().map(|(path, text)| (format!("/{path}"), text.as_bytes().to_vec()));
    scan(start, &Memory(files.collect()), &mut InPlace, limits)
}

/// One file, of the kind that its name says.
pub(crate) fn scan_file(name: &str, source: &str) -> Report {
    scan_files(&[(name, source)], &Start::Files(vec![format!("/{name}")]))
}

/// What a program can do, the kind of its file, its source.
pub(crate) type Attack = (&'static str, &'static str, &'static str);

/// The programs that are said not to do what they can do.
pub(crate) fn answered_with_no(attacks: &[Attack]) -> Vec<&Attack> {
    let missed = attacks.iter().filter(|(category, ending, source)| {
        let report = scan_file(&format!("x.{ending}"), source);
        let verdicts = report.entitlements.verdicts();
        verdicts
            .iter()
            .any(|(name, verdict)| name == category && *verdict == EntitlementVerdict::No)
    });
    missed.collect()
}
