//! Archives: built, read, unpacked.

use std::fmt::Write as _;

use facets_face::human::problem;
use facets_face::style::{GOOD, QUIET, STRONG};
use facets_face::{Shown, plural, visible};
use facets_ops::build::BuildReport;
use facets_ops::building::{ArchivedFile, BundledCode, EntryMode, LeftOut, LeftOutReason};
use facets_ops::digest_archive::{DigestArchiveReport, ReadArchive};
use facets_ops::unpack::UnpackReport;
use serde_json::{Value, json};

use super::{Renderer, human};

/// Lines of a list that are shown without `--verbose`.
const MOST_LINES: usize = 40;

impl Renderer {
    pub(crate) fn built(&self, report: &BuildReport) -> Shown {
        self.show(|| self.built_human(report), || built_json(report))
    }

    fn built_human(&self, report: &BuildReport) -> Shown {
        let mut out = String::new();
        if !self.quiet {
            let packed = (&report.files[..], report.bundle.as_ref(), &report.left_out[..]);
            packed_lines(packed, self.verbose, &mut out);
        }
        let verb = if report.is_unchanged { "unchanged" } else { "built" };
        let artifact = format!("{} {} {}", report.kind.word(), report.name, report.version);
        let (files, size) = (plural(report.files.len(), "file"), human::size(report.size));
        let _ = writeln!(out, "{GOOD}{verb}{GOOD:#}: {artifact} ({files}, {size})");
        let _ = writeln!(out, "integrity     {}", report.integrity);
        let _ = writeln!(out, "content hash  {}", report.content_hash);
        let output = visible(&report.output.display().to_string());
        let _ = writeln!(out, "archive       {STRONG}{output}{STRONG:#}");
        let mut talk = String::new();
        for warning in report.warnings.iter().filter(|_| !self.quiet) {
            let _ = write!(talk, "warning: ");
            problem(warning, "", &mut talk);
        }
        Shown { talk, ..Shown::styled(out) }
    }

    pub(crate) fn digest_archive(&self, report: &DigestArchiveReport) -> Shown {
        let human = || {
            let archive = &report.archive;
            let mut out = String::new();
            let (size, files) = (human::size(archive.index.size), &archive.index.files);
            let (kind, name, version) = (archive.kind.word(), &archive.name, &archive.version);
            let _ = writeln!(out, "{STRONG}{kind} {name} {version}{STRONG:#} ({size})");
            let _ = writeln!(out, "integrity     {}", archive.index.integrity);
            let _ = writeln!(out, "content hash  {}", archive.index.content_hash);
            for ArchivedFile { path, size, digest, .. } in files {
                let _ = writeln!(out, "{digest}  {size:>9}  {}", visible(path.as_str()));
            }
            Shown::styled(out)
        };
        self.show(human, || {
            let mut value = archive_json(&report.archive);
            value["path"] = report.file.display().to_string().into();
            value
        })
    }

    pub(crate) fn unpacked(&self, report: &UnpackReport) -> Shown {
        let human = || {
            let ReadArchive { kind, name, version, index } = &report.archive;
            let (kind, files) = (kind.word(), plural(index.files.len(), "file"));
            let into = visible(&report.into.display().to_string());
            Shown::styled(format!(
                "{GOOD}unpacked{GOOD:#}: {kind} {name} {version} ({files}) into {into}\n"
            ))
        };
        self.show(human, || {
            let mut value = archive_json(&report.archive);
            value["path"] = report.file.display().to_string().into();
            value["directory"] = report.into.display().to_string().into();
            value
        })
    }
}

/// What went into an archive, what was bundled for it, and what was left out.
pub(super) fn packed_lines(
    (files, bundle, left_out): (&[ArchivedFile], Option<&BundledCode>, &[LeftOut]),
    is_verbose: bool,
    out: &mut String,
) {
    write_list(files.iter().map(packed_line), is_verbose, out);
    if let Some(BundledCode { entry, packages }) = bundle {
        let (entry, packages) = (visible(entry.as_str()), plural(packages.len(), "package"));
        let _ = writeln!(out, "bundled   {entry}  {QUIET}with {packages}{QUIET:#}");
    }
    write_list(left_out.iter().map(left_out_line), is_verbose, out);
}

/// All lines with `--verbose`, else so many that they can be read.
fn write_list(lines: impl ExactSizeIterator<Item = String>, is_verbose: bool, out: &mut String) {
    let count = lines.len();
    let most = if is_verbose { count } else { MOST_LINES };
    out.extend(lines.take(most));
    if count > most {
        let _ = writeln!(out, "{QUIET}… {} more; -v shows all{QUIET:#}", count - most);
    }
}

fn packed_line(file: &ArchivedFile) -> String {
    let size = human::size(file.size);
    format!("packed    {}  {QUIET}{size}{QUIET:#}\n", visible(file.path.as_str()))
}

fn left_out_line(left_out: &LeftOut) -> String {
    let reason = match &left_out.reason {
        LeftOutReason::Always => "never packed".to_owned(),
        LeftOutReason::Ignored { file, line, pattern } => format!("{file}:{line}: {pattern}"),
    };
    let (path, reason) = (visible(&left_out.path), visible(&reason));
    format!("left out  {path}  {QUIET}{reason}{QUIET:#}\n")
}

fn built_json(report: &BuildReport) -> Value {
    json!({
        "kind": report.kind.word(),
        "name": report.name,
        "version": report.version,
        "integrity": report.integrity.to_string(),
        "content_hash": report.content_hash.to_string(),
        "size": report.size,
        "files": report.files.iter().map(file_json).collect::<Vec<_>>(),
        "left_out": report.left_out.iter().map(left_out_json).collect::<Vec<_>>(),
        "bundle": report.bundle.as_ref().map(|BundledCode { entry, packages }| {
            json!({ "entry": entry.as_str(), "packages": packages })
        }),
        "output": report.output.display().to_string(),
        "unchanged": report.is_unchanged,
        "warnings": report.warnings.iter().map(facets_face::json::problem).collect::<Vec<_>>(),
    })
}

fn archive_json(archive: &ReadArchive) -> Value {
    json!({
        "kind": archive.kind.word(),
        "name": archive.name,
        "version": archive.version,
        "integrity": archive.index.integrity.to_string(),
        "content_hash": archive.index.content_hash.to_string(),
        "size": archive.index.size,
        "files": archive.index.files.iter().map(file_json).collect::<Vec<_>>(),
    })
}

pub(super) fn file_json(file: &ArchivedFile) -> Value {
    json!({
        "path": file.path.as_str(),
        "digest": file.digest.to_string(),
        "size": file.size,
        "executable": file.mode == EntryMode::Executable,
    })
}

fn left_out_json(left_out: &LeftOut) -> Value {
    let (file, line, pattern) = match &left_out.reason {
        LeftOutReason::Always => (None, None, None),
        LeftOutReason::Ignored { file, line, pattern } => (Some(file), Some(line), Some(pattern)),
    };
    json!({ "path": left_out.path, "file": file, "line": line, "pattern": pattern })
}
