//! Where npm finds its settings, from the weakest level to the strongest.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::FetchError;
use crate::machine::Machine;

use super::npmrc::{self, NpmSettings, Setting};
use super::workspace::project_folder;

const VARIABLE: &str = "npm_config_";
/// Bytes of one variable with those inside of it replaced.
const MAX_VARIABLE: usize = 1 << 20;

/// Every setting, as the strongest level has it: npm's own file, the file of the machine, that of
/// the user, that of the project, the environment.
pub(super) fn read_settings(machine: &Machine) -> Result<NpmSettings, FetchError> {
    let environment = environment(machine)?;
    let builtin = read_file(machine, builtin_file(machine).as_deref())?;

    let home_file = machine.home.as_ref().map(|home| home.join(".npmrc"));
    let user_file = path_of(machine, environment.get("userconfig")).or(home_file);
    let user = read_file(machine, user_file.as_deref())?;

    let project_file = project_file(machine, &environment)?
        .filter(|file| !user_file.as_deref().is_some_and(|user| is_same_file(user, file)));
    let project = read_file(machine, project_file.as_deref())?;

    let global_file = global_file(machine, [&environment, &user, &builtin]);
    let global = read_file(machine, global_file.as_deref())?;

    Ok(merged([builtin, global, user, project, environment]))
}

/// Settings of several levels as one, those of the strongest last.
pub(super) fn merged<const N: usize>(levels: [NpmSettings; N]) -> NpmSettings {
    let mut all = NpmSettings::new();
    for level in levels {
        // npm drops a registry that is no address, and the weaker level shows again.
        all.extend(
            level
                .into_iter()
                .filter(|(name, setting)| name != "registry" || setting.text().is_some()),
        );
    }
    all
}

fn read_file(machine: &Machine, file: Option<&Path>) -> Result<NpmSettings, FetchError> {
    // The usual way to have no file at all is no regular one.
    let Some(file) = file.filter(|file| *file != Path::new("/dev/null")) else {
        return Ok(NpmSettings::new());
    };
    match machine.read(file)? {
        Some(text) => npmrc::parse(&text, file, &machine.variables),
        None => Ok(NpmSettings::new()),
    }
}

fn environment(machine: &Machine) -> Result<NpmSettings, FetchError> {
    let mut settings = NpmSettings::new();
    for (variable, value) in &machine.variables {
        let Some(name) = setting_name(variable).filter(|_| !value.is_empty()) else { continue };
        let mut setting = Setting { values: Vec::new(), place: variable.clone() };
        let expanded = npmrc::expand(value.trim(), &machine.variables, MAX_VARIABLE);
        let expanded = expanded.ok_or_else(|| setting.refused("expands to too many bytes"))?;
        setting.values.push(expanded);
        // npm takes the last one of the environment, whose order is not known here.
        if let Some(other) = settings.get(&name).filter(|other| other.values != setting.values) {
            let problem = format!("{} has another value for the same setting", other.place);
            return Err(setting.refused(problem));
        }
        settings.insert(name, setting);
    }
    Ok(settings)
}

/// `NPM_CONFIG_HTTPS_PROXY` is `https-proxy`; what begins with `//` stays as it is.
fn setting_name(variable: &str) -> Option<String> {
    let (prefix, name) = variable.split_at_checked(VARIABLE.len())?;
    if !prefix.eq_ignore_ascii_case(VARIABLE) || name.is_empty() {
        return None;
    }
    if name.starts_with("//") {
        return Some(name.to_owned());
    }
    let dashed = name.char_indices().map(|(at, c)| if c == '_' && at > 0 { '-' } else { c });
    Some(dashed.collect::<String>().to_lowercase())
}

/// `~/` is the home, and what is relative is so to the directory of the start.
pub(super) fn resolve(machine: &Machine, path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), &machine.home) {
        (Some(inside), Some(home)) => home.join(inside),
        _ => machine.directory.join(path),
    }
}

fn path_of(machine: &Machine, setting: Option<&Setting>) -> Option<PathBuf> {
    Some(resolve(machine, setting?.text()?))
}

/// In the folder that npm takes for the project, unless only global settings are asked for.
fn project_file(
    machine: &Machine,
    environment: &NpmSettings,
) -> Result<Option<PathBuf>, FetchError> {
    let says = |name: &str, word: &str| {
        environment.get(name).is_some_and(|setting| setting.last() == word)
    };
    if says("global", "true") || says("location", "global") {
        return Ok(None);
    }
    Ok(Some(project_folder(machine)?.join(".npmrc")))
}

