//! Entries in the files of MCP clients: what each starts, and whether facet could start it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_clients::{
    Client, ClientFile, Entry, EntryTransport, EnvValue, HeaderValue, Scope, UrlKind,
    looks_like_secret, secret_arguments,
};
use facets_launch::value_of;
use facets_model::{
    AddressOrigin, CommandOrigin, HeaderSource, InlineServerName, Origin, VariableName,
};

use crate::entry_placeholders::{Placeholders, first_placeholder};
use crate::entry_reasons::Reasons;
use crate::entry_variables::{is_refused, variable_for};
use crate::error::OpsError;
use crate::guarding::{environment_file, way_to_project};

/// What became of an entry.
#[derive(Debug)]
pub enum EntryOutcome {
    /// It is pinned and rewritten, or would be.
    Adopted,
    /// It starts through facet already.
    Guarded,
    /// It starts facet, but not so that it guards the server, for this reason.
    Weak(String),
    /// It stays as it is, for this reason.
    Skipped(String),
    /// It stays as it is: a yes that was given beforehand is none to what it declares.
    Unaccepted(String),
    /// Somebody said no; what that means for the entry.
    Declined(String),
    /// It could not be pinned.
    Failed(Box<OpsError>),
}

/// An entry of a client's file.
#[derive(Debug)]
pub struct FoundEntry {
    /// Whose.
    pub client: Client,
    /// In which file.
    pub path: PathBuf,
    /// The name of the server.
    pub name: String,
    /// What is started or called.
    pub what: String,
    /// Names of variables that it gets. Their values stay where they are.
    pub variables: Vec<String>,
    /// What adopting it means; none if it is left alone.
    pub plan: Option<PlannedEntry>,
    /// What became of it.
    pub outcome: EntryOutcome,
}

/// What adopting an entry means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedEntry {
    /// What is pinned: a command line, or an address.
    pub launch: String,
    /// Where it starts; none if it runs elsewhere.
    pub directory: Option<PathBuf>,
    /// The names of the variables that it gets.
    pub variables: Vec<String>,
    /// The names of the headers that are sent.
    pub headers: Vec<String>,
    /// What the entry starts from now on, as words.
    pub entry: Vec<String>,
    /// Whether it is pinned and approved already.
    pub is_pinned: bool,
    /// What becomes of the packages that it runs; none if it runs no package.
    pub packages: Option<PackageLocking>,
}

/// What becomes of the packages that an entry runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackageLocking {
    /// They are locked with everything that they depend on.
    Locked,
    /// They are not, because the user said so.
    AsTyped,
    /// They cannot be, for this reason.
    NotLockable(String),
}

/// How facet would start what an entry starts.
pub(crate) struct EntryPlan {
    /// What it asks for.
    pub(crate) origin: Origin,
    /// Values of its variables, for as long as it is looked at.
    pub(crate) given: BTreeMap<String, String>,
    /// Headers, and the variables that hold their values from now on.
    pub(crate) headers: Vec<(String, String)>,
    /// Where it starts, if the entry says.
    pub(crate) directory: Option<String>,
}

/// What is started, and where.
pub(crate) type PinnedStart = (Origin, Option<String>);

impl EntryPlan {
    pub(crate) fn start(&self) -> PinnedStart {
        (self.origin.clone(), self.directory.clone())
    }
}

/// What an entry asks for and where it starts, if facet could start it, too.
pub(crate) fn origin_of_entry(
    entry: &Entry,
    file: &ClientFile,
    project: &Path,
) -> Option<PinnedStart> {
    let reader = EntryReader::of(file, project);
    reader.plan(entry, "").ok().map(|plan| plan.start())
}

