//! The questions before something is started, and before it is trusted.

use std::collections::BTreeMap;
use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;

use facets_drift::Severity;
use facets_face::visible;
use facets_model::PackageOrigin;
use facets_ops::StartProgress;
use facets_ops::client_files::FileEdit;
use facets_ops::consent::FoundEntry;
use facets_ops::consent::{
    Answer, ApprovalPage, Consent, LaunchShown, MovedServer, PublishPage, StartObstacle,
};
use facets_ops::grant::Grants;
use facets_ops::install::InstallPage;
use facets_project::PrivateHome;

use crate::install_bar::InstallBar;
use crate::progress::Spinner;
use crate::render;

/// Asks on the terminal, unless the answer was given beforehand.
pub(crate) struct Terminal {
    pub(crate) yes: bool,
    /// What that yes is a yes to, at the worst.
    pub(crate) accepts: Severity,
    /// Shows what is done between two questions.
    pub(crate) progress: Spinner,
    /// Shows what is fetched before a question.
    pub(crate) downloads: Option<Arc<InstallBar>>,
    /// Whether long texts are shown in full before a question.
    pub(crate) is_verbose: bool,
    /// Whether nothing is shown that nobody is asked about.
    pub(crate) is_quiet: bool,
}

impl Terminal {
    /// spec 8.5: a yes beforehand is one to what is moderate
    pub(crate) fn new(yes: bool) -> Self {
        Self {
            yes,
            accepts: Severity::Moderate,
            progress: Spinner::hidden(),
            downloads: None,
            is_verbose: false,
            is_quiet: true,
        }
    }

    /// A level that is accepted is a yes up to that level.
    pub(crate) fn accepting(yes: bool, level: Option<Severity>) -> Self {
        let accepts = level.unwrap_or(Severity::Moderate);
        Self { accepts, ..Self::new(yes || level.is_some()) }
    }

    /// The same, showing what is done meanwhile unless nobody wants to see it.
    pub(crate) fn with_progress(self, quiet: bool) -> Self {
        Self { progress: Spinner::new(quiet), is_quiet: quiet, ..self }
    }

    /// The same with bars that are taken away before a question.
    pub(crate) fn with_downloads(self, bar: Arc<InstallBar>) -> Self {
        Self { downloads: Some(bar), ..self }
    }

    /// Shows long texts in full, if that is wanted.
    pub(crate) fn verbose(self, is_verbose: bool) -> Self {
        Self { is_verbose, ..self }
    }

    /// Whether somebody is there and has not answered yet.
    pub(crate) fn asks(&self) -> bool {
        !self.yes && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    pub(crate) fn ask(&self, page: &str, question: &str) -> Answer {
        match self.read_answer(&format!("{page}{question} [y/N] ")) {
            Err(known) => known,
            Ok(line) if matches!(&*line, "y" | "yes") => Answer::Yes,
            Ok(_) => Answer::No,
        }
    }

    /// A question whose usual answer is yes: what is safer.
    fn ask_or_yes(&self, page: &str, question: &str) -> Answer {
        match self.read_answer(&format!("{page}{question} [Y/n] ")) {
            Err(known) => known,
            Ok(line) if matches!(&*line, "" | "y" | "yes") => Answer::Yes,
            Ok(_) => Answer::No,
        }
    }

    /// What was typed, in lower case; or the answer that is known without asking.
    fn read_answer(&self, text: &str) -> Result<String, Answer> {
        if self.yes {
            return Err(Answer::Yes);
        }
        if !self.asks() {
            return Err(Answer::NoTerminal);
        }
        self.clear_bars();
        let mut stderr = anstream::stderr();
        if stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush()).is_err() {
            return Err(Answer::NoTerminal);
        }
        let mut line = String::new();
        match std::io::stdin().read_line(&mut line) {
            Ok(1..) => Ok(line.trim().to_lowercase()),
            // The end of the input is no answer.
            _ => Err(Answer::No),
        }
    }
}

impl Terminal {
    /// What moves must not fall into a question.
    fn clear_bars(&self) {
        self.progress.clear();
        if let Some(bar) = &self.downloads {
            bar.clear();
        }
    }
}

impl Consent for Terminal {
    fn can_answer(&self) -> bool {
        self.yes || self.asks()
    }

    fn has_answered(&self) -> bool {
        !self.asks()
    }

    fn accepts(&self) -> Severity {
        self.accepts
    }

