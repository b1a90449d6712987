//! `facet grant`: what a server may do, and how that is enforced (spec 11.4).

mod failures;
mod observed;

use std::net::IpAddr;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use facets_launch::{GrantedHost, PRIVATE};
pub use facets_lock::{Arguments, Extent, Grants};
use facets_lock::{LockedServer, READ_ONLY, StartSettings};
use facets_project::{Approval, Change, LOCK, Project, ProjectError, State};

use crate::approval::{Trust, UserDecision};
pub use crate::confinement::{describe_opened, undefended};
use crate::confinement::{granted_place, opened_by, refuse_own_folder};
use crate::consent::{AlreadyApproved, ApprovalPage, Consent, StartObstacle};
use crate::error::{OpsError, ServerError};
use crate::facet_values::FacetValues;
use crate::grant_conflicts::KnownStart;
pub use crate::grant_words::grants_words;
use crate::grant_words::{extent_word, yes_or_no};
use crate::launch_options::{LaunchOptions, StartPurpose, start_directory};
use crate::launching::prepare;
use crate::moving::not_approved;
use crate::outside_servers::refuse_inside_server;
use crate::pinned::Pinned;
use crate::pinning::approve_entry;
pub use crate::program_files::{OpenedFiles, OpenedPath};
use crate::repinning::{Accepted, LaunchChange, NewBytes, NewPin, repin};
use failures::{TypedGrant, narrowed_only, unchanged, with_accept};
use observed::observed_by;

/// One decision of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GrantSetting {
    /// Hosts.
    Network(Extent),
    /// Paths.
    Filesystem(Extent),
    /// Other programs.
    Subprocess(bool),
    /// Asking the model.
    Sampling(bool),
    /// Asking the user.
    Elicitation(bool),
    /// Which arguments calls may have.
    Arguments(Arguments),
    /// Network, files and programs as its source was seen to use them.
    Observed,
}

impl GrantSetting {
    /// Whether it is enforced on a process of ours, and so on nothing that runs elsewhere.
    fn is_of_a_process(&self) -> bool {
        match self {
            Self::Network(_) | Self::Filesystem(_) | Self::Subprocess(_) | Self::Observed => true,
            Self::Sampling(_) | Self::Elicitation(_) | Self::Arguments(_) => false,
        }
    }
}

impl std::str::FromStr for GrantSetting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "observed" {
            return Ok(Self::Observed);
        }
        let (name, value) =
            text.split_once('=').ok_or("a setting is written NAME=VALUE, such as network=none")?;
        let flag = || match value {
            "yes" | "all" => Ok(true),
            "no" | "none" => Ok(false),
            _ => Err(format!("{name} is yes or no")),
        };
        match name {
            "network" => extent(value, check_host).map(Self::Network),
            "filesystem" => extent(value, check_path).map(Self::Filesystem),
            "subprocess" => flag().map(Self::Subprocess),
            "sampling" => flag().map(Self::Sampling),
            "elicitation" => flag().map(Self::Elicitation),
            "arguments" => match value {
                "any" => Ok(Self::Arguments(Arguments::Any)),
                "pinned" => Ok(Self::Arguments(Arguments::Pinned)),
                _ => Err("arguments is any or pinned".to_owned()),
            },
            _ => Err(format!(
                "unknown setting {name:?}; settings are network, filesystem, subprocess, sampling, \
                 elicitation and arguments"
            )),
        }
    }
}

/// As one types it.
impl std::fmt::Display for GrantSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (name, value) = match self {
            Self::Observed => return f.write_str("observed"),
            Self::Network(extent) => ("network", extent_word(extent)),
            Self::Filesystem(extent) => ("filesystem", extent_word(extent)),
            Self::Subprocess(is_granted) => ("subprocess", yes_or_no(*is_granted).to_owned()),
            Self::Sampling(is_granted) => ("sampling", yes_or_no(*is_granted).to_owned()),
            Self::Elicitation(is_granted) => ("elicitation", yes_or_no(*is_granted).to_owned()),
            Self::Arguments(arguments) => ("arguments", arguments.word().to_owned()),
        };
        write!(f, "{name}={value}")
    }
}

fn extent(value: &str, check: fn(&str) -> Result<(), String>) -> Result<Extent, String> {
    match value {
        "none" => return Ok(Extent::None),
        "all" => return Ok(Extent::All),
        _ => {}
    }
    let mut items: Vec<String> = value.split(',').map(str::to_owned).collect();
    items.iter().try_for_each(|item| check(item))?;
    items.sort();
    items.dedup();
    Ok(Extent::Listed(items))
}

