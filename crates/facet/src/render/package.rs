//! A package of npm or PyPI, for people and as JSON.

use std::fmt::Write as _;

use facets_face::{plural, visible};
use facets_model::PackageOrigin;
use facets_ops::PackageShown;
use facets_ops::consent::LaunchShown;
use facets_ops::grant::grants_words;
use serde_json::{Value, json};

use super::runtime_words::runtime_words;

/// Packages that are named before the rest is counted.
const MOST: usize = 8;

/// What would be started, in full.
pub(super) fn launch(package: &PackageOrigin, launch: &LaunchShown<'_>) -> String {
    let mut out = format!("This would start the package\n  {}\n", visible(&package.to_string()));
    if let Some(shown) = launch.package {
        out.push_str(&lines(shown));
    }
    let _ = writeln!(out, "directory: {}", visible(&launch.directory.display().to_string()));
    if !package.env.is_empty() {
        let _ = writeln!(out, "variables: {}", visible(&package.env.join(", ")));
    }
    if let Some(grants) = launch.grants {
        let _ = writeln!(out, "grants: {}", visible(&grants_words(grants)));
    }
    out
}

/// What a package turned out to be, a line each.
pub(super) fn lines(shown: &PackageShown) -> String {
    let PackageShown { pin, packages, bytes, scripts, native, notes } = shown;
    let mut out = format!("package: {}\n", visible(&pin.resolved));
    let _ = writeln!(out, "program: {} ({})", visible(&pin.bin), visible(&pin.entry));
    let _ = writeln!(out, "runtime: {}", runtime_words(&pin.runtime));
    let count = match packages {
        0 => String::new(),
        count => format!(" ({}, {})", plural(*count, "package"), size_words(*bytes)),
    };
    let _ = writeln!(out, "closure: {}{count}", pin.closure);
    named("install scripts, not run", scripts, &mut out);
    named("machine code", native, &mut out);
    for note in notes {
        let _ = writeln!(out, "note: {}", visible(note));
    }
    out
}

/// The same for a list of labels, as `facet show` prints it.
pub(super) fn labelled_lines(shown: &PackageShown) -> Vec<(&'static str, String)> {
    let PackageShown { pin, packages, bytes, scripts, native, .. } = shown;
    let mut lines = vec![
        ("package", pin.resolved.clone()),
        ("program", format!("{} ({})", pin.bin, pin.entry)),
        ("runtime", runtime_words(&pin.runtime)),
        (
            "closure",
            format!("{} ({}, {})", pin.closure, plural(*packages, "package"), size_words(*bytes)),
        ),
    ];
    if !scripts.is_empty() {
        lines.push(("scripts", format!("not run: {}", scripts.join(", "))));
    }
    if !native.is_empty() {
        lines.push(("native code", native.join(", ")));
    }
    lines
}

fn named(label: &str, packages: &[String], out: &mut String) {
    if packages.is_empty() {
        return;
    }
    let shown: Vec<String> = packages.iter().take(MOST).map(|one| visible(one)).collect();
    let more = match packages.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    let _ = writeln!(out, "{label}: {}{more}", shown.join(", "));
}

fn size_words(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

/// A package as JSON.
pub(super) fn json(shown: &PackageShown) -> Value {
    let PackageShown { pin, packages, bytes, scripts, native, notes } = shown;
    json!({
        "resolved": pin.resolved,
        "bin": pin.bin,
        "entry": pin.entry,
        "closure": pin.closure.to_string(),
        "runtime": runtime_words(&pin.runtime),
        "packages": packages,
        "bytes": bytes,
        "scripts": scripts,
        "native": native,
        "notes": notes,
    })
}
