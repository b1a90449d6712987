//! `facet adopt`: whoever has servers configured is protected in a minute (spec 10.6).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use facets_clients::{
    Entry, EnvValue, HeaderValue, Transport, UrlKind, guard, looks_like_secret, secret_arguments,
};
use facets_lock::Launch;
use facets_model::InlineServerName;
use facets_project::Project;

use crate::OpsError;
use crate::add::{AddRequest, add, launch_of};
use crate::clients::{
    Client, FileEdit, Read, Rewriting, Scope, command_line, enter, files, guarded, program, read,
    write,
};
use crate::consent::{ApprovalPage, Consent};
use crate::inspect::{CaptureOptions, InspectTarget, SandboxRequest};
use crate::pinned::is_approved;

/// What to adopt.
#[derive(Debug)]
pub struct AdoptRequest {
    /// The clients; none are all.
    pub clients: Vec<Client>,
    /// Files of this project, or of this user.
    pub scope: Scope,
    /// Limits and era.
    pub options: CaptureOptions,
    /// Only look.
    pub is_dry: bool,
}

/// What became of an entry.
#[derive(Debug)]
pub enum Fate {
    /// It is pinned and rewritten, or would be.
    Adopted,
    /// It starts through facet already.
    Guarded,
    /// It stays as it is, for this reason.
    Skipped(String),
    /// It could not be pinned.
    Failed(Box<OpsError>),
}

/// An entry of a client's file.
#[derive(Debug)]
pub struct Found {
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
    pub fate: Fate,
}

/// Everything that was found and done.
#[derive(Debug)]
pub struct AdoptReport {
    /// The entries.
    pub found: Vec<Found>,
    /// What was pinned.
    pub pinned: Vec<ApprovalPage>,
    /// What was rewritten.
    pub edits: Vec<FileEdit>,
    /// Where it was pinned.
    pub directory: PathBuf,
}

/// How an entry starts, if facet could start it, too.
pub(crate) fn launch_of_entry(entry: &Entry) -> Option<Launch> {
    plan(entry, "").ok().and_then(|plan| launch_of(&plan.target).ok())
}

/// How an entry starts, for facet.
struct Plan {
    target: InspectTarget,
    given: BTreeMap<String, String>,
    headers: Vec<(String, String)>,
}

/// Finds what clients start, pins it, and has them start it through facet.
pub fn adopt(request: &AdoptRequest, consent: &dyn Consent) -> Result<AdoptReport, OpsError> {
    let (places, directory) = enter(request.scope)?;
    let mut reads = Vec::new();
    for file in files(&request.clients, request.scope, &places) {
        reads.extend(read(&file)?);
    }
    let (mut found, plans) = survey(&reads);
    let mut report =
        AdoptReport { found: Vec::new(), pinned: Vec::new(), edits: Vec::new(), directory };
    if request.is_dry || plans.is_empty() {
        return Ok(AdoptReport { found, ..report });
    }
    let yes = command_line("adopt", &request.clients, request.scope);
    consent.may_adopt(&found).or_leave("nothing was adopted", yes.clone())?;
    let launches = pin_all(&plans, &mut found, request.options, consent, &mut report.pinned)?;
    report.edits = edits(&reads, &plans, &mut found, &launches, &report.directory)?;
    report.found = found;
    if !report.edits.is_empty() {
        let answer = consent.may_rewrite(&report.edits);
        answer.or_leave("nothing was rewritten; what was pinned is pinned", yes)?;
        report.edits.iter().try_for_each(write)?;
    }
    Ok(report)
}

/// An entry is known by its file and its place among the entries of that.
type Key = (usize, usize);

