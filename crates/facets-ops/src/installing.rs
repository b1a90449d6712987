//! Installing: what a project asks for is fetched, verified, shown, and then written as a whole (spec 10).
//!
//! An install and an upgrade are the same task with other moves: `wishes` adds what was typed to what the manifest
//! asks for, `goal` fetches it and plans, `looks` starts servers in a sandbox, `decisions` asks, `writing` changes the
//! project once.

mod assets;
mod clients;
mod decisions;
mod goal;
mod looks;
mod options;
mod packages;
mod preview;
mod reaching;
mod settled;
mod task;
mod unseen;
mod wishes;
mod writing;

use facets_lock::surface_path;
use facets_plan::frozen_differences;

pub use options::{InlineServers, InstallMode, InstallOptions, NetworkUse, RegistryChange};

use crate::acquiring::{AcquireRequest, Acquirer};
pub use crate::acquiring::{InstallProgress, NoInstallProgress};
use crate::cache_directory::require_cache_outside;
use crate::consent::Consent;
use crate::error::{InstallCheck, InstallError, OpsError, TaskError};
use crate::install_report::{InstallOutcome, InstallReport};
use crate::outside_servers::refuse_inside_server;
use crate::pinned::Pinned;
use decisions::{Decided, TextDecision};
use goal::Goal;
pub(crate) use goal::shown_source;
pub(crate) use task::InstallTask;
pub(crate) use wishes::TypedNames;

impl InstallTask {
    /// Fetches, verifies, shows, asks, and writes.
    pub(crate) fn carry_out(
        mut self,
        consent: &dyn Consent,
        progress: &dyn InstallProgress,
    ) -> Result<InstallReport, OpsError> {
        refuse_inside_server()?;
        self.require_whole_pins()?;
        if let Some(report) = self.settled()? {
            return Ok(report);
        }
        require_cache_outside(self.project.place())?;
        self.require_lock_if_frozen()?;
        self.add_typed(progress)?;
        let acquirer = self.acquirer(progress)?;
        let goal = Goal::reach(&self, &acquirer)?;
        let mut yanked = acquirer.yanked();
        yanked.extend(self.yanked.iter().cloned());
        for version in &yanked {
            progress.warn(&version.to_string());
        }
        if self.options.mode != InstallMode::DryRun {
            self.store_packages(consent.progress(), progress)?;
        }
        let report = self.finish(&goal, &acquirer, consent)?;
        let report = InstallReport { yanked: yanked.into_iter().collect(), ..report };
        if report.outcome == InstallOutcome::Applied {
            acquirer.remember()?;
        }
        Ok(report)
    }

    /// Everything that it takes is fetched and verified; nothing is written yet.
    fn finish(
        &self,
        goal: &Goal,
        acquirer: &Acquirer<'_>,
        consent: &dyn Consent,
    ) -> Result<InstallReport, OpsError> {
        let page = goal.page(self);
        if self.options.mode == InstallMode::DryRun {
            return self.planned(goal, acquirer, page);
        }
        self.project.check_writable()?;
        let texts = self.decide_texts(goal, &page, consent)?;
        match texts {
            TextDecision::Accepted | TextDecision::AsLocked => {}
            TextDecision::TooBad => return self.refused(goal, acquirer, page),
            TextDecision::NoAnswer => return self.unanswered(goal, acquirer, page),
        }
        let looked = self.look_at_servers(goal, acquirer, consent)?;
        let decided = self.decide_servers(looked, consent)?;
        let decided = Decided { texts: texts.accepted_on(&page), ..decided };
        if decided.is_refused() {
            return Ok(self.report(goal, page, decided, InstallOutcome::Refused));
        }
        let outcome = self.write(goal, &decided)?;
        Ok(self.report(goal, page, decided, outcome))
    }

    fn acquirer<'a>(&'a self, progress: &'a dyn InstallProgress) -> Result<Acquirer<'a>, OpsError> {
        Acquirer::new(AcquireRequest {
            project: self.project.place(),
            lock: &self.before.lock,
            registry: self.options.registry.as_deref(),
            accepts_other_registry: self.options.registry_change == RegistryChange::Accepted,
            is_offline: self.options.network == NetworkUse::Offline,
            user: self.project.user()?,
            progress,
        })
    }

    /// spec 8.3: what changes is compared with what was pinned, and a pair that was edited says nothing about that
    fn require_whole_pins(&self) -> Result<(), OpsError> {
        let names = self.before.lock.servers().keys();
        for name in names.filter(|name| self.before.lock.server(name).is_some()) {
            if let Err(problem) = Pinned::of(name, &self.before) {
                return Err(InstallError::Mismatch {
                    check: InstallCheck::Surface,
                    subject: format!("server {name}"),
                    expected: "the surface that facets.lock pins".to_owned(),
                    actual: problem.to_string(),
                    source_of: surface_path(name),
                }
                .into());
            }
        }
        Ok(())
    }

    /// spec 10.1: a frozen install fails rather than change anything
    fn require_lock_if_frozen(&self) -> Result<(), OpsError> {
        if self.options.mode != InstallMode::Frozen {
            return Ok(());
        }
        let differences = frozen_differences(&self.wanted, &self.before.lock);
        if differences.is_empty() {
            return Ok(());
        }
        let differences = differences.iter().map(ToString::to_string).collect();
        Err(TaskError::LockOutOfDate { differences }.into())
    }
}
