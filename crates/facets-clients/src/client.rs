//! The clients, and where their files lie.

use facets_jsonc::Notation;
use std::path::Path;
use std::path::PathBuf;
use std::str::FromStr;

use crate::error::ClientError;

/// A program that starts MCP servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Client {
    /// Claude Code.
    ClaudeCode,
    /// Claude Desktop.
    ClaudeDesktop,
    /// Codex.
    Codex,
    /// `OpenCode`.
    OpenCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Gemini CLI.
    Gemini,
}

/// For whom a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// For everybody who works in the project.
    Project,
    /// For one person, wherever they work.
    User,
}

/// The notation of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientFormat {
    /// Strict JSON.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
}

/// The directories that files are looked for in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The home directory.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `.config` in the home directory.
    pub config_home: PathBuf,
    /// `$CODEX_HOME`, or `.codex` in the home directory.
    pub codex_home: PathBuf,
    /// Where desktop programs keep their settings: `Library/Application Support` on macOS,
    /// `%APPDATA%` on Windows, [`Self::config_home`] elsewhere.
    pub app_support: PathBuf,
    /// The project, as an absolute path.
    pub project: PathBuf,
}

/// A file that a client reads, if it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFile {
    /// Whose.
    pub client: Client,
    /// For whom it holds.
    pub scope: Scope,
    /// Where.
    pub path: PathBuf,
    /// In which notation.
    pub format: ClientFormat,
    /// The members that hold servers; new ones go into the first.
    pub containers: Vec<Vec<String>>,
}

impl Client {
    /// Every client.
    pub const ALL: &'static [Self] = &[
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::OpenCode,
        Self::Cursor,
        Self::VsCode,
        Self::Gemini,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::OpenCode => "opencode",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Gemini => "gemini",
        }
    }

    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::OpenCode => "OpenCode",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Gemini => "Gemini CLI",
        }
    }

    /// The notation of its files.
    #[must_use]
    pub const fn format(self) -> ClientFormat {
        match self {
            Self::ClaudeCode | Self::ClaudeDesktop => ClientFormat::Json,
            Self::Codex => ClientFormat::Toml,
            Self::OpenCode | Self::Cursor | Self::VsCode | Self::Gemini => ClientFormat::Jsonc,
        }
    }

    /// What its files may have beside plain JSON, if they are JSON.
    pub(crate) const fn notation(self) -> Notation {
        match self.format() {
            ClientFormat::Json | ClientFormat::Toml => Notation::Plain,
            ClientFormat::Jsonc => Notation::WithComments,
        }
    }

    /// The member of its files that holds servers.
    #[must_use]
    pub const fn container(self) -> &'static str {
        match self {
            Self::Codex => "mcp_servers",
            Self::OpenCode => "mcp",
            Self::VsCode => "servers",
            Self::ClaudeCode | Self::ClaudeDesktop | Self::Cursor | Self::Gemini => "mcpServers",
        }
    }

    /// Every file that it may read, those of the project first.
    #[must_use]
    pub fn files(self, places: &Places) -> Vec<ClientFile> {
        let Places { home, config_home, codex_home, app_support, project } = places;
        let in_project = |path: &str| self.file(Scope::Project, project, path);
        let of_user = |base: &Path, path: &str| self.file(Scope::User, base, path);
        match self {
            Self::ClaudeCode => {
                let mut user = of_user(home, ".claude.json");
                user.containers.extend(local_containers(project));
                vec![in_project(".mcp.json"), user]
            }
            Self::ClaudeDesktop => vec![of_user(app_support, "Claude/claude_desktop_config.json")],
            Self::Codex => {
                vec![in_project(".codex/config.toml"), of_user(codex_home, "config.toml")]
            }
            Self::OpenCode => vec![
                in_project("opencode.json"),
                in_project("opencode.jsonc"),
                of_user(config_home, "opencode/opencode.json"),
                of_user(config_home, "opencode/opencode.jsonc"),
            ],
            Self::Cursor => vec![in_project(".cursor/mcp.json"), of_user(home, ".cursor/mcp.json")],
            Self::VsCode => {
                vec![in_project(".vscode/mcp.json"), of_user(app_support, "Code/User/mcp.json")]
            }
            Self::Gemini => {
                vec![in_project(".gemini/settings.json"), of_user(home, ".gemini/settings.json")]
            }
        }
    }

    fn file(self, scope: Scope, base: &Path, path: &str) -> ClientFile {
        ClientFile {
            client: self,
            scope,
            // Part by part, so that Windows gets its own separators.
            path: path.split('/').fold(base.to_owned(), |base, part| base.join(part)),
            format: self.format(),
            containers: vec![vec![self.container().to_owned()]],
        }
    }
}

