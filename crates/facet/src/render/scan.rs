//! What source can reach, as people and machines read it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anstyle::{AnsiColor, Style};
use facets_face::{Shown, visible};
use facets_ops::scan::ScanReport;
use facets_scan::{Category, Doubt, Located, SourceFinding};
use facets_surface::{EntitlementVerdict, Entitlements};
use serde_json::{Value, json};

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const WARN: Style = AnsiColor::Yellow.on_default();

/// What is shown of one category before the rest is counted.
const SHOWN: usize = 6;

pub(super) fn human(report: &ScanReport, verbose: bool) -> Shown {
    let mut out = String::new();
    entitlements(&report.report.entitlements, "", &mut out);
    let most = if verbose { usize::MAX } else { SHOWN };
    for category in Category::ALL {
        reasons(report, category, most, &mut out);
    }
    doubts(report, most, &mut out);
    let (files, bytes) = (report.report.files, report.report.bytes);
    let plural = if files == 1 { "" } else { "s" };
    let _ = writeln!(out, "\n{QUIET}{files} file{plural}, {bytes} bytes read{QUIET:#}");
    Shown::styled(out)
}

/// That nobody has looked at the source of a server.
pub(super) const NOT_SCANNED: &str =
    "source not scanned (--source DIR scans JavaScript and TypeScript)";

/// That the scan has no answer: other languages, or code whose calls it cannot follow, such as a bundle's.
pub(super) const UNKNOWN: &str =
    "the scan cannot tell what it does (other languages, or code that it cannot follow)";

/// Whether a scan has found out nothing at all.
pub(super) fn is_unknown(entitlements: &Entitlements) -> bool {
    let mut verdicts = entitlements.verdicts().into_iter();
    verdicts.all(|(_, verdict)| matches!(verdict, EntitlementVerdict::Unknown))
}

/// The verdicts, one a line.
pub(super) fn entitlements(entitlements: &Entitlements, indent: &str, out: &mut String) {
    for (name, verdict) in entitlements.verdicts() {
        let style = match verdict {
            EntitlementVerdict::No => QUIET,
            EntitlementVerdict::Unknown => WARN,
            EntitlementVerdict::Yes => STRONG,
        };
        let _ = writeln!(out, "{indent}{name:<15} {style}{}{style:#}", verdict.name());
    }
}

/// Where a category was found: each identifier once, at its first place.
fn reasons(report: &ScanReport, category: Category, most: usize, out: &mut String) {
    let mut places: BTreeMap<&str, (usize, &Located<SourceFinding>)> = BTreeMap::new();
    for found in report.report.findings.iter().filter(|found| found.what.category == category) {
        places.entry(&found.what.identifier).or_insert((0, found)).0 += 1;
    }
    if places.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{STRONG}{}{STRONG:#}", category.name());
    let width =
        places.keys().take(most).map(|name| name.chars().count()).max().unwrap_or(0).min(40);
    for (name, (count, found)) in places.iter().take(most) {
        let place = place(&report.root, &found.file, found.what.line);
        let through = match found.what.path.as_slice() {
            [] => String::new(),
            steps => format!(" through {}", visible(&steps.join(", "))),
        };
        let more = if *count > 1 { format!(", {} more", count - 1) } else { String::new() };
        let _ =
            writeln!(out, "  {:<width$}  {QUIET}{place}{through}{more}{QUIET:#}", visible(name));
    }
    rest(places.len(), most, out);
}

fn doubts(report: &ScanReport, most: usize, out: &mut String) {
    let doubts = &report.report.doubts;
    if doubts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{WARN}unknown because{WARN:#}");
    for Located { file, what: Doubt { reason, line } } in doubts.iter().take(most) {
        let _ = writeln!(
            out,
            "  {}  {QUIET}{}{QUIET:#}",
            visible(reason),
            place(&report.root, file, *line)
        );
    }
    rest(doubts.len(), most, out);
}

fn rest(all: usize, most: usize, out: &mut String) {
    if all > most {
        let _ = writeln!(out, "  {QUIET}and {} more; --verbose shows all{QUIET:#}", all - most);
    }
}

fn place(root: &Path, file: &str, line: u32) -> String {
    let file = visible(&relative(root, file));
    if line == 0 { file } else { format!("{file}:{line}") }
}

/// A file as seen from what was scanned; `..` leads to packages beside it.
fn relative(root: &Path, file: &str) -> String {
    let path = Path::new(file);
    if path == root {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        return name.unwrap_or_else(|| file.to_owned());
    }
    let root = if root.is_file() { root.parent().unwrap_or(root) } else { root };
    for (up, folder) in root.ancestors().enumerate() {
        if let Ok(rest) = path.strip_prefix(folder) {
            return format!("{}{}", "../".repeat(up), rest.display());
        }
    }
    file.to_owned()
}

pub(super) fn json(report: &ScanReport) -> Value {
    let scan = &report.report;
    let findings = scan.findings.iter().map(|found| {
        json!({
            "category": found.what.category.name(),
            "identifier": found.what.identifier,
            "file": relative(&report.root, &found.file),
            "line": found.what.line,
            "path": found.what.path,
        })
    });
    let doubts = scan.doubts.iter().map(|found| {
        json!({
            "reason": found.what.reason,
            "file": relative(&report.root, &found.file),
            "line": (found.what.line > 0).then_some(found.what.line),
        })
    });
    json!({
        "entitlements": json_entitlements(&scan.entitlements),
        "findings": findings.collect::<Vec<_>>(),
        "unknown_because": doubts.collect::<Vec<_>>(),
        "files": scan.files,
        "bytes": scan.bytes,
        "scanner": scan.entitlements.scanner,
    })
}

pub(super) fn json_entitlements(entitlements: &Entitlements) -> Value {
    let mut value: Value = entitlements
        .verdicts()
        .into_iter()
        .map(|(name, verdict)| (name.to_owned(), verdict.name().into()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    value["raw"] = entitlements.raw.clone().into();
    value
}
