//! The levels of pip's configuration, merged.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use facets_files::FileError;

use super::ini::Ini;
use crate::error::FetchError;
use crate::machine::Machine;

/// What a file is called in its folder.
const PIP_CONF: &str = "pip.conf";

/// The sections that matter here, those that win last.
const SECTIONS: [&str; 3] = ["global", "download", "install"];

/// A value, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// The value, which may hold a password.
    pub(super) text: String,
    /// The file with its line, or the variable.
    pub(super) place: String,
}

impl Placed {
    /// The error about this value; `problem` does not quote it.
    pub(super) fn refused(&self, problem: impl Into<String>) -> FetchError {
        FetchError::Config { place: self.place.clone(), problem: problem.into() }
    }
}

/// Every setting of every level.
#[derive(Clone, Debug, Default)]
pub(super) struct PipSettings {
    sections: [BTreeMap<String, Placed>; SECTIONS.len()],
    environment: BTreeMap<String, Placed>,
    /// Files that are not used, in words for the user.
    pub(super) ignored: Vec<String>,
}

impl PipSettings {
    /// Reads the files below `etc`, those of the user and of the virtual environment, and the variables.
    pub(super) fn read(machine: &Machine, etc: &Path) -> Result<Self, FetchError> {
        let mut settings = Self::default();
        for path in files(machine, etc) {
            settings.read_file(machine, &path)?;
        }
        for (name, value) in &machine.variables {
            let Some(key) = name.strip_prefix("PIP_") else { continue };
            let placed = Placed { text: value.trim().to_owned(), place: name.clone() };
            settings.environment.insert(normalized_key(key), placed);
        }
        Ok(settings)
    }

    /// The settings of one text alone. Errors name it by `path`.
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, FetchError> {
        let mut settings = Self::default();
        settings.add(text, path)?;
        Ok(settings)
    }

    /// The value that wins. As in pip an empty one of a higher level uncovers that of another section.
    pub(super) fn get(&self, key: &str) -> Option<&Placed> {
        let sections = self.sections.iter().rev();
        let all = std::iter::once(&self.environment).chain(sections);
        all.filter_map(|section| section.get(key)).find(|placed| !placed.text.is_empty())
    }

    fn read_file(&mut self, machine: &Machine, path: &Path) -> Result<(), FetchError> {
        let text = match machine.read(path) {
            // pip passes over what it may not read.
            Err(FetchError::File(FileError::Unreadable { source, .. }))
                if source.kind() == io::ErrorKind::PermissionDenied =>
            {
                self.ignored
                    .push(format!("cannot read {}; its settings are not used", path.display()));
                return Ok(());
            }
            other => other?,
        };
        match text {
            Some(text) => self.add(&text, path),
            None => Ok(()),
        }
    }

    fn add(&mut self, text: &str, path: &Path) -> Result<(), FetchError> {
        let ini = Ini::parse(text).map_err(|error| FetchError::Config {
            place: format!("{}:{}", path.display(), error.line),
            problem: error.problem.to_owned(),
        })?;
        for (settings, section) in self.sections.iter_mut().zip(SECTIONS) {
            for setting in ini.section(section) {
                let place = format!("{}:{}", path.display(), setting.line);
                let placed = Placed { text: setting.value.clone(), place };
                settings.insert(normalized_key(&setting.key), placed);
            }
        }
        Ok(())
    }
}

/// The files in the order in which they are read, those that win last.
fn files(machine: &Machine, etc: &Path) -> Vec<PathBuf> {
    let chosen = machine.variable("PIP_CONFIG_FILE");
    if chosen == Some("/dev/null") {
        return Vec::new();
    }
    let chosen = chosen.map(|path| machine.directory.join(path));
    let mut files = global_files(machine, etc);
    // As in pip: a chosen file that exists stands in for those of the user.
    if !chosen.as_deref().is_some_and(Path::exists) {
        files.extend(user_files(machine));
    }
    files.extend(environment(machine).map(|prefix| prefix.join(PIP_CONF)));
    files.extend(chosen);
    files
}