/// Claude Code keeps what one person added for one project under that project's path. On
/// Windows, some of its versions write that path with slashes.
fn local_containers(project: &Path) -> Vec<Vec<String>> {
    let written = project.to_string_lossy().into_owned();
    let mut names = vec![written];
    if names[0].get(1..3) == Some(":\\") {
        names.push(names[0].replace('\\', "/"));
    }
    let container = |name| vec!["projects".to_owned(), name, "mcpServers".to_owned()];
    names.into_iter().map(container).collect()
}

impl FromStr for Client {
    type Err = ClientError;

    fn from_str(name: &str) -> Result<Self, ClientError> {
        let known = Self::ALL.iter().find(|client| client.name() == name);
        known.copied().ok_or_else(|| ClientError::UnknownClient { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Places {
        Places {
            home: "/home/ada".into(),
            config_home: "/home/ada/.config".into(),
            codex_home: "/home/ada/.codex".into(),
            app_support: "/home/ada/.config".into(),
            project: "/src/engine".into(),
        }
    }

    #[test]
    fn names_lead_back_to_their_clients() {
        for client in Client::ALL {
            assert_eq!(client.name().parse(), Ok(*client));
        }
        let unknown = "emacs".parse::<Client>().unwrap_err();
        assert_eq!(unknown.to_string(), "\"emacs\" is no client that facet knows");
    }

    #[test]
    fn knows_where_files_lie() {
        let listed = |client: Client| -> Vec<String> {
            let files = client.files(&places());
            files.iter().map(|file| file.path.to_string_lossy().into_owned()).collect()
        };
        let expected: &[(Client, &[&str])] = &[
            (Client::ClaudeCode, &["/src/engine/.mcp.json", "/home/ada/.claude.json"]),
            (Client::ClaudeDesktop, &["/home/ada/.config/Claude/claude_desktop_config.json"]),
            (Client::Codex, &["/src/engine/.codex/config.toml", "/home/ada/.codex/config.toml"]),
            (
                Client::OpenCode,
                &[
                    "/src/engine/opencode.json",
                    "/src/engine/opencode.jsonc",
                    "/home/ada/.config/opencode/opencode.json",
                    "/home/ada/.config/opencode/opencode.jsonc",
                ],
            ),
            (Client::Cursor, &["/src/engine/.cursor/mcp.json", "/home/ada/.cursor/mcp.json"]),
            (
                Client::VsCode,
                &["/src/engine/.vscode/mcp.json", "/home/ada/.config/Code/User/mcp.json"],
            ),
            (
                Client::Gemini,
                &["/src/engine/.gemini/settings.json", "/home/ada/.gemini/settings.json"],
            ),
        ];
        for (client, paths) in expected {
            assert_eq!(&listed(*client), paths);
        }
    }

    #[test]
    fn claude_code_has_a_third_place_inside_its_second_file() {
        let user = Client::ClaudeCode.files(&places()).pop().unwrap();
        assert_eq!(user.scope, Scope::User);
        assert_eq!(user.containers[1], ["projects", "/src/engine", "mcpServers"]);
        let windows = Places { project: "C:\\src\\engine".into(), ..places() };
        let user = Client::ClaudeCode.files(&windows).pop().unwrap();
        assert_eq!(user.containers[1][1], "C:\\src\\engine");
        assert_eq!(user.containers[2][1], "C:/src/engine");
    }
}