fn check_host(text: &str) -> Result<(), String> {
    let place = text.strip_prefix(PRIVATE).unwrap_or(text);
    // `off`, `yes` or `deny` is no host that somebody forgot the port of.
    if !text.contains([':', '.']) && text != "localhost" {
        return Err(format!("unknown value {text:?}; write none, all or HOST:PORT"));
    }
    if !place.contains(':') && text != format!("{PRIVATE}{place}") {
        return Err(format!("{text:?} has no port; write {text}:443, none or all"));
    }
    let is_small = !text.contains(|c: char| c.is_ascii_uppercase());
    match GrantedHost::parse(text).filter(|_| is_small) {
        Some(_) => Ok(()),
        None => Err(format!("{text:?} is neither host:port nor {PRIVATE}host:port")),
    }
}

fn check_path(text: &str) -> Result<(), String> {
    match text.strip_prefix(READ_ONLY).unwrap_or(text) {
        "" => Err("a path is empty; write none, all, PATH or ro:PATH".to_owned()),
        _ => Ok(()),
    }
}

/// What to grant.
#[derive(Debug)]
pub struct GrantRequest {
    /// The server.
    pub name: String,
    /// The decisions; none to see what holds.
    pub settings: Vec<GrantSetting>,
}

/// What holds now.
#[derive(Debug)]
pub struct GrantReport {
    /// The server.
    pub name: String,
    /// What it may do.
    pub grants: Grants,
    /// Whether that was changed.
    pub is_changed: bool,
    /// Whether it runs elsewhere.
    pub is_remote: bool,
    /// How the server was seen in another environment, if it gets another.
    pub page: Option<ApprovalPage>,
    /// The files that this opens to it; none if it has all of them, or runs elsewhere.
    pub opened: Option<OpenedFiles>,
    /// Granted names that lead into a private network today, which is refused.
    pub private: Vec<PrivateHost>,
    /// Why it does not start any more, if they were changed anyway.
    pub obstacles: Vec<StartObstacle>,
}

/// A granted name, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateHost {
    /// As granted.
    pub host: String,
    /// Addresses that are not of the public internet.
    pub addresses: Vec<IpAddr>,
}

/// Decides what a server may do. More than before needs a yes.
pub fn grant(request: &GrantRequest, consent: &dyn Consent) -> Result<GrantReport, OpsError> {
    let name = &request.name;
    if !request.settings.is_empty() {
        refuse_inside_server()?;
    }
    let project = Project::here()?;
    let state = project.read(&|other| other == name)?;
    let pinned = Pinned::whole(name, &state)?;
    let decision = UserDecision::of(name, &pinned.server, &project)?;
    let before = &decision.grants;
    let wants_observed = request.settings.contains(&GrantSetting::Observed);
    let observed = wants_observed.then(|| observed_by(&pinned, &project)).transpose()?;
    let observed = observed.unwrap_or(Grants::ALL);
    let with = |grants: Grants, setting: &GrantSetting| with_setting(grants, setting, &observed);
    let grants = request.settings.iter().fold(before.clone(), with);
    refuse_elsewhere(request, &pinned.server)?;
    let settings = StartSettings {
        profile: pinned.server.settings.profile.with_grants(&grants),
        ..pinned.server.settings.clone()
    };
    let report = |is_changed, page, obstacles| {
        Ok(GrantReport {
            name: name.clone(),
            grants: grants.clone(),
            is_changed,
            is_remote: pinned.server.origin.is_remote(),
            page,
            opened: opened_to(name, &pinned.server, &grants, &project),
            private: private_hosts(&grants),
            obstacles,
        })
    };
    if request.settings.is_empty() || (grants == *before && grants == pinned.server.grants) {
        return report(false, None, Vec::new());
    }
    if decision.approval.is_none() {
        return Err(not_approved(name, &pinned.server, &project));
    }
    check_paths(&grants, &project, &settings)?;
    let start = KnownStart { name, server: &pinned.server, settings: &settings, project: &project };
    let obstacles = start.ask_about_conflicts((before, &grants), consent)?;
    ask_for_wider(request, before, &grants, consent)?;
    // What is taken away is gone at once: a server that does not start without it has no say in that.
    let ledger = project.ledger()?;
    let narrower = before.capped_at(&grants);
    if !ledger.decide(name, decision.latest.as_ref(), &narrower)? {
        return Err(ServerError::ChangedMeanwhile { name: name.clone() }.into());
    }
    let pin = NewGrants { pinned: &pinned.server, settings, grants: &grants, narrower: &narrower };
    let page = pin.write(request, (&project, &state), decision.approval, consent);
    let is_narrower = narrower != *before;
    let page = page.map_err(|error| {
        if is_narrower {
            narrowed_only(error, &typed(request))
        } else {
            with_accept(unchanged(error, before), &typed(request))
        }
    })?;
    report(true, page, obstacles)
}

