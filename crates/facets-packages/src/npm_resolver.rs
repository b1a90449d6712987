//! Which packages a server of npm needs: npm itself decides, as it would for `npx` (spec 10.8).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use facets_closure::npm::{NpmClosure, read_lock};
use facets_fetch::Machine;
use facets_fetch::npm::NpmConfig;
use facets_launch::{Launcher, Network};
use facets_model::PackageSpec;
use facets_store::StoreError;
use serde_json::{Map, Value, json};

use crate::error::PackageError;
use crate::resolver_run::{PATIENCE, ResolverRun, certificate_files, network_variables, text_of};

/// npm under bun, and how it reaches its registry.
pub struct NpmResolver<'r> {
    /// What starts programs.
    pub launcher: &'r Launcher,
    /// Bun.
    pub bun: &'r Path,
    /// The directory with all files of npm.
    pub npm: &'r Path,
    /// Whose configuration of npm counts.
    pub machine: &'r Machine,
}

impl NpmResolver<'_> {
    /// The packages that all of these need together. `before` leaves out what was published later, as a date.
    pub fn resolve(
        &self,
        packages: &[&PackageSpec],
        before: Option<&str>,
    ) -> Result<NpmClosure, PackageError> {
        let folder = private_folder()?;
        write_project(folder.path(), packages)?;
        let settings = self.write_settings(folder.path())?;
        let end = self.run(folder.path(), settings, before).run()?;
        let shown = || packages.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        if !end.is_success() {
            return Err(PackageError::Unresolved {
                package: shown(),
                program: "npm",
                reason: end.reason(),
                stderr: Box::new(end.stderr),
            });
        }
        let lock = folder.path().join("package-lock.json");
        let bytes = fs::read(&lock).map_err(|source| StoreError::of_write(&lock, source))?;
        Ok(read_lock(&bytes)?)
    }

    fn run<'f>(
        &'f self,
        folder: &'f Path,
        settings: BTreeMap<String, String>,
        before: Option<&str>,
    ) -> ResolverRun<'f> {
        let mut args = vec![
            "--no-install".to_owned(),
            "--no-env-file".to_owned(),
            "--config=/dev/null".to_owned(),
            "--tsconfig-override=/dev/null".to_owned(),
            text_of(&self.npm.join("bin/npm-cli.js")),
            "install".to_owned(),
            "--package-lock-only".to_owned(),
            "--ignore-scripts".to_owned(),
            "--omit=dev".to_owned(),
            "--no-audit".to_owned(),
            "--no-fund".to_owned(),
            "--no-update-notifier".to_owned(),
            "--no-progress".to_owned(),
            "--lockfile-version=3".to_owned(),
            format!("--cache={}", text_of(&folder.join("cache"))),
            format!("--logs-max={}", 0),
        ];
        args.extend(before.map(|before| format!("--before={before}")));
        let mut variables = network_variables(&self.machine.variables);
        variables.extend(settings);
        // Cached code of a file is run in place of the file.
        variables.insert("BUN_RUNTIME_TRANSPILER_CACHE_PATH".to_owned(), "0".to_owned());
        let mut read = vec![self.bun.to_owned(), self.npm.to_owned()];
        read.extend(certificate_files(&variables));
        ResolverRun {
            launcher: self.launcher,
            program: self.bun,
            args: args.into_iter().map(Into::into).collect(),
            folder,
            read,
            variables,
            network: Network::Open,
            // git and scripts are not started.
            starts_others: false,
            patience: PATIENCE,
        }
    }

    /// The user's own settings, and the registry that counts in the end. Variables that settings refer to are passed on.
    fn write_settings(&self, folder: &Path) -> Result<BTreeMap<String, String>, PackageError> {
        let config = NpmConfig::read(self.machine)?;
        let file = ["npm_config_userconfig", "NPM_CONFIG_USERCONFIG"]
            .iter()
            .find_map(|name| self.machine.variable(name).map(PathBuf::from))
            .or_else(|| self.machine.home.as_ref().map(|home| home.join(".npmrc")));
        let text = match file {
            Some(file) => self.machine.read(&file)?.unwrap_or_default(),
            None => String::new(),
        };
        // The last line wins.
        let settings = format!("{text}\nregistry={}\n", config.registry_for(""));
        write(&folder.join("home/.npmrc"), &settings)?;
        let mut variables: BTreeMap<String, String> = BTreeMap::new();
        for name in referenced(&text) {
            let value = self.machine.variable(name);
            variables.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        }
        let is_setting = |name: &str| {
            let name = name.to_ascii_lowercase();
            name.starts_with("npm_config_") && !name.ends_with("userconfig")
        };
        let of_environment = self.machine.variables.iter().filter(|(name, _)| is_setting(name));
        variables.extend(of_environment.map(|(name, value)| (name.clone(), value.clone())));
        Ok(variables)
    }
}

/// A directory that is removed with everything in it.
pub(crate) fn private_folder() -> Result<tempfile::TempDir, PackageError> {
    let place = std::env::temp_dir();
    let failed = |source| StoreError::of_write(&place, source);
    let folder = tempfile::Builder::new().prefix("facet-resolve-").tempdir().map_err(failed)?;
    for name in ["home", "tmp"] {
        fs::create_dir(folder.path().join(name)).map_err(failed)?;
    }
    Ok(folder)
}

/// A project that depends on these, and on nothing else.
fn write_project(folder: &Path, packages: &[&PackageSpec]) -> Result<(), PackageError> {
    let dependencies: Map<String, Value> =
        packages.iter().map(|one| (one.name.clone(), json!(one.requirement()))).collect();
    let project = json!({ "private": true, "dependencies": dependencies });
    write(&folder.join("package.json"), &project.to_string())
}

pub(crate) fn write(path: &Path, text: &str) -> Result<(), PackageError> {
    fs::write(path, text).map_err(|source| StoreError::of_write(path, source).into())
}

/// Variables that an `.npmrc` refers to as `${NAME}` or `${NAME?}`.
fn referenced(npmrc: &str) -> impl Iterator<Item = &str> {
    npmrc.split("${").skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        Some(name.trim_end_matches('?'))
    })
}