/// The virtual environment that pip belongs to: the active one, else that of the first `pip` on `PATH`.
fn environment(machine: &Machine) -> Option<PathBuf> {
    if let Some(prefix) = machine.variable("VIRTUAL_ENV") {
        return Some(machine.directory.join(prefix));
    }
    let pip = program(machine, "pip").or_else(|| program(machine, "pip3"))?;
    // Through a link pip still runs in the environment that it was installed in.
    let prefix = pip.canonicalize().ok()?.parent()?.parent()?.to_owned();
    prefix.join("pyvenv.cfg").is_file().then_some(prefix)
}

fn program(machine: &Machine, name: &str) -> Option<PathBuf> {
    let mut folders = std::env::split_paths(machine.variable("PATH")?);
    folders.find_map(|folder| {
        let path = machine.directory.join(folder).join(name);
        is_program(&path).then_some(path)
    })
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

fn global_files(machine: &Machine, etc: &Path) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = match machine.variable("XDG_CONFIG_DIRS") {
        Some(folders) => {
            let folders = folders.split(':').filter(|folder| !folder.is_empty());
            folders.map(|folder| machine.directory.join(folder)).collect()
        }
        None => vec![etc.join("xdg")],
    };
    let mut files: Vec<PathBuf> =
        folders.into_iter().map(|folder| folder.join("pip").join(PIP_CONF)).collect();
    files.push(etc.join(PIP_CONF));
    files
}

fn user_files(machine: &Machine) -> Vec<PathBuf> {
    let home = machine.home.as_deref();
    let legacy = home.map(|home| home.join(".pip").join(PIP_CONF));
    let folder = match machine.variable("XDG_CONFIG_HOME") {
        Some(folder) => Some(machine.directory.join(folder)),
        None => home.map(|home| home.join(".config")),
    };
    let modern = folder.map(|folder| folder.join("pip").join(PIP_CONF));
    legacy.into_iter().chain(modern).collect()
}

/// One spelling for `index-url`, `INDEX_URL`, `--index-url` and its other name `pypi-url`.
fn normalized_key(key: &str) -> String {
    let key = key.to_lowercase().replace('_', "-");
    let key = key.strip_prefix("--").unwrap_or(&key);
    if key == "pypi-url" { "index-url".to_owned() } else { key.to_owned() }
}

