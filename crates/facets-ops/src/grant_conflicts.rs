//! Grants that a server cannot start with are asked about before anything is written (spec 11.4).

use facets_launch::{Launchable, ProcessLaunch};
use facets_lock::{Grants, LockedServer, StartSettings};
use facets_project::Project;

use crate::confinement::apply_grants;
use crate::consent::{AlreadyApproved, Answer, Consent};
use crate::error::{OpsError, ServerError};
use crate::grant_words::grant_command;
use crate::launch_options::{LaunchOptions, start_directory};
use crate::launching::prepare;
use crate::obstacles::{installed_instead, known_obstacles, widened};
use crate::start_obstacle::StartObstacle;

/// How a pinned server starts.
pub(crate) struct KnownStart<'s> {
    pub(crate) name: &'s str,
    pub(crate) server: &'s LockedServer,
    pub(crate) settings: &'s StartSettings,
    pub(crate) project: &'s Project,
}

impl KnownStart<'_> {
    /// Asks whether the grants are changed, if the server would not start any more. Gives back why it
    /// does not start, if the answer is yes.
    pub(crate) fn ask_about_conflicts(
        &self,
        (before, after): (&Grants, &Grants),
        consent: &dyn Consent,
    ) -> Result<Vec<StartObstacle>, OpsError> {
        let known = self.obstacles(before);
        let mut obstacles = self.obstacles(after);
        // What is in its way already is not decided here.
        obstacles.retain(|obstacle| !known.contains(obstacle));
        if obstacles.is_empty() {
            return Ok(obstacles);
        }
        let asked = match consent.may_conflict(self.name, &obstacles) {
            Answer::Yes => return Ok(obstacles),
            Answer::No => true,
            Answer::NoTerminal => false,
        };
        let mended = grant_command(self.name, before, &widened(after, &obstacles));
        let process = self.process(after);
        let mended =
            mended.or_else(|| process.and_then(|start| installed_instead(self.name, &start)));
        let next = mended.unwrap_or_else(|| "facet explain grant-conflict".to_owned());
        let name = self.name.to_owned();
        Err(ServerError::GrantConflict { name, obstacles, next, asked }.into())
    }

    /// What would be in the way with these grants; nothing where that cannot be told.
    fn obstacles(&self, grants: &Grants) -> Vec<StartObstacle> {
        self.process(grants).map(|process| known_obstacles(&process)).unwrap_or_default()
    }

    /// How it would start with these grants; none where that cannot be told.
    fn process(&self, grants: &Grants) -> Option<ProcessLaunch> {
        let directory = start_directory(self.project, self.settings).ok()?;
        // Nothing is made for a look: no private home either.
        let options = LaunchOptions { directory: Some(directory), ..LaunchOptions::default() };
        let start = (&self.server.origin, &self.server.pin);
        let server = prepare(start, &options, &AlreadyApproved);
        match server.and_then(|server| apply_grants(server, grants)) {
            Ok(Launchable::Process(process)) => Some(process),
            Ok(Launchable::Remote(_)) | Err(_) => None,
        }
    }
}
