//! Entries in the files of MCP clients: what each starts, and whether facet could start it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_clients::{
    Client, Entry, EntryTransport, EnvValue, HeaderValue, Scope, UrlKind, looks_like_secret,
    secret_arguments,
};
use facets_model::{AddressOrigin, CommandOrigin, InlineServerName, Origin, VariableName};

use crate::entry_variables::{has_placeholder, is_refused, variable_for};
use crate::error::OpsError;
use crate::guarding::environment_file;

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
    /// What became of it.
    pub outcome: EntryOutcome,
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
pub(crate) fn origin_of_entry(entry: &Entry, scope: Scope) -> Option<PinnedStart> {
    plan_entry(entry, "", scope).ok().map(|plan| plan.start())
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

/// How facet would start an entry; or why it does not. `own` is how facet itself is started.
pub(crate) fn plan_entry(
    entry: &Entry,
    own: &str,
    scope: Scope,
) -> Result<EntryPlan, EntryOutcome> {
    let skip = |reason: &str| Err(EntryOutcome::Skipped(reason.to_owned()));
    if entry.is_facet(Some(own)) {
        return Err(EntryOutcome::Guarded);
    }
    if !entry.enabled {
        return skip("it is switched off");
    }
    if entry.name.parse::<InlineServerName>().is_err() {
        return skip(
            "its name cannot be that of a server: 1 to 64 of a-z, A-Z, 0-9, . - _, and no hyphen first",
        );
    }
    let mut names = entry.env.iter().map(|(name, _)| name).chain(&entry.env_names);
    if let Some(member) = environment_file(entry) {
        let reason = format!("`{member}` can set any variable, also those of facet");
        return Err(EntryOutcome::Skipped(reason));
    }
    if let Some(name) = names.clone().find(|name| name.parse::<VariableName>().is_err()) {
        let reason = format!("{name:?} is no name of a variable that facet could pass on");
        return Err(EntryOutcome::Skipped(reason));
    }
    if let Some(name) = names.find(|name| is_refused(name)) {
        let reason = format!("the variable {name} would decide about facet, too");
        return Err(EntryOutcome::Skipped(reason));
    }
    match &entry.transport {
        EntryTransport::Unclear { reason } => skip(reason),
        EntryTransport::Command { cwd: Some(cwd), .. }
            if scope == Scope::User && !Path::new(cwd).is_absolute() =>
        {
            skip("where it is started depends on where its client is")
        }
        EntryTransport::Command { command, args, cwd } => {
            let words = std::iter::once(command).chain(args).chain(cwd);
            if words.into_iter().any(|word| has_placeholder(word)) {
                return skip("its command has a placeholder that only the client can fill in");
            }
            if !secret_arguments(args).is_empty() {
                return skip(
                    "an argument looks like a secret, and the lock is no place for one: pass it as a variable",
                );
            }
            Ok(command_plan(entry, command, args, cwd.clone()))
        }
        EntryTransport::Url { kind: UrlKind::Sse, .. } => {
            skip("it speaks the older transport with server-sent events")
        }
        EntryTransport::Url { url, .. } if has_placeholder(url) || looks_like_secret(url) => {
            skip("its address has a secret or a placeholder in it")
        }
        EntryTransport::Url { url, headers, .. } => url_plan(entry, url, headers),
    }
}

fn command_plan(
    entry: &Entry,
    command: &str,
    args: &[String],
    directory: Option<String>,
) -> EntryPlan {
    let directory = directory.or_else(|| project_of(entry));
    let given = given_values(&entry.env);
    let variables = given.keys().chain(&entry.env_names).cloned().collect();
    let origin = CommandOrigin::new(command.to_owned(), args.to_vec(), variables).into();
    EntryPlan { origin, given, headers: Vec::new(), directory }
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

fn url_plan(
    entry: &Entry,
    url: &str,
    headers: &[(String, HeaderValue)],
) -> Result<EntryPlan, EntryOutcome> {
    let url = url
        .parse()
        .map_err(|_| EntryOutcome::Skipped("its address is no http or https URL".to_owned()))?;
    let mut given = given_values(&entry.env);
    let mut named = Vec::new();
    for (header, value) in headers {
        let variable = match value {
            HeaderValue::Variable(variable) => variable.clone(),
            HeaderValue::Bearer(_) => {
                return Err(EntryOutcome::Skipped(
                    "its token is a variable without the word Bearer; name a whole header instead"
                        .to_owned(),
                ));
            }
            HeaderValue::Literal(secret) => {
                let variable = variable_for(&entry.name, header);
                given.insert(variable.clone(), expanded(secret.expose()));
                variable
            }
        };
        named.push((header.clone(), variable));
    }
    let headers = named.iter().cloned().collect();
    let origin = AddressOrigin { url, headers }.into();
    Ok(EntryPlan { origin, given, headers: named, directory: None })
}

/// The values that a client would set, for as long as we look.
fn given_values(env: &[(String, EnvValue)]) -> BTreeMap<String, String> {
    let set = env.iter().filter_map(|(name, value)| match value {
        EnvValue::Set(secret) => Some((name.clone(), expanded(secret.expose()))),
        EnvValue::Unset => None,
    });
    set.collect()
}

/// A value with the variables filled in that clients fill in: `${NAME}`, `${env:NAME}`,
/// `${NAME:-otherwise}`.
fn expanded(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else { break };
        out.push_str(before);
        let (variable, otherwise) = name.split_once(":-").unwrap_or((name, ""));
        let variable = variable.strip_prefix("env:").unwrap_or(variable);
        out.push_str(&std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned()));
        rest = behind;
    }
    out + rest
}