fn is_same_file(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|one| real(other) == Some(one))
}

fn global_file(machine: &Machine, levels: [&NpmSettings; 3]) -> Option<PathBuf> {
    let named = |name: &str| path_of(machine, levels.into_iter().find_map(|level| level.get(name)));
    named("globalconfig").or_else(|| {
        let prefix = named("prefix").or_else(|| default_prefix(machine))?;
        Some(prefix.join("etc/npmrc"))
    })
}

/// `/usr/local` for `/usr/local/bin/node`.
fn default_prefix(machine: &Machine) -> Option<PathBuf> {
    if let Some(prefix) = machine.variable("PREFIX") {
        return Some(resolve(machine, prefix));
    }
    let node = on_path(machine, "node").and_then(|node| fs::canonicalize(node).ok());
    let program = node.or_else(|| on_path(machine, "npm"))?;
    Some(program.parent()?.parent()?.to_owned())
}

/// Packagers put their settings beside npm: `…/npm/npmrc` for `…/npm/bin/npm-cli.js`.
fn builtin_file(machine: &Machine) -> Option<PathBuf> {
    let program = fs::canonicalize(on_path(machine, "npm")?).ok()?;
    let is_npm = program.file_name().is_some_and(|name| name == "npm-cli.js");
    is_npm.then(|| Some(program.parent()?.parent()?.join("npmrc"))).flatten()
}

