//! The folders of clients, by scope and kind.

use facets_model::{ArtifactPath, AssetBase, AssetKind, AssetName, AssetScope, collision_key};

use crate::client::Client;

/// The clients that have folders for text assets.
pub const CLIENTS: &[Client] = &[Client::ClaudeCode, Client::Codex, Client::OpenCode];

/// The text of a skill; its other files lie beside it.
pub(super) const SKILL_FILE: &str = "SKILL.md";

/// Whether a client has folders for text assets.
#[must_use]
pub fn has_folders(client: Client) -> bool {
    CLIENTS.contains(&client)
}

/// What a folder holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AssetLayout {
    /// A folder for each asset.
    SkillFolders,
    /// A Markdown file for each asset.
    Markdown,
    /// A TOML file for each asset.
    Toml,
}

/// Where a client looks for assets of one kind.
#[derive(Clone, Debug)]
pub(super) struct AssetFolder {
    pub(super) base: AssetBase,
    pub(super) layout: AssetLayout,
    /// Ends with a slash.
    prefix: String,
}

impl AssetFolder {
    /// spec 10.2.1: the table of folders
    pub(super) fn of(client: Client, scope: AssetScope, kind: AssetKind) -> Option<Self> {
        let is_codex_agent = client == Client::Codex && kind == AssetKind::Agent;
        let (base, parent) = match (client, scope) {
            (Client::ClaudeCode, AssetScope::Project) => (AssetBase::Project, ".claude/"),
            (Client::ClaudeCode, AssetScope::User) => (AssetBase::Home, ".claude/"),
            (Client::OpenCode, AssetScope::Project) => (AssetBase::Project, ".opencode/"),
            (Client::OpenCode, AssetScope::User) => (AssetBase::ConfigHome, "opencode/"),
            (Client::Codex, AssetScope::Project) if is_codex_agent => {
                (AssetBase::Project, ".codex/")
            }
            (Client::Codex, AssetScope::User) if is_codex_agent => (AssetBase::CodexHome, ""),
            (Client::Codex, AssetScope::Project) => (AssetBase::Project, ".agents/"),
            (Client::Codex, AssetScope::User) => (AssetBase::Home, ".agents/"),
            (Client::ClaudeDesktop | Client::Cursor | Client::VsCode | Client::Gemini, _) => {
                return None;
            }
        };
        let layout = match kind {
            AssetKind::Skill => AssetLayout::SkillFolders,
            AssetKind::Agent if is_codex_agent => AssetLayout::Toml,
            AssetKind::Agent | AssetKind::Command => AssetLayout::Markdown,
        };
        Some(Self { base, layout, prefix: format!("{parent}{}/", kind.group()) })
    }

    /// The file with the text of an asset.
    pub(super) fn primary(&self, name: &AssetName) -> String {
        let prefix = &self.prefix;
        match self.layout {
            AssetLayout::SkillFolders => format!("{prefix}{name}/{SKILL_FILE}"),
            AssetLayout::Markdown => format!("{prefix}{name}.md"),
            AssetLayout::Toml => format!("{prefix}{name}.toml"),
        }
    }

    /// A file beside the text of a skill.
    pub(super) fn companion(&self, name: &AssetName, path: &ArtifactPath) -> String {
        format!("{}{name}/{path}", self.prefix)
    }

    /// Whether a path could have come from one of these two.
    fn has(&self, path: &str) -> bool {
        let Some(rest) = path.strip_prefix(&self.prefix) else { return false };
        let is_name = |text: &str| text.parse::<AssetName>().is_ok();
        match self.layout {
            AssetLayout::SkillFolders => rest
                .split_once('/')
                .is_some_and(|(name, file)| is_name(name) && is_file_of_skill(file)),
            AssetLayout::Markdown => rest.strip_suffix(".md").is_some_and(is_name),
            AssetLayout::Toml => rest.strip_suffix(".toml").is_some_and(is_name),
        }
    }
}

