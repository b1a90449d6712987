//! What bun is asked to do, in a private directory, with nothing of the user's but the registry.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use facets_digest::json::{Limits, Provenance, Value, parse};
use facets_failure::Stderr;
use facets_fetch::Machine;
use facets_fetch::npm::NpmConfig;
use facets_model::ArtifactPath;
use facets_runtime::RuntimeError;
use facets_store::StoreError;

use super::lock_advice::LockAdvice;
use super::tsconfig::settings_file;
use super::workshop::{Workshop, failed, read_file};
use crate::error::{BundleError, OpsError};

/// Variables with which a network is reached.
const NETWORK: &[&str] = &[
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "https_proxy",
    "http_proxy",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];

/// Where bun would write the paths of this machine, it writes these names, which are true wherever the bundle is.
const BANNER: &str =
    "const $facet_dirname = import.meta.dirname, $facet_filename = import.meta.filename;";

/// What bun says of a lock that would have to change.
const FROZEN: &str = "lockfile is frozen";

/// What bun says where no space is left.
const FULL: [&str; 3] = ["ENOSPC", "NoSpaceLeft", "No space left on device"];

/// For the list of files that a bundle was made from.
const LIST_LIMITS: Limits = Limits { bytes: 64 << 20, depth: 32, values: 2_000_000 };

/// The managed bun, and how it reaches the registry.
pub(super) struct Bun {
    program: PathBuf,
    /// The text of an `.npmrc`.
    registry: String,
    variables: Vec<(String, String)>,
}

/// The name of the bundle of a file.
pub(super) fn output_name(entry: &str) -> String {
    let stem = entry.rsplit_once('.').map_or(entry, |(stem, _)| stem);
    format!("{stem}.facet.js")
}

impl Bun {
    /// The registry and its credentials are those of the user's npm.
    pub(super) fn new(program: PathBuf, machine: &Machine) -> Result<Self, OpsError> {
        let config = NpmConfig::read(machine).map_err(RuntimeError::from)?;
        let user_file = ["npm_config_userconfig", "NPM_CONFIG_USERCONFIG"]
            .iter()
            .find_map(|name| machine.variable(name).map(PathBuf::from))
            .or_else(|| machine.home.as_ref().map(|home| home.join(".npmrc")));
        let text = match user_file {
            Some(file) => machine.read(&file).map_err(RuntimeError::from)?.unwrap_or_default(),
            None => String::new(),
        };
        let mut named: Vec<&str> = NETWORK.to_vec();
        named.extend(referenced(&text));
        let variables = named
            .into_iter()
            .filter_map(|name| Some((name.to_owned(), machine.variable(name)?.to_owned())))
            .collect();
        // The last line wins: it is the strongest of all the places that npm looks at.
        let registry = format!("{text}\nregistry={}\n", config.registry_for(""));
        Ok(Self { program, registry, variables })
    }