/// Looks at every entry; those that can be adopted have a plan.
fn survey(reads: &[Read]) -> (Vec<Found>, BTreeMap<Key, (usize, Plan)>) {
    let (mut found, mut plans) = (Vec::new(), BTreeMap::new());
    let own = program();
    for (file, read) in reads.iter().enumerate() {
        for (at, entry) in read.entries.iter().enumerate() {
            let fate = match plan(entry, &own) {
                Ok(plan) => {
                    plans.insert((file, at), (found.len(), plan));
                    Fate::Adopted
                }
                Err(fate) => fate,
            };
            let variables = entry.env.iter().map(|(name, _)| name).chain(&entry.env_names);
            found.push(Found {
                client: read.file.client,
                path: read.path.clone(),
                name: entry.name.clone(),
                what: shown(&entry.transport),
                variables: variables.cloned().collect(),
                fate,
            });
        }
    }
    (found, plans)
}

fn shown(transport: &Transport) -> String {
    match transport {
        Transport::Command { command, args, .. } => {
            let hidden = secret_arguments(args);
            let shown = |(at, arg): (usize, &String)| {
                if hidden.contains(&at) { "…".to_owned() } else { arg.clone() }
            };
            let args = args.iter().enumerate().map(shown);
            std::iter::once(command.clone()).chain(args).collect::<Vec<_>>().join(" ")
        }
        Transport::Url { url, .. } if looks_like_secret(url) => {
            "an address with a secret".to_owned()
        }
        Transport::Url { url, .. } => url.clone(),
        Transport::Unclear { reason } => (*reason).to_owned(),
    }
}

fn plan(entry: &Entry, own: &str) -> Result<Plan, Fate> {
    let skip = |reason: &str| Err(Fate::Skipped(reason.to_owned()));
    if entry.is_facet(Some(own)) {
        return Err(Fate::Guarded);
    }
    if !entry.enabled {
        return skip("it is switched off");
    }
    if entry.name.parse::<InlineServerName>().is_err() {
        return skip("its name cannot be that of a server: 1 to 64 of a-z, A-Z, 0-9, . - _");
    }
    match &entry.transport {
        Transport::Unclear { reason } => skip(reason),
        Transport::Command { cwd: Some(_), .. } => {
            skip("it is started in a directory of its own, which facet does not do")
        }
        Transport::Command { command, args, .. } => {
            if std::iter::once(command).chain(args).any(|word| has_placeholder(word)) {
                return skip("its command has a placeholder that only the client can fill in");
            }
            if !secret_arguments(args).is_empty() {
                return skip(
                    "an argument looks like a secret, and the lock is no place for one: pass it as a variable",
                );
            }
            Ok(command_plan(entry, command, args))
        }
        Transport::Url { kind: UrlKind::Sse, .. } => {
            skip("it speaks the older transport with server-sent events")
        }
        Transport::Url { url, .. } if has_placeholder(url) || looks_like_secret(url) => {
            skip("its address has a secret or a placeholder in it")
        }
        Transport::Url { url, headers, .. } => url_plan(entry, url, headers),
    }
}

/// Whether only the client can say what a text stands for.
fn has_placeholder(text: &str) -> bool {
    ["${", "{env:", "{file:"].iter().any(|sign| text.contains(sign))
}

fn command_plan(entry: &Entry, command: &str, args: &[String]) -> Plan {
    let given = given_values(&entry.env);
    let variables = given.keys().chain(&entry.env_names).cloned().collect();
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    let words = words.map(Into::into).collect();
    let target = InspectTarget::Command { words, variables, sandbox: SandboxRequest::default() };
    Plan { target, given, headers: Vec::new() }
}