/// Grants that are to be written into the lock.
struct NewGrants<'g> {
    pinned: &'g LockedServer,
    settings: StartSettings,
    grants: &'g Grants,
    /// What was decided on the way there.
    narrower: &'g Grants,
}

impl NewGrants<'_> {
    /// Gives back how the server was seen, if it was.
    fn write(
        self,
        request: &GrantRequest,
        (project, state): (&Project, &State),
        approval: Option<Approval>,
        consent: &dyn Consent,
    ) -> Result<Option<ApprovalPage>, OpsError> {
        let Self { pinned, settings, grants, narrower } = self;
        let name = request.name.as_str();
        // spec 5.2: another profile is another environment, so the server is looked at in it
        if settings.profile != pinned.settings.profile {
            let closure = Pinned::of(name, state).ok().and_then(|pinned| pinned.closure);
            let values = FacetValues::of(project, name, &pinned.origin);
            let new = in_profile((name, pinned), closure, settings, grants.clone());
            let new = NewPin { values, ..new };
            let accepted = (Accepted::Unchanged, Trust::Approvals);
            return repin(project, state, new, accepted, consent).map(Some);
        }
        let server = LockedServer { grants: grants.clone(), ..pinned.clone() };
        let values = approval.as_ref().and_then(|known| known.values);
        let variant = approval.map(|known| known.variant).unwrap_or_default();
        approve_entry(project, (name, &server, values), Some(narrower), variant)?;
        project.change(|now| change(now, state, name, &server))?;
        Ok(None)
    }
}

/// The same server with other grants, in the profile that follows from them.
fn in_profile<'n>(
    (name, server): (&'n str, &LockedServer),
    closure: Option<facets_closure::Closure>,
    settings: StartSettings,
    grants: Grants,
) -> NewPin<'n> {
    NewPin {
        name,
        origin: server.origin.clone(),
        // spec 11.4: a grant is no reason for other bytes
        bytes: NewBytes::Pinned(server.pin.clone(), closure.map(Box::new)),
        settings,
        grants: Some(grants),
        timeout: None,
        source: server.source.clone(),
        launch_change: LaunchChange::Reported,
        before: None,
        values: FacetValues::default(),
    }
}

fn typed(request: &GrantRequest) -> TypedGrant {
    let settings = request.settings.iter().map(ToString::to_string).collect();
    TypedGrant { name: request.name.clone(), settings }
}

/// What runs elsewhere cannot be kept from anything there.
fn refuse_elsewhere(request: &GrantRequest, server: &LockedServer) -> Result<(), OpsError> {
    let is_of_a_process = request.settings.iter().any(GrantSetting::is_of_a_process);
    if server.origin.is_remote() && is_of_a_process {
        return Err(ServerError::GrantElsewhere { name: request.name.clone() }.into());
    }
    Ok(())
}

/// What these grants open to a server: `none` is not nothing, and is said in full.
fn opened_to(
    name: &str,
    server: &LockedServer,
    grants: &Grants,
    project: &Project,
) -> Option<OpenedFiles> {
    if grants.filesystem == Extent::All {
        return None;
    }
    let profile = server.settings.profile.with_grants(grants);
    let settings = StartSettings { profile, ..server.settings.clone() };
    let options = LaunchOptions::of(project, name, &settings, grants).ok()?;
    let options = options.for_purpose(StartPurpose::Describe);
    let server = prepare((&server.origin, &server.pin), &options, &AlreadyApproved).ok()?;
    opened_by(&server, grants)
}

/// Names that lead into a private network today, as far as that is known soon.
fn private_hosts(grants: &Grants) -> Vec<PrivateHost> {
    const PATIENCE: Duration = Duration::from_secs(2);
    let Extent::Listed(hosts) = &grants.network else { return Vec::new() };
    let (sender, receiver) = mpsc::channel();
    for host in hosts.clone() {
        let sender = sender.clone();
        // A resolver may take long, and is not waited for.
        let _ = thread::Builder::new().spawn(move || {
            let granted = GrantedHost::parse(&host);
            let addresses = granted.map(|granted| granted.private_addresses());
            let _ = sender.send(PrivateHost { host, addresses: addresses.unwrap_or_default() });
        });
    }
    drop(sender);
    let end = Instant::now() + PATIENCE;
    let left = || end.saturating_duration_since(Instant::now());
    let answers = std::iter::from_fn(|| receiver.recv_timeout(left()).ok());
    let mut found: Vec<PrivateHost> = answers.filter(|one| !one.addresses.is_empty()).collect();
    found.sort_by(|one, other| one.host.cmp(&other.host));
    found
}

