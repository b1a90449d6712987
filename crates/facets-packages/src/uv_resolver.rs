//! Which packages a server of PyPI needs: uv decides, as it would for `uvx`, and takes wheels alone (spec 10.8).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use facets_closure::pypi::{ResolvedPackage, read_pylock};
use facets_fetch::Machine;
use facets_fetch::pypi::PipConfig;
use facets_launch::{Launcher, Network};
use facets_model::PackageSpec;
use facets_store::StoreError;

use crate::error::PackageError;
use crate::interpreter::Interpreter;
use crate::npm_resolver::{private_folder, write};
use crate::resolver_run::{PATIENCE, ResolverRun, certificate_files, network_variables, text_of};

const INPUT: &str = "requirements.in";
const OUTPUT: &str = "pylock.toml";

/// uv, and how it reaches its index.
pub struct UvResolver<'r> {
    /// What starts programs.
    pub launcher: &'r Launcher,
    /// uv.
    pub uv: &'r Path,
    /// The Python that the server will run on.
    pub python: &'r Interpreter,
    /// Whose configuration of pip counts.
    pub machine: &'r Machine,
}

impl UvResolver<'_> {
    /// The packages that all of these need together. `before` leaves out what was published later, as a date.
    pub fn resolve(
        &self,
        packages: &[&PackageSpec],
        before: Option<&str>,
    ) -> Result<Vec<ResolvedPackage>, PackageError> {
        let folder = private_folder()?;
        let lines: Vec<String> = packages.iter().map(|one| one.requirement() + "\n").collect();
        write(&folder.path().join(INPUT), &lines.concat())?;
        let end = self.run(folder.path(), before)?.run()?;
        if !end.is_success() {
            let names: Vec<String> = packages.iter().map(ToString::to_string).collect();
            return Err(PackageError::Unresolved {
                package: names.join(", "),
                program: "uv",
                reason: end.reason(),
                stderr: Box::new(end.stderr),
            });
        }
        let lock = folder.path().join(OUTPUT);
        let text = fs::read_to_string(&lock);
        let text = text.map_err(|source| StoreError::of_write(&lock, source))?;
        Ok(read_pylock(&text)?)
    }

    fn run<'f>(
        &'f self,
        folder: &'f Path,
        before: Option<&str>,
    ) -> Result<ResolverRun<'f>, PackageError> {
        let mut args: Vec<String> = [
            "pip",
            "compile",
            "--quiet",
            "--no-config",
            "--no-progress",
            "--format",
            "pylock.toml",
            "--only-binary",
            ":all:",
            "--no-python-downloads",
            "--no-header",
            "--python",
        ]
        .map(str::to_owned)
        .to_vec();
        args.push(text_of(&self.python.program));
        args.extend(
            before.into_iter().flat_map(|date| ["--exclude-newer", date]).map(str::to_owned),
        );
        args.extend(["--output-file", OUTPUT, INPUT].map(str::to_owned));
        let mut variables = network_variables(&self.machine.variables);
        variables.extend(self.index_variables()?);
        variables.insert("UV_CACHE_DIR".to_owned(), text_of(&folder.join("cache")));
        variables.insert("UV_NATIVE_TLS".to_owned(), "1".to_owned());
        let mut read = vec![self.uv.to_owned(), self.python.program.clone()];
        read.extend(self.python.files.iter().cloned());
        read.extend(certificate_files(&variables));
        read.extend(variables.get("NETRC").map(PathBuf::from));
        Ok(ResolverRun {
            launcher: self.launcher,
            program: self.uv,
            args: args.into_iter().map(Into::into).collect(),
            folder,
            read,
            variables,
            network: Network::Open,
            // It asks the interpreter what it is.
            starts_others: true,
            patience: PATIENCE,
        })
    }

    /// The indexes of pip's configuration, and the file with the passwords for them.
    fn index_variables(&self) -> Result<BTreeMap<String, String>, PackageError> {
        let config = PipConfig::read(self.machine)?;
        let mut variables = BTreeMap::new();
        if let Some((first, others)) = config.indexes().split_first() {
            variables.insert("UV_DEFAULT_INDEX".to_owned(), first.to_string());
            let others: Vec<String> = others.iter().map(ToString::to_string).collect();
            if !others.is_empty() {
                variables.insert("UV_INDEX".to_owned(), others.join(" "));
                // pip takes the best of all indexes.
                variables.insert("UV_INDEX_STRATEGY".to_owned(), "unsafe-best-match".to_owned());
            }
        }
        let named = self.machine.variable("NETRC").map(PathBuf::from);
        let netrc = named.or_else(|| self.machine.home.as_ref().map(|home| home.join(".netrc")));
        if let Some(netrc) = netrc.filter(|path| path.is_file()) {
            variables.insert("NETRC".to_owned(), text_of(&netrc));
        }
        Ok(variables)
    }
}
