//! `facet login`, `facet logout`, `facet whoami` and `facet yank`.

use std::fmt::Write as _;
use std::path::Path;

use facets_face::style::{GOOD, QUIET, STRONG};
use facets_face::{Shown, visible};
use facets_ops::login::{LoginReport, LogoutReport};
use facets_ops::whoami::{TokenSource, WhoamiReport};
use facets_ops::yank::{VersionYank, YankReport};
use serde_json::{Value, json};

use super::Renderer;

impl Renderer {
    pub(crate) fn logged_in(&self, report: &LoginReport) -> Shown {
        let LoginReport { registry, username, scopes, file } = report;
        let human = || {
            let (registry, username) = (visible(registry), visible(username));
            let mut out = format!("{GOOD}logged in{GOOD:#} to {registry} as {username}\n");
            scope_line(scopes, &mut out);
            let talk = format!("the token is stored in {}\n", shown_path(file));
            Shown { talk: if self.quiet { String::new() } else { talk }, ..Shown::styled(out) }
        };
        let file = file.display().to_string();
        let json = || json!({ "registry": registry, "username": username, "scopes": scopes, "file": file });
        self.show(human, json)
    }

    pub(crate) fn logged_out(&self, report: &LogoutReport) -> Shown {
        let LogoutReport { registry, was_logged_in, file, has_variable } = report;
        let human = || {
            let place = visible(registry);
            let mut talk = String::new();
            let out = if *was_logged_in {
                format!("logged out of {place}\n")
            } else {
                let _ = writeln!(talk, "not logged in to {place}");
                String::new()
            };
            if *has_variable {
                talk.push_str("FACET_TOKEN is still set\n");
            }
            Shown { talk: if self.quiet { String::new() } else { talk }, ..Shown::styled(out) }
        };
        let json = || {
            json!({
                "registry": registry,
                "removed": was_logged_in,
                "file": file.display().to_string(),
            })
        };
        self.show(human, json)
    }

    pub(crate) fn whoami(&self, report: &WhoamiReport) -> Shown {
        let WhoamiReport { registry, username, scopes, source } = report;
        let (word, file) = match source {
            TokenSource::Environment => ("environment", None),
            TokenSource::File(file) => ("file", Some(file)),
        };
        let human = || {
            let (registry, username) = (visible(registry), visible(username));
            let mut out = format!("{STRONG}{username}{STRONG:#} on {registry}\n");
            scope_line(scopes, &mut out);
            let place = file.map_or_else(|| "FACET_TOKEN".to_owned(), |file| shown_path(file));
            let _ = writeln!(out, "token   {QUIET}{place}{QUIET:#}");
            Shown::styled(out)
        };
        let json = || {
            json!({
                "registry": registry,
                "username": username,
                "scopes": scopes,
                "token": word,
                "file": file.map(|file| file.display().to_string()),
            })
        };
        self.show(human, json)
    }

    pub(crate) fn yanked(&self, report: &YankReport) -> Shown {
        let YankReport { registry, kind, name, version, yanked } = report;
        let human = || {
            let what = format!("{} {name} {version} on {}", kind.word(), visible(registry));
            Shown::styled(match yanked {
                Some(yank) => {
                    format!("{GOOD}yanked{GOOD:#}: {what}: {}\n", visible(&yank.reason))
                }
                None => format!("{GOOD}not yanked any more{GOOD:#}: {what}\n"),
            })
        };
        let json = || {
            json!({
                "registry": registry,
                "kind": kind.word(),
                "name": name.as_str(),
                "version": version.to_string(),
                "yanked": yanked.as_ref().map(yank_json),
            })
        };
        self.show(human, json)
    }
}

/// Why a version was taken back.
pub(super) fn yank_json(yank: &VersionYank) -> Value {
    json!({ "reason": yank.reason, "at": yank.at })
}

fn scope_line(scopes: &[String], out: &mut String) {
    if !scopes.is_empty() {
        let _ = writeln!(out, "scopes  {}", visible(&scopes.join(", ")));
    }
}

fn shown_path(path: &Path) -> String {
    visible(&path.display().to_string())
}