pub(crate) fn shown_transport(transport: &EntryTransport) -> String {
    match transport {
        EntryTransport::Command { command, args, .. } => {
            let hidden = secret_arguments(args);
            let shown = |(at, arg): (usize, &String)| {
                if hidden.contains(&at) { "…".to_owned() } else { arg.clone() }
            };
            let args = args.iter().enumerate().map(shown);
            std::iter::once(command.clone()).chain(args).collect::<Vec<_>>().join(" ")
        }
        EntryTransport::Url { url, .. } if looks_like_secret(url) => {
            "an address with a secret".to_owned()
        }
        EntryTransport::Url { url, .. } => url.clone(),
        EntryTransport::Unclear { reason } => (*reason).to_owned(),
    }
}

/// Reads entries of one file.
#[derive(Clone, Copy)]
pub(crate) struct EntryReader<'f> {
    file: &'f ClientFile,
    project: &'f Path,
    placeholders: Placeholders<'f>,
    reasons: Reasons<'f>,
}

/// A value that only the client can fill in: the variable, and what stands for it.
type Unfilled = BTreeMap<String, String>;

impl<'f> EntryReader<'f> {
    /// `project` is the one whose clients are looked at.
    pub(crate) fn of(file: &'f ClientFile, project: &'f Path) -> Self {
        let (placeholders, reasons) = (Placeholders::of(file, project), Reasons { file });
        Self { file, project, placeholders, reasons }
    }

    /// How facet would start an entry; or why it does not. `own` is how facet itself is started.
    pub(crate) fn plan(&self, entry: &Entry, own: &str) -> Result<EntryPlan, EntryOutcome> {
        if entry.is_facet(Some(own)) {
            return Err(EntryOutcome::Guarded);
        }
        self.plan_new(entry).map_err(EntryOutcome::Skipped)
    }

    fn plan_new(&self, entry: &Entry) -> Result<EntryPlan, String> {
        self.refuse_general(entry)?;
        let mut unfilled = Unfilled::new();
        let plan = match &entry.transport {
            EntryTransport::Unclear { reason } => return Err(self.reasons.unclear(reason)),
            EntryTransport::Command { command, args, cwd } => {
                self.command_plan(entry, (command, args, cwd.as_deref()), &mut unfilled)?
            }
            EntryTransport::Url { kind: UrlKind::Sse, .. } => {
                return Err(self.reasons.server_sent_events());
            }
            EntryTransport::Url { url, headers, .. } => {
                self.url_plan(entry, url, headers, &mut unfilled)?
            }
        };
        self.require_values(&plan, &unfilled)?;
        Ok(plan)
    }

    /// What holds for every entry, whatever it starts.
    fn refuse_general(&self, entry: &Entry) -> Result<(), String> {
        let reasons = self.reasons;
        if !entry.enabled {
            return Err(reasons.switched_off());
        }
        if entry.name.parse::<InlineServerName>().is_err() {
            return Err(reasons.bad_name(&entry.name));
        }
        if let Some(member) = environment_file(entry) {
            return Err(reasons.environment_file(member));
        }
        let mut names = entry.env.iter().map(|(name, _)| name).chain(&entry.env_names);
        if let Some(name) = names.clone().find(|name| name.parse::<VariableName>().is_err()) {
            return Err(reasons.bad_variable(name));
        }
        match names.find(|name| is_refused(name)) {
            Some(name) => Err(reasons.decides_about_facet(name)),
            None => Ok(()),
        }
    }