/// Nothing else is called like the text of the skill, whatever the case.
fn is_file_of_skill(file: &str) -> bool {
    let first = file.split('/').next().unwrap_or_default();
    file == SKILL_FILE || collision_key(first) != collision_key(SKILL_FILE)
}

/// Whether [`materialize`](super::materialize) can give this path for this base: the grammar of
/// spec 10.2.1, and nothing else.
#[must_use]
pub fn is_asset_path(base: AssetBase, path: &str) -> bool {
    // No `..`, empty segment, backslash, device name and so on, anywhere.
    path.parse::<ArtifactPath>().is_ok()
        && CLIENTS.iter().any(|client| {
            [AssetScope::Project, AssetScope::User].into_iter().any(|scope| {
                let mut kinds = AssetKind::ALL.into_iter();
                kinds.any(|kind| {
                    AssetFolder::of(*client, scope, kind)
                        .is_some_and(|folder| folder.base == base && folder.has(path))
                })
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_listed_clients_have_folders() {
        for client in Client::ALL {
            for scope in [AssetScope::Project, AssetScope::User] {
                for kind in AssetKind::ALL {
                    let folder = AssetFolder::of(*client, scope, kind);
                    assert_eq!(folder.is_some(), has_folders(*client), "{client:?}");
                }
            }
        }
    }

    #[test]
    fn paths_of_other_files_are_refused() {
        use AssetBase::{CodexHome, ConfigHome, Home, Project};
        let good = [
            (Project, ".claude/skills/x/SKILL.md"),
            (Project, ".claude/skills/x/a/b.txt"),
            (Project, ".opencode/agents/x.md"),
            (Project, ".codex/agents/x.toml"),
            (Home, ".claude/commands/x.md"),
            (Home, ".agents/skills/x/SKILL.md"),
            (ConfigHome, "opencode/commands/x.md"),
            (CodexHome, "agents/x.toml"),
        ];
        for (base, path) in good {
            assert!(is_asset_path(base, path), "{base} {path}");
        }
        let bad = [
            (Project, ""),
            (Project, ".mcp.json"),
            (Project, ".claude/settings.json"),
            (Project, ".claude/skills"),
            (Project, ".claude/skills/x"),
            (Project, ".claude/skills/x/"),
            (Project, ".claude/skills/SKILL.md"),
            (Project, ".claude/skills/X/SKILL.md"),
            (Project, ".claude/skills/x/skill.md"),
            (Project, ".claude/skills/x/Skill.MD/a"),
            (Project, ".claude/skills/x/../../settings.json"),
            (Project, ".claude/skills/../settings.json"),
            (Project, ".claude/skills/x//a"),
            (Project, ".claude/skills/x/./a"),
            (Project, ".claude/skills/x/a\\..\\b"),
            (Project, "/.claude/skills/x/SKILL.md"),
            (Project, "./.claude/skills/x/SKILL.md"),
            (Project, ".Claude/skills/x/SKILL.md"),
            (Project, ".claude/hooks/x.md"),
            (Project, ".claude/agents/x.toml"),
            (Project, ".claude/agents/x.md/y"),
            (Project, ".claude/agents/nul.md"),
            (Project, ".claude/agents/a/x.md"),
            (Project, ".codex/config.toml"),
            (Project, ".codex/skills/x/SKILL.md"),
            (Project, "agents/x.toml"),
            (Project, "opencode/agents/x.md"),
            (Home, ".opencode/agents/x.md"),
            (Home, ".codex/agents/x.toml"),
            (ConfigHome, ".claude/agents/x.md"),
            (CodexHome, "config.toml"),
            (CodexHome, "agents/x.md"),
            (CodexHome, "skills/x/SKILL.md"),
        ];
        for (base, path) in bad {
            assert!(!is_asset_path(base, path), "{base} {path}");
        }
    }
}
