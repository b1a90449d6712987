//! Where the files of text assets lie: what their bases are on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use facets_model::AssetBase;

use crate::error::ProjectError;

/// The directories of a user in which clients look for text assets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssetPlaces {
    /// The home directory.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME`, or `.config` in the home directory.
    pub config_home: PathBuf,
    /// `$CODEX_HOME`, or `.codex` in the home directory.
    pub codex_home: PathBuf,
}

impl AssetPlaces {
    /// What the environment says. Variables that are not absolute paths do not count.
    pub fn of_this_user() -> Result<Self, ProjectError> {
        Self::of(|name| std::env::var_os(name))
    }

    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Result<Self, ProjectError> {
        let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let places = Self::in_home(&set("HOME").ok_or(ProjectError::NoHome)?);
        Ok(Self {
            config_home: set("XDG_CONFIG_HOME").unwrap_or(places.config_home),
            codex_home: set("CODEX_HOME").unwrap_or(places.codex_home),
            home: places.home,
        })
    }

    /// Those of a home directory, if no variable says otherwise.
    #[must_use]
    pub fn in_home(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            config_home: home.join(".config"),
            codex_home: home.join(".codex"),
        }
    }

    /// Where a base lies; that of the project is the project itself.
    fn of_base(&self, base: AssetBase) -> Option<&Path> {
        match base {
            AssetBase::Project => None,
            AssetBase::Home => Some(&self.home),
            AssetBase::ConfigHome => Some(&self.config_home),
            AssetBase::CodexHome => Some(&self.codex_home),
        }
    }
}

/// The bases that a change needs. An interrupted one is completed in the same places, whatever the
/// environment says by then.
#[derive(Clone, Debug)]
pub(crate) struct Bases {
    project: PathBuf,
    of_user: BTreeMap<AssetBase, PathBuf>,
}

impl Bases {
    /// The project alone.
    pub(crate) fn of_project(root: &Path) -> Self {
        // An empty path is no directory.
        let project = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        Self { project: project.to_owned(), of_user: BTreeMap::new() }
    }

    /// The same with the places of a user.
    pub(crate) fn with_places(self, places: &AssetPlaces) -> Self {
        let bases = [AssetBase::Home, AssetBase::ConfigHome, AssetBase::CodexHome];
        let of_user =
            bases.into_iter().filter_map(|base| Some((base, places.of_base(base)?.to_owned())));
        Self { of_user: of_user.collect(), ..self }
    }

    /// The same with one more.
    pub(crate) fn with(mut self, base: AssetBase, path: PathBuf) -> Self {
        self.of_user.insert(base, path);
        self
    }

    /// Only those that are used.
    pub(crate) fn only(mut self, used: &BTreeSet<AssetBase>) -> Self {
        self.of_user.retain(|base, _| used.contains(base));
        self
    }

    /// Those of a user.
    pub(crate) fn of_user(&self) -> impl Iterator<Item = (AssetBase, &Path)> {
        self.of_user.iter().map(|(base, path)| (*base, path.as_path()))
    }

    /// Where a base lies, if that is known.
    pub(crate) fn path(&self, base: AssetBase) -> Option<&Path> {
        match base {
            AssetBase::Project => Some(&self.project),
            _ => self.of_user.get(&base).map(PathBuf::as_path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(variables: &[(&str, &str)]) -> Result<AssetPlaces, ProjectError> {
        AssetPlaces::of(|name| {
            let set = variables.iter().find(|(set, _)| *set == name);
            set.map(|(_, value)| OsString::from(*value))
        })
    }

    #[test]
    fn variables_come_before_the_home_unless_they_are_empty_or_relative() {
        let usual = AssetPlaces::in_home(Path::new("/h"));
        assert_eq!(usual.codex_home, Path::new("/h/.codex"));
        assert_eq!(usual.config_home, Path::new("/h/.config"));
        let home = ("HOME", "/h");
        assert_eq!(places(&[home]).unwrap(), usual);
        assert_eq!(places(&[home, ("CODEX_HOME", ""), ("XDG_CONFIG_HOME", "c")]).unwrap(), usual);
        let set = places(&[home, ("CODEX_HOME", "/x"), ("XDG_CONFIG_HOME", "/c")]).unwrap();
        assert_eq!((set.home, set.config_home), ("/h".into(), "/c".into()));
        assert_eq!(set.codex_home, Path::new("/x"));
        for none in [&[("HOME", "h")][..], &[]] {
            assert!(matches!(places(none), Err(ProjectError::NoHome)));
        }
    }
}