/// A grant that cannot be given is better known now than when a client starts it.
fn check_paths(
    grants: &Grants,
    project: &Project,
    settings: &StartSettings,
) -> Result<(), OpsError> {
    let Extent::Listed(paths) = &grants.filesystem else { return Ok(()) };
    let directory = start_directory(project, settings)?;
    for path in paths {
        let place = granted_place(&directory, path.strip_prefix(READ_ONLY).unwrap_or(path))?;
        if !path.starts_with(READ_ONLY) {
            refuse_own_folder(&place)?;
        }
    }
    Ok(())
}

/// More than before needs a yes.
fn ask_for_wider(
    request: &GrantRequest,
    before: &Grants,
    grants: &Grants,
    consent: &dyn Consent,
) -> Result<(), OpsError> {
    let wider = grants.widened_since(before);
    if wider.is_empty() {
        return Ok(());
    }
    let answer = consent.may_grant(&request.name, &wider, grants);
    answer.or_refuse("nothing more was granted", typed(request).with("--yes"))
}

fn with_setting(grants: Grants, setting: &GrantSetting, observed: &Grants) -> Grants {
    match setting.clone() {
        GrantSetting::Observed => Grants {
            network: observed.network.clone(),
            filesystem: observed.filesystem.clone(),
            subprocess: observed.subprocess,
            ..grants
        },
        GrantSetting::Network(network) => Grants { network, ..grants },
        GrantSetting::Filesystem(filesystem) => Grants { filesystem, ..grants },
        GrantSetting::Subprocess(subprocess) => Grants { subprocess, ..grants },
        GrantSetting::Sampling(sampling) => Grants { sampling, ..grants },
        GrantSetting::Elicitation(elicitation) => Grants { elicitation, ..grants },
        GrantSetting::Arguments(arguments) => Grants { arguments, ..grants },
    }
}

fn change(
    now: &State,
    before: &State,
    name: &str,
    server: &LockedServer,
) -> Result<Change, OpsError> {
    if now.lock.servers().get(name) != before.lock.servers().get(name) {
        return Err(ServerError::ChangedMeanwhile { name: name.to_owned() }.into());
    }
    let lock = now.lock.with_server(name, server);
    let lock = lock.map_err(|source| ProjectError::Lock { path: LOCK.into(), source })?;
    Ok(Change { lock: Some(lock), ..Change::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_setting_is_answered_with_the_right_ones() {
        let refused = |text: &str| text.parse::<GrantSetting>().unwrap_err();
        for (text, answer) in [
            ("network=off", "unknown value \"off\"; write none, all or HOST:PORT"),
            ("network=", "unknown value \"\"; write none, all or HOST:PORT"),
            (
                "network=api.example",
                "\"api.example\" has no port; write api.example:443, none or all",
            ),
            ("network=localhost", "\"localhost\" has no port; write localhost:443, none or all"),
            ("network", "a setting is written NAME=VALUE, such as network=none"),
            ("subprocess=maybe", "subprocess is yes or no"),
        ] {
            assert_eq!(refused(text), answer, "{text}");
        }
        let unknown = refused("net=none");
        assert!(unknown.starts_with("unknown setting \"net\"; settings are network"), "{unknown}");
    }

    #[test]
    fn settings_are_read_strictly() {
        let read = |text: &str| text.parse::<GrantSetting>();
        let hosts = Extent::Listed(vec!["a.example:443".to_owned(), "b:80".to_owned()]);
        assert_eq!(read("network=b:80,a.example:443"), Ok(GrantSetting::Network(hosts)));
        assert_eq!(read("network=none"), Ok(GrantSetting::Network(Extent::None)));
        let paths = Extent::Listed(vec!["/a".to_owned(), "ro:b".to_owned()]);
        assert_eq!(read("filesystem=ro:b,/a"), Ok(GrantSetting::Filesystem(paths)));
        assert_eq!(read("subprocess=no"), Ok(GrantSetting::Subprocess(false)));
        for text in [
            "network=a:1,private:b:2",
            "network=127.1:80,[::1]:80",
            "network=private:443",
            "filesystem=/a,ro:b",
            "network=none",
            "sampling=yes",
            "arguments=pinned",
        ] {
            assert_eq!(read(text).map(|setting| setting.to_string()).as_deref(), Ok(text));
        }
        for wrong in [
            "network",
            "network=a.example",
            "network=A.example:1",
            "network=a:0",
            "network=",
            "network=a:b",
            "network=private:",
            "network=private:a",
            "network=private:a:0",
            "network=1.2.3.4.5:80",
            "network=u@a:80",
            "filesystem=",
            "filesystem=a,,b",
            "subprocess=maybe",
            "arguments=yes",
            "disk=all",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