    fn command_plan(
        &self,
        entry: &Entry,
        (command, args, cwd): (&str, &[String], Option<&str>),
        unfilled: &mut Unfilled,
    ) -> Result<EntryPlan, String> {
        let reasons = self.reasons;
        let is_relative = cwd.is_some_and(|cwd| !Path::new(cwd).is_absolute());
        let directory = cwd.map(|cwd| self.placeholders.word(cwd, ".")).transpose();
        let directory = directory.map_err(|found| reasons.placeholder(&found))?;
        if self.file.scope == Scope::User && is_relative {
            return Err(reasons.relative_directory());
        }
        // `${workspaceFolder}` is where it starts anyway.
        let directory = directory.filter(|directory| directory != "." || cwd == Some("."));
        let way = directory.as_deref().map(|directory| way_to_project(directory, self.project));
        let way = way.unwrap_or_else(|| ".".to_owned());
        let word = |word: &String| self.placeholders.word(word, &way);
        let command = word(&command.to_owned()).map_err(|found| reasons.placeholder(&found))?;
        let filled: Result<Vec<String>, String> = args.iter().map(word).collect();
        let filled = filled.map_err(|found| reasons.placeholder(&found))?;
        if !secret_arguments(args).is_empty() {
            return Err(reasons.secret_argument());
        }
        let given = self.given_values(&entry.env, unfilled);
        let variables = set_names(&entry.env).chain(&entry.env_names).cloned().collect();
        let origin = CommandOrigin::new(command, filled, variables).into();
        let directory = directory.or_else(|| project_of(entry));
        Ok(EntryPlan { origin, given, headers: Vec::new(), directory })
    }

    fn url_plan(
        &self,
        entry: &Entry,
        url: &str,
        headers: &[(String, HeaderValue)],
        unfilled: &mut Unfilled,
    ) -> Result<EntryPlan, String> {
        if let Some(found) = first_placeholder(url) {
            return Err(self.reasons.placeholder(&found));
        }
        if looks_like_secret(url) {
            return Err(self.reasons.secret_address());
        }
        let url = url.parse().map_err(|_| self.reasons.bad_address())?;
        let mut given = self.given_values(&entry.env, unfilled);
        let (mut named, mut sources) = (Vec::new(), BTreeMap::new());
        for (header, value) in headers {
            let (variable, is_bearer) = match value {
                HeaderValue::Variable(variable) => (variable.clone(), false),
                HeaderValue::Bearer(variable) => (variable.clone(), true),
                HeaderValue::Literal(secret) => {
                    let variable = variable_for(&entry.name, header);
                    match self.placeholders.value(secret.expose()) {
                        Ok(value) => given.insert(variable.clone(), value),
                        Err(found) => unfilled.insert(variable.clone(), found),
                    };
                    (variable, false)
                }
            };
            let source = HeaderSource { variable: &variable, is_bearer };
            sources.insert(header.clone(), source.to_string());
            named.push((header.clone(), variable));
        }
        let origin = AddressOrigin { url, headers: sources }.into();
        Ok(EntryPlan { origin, given, headers: named, directory: None })
    }

    /// The values that a client would set, for as long as we look.
    fn given_values(
        &self,
        env: &[(String, EnvValue)],
        unfilled: &mut Unfilled,
    ) -> BTreeMap<String, String> {
        let mut given = BTreeMap::new();
        for (name, value) in env {
            let EnvValue::Set(secret) = value else { continue };
            match self.placeholders.value(secret.expose()) {
                Ok(value) => given.insert(name.clone(), value),
                Err(found) => unfilled.insert(name.clone(), found),
            };
        }
        given
    }

    /// Without the values of its variables a server cannot be looked at.
    fn require_values(&self, plan: &EntryPlan, unfilled: &Unfilled) -> Result<(), String> {
        let mut variables = plan.origin.variables().into_iter();
        let missing = variables.find(|variable| value_of(variable, &plan.given).is_none());
        let Some(variable) = missing else { return Ok(()) };
        Err(match unfilled.get(variable) {
            Some(placeholder) => self.reasons.not_filled_in(variable, placeholder),
            None => self.reasons.not_passed_on(variable),
        })
    }
}

/// Variables that an entry sets to something.
fn set_names(env: &[(String, EnvValue)]) -> impl Iterator<Item = &String> {
    env.iter().filter(|(_, value)| matches!(value, EnvValue::Set(_))).map(|(name, _)| name)
}

/// The project that an entry in a file of the user is for: there its client would start it.
fn project_of(entry: &Entry) -> Option<String> {
    match entry.place.as_slice() {
        [projects, path, ..] if projects == "projects" && Path::new(path).is_absolute() => {
            Some(path.clone())
        }
        _ => None,
    }
}
