//! Reports as people and machines read them.

use std::fmt::Write as _;
use std::path::Path;

use facets_face::json::document;
use facets_face::style::{BAD, GOOD, QUIET, STRONG, WARN};
use facets_face::{Exit, Shown, plural, visible};
use facets_failure::{Describe as _, Explanation, Failure};
use facets_registry::{
    AuditEntry, BackupReport, CheckReport, Damage, DamageKind, GcOptions, GcReport, Moment,
    OwnerChange, TokenRecord, TokenText,
};
use serde_json::{Value, json};

use crate::args::{KindArgument, OutputFormat};
use crate::error::ProgramError;
use crate::timestamp;

/// How reports are to be shown.
pub(crate) struct Renderer {
    pub(crate) format: OutputFormat,
}

impl Renderer {
    /// Chooses between the two faces of a report.
    fn show(&self, human: impl FnOnce() -> String, json: impl FnOnce() -> Value) -> Shown {
        match self.format {
            OutputFormat::Human => Shown::styled(human()),
            OutputFormat::Json => document(&json()),
        }
    }

    pub(crate) fn failure(&self, error: &ProgramError) -> Shown {
        let failure = described(error.describe());
        match self.format {
            OutputFormat::Human => Shown::failure(facets_face::human::failure(&failure, false)),
            OutputFormat::Json => {
                document(&facets_face::json::failure(&failure, false)).with_exit(Exit::Unjudged)
            }
        }
    }

    pub(crate) fn explanation(&self, explanation: &Explanation) -> Shown {
        match self.format {
            OutputFormat::Human => facets_face::human::explanation(explanation),
            OutputFormat::Json => document(&facets_face::json::explanation(explanation)),
        }
    }

    pub(crate) fn codes(&self, all: &[Explanation]) -> Shown {
        let line = |one: &Explanation| {
            format!(
                "{STRONG}{:<28}{STRONG:#} {}\n",
                one.code,
                facets_face::human::first_sentence(one)
            )
        };
        self.show(|| all.iter().map(line).collect(), || facets_face::json::codes(all))
    }

    /// The token alone, so that it can be assigned to a variable.
    pub(crate) fn token(&self, token: &TokenText, id: &str) -> Shown {
        match self.format {
            OutputFormat::Human => Shown::exact(format!("{token}\n")),
            OutputFormat::Json => document(&json!({ "id": id, "token": token.to_string() })),
        }
    }

    pub(crate) fn tokens(&self, tokens: &[TokenRecord]) -> Shown {
        let human = || match tokens {
            [] => "no tokens\n".to_owned(),
            tokens => tokens.iter().map(token_line).collect(),
        };
        self.show(human, || json!({ "tokens": tokens.iter().map(token_json).collect::<Vec<_>>() }))
    }

    pub(crate) fn revoked(&self, id: &str) -> Shown {
        self.show(|| format!("revoked: {}\n", visible(id)), || json!({ "revoked": id }))
    }

    /// A name or a scope has a new owner.
    pub(crate) fn owner(
        &self,
        kind: KindArgument,
        (name, owner): (&str, &str),
        change: OwnerChange,
    ) -> Shown {
        let kind = kind.word();
        let is_reserved = change == OwnerChange::Reserved;
        let human = || {
            let note = if is_reserved { " (did not exist, reserved)" } else { "" };
            format!("owner of {kind} {}: {}{note}\n", visible(name), visible(owner))
        };
        let json =
            || json!({ "kind": kind, "name": name, "owner": owner, "reserved": is_reserved });
        self.show(human, json)
    }

    pub(crate) fn migrated(&self, migrations: &[String]) -> Shown {
        let human = || match migrations {
            [] => "the catalog is up to date\n".to_owned(),
            all => all.iter().map(|name| format!("migrated: {name}\n")).collect(),
        };
        self.show(human, || json!({ "migrations": migrations }))
    }

    pub(crate) fn checked(&self, report: &CheckReport) -> Shown {
        let exit = if report.damaged.is_empty() { Exit::Yes } else { Exit::No };
        self.show(|| checked_text(report), || checked_json(report)).with_exit(exit)
    }

    pub(crate) fn collected(&self, report: &GcReport, options: &GcOptions) -> Shown {
        let human = || {
            let verb = if options.dry_run { "would remove" } else { "removed" };
            let blobs = plural(count(report.removed), "blob");
            format!("{verb} {blobs} of {} bytes, kept {}\n", report.bytes, report.kept)
        };
        let json = || {
            json!({
                "dry_run": options.dry_run,
                "removed": report.removed,
                "bytes": report.bytes,
                "kept": report.kept,
            })
        };
        self.show(human, json)
    }