fn on_path(machine: &Machine, program: &str) -> Option<PathBuf> {
    let folders = std::env::split_paths(machine.variable("PATH")?);
    let folders = folders.filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(program)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn machine(root: &Path, variables: &[(&str, &str)]) -> Machine {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Machine {
            variables: variables.iter().map(owned).collect(),
            home: Some(root.join("home")),
            directory: root.join("project/inner"),
        }
    }

    fn values(machine: &Machine, name: &str) -> Option<String> {
        let settings = read_settings(machine).map_err(|error| error.to_string()).unwrap();
        settings.get(name).map(|setting| setting.values.join("|"))
    }

    #[test]
    fn each_level_is_stronger_than_the_one_before() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let real = root.join("node/lib/npm/bin/npm-cli.js");
        write(&real, "");
        write(&root.join("node/bin/node"), "");
        symlink(&real, root.join("node/bin/npm")).unwrap();
        fs::create_dir_all(root.join("project/inner")).unwrap();
        write(&root.join("project/package.json"), "{}");
        let path = root.join("node/bin");
        let mut machine = machine(root, &[("PATH", path.to_str().unwrap())]);
        assert_eq!(values(&machine, "registry"), None);
        for (level, file) in [
            ("builtin", "node/lib/npm/npmrc"),
            ("global", "node/etc/npmrc"),
            ("user", "home/.npmrc"),
            ("project", "project/.npmrc"),
        ] {
            write(&root.join(file), &format!("registry={level}\n{level}=1\n"));
            assert_eq!(values(&machine, "registry").as_deref(), Some(level));
        }
        machine.variables.insert("NPM_Config_registry".into(), "environment".into());
        assert_eq!(values(&machine, "registry").as_deref(), Some("environment"));
        assert_eq!(values(&machine, "builtin").as_deref(), Some("1"));
        machine.variables.insert("NPM_Config_registry".into(), "null".into());
        assert_eq!(values(&machine, "registry").as_deref(), Some("project"));
        machine.variables.insert("npm_config_global".into(), "true".into());
        assert_eq!(values(&machine, "registry").as_deref(), Some("user"));
    }

    #[test]
    fn the_place_of_a_file_can_be_set() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(&root.join("home/.npmrc"), "a=home\nprefix=~/prefix");
        write(&root.join("home/prefix/etc/npmrc"), "b=by user");
        write(&root.join("other/etc/npmrc"), "b=by variable");
        write(&root.join("other/npmrc"), "a=other\n");
        let other = root.join("other");
        let other = other.to_str().unwrap();
        let file = format!("{other}/npmrc");
        for (variables, a, b) in [
            (vec![], Some("home"), Some("by user")),
            (vec![("npm_config_prefix", other)], Some("home"), Some("by variable")),
            (vec![("NPM_CONFIG_PREFIX", other)], Some("home"), Some("by variable")),
            (vec![("PREFIX", other)], Some("home"), Some("by user")),
            (vec![("NPM_CONFIG_USERCONFIG", &*file)], Some("other"), None),
            (
                vec![("npm_config_userconfig", &*file), ("PREFIX", other)],
                Some("other"),
                Some("by variable"),
            ),
            (vec![("npm_config_userconfig", "/dev/null")], None, None),
            (
                vec![("npm_config_globalconfig", "../../other/etc/npmrc")],
                Some("home"),
                Some("by variable"),
            ),
        ] {
            let machine = machine(root, &variables);
            fs::create_dir_all(&machine.directory).unwrap();
            assert_eq!(values(&machine, "a").as_deref(), a, "{variables:?}");
            assert_eq!(values(&machine, "b").as_deref(), b, "{variables:?}");
        }
    }

    #[test]
    fn the_nearest_package_is_the_project_unless_it_is_the_home() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let mut machine = machine(root, &[]);
        write(&root.join("project/inner/.npmrc"), "a=inner");
        write(&root.join("project/.npmrc"), "a=outer");
        fs::create_dir_all(root.join("project/node_modules")).unwrap();
        assert_eq!(values(&machine, "a").as_deref(), Some("outer"));
        write(&root.join("project/inner/package.json"), "{}");
        assert_eq!(values(&machine, "a").as_deref(), Some("inner"));

        machine.home = Some(root.join("project/inner"));
        let settings = read_settings(&machine).map_err(|error| error.to_string()).unwrap();
        assert_eq!(settings.len(), 1);
        let project = root.join("project/inner/.npmrc");
        assert!(is_same_file(&project, &root.join("project/../project/inner/.npmrc")));
        assert!(!is_same_file(&project, &root.join("project/.npmrc")));
        machine.directory = "no-such-package".into();
        let none = project_file(&machine, &NpmSettings::new()).unwrap();
        assert_eq!(none.as_deref(), Some(Path::new("no-such-package/.npmrc")));
    }

    #[test]
    fn variables_name_settings_in_any_case() {
        for (variable, expected) in [
            ("npm_config_https_proxy", Some("https-proxy")),
            ("NPM_CONFIG_STRICT_SSL", Some("strict-ssl")),
            ("npm_config__auth", Some("_auth")),
            ("npm_config_//h/a_b/:_authToken", Some("//h/a_b/:_authToken")),
            ("NPM_CONFIG_@Scope:registry", Some("@scope:registry")),
            ("npm_config_", None),
            ("npm_confi", None),
            ("npm_confié", None),
            ("xnpm_config_registry", None),
        ] {
            assert_eq!(setting_name(variable).as_deref(), expected, "{variable}");
        }
        let machine = machine(
            Path::new("/nowhere"),
            &[
                ("NPM_CONFIG_A", "low-x-${Y}"),
                ("npm_config_a", "low-${X}-${Y}"),
                ("NPM_CONFIG_B", ""),
                ("npm_config_b", ""),
                ("X", "x"),
            ],
        );
        assert_eq!(values(&machine, "a").as_deref(), Some("low-x-${Y}"));
        assert_eq!(values(&machine, "b"), None);
    }

    #[test]
    fn two_spellings_of_a_variable_must_agree() {
        let registry = |upper, lower| {
            let variables = [("NPM_CONFIG_REGISTRY", upper), ("npm_config_registry", lower)];
            read_settings(&machine(Path::new("/nowhere"), &variables))
        };
        let refused = registry("https://a.example/?s3cret", "https://b.example/").err().unwrap();
        let expected =
            "npm_config_registry: NPM_CONFIG_REGISTRY has another value for the same setting";
        assert_eq!(refused.to_string(), expected);
        assert!(registry("https://a.example/", "https://a.example/").is_ok());
        assert!(registry("https://a.example/", "").is_ok());
    }

    #[test]
    fn a_workspace_has_the_settings_of_its_root() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let machine = machine(root, &[]);
        write(&root.join("project/package.json"), r#"{"workspaces": ["in*"]}"#);
        write(&root.join("project/.npmrc"), "a=root");
        write(&root.join("project/inner/package.json"), "{}");
        write(&root.join("project/inner/.npmrc"), "a=workspace");
        assert_eq!(values(&machine, "a").as_deref(), Some("root"));
        write(&root.join("project/package.json"), r#"{"workspaces": ["other"]}"#);
        assert_eq!(values(&machine, "a").as_deref(), Some("workspace"));
    }
}
