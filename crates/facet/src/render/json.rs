use facets_face::json::{failure, problem};
use facets_failure::Describe as _;
use facets_ops::build_check::BuildCheckReport;
use facets_ops::digest_file::DigestFileReport;
use facets_ops::digest_json::DigestJsonReport;
use facets_ops::doctor::{DoctorReport, Health};
use facets_ops::grant::Grants;
use facets_ops::init::InitReport;
use serde_json::{Value, json};

/// Grants as they are in the lock, and what it leaves out because it is the usual.
pub(super) fn grants(grants: &Grants) -> Value {
    let mut value: Value = serde_json::from_str(&grants.to_json()).unwrap_or_default();
    value["arguments"] = json!(grants.arguments.word());
    value
}

pub(super) fn digest_file(report: &DigestFileReport) -> Value {
    let files: Vec<Value> = report
        .files
        .iter()
        .map(|(input, result)| {
            let path = input.path().display().to_string();
            match result {
                Ok(file) => {
                    json!({ "path": path, "digest": file.digest.to_string(), "size": file.size })
                }
                Err(error) => {
                    json!({ "path": path, "error": failure(&error.describe(), false)["error"] })
                }
            }
        })
        .collect();
    json!({ "files": files })
}

pub(super) fn digest_json(report: &DigestJsonReport, print: bool) -> Value {
    let mut value = json!({
        "path": report.input.path().display().to_string(),
        "digest": report.digest.to_string(),
        "size": report.canonical.len(),
    });
    if print {
        value["canonical"] = String::from_utf8_lossy(&report.canonical).into();
    }
    value
}

pub(super) fn init(report: &InitReport) -> Value {
    json!({
        "directory": report.directory.display().to_string(),
        "name": report.name.as_str(),
        "created": report.created,
        "kept": report.kept,
    })
}

pub(super) fn build_check(report: &BuildCheckReport) -> Value {
    let identity = report.identity.as_ref();
    json!({
        "ok": report.problems.is_empty(),
        "kind": report.kind,
        "manifest": report.manifest.display().to_string(),
        "name": identity.map(|(name, _)| name),
        "version": identity.map(|(_, version)| version),
        "files": report.files,
        "problems": report.problems.iter().map(problem).collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(problem).collect::<Vec<_>>(),
    })
}

pub(super) fn doctor(report: &DoctorReport) -> Value {
    let health = |health| match health {
        Health::Good => "ok",
        Health::Absent => "none",
        Health::Open => "open",
        Health::Bad => "broken",
    };
    let checks = report.checks.iter().map(|check| {
        json!({
            "name": check.name,
            "health": health(check.health),
            "detail": check.detail,
            "problems": check.problems.iter().map(problem).collect::<Vec<_>>(),
            "fix": check.fix,
        })
    });
    json!({
        "ok": report.is_healthy(),
        "warnings": report.warnings(),
        "version": env!("CARGO_PKG_VERSION"),
        "checks": checks.collect::<Vec<_>>(),
    })
}