/// A path as pip takes it: `~` is the home of the user, and others begin where pip is started.
pub(super) fn expanded(machine: &Machine, text: &str) -> PathBuf {
    let below_home = if text == "~" { Some("") } else { text.strip_prefix("~/") };
    match (below_home, &machine.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => machine.directory.join(text),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use tempfile::TempDir;

    use super::*;

    struct Computer {
        folder: TempDir,
        machine: Machine,
    }

    impl Computer {
        fn new() -> Self {
            let folder = TempDir::new().unwrap();
            let root = folder.path();
            let machine = Machine {
                home: Some(root.join("home")),
                directory: root.join("work"),
                ..Machine::default()
            };
            Self { folder, machine }
        }

        fn set(&mut self, name: &str, value: &str) {
            self.machine.variables.insert(name.to_owned(), value.to_owned());
        }

        fn write(&self, path: &str, text: &str) -> String {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        }

        fn get(&self, key: &str) -> Option<String> {
            let settings =
                PipSettings::read(&self.machine, &self.folder.path().join("etc")).unwrap();
            settings.get(key).map(|placed| placed.text.clone())
        }
    }

    #[test]
    fn each_level_wins_over_the_ones_before_it() {
        let mut computer = Computer::new();
        assert_eq!(computer.get("index-url"), None);
        let level = |value: &str| format!("[global]\nindex-url = {value}\n");
        for path in [
            "etc/xdg/pip/pip.conf",
            "etc/pip.conf",
            "home/.pip/pip.conf",
            "home/.config/pip/pip.conf",
        ] {
            computer.write(path, &level(path));
            assert_eq!(computer.get("index-url").as_deref(), Some(path));
        }
        let site = computer.write("venv/pip.conf", &level("site"));
        computer.set("VIRTUAL_ENV", site.strip_suffix("/pip.conf").unwrap());
        assert_eq!(computer.get("index-url").as_deref(), Some("site"));
        let chosen = computer.write("chosen.conf", &level("chosen"));
        computer.set("PIP_CONFIG_FILE", &chosen);
        assert_eq!(computer.get("index-url").as_deref(), Some("chosen"));
        computer.set("PIP_INDEX_URL", "variable");
        assert_eq!(computer.get("index-url").as_deref(), Some("variable"));
        computer.set("PIP_INDEX_URL", "");
        computer.set("PIP_CONFIG_FILE", "/dev/null");
        assert_eq!(computer.get("index-url"), None);
    }

    #[test]
    fn a_chosen_file_stands_in_for_those_of_the_user_if_it_exists() {
        let mut computer = Computer::new();
        computer.write("home/.config/pip/pip.conf", "[global]\nproxy = user\n");
        computer.write("etc/pip.conf", "[global]\ncert = global\n");
        computer.set("PIP_CONFIG_FILE", "absent.conf");
        assert_eq!(computer.get("proxy").as_deref(), Some("user"));
        computer.write("work/absent.conf", "[global]\nindex-url = chosen\n");
        assert_eq!(computer.get("proxy"), None);
        assert_eq!(computer.get("cert").as_deref(), Some("global"));
        assert_eq!(computer.get("index-url").as_deref(), Some("chosen"));
    }

    #[test]
    fn the_first_pip_on_the_path_names_its_virtual_environment() {
        use std::os::unix::fs::PermissionsExt as _;
        let mut computer = Computer::new();
        for environment in ["one", "two"] {
            let conf = format!("[global]\nproxy = {environment}\n");
            computer.write(&format!("{environment}/pip.conf"), &conf);
            computer.write(&format!("{environment}/pyvenv.cfg"), "");
            let program = computer.write(&format!("{environment}/bin/pip"), "");
            fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
        }
        computer.write("bin/pip", "not a program");
        let root = computer.folder.path().display().to_string();
        computer.set("PATH", &format!("{root}/bin:{root}/absent:{root}/two/bin:{root}/one/bin"));
        assert_eq!(computer.get("proxy").as_deref(), Some("two"));
        computer.set("VIRTUAL_ENV", &format!("{root}/one"));
        assert_eq!(computer.get("proxy").as_deref(), Some("one"));
        computer.set("VIRTUAL_ENV", "");
        fs::remove_file(format!("{root}/two/pyvenv.cfg")).unwrap();
        assert_eq!(computer.get("proxy"), None);
    }

    #[test]
    fn folders_of_the_environment_are_searched_instead() {
        let mut computer = Computer::new();
        computer.write("home/.config/pip/pip.conf", "[global]\nproxy = home\n");
        let file = computer.write("elsewhere/pip/pip.conf", "[global]\nproxy = elsewhere\n");
        computer.set("XDG_CONFIG_HOME", file.strip_suffix("/pip/pip.conf").unwrap());
        assert_eq!(computer.get("proxy").as_deref(), Some("elsewhere"));
        computer.write("one/pip/pip.conf", "[global]\ncert = one\n");
        computer.write("two/pip/pip.conf", "[global]\ncert = two\n");
        let root = computer.folder.path().display().to_string();
        computer.set("XDG_CONFIG_DIRS", &format!("{root}/one::{root}/two"));
        assert_eq!(computer.get("cert").as_deref(), Some("two"));
    }

    #[test]
    fn a_section_of_a_command_wins_over_the_global_one_of_any_file() {
        let computer = Computer::new();
        computer.write("etc/pip.conf", "[install]\nIndex_URL = install\n[list]\nproxy = no\n");
        computer.write(
            "home/.pip/pip.conf",
            "[global]\n--index-url = global\ncert = a\n[download]\ncert = b\n",
        );
        assert_eq!(computer.get("index-url").as_deref(), Some("install"));
        assert_eq!(computer.get("cert").as_deref(), Some("b"));
        assert_eq!(computer.get("proxy"), None);
    }

    #[test]
    fn an_empty_value_uncovers_that_of_another_section() {
        let computer = Computer::new();
        computer.write("etc/pip.conf", "[global]\npypi-url = a\n[install]\nindex-url = b\n");
        assert_eq!(computer.get("index-url").as_deref(), Some("b"));
        computer.write("home/.pip/pip.conf", "[install]\nindex-url =\n");
        assert_eq!(computer.get("index-url").as_deref(), Some("a"));
    }

    #[test]
    fn errors_name_file_and_line_and_no_value() {
        let computer = Computer::new();
        let path = computer.write("etc/pip.conf", "[global]\nhttps-with-hunter2\n");
        let etc = computer.folder.path().join("etc");
        let error = PipSettings::read(&computer.machine, &etc).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{path}:2: ")), "{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
}