fn url_plan(entry: &Entry, url: &str, headers: &[(String, HeaderValue)]) -> Result<Plan, Fate> {
    let url =
        url.parse().map_err(|_| Fate::Skipped("its address is no http or https URL".to_owned()))?;
    let mut given = given_values(&entry.env);
    let mut named = Vec::new();
    for (header, value) in headers {
        let variable = match value {
            HeaderValue::Variable(variable) => variable.clone(),
            HeaderValue::Bearer(_) => {
                return Err(Fate::Skipped(
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
    let target = InspectTarget::Url { url, headers: named.clone() };
    Ok(Plan { target, given, headers: named })
}

/// The variable that holds a header's value from now on.
fn variable_for(server: &str, header: &str) -> String {
    let plain = |text: &str| {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
        text.chars().map(letter).collect::<String>()
    };
    format!("FACET_{}_{}", plain(server), plain(header))
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

/// Pins what is not pinned yet; gives back how each name starts.
fn pin_all(
    plans: &BTreeMap<Key, (usize, Plan)>,
    found: &mut [Found],
    options: CaptureOptions,
    consent: &dyn Consent,
    pinned: &mut Vec<ApprovalPage>,
) -> Result<BTreeMap<String, Launch>, OpsError> {
    let mut launches: BTreeMap<String, Launch> = BTreeMap::new();
    for (index, plan) in plans.values() {
        let one = &mut found[*index];
        let launch = launch_of(&plan.target)?;
        if let Some(known) = launches.get(&one.name) {
            if *known != launch {
                let reason = "another client has something else under this name";
                one.fate = Fate::Skipped(reason.to_owned());
            }
            continue;
        }
        match pin_one(&one.name, &launch, plan, options, consent) {
            Ok(page) => {
                pinned.extend(page);
                launches.insert(one.name.clone(), launch);
            }
            Err(Refusal::Taken) => {
                let reason = "facets.lock has something else under this name, or has not been \
                              approved here";
                one.fate = Fate::Skipped(reason.to_owned());
            }
            Err(Refusal::Failed(error)) => one.fate = Fate::Failed(Box::new(error)),
        }
    }
    Ok(launches)
}

enum Refusal {
    Taken,
    Failed(OpsError),
}

fn pin_one(
    name: &str,
    launch: &Launch,
    plan: &Plan,
    options: CaptureOptions,
    consent: &dyn Consent,
) -> Result<Option<ApprovalPage>, Refusal> {
    let project = Project::here().map_err(|error| Refusal::Failed(error.into()))?;
    let state = project.read(&|_| false).map_err(|error| Refusal::Failed(error.into()))?;
    if let Some(server) = state.lock.server(name) {
        let is_same =
            server.launch == *launch && is_approved(server, &project).map_err(Refusal::Failed)?;
        return if is_same { Ok(None) } else { Err(Refusal::Taken) };
    }
    let (name, target, given) = (name.to_owned(), plan.target.clone(), plan.given.clone());
    let request = AddRequest { name, target, options, source: None, given };
    add(request, consent).map(Some).map_err(Refusal::Failed)
}

/// The files as they would be.
fn edits(
    reads: &[Read],
    plans: &BTreeMap<Key, (usize, Plan)>,
    found: &mut [Found],
    launches: &BTreeMap<String, Launch>,
    directory: &Path,
) -> Result<Vec<FileEdit>, OpsError> {
    let mut edits = Vec::new();
    for (file, read) in reads.iter().enumerate() {
        let mut rewriting = Rewriting::of(&read.file, Some(read))?;
        for (at, entry) in read.entries.iter().enumerate() {
            let Some((index, plan)) = plans.get(&(file, at)) else { continue };
            let is_pinned = launches.contains_key(&entry.name);
            if !is_pinned || !matches!(found[*index].fate, Fate::Adopted) {
                continue;
            }
            let wanted = guarded(&read.file, &entry.name, directory, plan.headers.clone());
            let client = read.file.client;
            let rewritten = rewriting
                .change(|text| guard(client, text.unwrap_or_default(), &entry.place, &wanted));
            // If not, it is pinned, and its entry stays as it is; the others go on.
            if let Err(source) = rewritten {
                let error = OpsError::Client { path: read.path.clone(), source };
                found[*index].fate = Fate::Failed(Box::new(error));
            }
        }
        edits.extend(rewriting.edit());
    }
    Ok(edits)
}