    pub(crate) fn backed_up(&self, target: &Path, report: &BackupReport) -> Shown {
        let target = target.display().to_string();
        let human = || {
            let blobs = plural(count(report.blobs), "blob");
            let saved =
                format!("catalog and {blobs} of {} bytes in {}", report.bytes, visible(&target));
            match report.damaged.len() {
                0 => format!("{GOOD}saved{GOOD:#}: {saved}\n"),
                left => format!(
                    "{}{BAD}saved without {}{BAD:#}: {saved}\n",
                    damage_lines(&report.damaged),
                    plural(left, "damaged blob"),
                ),
            }
        };
        let json = || {
            json!({
                "directory": target,
                "blobs": report.blobs,
                "bytes": report.bytes,
                "damaged": damage_json(&report.damaged),
            })
        };
        let exit = if report.damaged.is_empty() { Exit::Yes } else { Exit::No };
        self.show(human, json).with_exit(exit)
    }

    pub(crate) fn audit(&self, entries: &[AuditEntry]) -> Shown {
        let human = || match entries {
            [] => "nothing was done\n".to_owned(),
            entries => entries.iter().map(audit_line).collect(),
        };
        self.show(
            human,
            || json!({ "entries": entries.iter().map(audit_json).collect::<Vec<_>>() }),
        )
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn moment(at: Moment) -> String {
    timestamp::text(at.0)
}

fn token_line(token: &TokenRecord) -> String {
    let mut line =
        format!("{STRONG}{}{STRONG:#} {} {}", token.id, token.owner, token.scopes.join(" "));
    if let Some(at) = token.revoked {
        let _ = write!(line, " {BAD}revoked{BAD:#} {}", moment(at));
    } else if let Some(at) = token.expires {
        let word = if at.0 <= timestamp::now() { "expired" } else { "expires" };
        let _ = write!(line, " {WARN}{word}{WARN:#} {}", moment(at));
    }
    if !token.note.is_empty() {
        let _ = write!(line, " {QUIET}{}{QUIET:#}", visible(&token.note));
    }
    line + "\n"
}

/// Neither the token nor its hash.
fn token_json(token: &TokenRecord) -> Value {
    json!({
        "id": token.id,
        "owner": token.owner.as_str(),
        "scopes": token.scopes,
        "note": token.note,
        "created": moment(token.created),
        "expires": token.expires.map(moment),
        "revoked": token.revoked.map(moment),
    })
}

fn damage_word(kind: DamageKind) -> &'static str {
    match kind {
        DamageKind::Absent => "absent",
        DamageKind::Damaged => "damaged",
        DamageKind::Unreadable => "unreadable",
    }
}

fn damage_lines(all: &[Damage]) -> String {
    let mut out = String::new();
    for damage in all {
        let word = damage_word(damage.kind);
        let _ = writeln!(out, "{BAD}{word:<10}{BAD:#} {} {}", visible(&damage.what), damage.digest);
    }
    out
}

fn damage_json(all: &[Damage]) -> Vec<Value> {
    let one = |damage: &Damage| {
        json!({
            "digest": damage.digest.to_string(),
            "what": damage.what,
            "kind": damage_word(damage.kind),
        })
    };
    all.iter().map(one).collect()
}

fn checked_text(report: &CheckReport) -> String {
    let mut out = damage_lines(&report.damaged);
    let looked = format!("{} of {} bytes", plural(count(report.blobs), "blob"), report.bytes);
    let _ = match report.damaged.len() {
        0 => writeln!(out, "{GOOD}intact{GOOD:#}: {looked}"),
        damaged => writeln!(out, "{BAD}{damaged} cannot be served{BAD:#}: {looked} were hashed"),
    };
    out
}

fn checked_json(report: &CheckReport) -> Value {
    json!({
        "versions": report.versions,
        "blobs": report.blobs,
        "bytes": report.bytes,
        "damaged": damage_json(&report.damaged),
    })
}

fn audit_line(entry: &AuditEntry) -> String {
    let who = match &entry.token_id {
        Some(token) => format!("{} ({token})", entry.owner),
        None => "operator".to_owned(),
    };
    let detail = entry.detail.as_deref().map(|detail| format!(": {}", visible(detail)));
    let subject = visible(&entry.subject);
    let (at, detail) = (moment(entry.at), detail.unwrap_or_default());
    format!("{at} {who} {STRONG}{}{STRONG:#} {subject}{detail}\n", entry.action)
}

fn audit_json(entry: &AuditEntry) -> Value {
    json!({
        "at": moment(entry.at),
        "owner": entry.owner.as_str(),
        "token_id": entry.token_id,
        "action": entry.action,
        "subject": entry.subject,
        "detail": entry.detail,
    })
}

/// Errors of shared crates advise `facet explain`; this program explains them itself.
fn described(failure: Failure) -> Failure {
    let next = match failure.next.strip_prefix("facet explain ") {
        Some(code) => format!("facet-registry explain {code}"),
        None => failure.next.clone(),
    };
    Failure { next, ..failure }
}
