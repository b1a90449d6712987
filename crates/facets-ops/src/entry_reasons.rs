//! Why an entry of a client is left alone, in words that end in what to do.

use facets_clients::{Client, ClientFile, Scope};

use crate::guarding::{WORKSPACE, is_of_workspaces};

/// The file that an entry stands in, for sentences about it.
#[derive(Clone, Copy)]
pub(crate) struct Reasons<'f> {
    pub(crate) file: &'f ClientFile,
}

impl Reasons<'_> {
    /// What to type once the entry was changed.
    fn again(self) -> &'static str {
        match self.file.scope {
            Scope::Project => "then type `facet adopt`",
            Scope::User => "then type `facet adopt --user`",
        }
    }

    fn command(self) -> &'static str {
        match self.file.scope {
            Scope::Project => "facet adopt",
            Scope::User => "facet adopt --user",
        }
    }

    fn title(self) -> &'static str {
        self.file.client.title()
    }

    pub(crate) fn switched_off(self) -> String {
        format!("it is switched off in {}: switch it on there, {}", self.title(), self.again())
    }

    pub(crate) fn bad_name(self, name: &str) -> String {
        format!(
            "its name {name:?} cannot be pinned (allowed are 1 to 64 of a-z, A-Z, 0-9, `.`, `-`, `_`, \
             and no hyphen first): rename the entry, for example to `{}`, {}",
            possible_name(name),
            self.again()
        )
    }

    pub(crate) fn environment_file(self, member: &str) -> String {
        format!(
            "`{member}` can set any variable, including those that change how facet itself runs: copy the variables \
             that the server needs into `env`, remove `{member}`, {}",
            self.again()
        )
    }

    pub(crate) fn bad_variable(self, name: &str) -> String {
        format!(
            "{name:?} is not the name of a variable (letters, digits and `_`, no digit first): \
             correct it, {}",
            self.again()
        )
    }

    pub(crate) fn decides_about_facet(self, name: &str) -> String {
        format!(
            "the variable {name} would also decide about facet: set it in a script that starts the \
             server, let the entry start that script, {}",
            self.again()
        )
    }

    pub(crate) fn unclear(self, reason: &str) -> String {
        format!("the entry {reason}: write it as {} documents it, {}", self.title(), self.again())
    }

    pub(crate) fn relative_directory(self) -> String {
        format!(
            "its `cwd` is relative, and {} decides from where: write the whole path, {}",
            self.title(),
            self.again()
        )
    }

    pub(crate) fn placeholder(self, placeholder: &str) -> String {
        let (title, again) = (self.title(), self.again());
        if placeholder.starts_with("${input:") {
            return format!(
                "only {title} can prompt for `{placeholder}`, and the answer would be stored in the \
                 lock: pass it to the server as a variable (`env`), {again}"
            );
        }
        let is_workspace = placeholder == WORKSPACE && is_of_workspaces(self.file.client);
        match self.file.scope {
            Scope::User if is_workspace => format!(
                "`{placeholder}` is the project that is open, and this file is for all projects: move \
                 the entry to `{}` of the project, then type `facet adopt` there",
                project_file(self.file.client)
            ),
            Scope::Project if is_workspace => format!(
                "`{placeholder}` stands in the middle of a word: write the path itself, or \
                 `{placeholder}` at the beginning of an argument, {again}"
            ),
            _ => format!(
                "`{placeholder}` is filled in by {title}, and the lock cannot store variables: replace \
                 `{placeholder}` by its value, {again}"
            ),
        }
    }

    pub(crate) fn secret_argument(self) -> String {
        format!(
            "an argument looks like a secret, and arguments are stored in the lock: pass it to the \
             server as a variable (`env`), {}",
            self.again()
        )
    }

    pub(crate) fn secret_address(self) -> String {
        format!(
            "its address looks as if it had a secret in it, and addresses are stored in the lock: send \
             the secret as a header, {}",
            self.again()
        )
    }

    pub(crate) fn bad_address(self) -> String {
        format!(
            "its address is not one that begins with http:// or https://: correct it, {}",
            self.again()
        )
    }

    pub(crate) fn server_sent_events(self) -> String {
        let written = match self.file.client {
            Client::Gemini => "as `httpUrl`",
            _ => "with `\"type\": \"http\"`",
        };
        format!(
            "it uses server-sent events, the older transport, which facet does not speak: if the server \
             also has streamable HTTP (often at `/mcp`), write that address {written}, {}",
            self.again()
        )
    }

    pub(crate) fn signs_in(self, member: &str) -> String {
        format!(
            "{} signs in to it by itself (`{member}`), and facet cannot take over a login: leave it as \
             it is, or send a token as a header in place of `{member}`, {}",
            self.title(),
            self.again()
        )
    }

    /// A variable that the client has and facet has not.
    pub(crate) fn not_passed_on(self, variable: &str) -> String {
        format!(
            "{} passes {variable} on from its own environment, and it is not set in yours: type \
             `{variable}=… {}`",
            self.title(),
            self.command()
        )
    }

    /// A value that only the client can fill in.
    pub(crate) fn not_filled_in(self, variable: &str, placeholder: &str) -> String {
        let is_input = placeholder.starts_with("${input:");
        let does = if is_input { "prompts for" } else { "fills in" };
        format!(
            "only {title} {does} `{placeholder}`, when it starts the server; to pin it, facet needs the \
             value once: type `{variable}=… {}`",
            self.command(),
            title = self.title(),
        )
    }
}

fn project_file(client: Client) -> &'static str {
    match client {
        Client::VsCode => ".vscode/mcp.json",
        _ => ".cursor/mcp.json",
    }
}

/// A name like this one that can be pinned.
fn possible_name(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let name: String = name.chars().map(letter).take(64).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "server".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use facets_model::InlineServerName;

    #[test]
    fn the_proposed_name_can_be_pinned() {
        for name in ["my server", "--trust-lock", "é", "", "a b/c!", &"x ".repeat(80)] {
            let proposed = possible_name(name);
            assert!(proposed.parse::<InlineServerName>().is_ok(), "{name:?}: {proposed:?}");
        }
        assert_eq!(possible_name("my server"), "my-server");
    }
}