    fn may_start(&self, launch: &LaunchShown<'_>) -> Answer {
        let question = if launch.origin.is_remote() { "Connect to it?" } else { "Start it?" };
        self.ask(&render::launch(launch), question)
    }

    fn may_start_with(
        &self,
        launch: &LaunchShown<'_>,
        values: &BTreeMap<String, String>,
    ) -> Answer {
        let page = format!("{}{}", render::launch(launch), render::published_values(values));
        self.ask(&page, "Start it?")
    }

    fn may_lock(&self, package: &PackageOrigin, note: Option<&str>) -> Answer {
        let shown = visible(&package.package.to_string());
        let note = note.map(|note| format!("note: {}\n", visible(note))).unwrap_or_default();
        let page = format!(
            "This command runs the package {shown}, in whichever version its registry serves at that moment.\n\
             Facet can lock its version and everything that it depends on, and fetch nothing at start.\n{note}"
        );
        self.ask_or_yes(&page, "Lock it?")
    }

    fn may_pin(&self, page: &ApprovalPage) -> Answer {
        let question = match page.critical_findings() {
            0 => "Approve it?".to_owned(),
            1 => "Approve it in spite of 1 critical finding?".to_owned(),
            count => format!("Approve it in spite of {count} critical findings?"),
        };
        self.ask(&render::approval_page(page, self.is_verbose), &question)
    }

    fn show_refused(&self, page: &ApprovalPage) {
        if self.is_quiet {
            return;
        }
        self.clear_bars();
        let text = render::approval_page(page, self.is_verbose);
        // The error that follows says the same, shorter.
        let _ = anstream::stderr().write_all(text.as_bytes());
    }

    fn may_move(&self, moved: &[MovedServer]) -> Answer {
        self.ask(&render::moved(moved), "Approve them here, too?")
    }

    fn may_clear(&self, homes: &[PrivateHome]) -> Answer {
        self.ask(&render::homes_text(homes), "Remove it?")
    }

    fn may_adopt(&self, found: &[FoundEntry]) -> Answer {
        self.ask(&render::found(found), "Start these servers to see what they declare?")
    }

    fn may_pin_all(&self, pages: &[&ApprovalPage]) -> Answer {
        let question = format!("Approve these {} servers?", pages.len());
        self.ask(&render::compact_pages(pages, self.is_verbose), &question)
    }

    fn may_rewrite(&self, edits: &[FileEdit]) -> Answer {
        self.ask(&render::edits(edits), "Rewrite?")
    }

    fn may_remove(&self, names: &[String], edits: &[FileEdit]) -> Answer {
        let paths = edits.iter().map(|edit| visible(&edit.path.display().to_string()));
        let paths = paths.collect::<Vec<_>>().join(" and ");
        let is_one = names.len() == 1 && edits.len() == 1;
        let entries = if is_one { "its entry" } else { "the entries" };
        let names = visible(&names.join(", "));
        let question = format!("Remove {names}, and {entries} in {paths}?");
        self.ask(&render::edits(edits), &question)
    }

    fn may_grant(&self, name: &str, wider: &[&str], grants: &Grants) -> Answer {
        self.ask(&render::wider_grants(name, wider, grants), "Grant it?")
    }

    fn may_conflict(&self, name: &str, obstacles: &[StartObstacle]) -> Answer {
        self.ask(&render::grant_conflicts(name, obstacles), "Change the grants anyway?")
    }

    fn may_install(&self, page: &InstallPage) -> Answer {
        let findings = page.assets.iter().flat_map(|asset| &asset.findings);
        let critical = findings.filter(|one| one.severity == Severity::Critical).count();
        let question = match critical {
            0 => "Install?".to_owned(),
            1 => "Install in spite of 1 critical finding?".to_owned(),
            count => format!("Install in spite of {count} critical findings?"),
        };
        self.ask(&render::install_page(page, self.is_verbose), &question)
    }

    fn show_install(&self, page: &InstallPage) {
        if self.is_quiet {
            return;
        }
        self.clear_bars();
        let text = render::install_page(page, self.is_verbose);
        let mut stderr = anstream::stderr();
        // What follows says what became of it.
        let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
    }

    fn may_publish(&self, page: &PublishPage) -> Answer {
        let place = page.registry.as_deref().map(visible).unwrap_or_default();
        let question = format!("Publish it on {place}?");
        self.ask(&render::publish_page(page, self.is_verbose), &question)
    }

    fn progress(&self) -> &dyn StartProgress {
        &self.progress
    }
}