    /// Installs what the lock has, with its hashes, from an empty cache and without any script. The platform is
    /// fixed: a bundle must not depend on the machine that made it.
    pub(super) fn install(
        &self,
        workshop: &Workshop,
        advice: LockAdvice<'_>,
    ) -> Result<(), OpsError> {
        workshop.make("home")?;
        workshop.write("home/.npmrc", &self.registry)?;
        let mut command = self.command(workshop, "install")?;
        command
            .args(["--frozen-lockfile", "--ignore-scripts", "--production", "--omit=dev"])
            .args(["--linker=hoisted", "--backend=copyfile", "--os=linux", "--cpu=x64"])
            .args(["--no-env-file", "--no-progress", "--no-summary"])
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        let output = self.run(command, workshop)?;
        if output.status.success() {
            return Ok(());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        if text.contains(FROZEN) {
            let note = text.lines().find_map(|line| line.strip_prefix("note: "));
            let difference = note.unwrap_or("bun would change it").to_owned();
            return Err(BundleError::StaleLock { difference, next: advice.next() }.into());
        }
        let stderr = Stderr::of(&text);
        Err(BundleError::InstallFailed { stderr }.into())
    }

    /// Bundles the entry with everything that it imports; gives the files that came out by their names.
    pub(super) fn build(
        &self,
        workshop: &Workshop,
        entry: &ArtifactPath,
    ) -> Result<BTreeMap<String, Vec<u8>>, OpsError> {
        let out = workshop.make("out")?;
        let list = workshop.write("inputs.json", "")?;
        let settings = settings_file(workshop)?;
        let mut command = self.command(workshop, "build")?;
        command
            // Macros are code that runs while a bundle is made.
            .arg("--no-macros")
            .args(["--target=bun", "--root=.", "--env=disable"])
            .arg("--entry-naming=[name].facet.[ext]")
            .arg("--asset-naming=[name]-[hash].facet.[ext]")
            .arg(format!("--banner={BANNER}"))
            .args(["--define=__dirname=$facet_dirname", "--define=__filename=$facet_filename"])
            .arg(path_option("--tsconfig-override=", &settings))
            .arg(path_option("--outdir=", &out))
            .arg(path_option("--metafile=", &list))
            .arg(format!("./{entry}"));
        let output = self.run(command, workshop)?;
        let name = entry.as_str().rsplit('/').next().unwrap_or_default();
        let outputs = take_outputs(&out)?;
        if !output.status.success() || !outputs.contains_key(&output_name(name)) {
            let stderr = Stderr::of(&String::from_utf8_lossy(&output.stderr));
            return Err(BundleError::BundleFailed { entry: entry.to_string(), stderr }.into());
        }
        refuse_outside(&read_file(&list)?)?;
        Ok(outputs)
    }

    /// A command of bun that reads no setting of the user, of the server, or of the machine.
    fn command(&self, workshop: &Workshop, verb: &str) -> Result<Command, OpsError> {
        let config = workshop.write("bunfig.toml", "")?;
        let mut command = Command::new(&self.program);
        command
            .arg(verb)
            .arg(path_option("--config=", &config))
            .env_clear()
            .env("HOME", workshop.make("home")?)
            .env("BUN_INSTALL_CACHE_DIR", workshop.make("cache")?)
            .env("BUN_TMPDIR", workshop.make("tmp")?)
            // Packages choose their code by it, and bun writes its value into the bundle.
            .env("NODE_ENV", "production")
            .env("DO_NOT_TRACK", "1")
            .env("NO_COLOR", "1")
            .current_dir(workshop.source())
            .stdin(Stdio::null());
        Ok(command)
    }

    fn run(&self, mut command: Command, workshop: &Workshop) -> Result<Output, OpsError> {
        let output = command.output().map_err(failed(&self.program))?;
        if !output.status.success() && says_full(&String::from_utf8_lossy(&output.stderr)) {
            let source = io::ErrorKind::StorageFull.into();
            return Err(StoreError::of_write(workshop.source(), source).into());
        }
        Ok(output)
    }
}

/// Whether bun failed for want of space.
fn says_full(stderr: &str) -> bool {
    FULL.iter().any(|words| stderr.contains(words))
}

fn path_option(option: &str, path: &Path) -> OsString {
    let mut whole = OsString::from(option);
    whole.push(path);
    whole
}

/// Variables that an `.npmrc` refers to as `${NAME}` or `${NAME?}`.
fn referenced(npmrc: &str) -> impl Iterator<Item = &str> {
    npmrc.split("${").skip(1).filter_map(|rest| {
        let (name, _) = rest.split_once('}')?;
        Some(name.trim_end_matches('?'))
    })
}

/// Reads the files that came out, and leaves an empty directory for the next time.
fn take_outputs(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, OpsError> {
    let mut outputs = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed(folder))? {
        let path = entry.map_err(failed(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        outputs.insert(name, read_file(&path)?);
        fs::remove_file(&path).map_err(failed(&path))?;
    }
    Ok(outputs)
}

/// bun also looks for packages in the directories above the server, which are not locked.
fn refuse_outside(list: &[u8]) -> Result<(), OpsError> {
    let unreadable =
        |problem: String| BundleError::Document { file: "the list of bundled files", problem };
    let list = parse(list, Provenance::Captured, LIST_LIMITS)
        .map_err(|error| unreadable(error.to_string()))?;
    let Some(Value::Object(inputs)) = list.member("inputs") else {
        return Err(unreadable("no inputs".to_owned()).into());
    };
    let is_outside = |path: &str| path.starts_with("..") || path.starts_with('/');
    match inputs.members().iter().find(|input| is_outside(&input.name)) {
        Some(input) => Err(BundleError::Outside { path: input.name.to_string() }.into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    #[test]
    fn a_bundle_is_named_after_its_entry() {
        for (entry, bundle) in
            [("index.ts", "index.facet.js"), ("a.b.mjs", "a.b.facet.js"), ("main", "main.facet.js")]
        {
            assert_eq!(output_name(entry), bundle);
        }
    }

    #[test]
    fn a_full_disk_is_told_from_other_failures_of_bun() {
        assert!(says_full("error: ENOSPC extracting tarball for is-odd\n"));
        assert!(says_full("error: NoSpaceLeft: failed to write file\n"));
        assert!(!says_full("error: GET https://registry.example/is-odd - 404\n"));
    }

    #[test]
    fn variables_of_an_npmrc_are_found() {
        let text = "//a.example/:_authToken=${TOKEN}\nb=${ONE}${TWO?}\nc=${open";
        assert_eq!(referenced(text).collect::<Vec<_>>(), ["TOKEN", "ONE", "TWO"]);
    }

    #[test]
    fn files_from_outside_are_refused() {
        let inside = br#"{"inputs":{"index.ts":{},"node_modules/a/index.js":{}}}"#;
        assert!(refuse_outside(inside).is_ok());
        for path in ["../node_modules/a/index.js", "/usr/lib/a.js"] {
            let list = format!(r#"{{"inputs":{{"index.ts":{{}},"{path}":{{}}}}}}"#);
            assert_eq!(refuse_outside(list.as_bytes()).unwrap_err().code(), "build-import-outside");
        }
    }
}
