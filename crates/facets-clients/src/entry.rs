//! What an entry says, in any dialect.

use std::ops::Range;

use crate::client::Client;
use crate::dialect::{BEARER_VARIABLE, PASSED_VARIABLES, VARIABLE_HEADERS};
use crate::error::{ClientError, shown};
use crate::secret::Secret;
use crate::url_kind::UrlKind;

/// A server that a client knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name there.
    pub name: String,
    /// The members that lead to it, its name last.
    pub place: Vec<String>,
    /// How it is reached.
    pub transport: EntryTransport,
    /// Variables that the client sets for it.
    pub env: Vec<(String, EnvValue)>,
    /// Variables that the client passes on from its own environment.
    pub env_names: Vec<String>,
    /// Whether the client uses it.
    pub enabled: bool,
    /// Names of all other members.
    pub extras: Vec<String>,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryTransport {
    /// It is started.
    Command {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// The directory that it is started in.
        cwd: Option<String>,
    },
    /// It is called.
    Url {
        /// Its address.
        url: String,
        /// What is sent along.
        headers: Vec<(String, HeaderValue)>,
        /// Over what.
        kind: UrlKind,
    },
    /// The entry does not say.
    Unclear {
        /// Why not; reads on from the entry's name.
        reason: &'static str,
    },
}

/// What a variable is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvValue {
    /// To this.
    Set(Secret),
    /// To nothing: it is taken away.
    Unset,
}

/// What a header is sent with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderValue {
    /// This.
    Literal(Secret),
    /// What a variable of the client's own environment holds.
    Variable(String),
    /// `Bearer`, a space, and what a variable of the client's own environment holds.
    Bearer(String),
}

impl Entry {
    /// The name behind `run`, if this entry starts facet already: as `facet`, or as the program
    /// given, wherever that lies.
    #[must_use]
    pub fn guarded_name(&self, program: Option<&str>) -> Option<&str> {
        let EntryTransport::Command { command, args, .. } = &self.transport else { return None };
        let file = command.rsplit(['/', '\\']).next().unwrap_or_default();
        let file = file.strip_suffix(".exe").unwrap_or(file);
        if file != "facet" && program != Some(command.as_str()) {
            return None;
        }
        let run = args.iter().position(|arg| arg == "run")?;
        args.get(run + 1).map(String::as_str)
    }

    /// Whether this entry starts facet already.
    #[must_use]
    pub fn is_facet(&self, program: Option<&str>) -> bool {
        self.guarded_name(program).is_some()
    }
}

/// A value and where it begins.
pub(crate) struct EntryNode {
    pub(crate) at: usize,
    pub(crate) data: Data,
}

pub(crate) enum Data {
    Text(String),
    Bool(bool),
    Null,
    List(Vec<EntryNode>),
    Table(Vec<(String, EntryNode)>),
    /// A number or a date, as written.
    Scalar(String),
    /// Not looked at, or nothing that an entry has here.
    Other,
}

/// An entry taken apart, in any notation.
pub(crate) struct Layout {
    /// The stretches of text that are the entry's alone.
    pub(crate) regions: Vec<Range<usize>>,
    /// Its members.
    pub(crate) fields: Vec<(String, EntryNode)>,
    /// The path of each value below the entry, and its literal.
    pub(crate) values: Vec<(Vec<String>, Range<usize>)>,
    /// Comments inside of the regions.
    pub(crate) comments: Vec<Range<usize>>,
}

/// Reads an entry that was taken apart.
pub(crate) fn read(
    client: Client,
    text: &str,
    place: &[String],
    layout: &Layout,
) -> Result<Entry, ClientError> {
    let fields = Fields { text, place, members: &layout.fields };
    let extras = layout.fields.iter().map(|(name, _)| name).filter(|name| !client.is_known(name));
    Ok(Entry {
        name: place.last().cloned().unwrap_or_default(),
        place: place.to_vec(),
        transport: transport(client, &fields)?,
        env: fields.environment(client.dialect().environment)?,
        env_names: if client == Client::Codex { fields.passed()? } else { Vec::new() },
        enabled: fields.bool("enabled")? != Some(false) && fields.bool("disabled")? != Some(true),
        extras: extras.cloned().collect(),
    })
}

fn transport(client: Client, fields: &Fields<'_>) -> Result<EntryTransport, ClientError> {
    let command = command(client, fields)?;
    let mut addresses = Vec::new();
    for (name, kind) in client.dialect().addresses {
        addresses.extend(fields.text(name)?.map(|url| (url, *kind)));
    }
    let address = addresses.into_iter().next();
    let unclear = |reason| Ok(EntryTransport::Unclear { reason });
    let kind = match fields.text("type")?.as_deref() {
        Some("stdio" | "local") => {
            return command.map_or_else(|| unclear("has no command"), Ok);
        }
        Some("http" | "streamable-http" | "streamableHttp" | "remote") => Some(UrlKind::Http),
        Some("sse") => Some(UrlKind::Sse),
        Some(_) => return unclear("has a type that facet does not know"),
        None => None,
    };
    match (command, address) {
        // Gemini has an order for that; elsewhere a type must say which is meant.
        (Some(_), Some(_)) if kind.is_none() && client != Client::Gemini => {
            unclear("has both a command and an address")
        }
        (_, Some((url, usual))) => {
            let headers = headers(client, fields)?;
            Ok(EntryTransport::Url { url, headers, kind: kind.unwrap_or(usual) })
        }
        (Some(command), None) if kind.is_none() => Ok(command),
        (Some(_), None) => unclear("has no address"),
        (None, None) => unclear("has neither a command nor an address"),
    }
}

