//! Which servers there are, in which versions, and how they are started.

use serde_json::{Value, json};

use super::{committed, read_json};
use crate::Outcome;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Registry {
    Npm,
    Pypi,
}

#[derive(Debug)]
pub(super) struct Server {
    pub(super) name: String,
    pub(super) registry: Registry,
    pub(super) package: String,
    pub(super) versions: Vec<Release>,
    /// The first word is a program of the package.
    command: Vec<String>,
    /// Values that stand where a secret would: enough to list tools, good for nothing else.
    pub(super) variables: Vec<(String, String)>,
    pub(super) in_tests: bool,
}

#[derive(Debug)]
pub(super) struct Release {
    pub(super) version: String,
    /// What else shapes the declaration: the SDK and the library of schemas, at the versions
    /// that the package was captured with. Without them a capture could not be repeated.
    pub(super) with: Vec<String>,
    /// Where the program of the command was called otherwise.
    program: Option<String>,
}

impl Server {
    /// Everything that a capture depends on, so that one made otherwise is made anew.
    pub(super) fn recipe(&self, version: &Release) -> String {
        let registry = registry_name(self.registry);
        let (program, arguments) = self.command(version);
        let recipe = json!({
            "registry": registry,
            "package": self.package,
            "version": version.version,
            "with": version.with,
            "command": [program, arguments],
            "variables": self.variables,
        });
        recipe.to_string()
    }

    /// The program of the package that is started, and its arguments.
    pub(super) fn command<'a>(&'a self, version: &'a Release) -> (&'a str, &'a [String]) {
        let (program, arguments) = match self.command.split_first() {
            Some((program, arguments)) => (program.as_str(), arguments),
            None => ("", &[][..]),
        };
        (version.program.as_deref().unwrap_or(program), arguments)
    }

    /// Each version with the next.
    pub(super) fn updates(&self) -> impl Iterator<Item = (&Release, &Release)> {
        self.versions.iter().zip(self.versions.iter().skip(1))
    }
}

pub(super) fn registry_name(registry: Registry) -> &'static str {
    match registry {
        Registry::Npm => "npm",
        Registry::Pypi => "PyPI",
    }
}

pub(super) fn read() -> Outcome<Vec<Server>> {
    let file = committed("servers.json");
    let Value::Array(entries) = read_json(&file)? else {
        return Err(format!("{} is no list", file.display()));
    };
    let servers = entries.iter().map(server).collect::<Outcome<Vec<Server>>>()?;
    if let Some([first, second]) =
        servers.array_windows().find(|[first, second]| first.name >= second.name)
    {
        let (first, second) = (&first.name, &second.name);
        return Err(format!("{}: `{second}` stands behind `{first}`", file.display()));
    }
    Ok(servers)
}

fn server(entry: &Value) -> Outcome<Server> {
    let name = text(entry, "name")?;
    let registry = match text(entry, "registry")?.as_str() {
        "npm" => Registry::Npm,
        "pypi" => Registry::Pypi,
        other => return Err(format!("{name}: there is no registry `{other}`")),
    };
    let versions =
        list(entry, "versions").iter().map(version).collect::<Outcome<Vec<Release>>>()?;
    let command = strings(entry, "command");
    if versions.len() < 2 || command.is_empty() {
        return Err(format!("{name}: two versions or more, and a command"));
    }
    let variables = match &entry["variables"] {
        Value::Object(members) => members.iter().filter_map(variable).collect(),
        _ => Vec::new(),
    };
    let in_tests = entry["in_tests"] == true;
    let package = text(entry, "package")?;
    Ok(Server { name, registry, package, versions, command, variables, in_tests })
}

fn version(entry: &Value) -> Outcome<Release> {
    let program = entry["program"].as_str().map(str::to_owned);
    Ok(Release { version: text(entry, "version")?, with: strings(entry, "with"), program })
}

fn variable((name, value): (&String, &Value)) -> Option<(String, String)> {
    value.as_str().map(|value| (name.clone(), value.to_owned()))
}

pub(super) fn text(entry: &Value, member: &str) -> Outcome<String> {
    let found = entry[member].as_str().map(str::to_owned);
    found.ok_or_else(|| format!("an entry of the corpus has no `{member}`: {entry}"))
}

pub(super) fn list<'a>(entry: &'a Value, member: &str) -> &'a [Value] {
    entry[member].as_array().map_or(&[], Vec::as_slice)
}

pub(super) fn strings(entry: &Value, member: &str) -> Vec<String> {
    list(entry, member).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
