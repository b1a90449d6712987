//! What clients fill in when they read an entry: variables of their environment, the project, answers to
//! questions. Facet fills in what it knows as well as the client does.

use std::path::Path;

use facets_clients::{Client, ClientFile, Scope};

use crate::guarding::{WORKSPACE, is_of_workspaces};

/// What is known about the file that an entry stands in.
#[derive(Clone, Copy)]
pub(crate) struct Placeholders<'p> {
    client: Client,
    /// The project, if the client fills it in and the file is of that project.
    workspace: Option<&'p Path>,
}

impl<'p> Placeholders<'p> {
    pub(crate) fn of(file: &ClientFile, project: &'p Path) -> Self {
        let is_known = file.scope == Scope::Project && is_of_workspaces(file.client);
        Self { client: file.client, workspace: is_known.then_some(project) }
    }

    /// The value that the client would set; the error is the placeholder that only it can fill in.
    pub(crate) fn value(self, text: &str) -> Result<String, String> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let Some((name, behind)) = after.split_once('}') else { break };
            out.push_str(before);
            out.push_str(&self.filled(name).ok_or_else(|| format!("${{{name}}}"))?);
            rest = behind;
        }
        out.push_str(rest);
        match self.client {
            Client::OpenCode => in_braces(&out),
            Client::Gemini => Ok(behind_dollars(&out)),
            _ => Ok(out),
        }
    }

    /// `NAME`, `env:NAME`, `NAME:-otherwise`, `workspaceFolder`. A variable that is not set is empty.
    fn filled(self, name: &str) -> Option<String> {
        if let Some(variable) = name.strip_prefix("env:") {
            return Some(environment(variable));
        }
        if let Some((variable, otherwise)) = name.split_once(":-") {
            return Some(std::env::var(variable).unwrap_or_else(|_| otherwise.to_owned()));
        }
        if is_of_workspaces(self.client) && name == "workspaceFolder" {
            return self.workspace.map(|project| project.display().to_string());
        }
        (!name.contains(':')).then(|| environment(name))
    }

    /// A word of a command line without the placeholder of the project; the error is the placeholder that
    /// only the client can fill in. `way` leads from where the server starts to the project.
    pub(crate) fn word(self, word: &str, way: &str) -> Result<String, String> {
        if self.workspace.is_none() {
            return first_placeholder(word).map_or_else(|| Ok(word.to_owned()), Err);
        }
        let mut out = String::new();
        let mut rest = word;
        // Elsewhere in a word a way that is relative may mean something else.
        while let Some((before, after)) = rest.split_once(WORKSPACE) {
            let begins = before.is_empty() || before.ends_with('=');
            let ends = after.is_empty() || after.starts_with('/');
            if !begins || !ends {
                return Err(WORKSPACE.to_owned());
            }
            out.push_str(before);
            out.push_str(way);
            rest = after;
        }
        out.push_str(rest);
        first_placeholder(&out).map_or(Ok(out), Err)
    }
}

fn environment(variable: &str) -> String {
    std::env::var(variable).unwrap_or_default()
}

/// The first placeholder of a text, whole.
pub(crate) fn first_placeholder(text: &str) -> Option<String> {
    let begins = ["${", "{env:", "{file:"].iter().filter_map(|sign| text.find(sign)).min()?;
    let found = &text[begins..];
    let length = found.find('}').map_or(found.len(), |end| end + 1);
    Some(found[..length].to_owned())
}

/// `OpenCode`: `{env:NAME}`, and `{file:PATH}`, which only it reads.
fn in_braces(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{env:") {
        let Some((variable, behind)) = after.split_once('}') else { break };
        out.push_str(before);
        out.push_str(&environment(variable));
        rest = behind;
    }
    out.push_str(rest);
    match first_placeholder(&out).filter(|found| found.starts_with("{file:")) {
        Some(placeholder) => Err(placeholder),
        None => Ok(out),
    }
}

/// Gemini CLI: `$NAME`, which stays as it is if the variable is not set.
fn behind_dollars(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (name, behind) = after.split_at(after.find(|c| !is_name(c)).unwrap_or(after.len()));
        out.push_str(before);
        out.push_str(&std::env::var(name).unwrap_or_else(|_| format!("${name}")));
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(client: Client, workspace: Option<&Path>) -> Placeholders<'_> {
        Placeholders { client, workspace }
    }

    #[test]
    fn values_are_filled_in_as_clients_do() {
        let project = Path::new("/src/engine");
        let code = of(Client::VsCode, Some(project));
        assert_eq!(code.value("${workspaceFolder}/x"), Ok("/src/engine/x".to_owned()));
        assert_eq!(code.value("Bearer ${input:key}"), Err("${input:key}".to_owned()));
        assert_eq!(code.value("a${env:NOT_SET_HERE}b"), Ok("ab".to_owned()));
        assert_eq!(
            of(Client::Cursor, None).value("${workspaceFolder}"),
            Err("${workspaceFolder}".to_owned()),
            "of which project?"
        );
        let claude = of(Client::ClaudeCode, None);
        assert_eq!(claude.value("${NOT_SET_HERE:-x}, ${NOT_SET_HERE}."), Ok("x, .".to_owned()));
        assert_eq!(claude.value("100 ${"), Ok("100 ${".to_owned()));
        let open = of(Client::OpenCode, None);
        assert_eq!(open.value("a{env:NOT_SET_HERE}b"), Ok("ab".to_owned()));
        assert_eq!(open.value("{file:~/.key}"), Err("{file:~/.key}".to_owned()));
        let home = std::env::var("PATH").unwrap_or_default();
        assert_eq!(of(Client::Gemini, None).value("$PATH!"), Ok(format!("{home}!")));
        assert_eq!(of(Client::Gemini, None).value("$NOT_SET_HERE"), Ok("$NOT_SET_HERE".to_owned()));
        assert_eq!(claude.value("$PATH"), Ok("$PATH".to_owned()));
    }

    #[test]
    fn the_project_is_filled_in_where_a_path_begins() {
        let project = Path::new("/src/engine");
        let code = of(Client::VsCode, Some(project));
        assert_eq!(code.word("${workspaceFolder}", "."), Ok(".".to_owned()));
        assert_eq!(code.word("${workspaceFolder}/a", "../.."), Ok("../../a".to_owned()));
        assert_eq!(code.word("--root=${workspaceFolder}/a", "."), Ok("--root=./a".to_owned()));
        for other in ["${workspaceFolder}:/work", "src=x,${workspaceFolder}", "${workspaceFolder}x"]
        {
            assert_eq!(code.word(other, "."), Err(WORKSPACE.to_owned()), "{other}");
        }
        assert_eq!(code.word("${userHome}/x", "."), Err("${userHome}".to_owned()));
        let claude = of(Client::ClaudeCode, None);
        assert_eq!(claude.word("${HOME}/x", "."), Err("${HOME}".to_owned()));
        assert_eq!(claude.word("plain", "."), Ok("plain".to_owned()));
    }
}