fn command(client: Client, fields: &Fields<'_>) -> Result<Option<EntryTransport>, ClientError> {
    let cwd = fields.text("cwd")?;
    if !client.dialect().one_list {
        let args = fields.list("args")?.unwrap_or_default();
        let command = fields.text("command")?;
        return Ok(command.map(|command| EntryTransport::Command { command, args, cwd }));
    }
    let Some(mut words) = fields.list("command")? else { return Ok(None) };
    if words.is_empty() {
        return Ok(None);
    }
    let command = words.remove(0);
    Ok(Some(EntryTransport::Command { command, args: words, cwd }))
}

fn headers(client: Client, fields: &Fields<'_>) -> Result<Vec<(String, HeaderValue)>, ClientError> {
    let mut found = Vec::new();
    for (name, node) in fields.table(client.dialect().headers)? {
        let value = fields.text_of(client.dialect().headers, node)?;
        found.push((name.clone(), HeaderValue::Literal(Secret::new(value))));
    }
    if client == Client::Codex {
        for (name, node) in fields.table(VARIABLE_HEADERS)? {
            let variable = fields.text_of(VARIABLE_HEADERS, node)?;
            found.push((name.clone(), HeaderValue::Variable(variable)));
        }
        let bearer = fields.text(BEARER_VARIABLE)?;
        found.extend(bearer.map(|name| ("Authorization".to_owned(), HeaderValue::Bearer(name))));
    }
    Ok(found)
}

/// The members of an entry, asked by name and kind. Null is as good as nothing.
struct Fields<'a> {
    text: &'a str,
    place: &'a [String],
    members: &'a [(String, EntryNode)],
}

impl<'a> Fields<'a> {
    fn get(&self, name: &str) -> Option<&'a EntryNode> {
        let found = self.members.iter().find(|(field, _)| field == name);
        found.map(|(_, node)| node).filter(|node| !matches!(node.data, Data::Null))
    }

    fn refuse<T>(&self, name: &str, at: usize, expected: &'static str) -> Result<T, ClientError> {
        let place: Vec<String> = self.place.iter().cloned().chain([name.to_owned()]).collect();
        Err(ClientError::expected(self.text, at, &place, expected))
    }

    fn text_of(&self, name: &str, node: &EntryNode) -> Result<String, ClientError> {
        match &node.data {
            Data::Text(text) => Ok(text.clone()),
            _ => self.refuse(name, node.at, "made of texts"),
        }
    }

    fn text(&self, name: &str) -> Result<Option<String>, ClientError> {
        match self.get(name) {
            None => Ok(None),
            Some(EntryNode { data: Data::Text(text), .. }) => Ok(Some(text.clone())),
            Some(node) => self.refuse(name, node.at, "a text"),
        }
    }

    fn bool(&self, name: &str) -> Result<Option<bool>, ClientError> {
        match self.get(name) {
            None => Ok(None),
            Some(EntryNode { data: Data::Bool(value), .. }) => Ok(Some(*value)),
            Some(node) => self.refuse(name, node.at, "true or false"),
        }
    }

    fn list(&self, name: &str) -> Result<Option<Vec<String>>, ClientError> {
        let Some(node) = self.get(name) else { return Ok(None) };
        let Data::List(items) = &node.data else {
            return self.refuse(name, node.at, "a list of texts");
        };
        items.iter().map(|item| self.text_of(name, item)).collect::<Result<_, _>>().map(Some)
    }

    fn table(&self, name: &str) -> Result<&'a [(String, EntryNode)], ClientError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(EntryNode { data: Data::Table(members), .. }) => Ok(members),
            Some(node) => self.refuse(name, node.at, "an object"),
        }
    }

    fn environment(&self, name: &str) -> Result<Vec<(String, EnvValue)>, ClientError> {
        let set = |text: String| EnvValue::Set(Secret::new(text));
        let mut found = Vec::new();
        for (variable, node) in self.table(name)? {
            let value = match &node.data {
                Data::Text(text) | Data::Scalar(text) => set(text.clone()),
                Data::Bool(value) => set(value.to_string()),
                Data::Null => EnvValue::Unset,
                _ => return self.refuse(name, node.at, "made of texts"),
            };
            found.push((variable.clone(), value));
        }
        Ok(found)
    }

    /// Codex: names, or tables with a name.
    fn passed(&self) -> Result<Vec<String>, ClientError> {
        let Some(node) = self.get(PASSED_VARIABLES) else { return Ok(Vec::new()) };
        let expected = "a list of names";
        let Data::List(items) = &node.data else {
            return self.refuse(PASSED_VARIABLES, node.at, expected);
        };
        let mut names = Vec::new();
        for item in items {
            let name = match &item.data {
                Data::Table(members) => members.iter().find(|(name, _)| name == "name"),
                Data::Text(name) => {
                    names.push(name.clone());
                    continue;
                }
                _ => None,
            };
            match name {
                Some((_, EntryNode { data: Data::Text(name), .. })) => names.push(name.clone()),
                _ => return self.refuse(PASSED_VARIABLES, item.at, expected),
            }
        }
        Ok(names)
    }
}

/// The error of an entry that is not clear, for who has to change it.
pub(crate) fn unclear(place: &[String], reason: &'static str) -> ClientError {
    ClientError::Unclear { place: shown(place), reason }
}
