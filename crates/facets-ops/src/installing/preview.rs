//! What another version would change, before it is started: by what its registry saw of it, and by its files.

use facets_drift::{Finding, Severity, Side, sort_findings};
use facets_plan::{ServerQuery, Step};

use super::decisions::{Decided, ServerDecision, ServerVerdict};
use super::goal::Goal;
use super::looks::published_bytes;
use super::task::InstallTask;
use crate::acquiring::{AcquiredServer, Acquirer};
use crate::approval::is_approved;
use crate::artifact_changes::compare_artifacts;
use crate::consent::InstallPage;
use crate::error::OpsError;
use crate::install_report::{InstallOutcome, InstallReport, ServerOutcome, ServerStatus};
use crate::pinned::{Pinned, differences};

impl InstallTask {
    /// What would be done.
    pub(super) fn planned(
        &self,
        goal: &Goal,
        acquirer: &Acquirer<'_>,
        page: InstallPage,
    ) -> Result<InstallReport, OpsError> {
        let servers = self.previews(goal, acquirer)?;
        Ok(self.preview_report(goal, page, servers, InstallOutcome::Planned))
    }

    /// Texts are worse than what was accepted.
    pub(super) fn refused(
        &self,
        goal: &Goal,
        acquirer: &Acquirer<'_>,
        page: InstallPage,
    ) -> Result<InstallReport, OpsError> {
        let servers = self.previews(goal, acquirer)?;
        Ok(self.preview_report(goal, page, servers, InstallOutcome::Refused))
    }

    /// There is no terminal, and no yes beforehand. What is critical is a no, also if nothing was started.
    pub(super) fn unanswered(
        &self,
        goal: &Goal,
        acquirer: &Acquirer<'_>,
        page: InstallPage,
    ) -> Result<InstallReport, OpsError> {
        let mut servers = self.previews(goal, acquirer)?;
        let is_bad = |findings: &[Finding]| {
            findings.iter().any(|finding| finding.severity == Severity::Critical)
        };
        if !servers.iter().any(|server| is_bad(&server.findings)) {
            return Err(self.unanswered_error(false));
        }
        for server in servers.iter_mut().filter(|server| is_bad(&server.findings)) {
            server.status = ServerStatus::Refused;
        }
        Ok(self.preview_report(goal, page, servers, InstallOutcome::Refused))
    }

    fn preview_report(
        &self,
        goal: &Goal,
        page: InstallPage,
        servers: Vec<ServerOutcome>,
        outcome: InstallOutcome,
    ) -> InstallReport {
        let nothing = Decided::default();
        InstallReport { servers, ..self.report(goal, page, nothing, outcome) }
    }

    fn previews(
        &self,
        goal: &Goal,
        acquirer: &Acquirer<'_>,
    ) -> Result<Vec<ServerOutcome>, OpsError> {
        let mut servers = Vec::new();
        for step in &goal.plan.servers {
            let name = step.name.as_str();
            let artifact = goal.artifacts.get(name);
            let is_resolved = matches!(goal.queries.get(name), Some(ServerQuery::Resolve { .. }));
            let (status, findings) = match &step.step {
                Step::Remove(_) => (ServerStatus::Removed, Vec::new()),
                Step::Keep(_) => (self.kept_status(name)?, Vec::new()),
                Step::Add(_) | Step::Change { .. } => match artifact.filter(|_| is_resolved) {
                    Some(artifact) => {
                        (ServerStatus::Planned, self.preview(name, artifact, acquirer)?)
                    }
                    None => (ServerStatus::Uncaptured, Vec::new()),
                },
            };
            let decided = ServerDecision {
                change: goal.server_change(step),
                verdict: ServerVerdict::Stay(status),
            };
            let report = self.report_of(decided);
            servers.push(ServerOutcome { findings, ..report });
        }
        Ok(servers)
    }

    fn report_of(&self, decided: ServerDecision) -> ServerOutcome {
        self.server_outcome(decided, InstallOutcome::Planned)
    }

    fn kept_status(&self, name: &str) -> Result<ServerStatus, OpsError> {
        match self.before.lock.server(name) {
            None => Ok(ServerStatus::Uncaptured),
            Some(locked) if is_approved(name, locked, &self.project)? => Ok(ServerStatus::Kept),
            Some(_) => Ok(ServerStatus::NotApproved),
        }
    }

    /// What changes with another version, as far as that is known without a start.
    pub(super) fn preview(
        &self,
        name: &str,
        server: &AcquiredServer,
        acquirer: &Acquirer<'_>,
    ) -> Result<Vec<Finding>, OpsError> {
        let Ok(pinned) = Pinned::of(name, &self.before) else { return Ok(Vec::new()) };
        let bytes = published_bytes(server)?;
        let mut surface = acquirer.published_surface(server)?;
        if let Some(artifact) = &bytes.resolved.artifact {
            surface.source = artifact.source.clone();
        }
        let hashes = surface.hashes();
        let side = Side { surface: &surface, hashes: &hashes };
        let mut findings = compare_artifacts(&pinned.server.pin, &bytes.resolved.pin);
        findings.extend(differences(pinned.side(), side));
        sort_findings(&mut findings);
        Ok(findings)
    }
}
