//! Paths of text assets: which ones facet writes, and which folders of them are its own.

use facets_model::AssetBase;

/// Folders that hold the assets of one kind. What lies below belongs to one asset.
const GROUPS: &[&str] = &["skills", "agents", "commands"];

/// The longest name that common file systems take.
const LONGEST_NAME: usize = 255;

/// Whether facet writes such a file for a client.
pub(crate) fn is_asset_path(base: AssetBase, path: &str) -> bool {
    let is_short = path.split('/').all(|name| name.len() <= LONGEST_NAME);
    is_short && facets_clients::assets::is_asset_path(base, path)
}

/// The folders around a file, the outermost first, without the base.
pub(crate) fn folders_around(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Whether a path lies in a folder; the base is the folder without a name.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a folder around an asset belongs to that asset alone, as that of a skill does. The others are
/// shared with files of the user.
pub(crate) fn is_own_folder(folder: &str) -> bool {
    let mut parts = folder.split('/');
    parts.by_ref().any(|part| GROUPS.contains(&part)) && parts.next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_clients_are_assets() {
        for (base, path) in [
            (AssetBase::Project, ".claude/skills/planning/SKILL.md"),
            (AssetBase::Project, ".codex/agents/reviewer.toml"),
            (AssetBase::Home, ".agents/skills/planning/references/api.md"),
            (AssetBase::ConfigHome, "opencode/commands/ship-it.md"),
            (AssetBase::CodexHome, "agents/reviewer.toml"),
        ] {
            assert!(is_asset_path(base, path), "{path}");
        }
        let long = format!(".claude/skills/planning/{}", "a".repeat(256));
        for path in [
            "",
            ".bashrc",
            ".claude/settings.json",
            ".claude/skills/../../.bashrc",
            "/etc/passwd",
            ".git/hooks/pre-commit",
            "facets.lock",
            &long,
        ] {
            for base in [AssetBase::Project, AssetBase::Home, AssetBase::ConfigHome] {
                assert!(!is_asset_path(base, path), "{path}");
            }
        }
    }

    #[test]
    fn the_folder_of_a_skill_is_its_own_and_those_around_it_are_shared() {
        let path = ".claude/skills/planning/references/api.md";
        let folders: Vec<&str> = folders_around(path).collect();
        let own: Vec<bool> = folders.iter().map(|folder| is_own_folder(folder)).collect();
        assert_eq!(folders[..2], [".claude", ".claude/skills"]);
        assert_eq!(own, [false, false, true, true]);
        assert!(is_below(path, ".claude") && is_below(path, "") && !is_below(path, ".cla"));
        assert!(!is_below(path, path));
    }
}
