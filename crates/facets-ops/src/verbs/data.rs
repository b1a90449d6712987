//! `facet data`: what confined servers keep from one session to the next (spec 5.2).

use facets_project::{Homes, PrivateHome, Project, Runs};

use crate::consent::Consent;
use crate::error::{OpsError, ServerError};
use crate::outside_servers::refuse_inside_server;

/// Whose data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataRequest {
    /// The servers; none are all.
    pub names: Vec<String>,
    /// Of every project of this user, not of the one here.
    pub is_everywhere: bool,
}

/// Lists and measures what servers keep.
pub fn list_data(request: &DataRequest) -> Result<Vec<PrivateHome>, OpsError> {
    let project = Project::here()?;
    let mut homes = Homes::of(&project.user()?).all()?;
    let here = project.place().to_string_lossy();
    homes.retain(|home| request.is_everywhere || home.project == here);
    if let Some(name) = request.names.iter().find(|name| !homes.iter().any(|h| h.name == **name)) {
        let known = homes.into_iter().map(|home| home.name).collect();
        return Err(ServerError::NoData { name: name.clone(), known }.into());
    }
    homes.retain(|home| request.names.is_empty() || request.names.contains(&home.name));
    Ok(homes)
}

/// Removes what servers keep, if the answer is yes. Gives back what it was.
pub fn clear_data(
    request: &DataRequest,
    consent: &dyn Consent,
) -> Result<Vec<PrivateHome>, OpsError> {
    refuse_inside_server()?;
    let homes = list_data(request)?;
    let running = Runs::of_this_user()?.all();
    let runs = |home: &&PrivateHome| {
        let mut sessions = running.iter().filter(|(_, is_running)| *is_running);
        sessions.any(|(run, _)| run.name == home.name && run.project == home.project)
    };
    if let Some(home) = homes.iter().find(runs) {
        return Err(ServerError::StillRunning { name: home.name.clone() }.into());
    }
    let all = Homes::of(&Project::here()?.user()?);
    all.sweep()?;
    if homes.is_empty() {
        return Ok(homes);
    }
    let everywhere = if request.is_everywhere { "--all " } else { "" };
    let next = format!("facet data --clear --yes {everywhere}{}", request.names.join(" "));
    let next = next.trim_end().to_owned();
    consent.may_clear(&homes).or_refuse("nothing was removed", next)?;
    homes.iter().try_for_each(|home| all.clear(home))?;
    Ok(homes)
}
