//! Where the value of a setting comes from: a flag before a variable, a variable before the file, the file
//! before the default.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use facets_failure::LineColumn;

use super::file::ConfigFile;
use super::table::Setting;
use crate::error::ProgramError;

/// What gave a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GivenBy {
    Flag,
    Environment,
    File { path: PathBuf, place: LineColumn },
    Default,
}

impl GivenBy {
    /// The larger wins.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::Flag => 3,
            Self::Environment => 2,
            Self::File { .. } => 1,
            Self::Default => 0,
        }
    }
}

/// A value, and what gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenValue {
    pub(crate) text: String,
    pub(crate) by: GivenBy,
}

/// The environment of the process, or what a test takes for it.
pub(crate) type Environment<'e> = &'e dyn Fn(&str) -> Option<OsString>;

/// All that was given.
pub(crate) struct Sources<'e> {
    flags: Vec<(&'static str, String)>,
    environment: Environment<'e>,
    file: Option<ConfigFile>,
}

impl<'e> Sources<'e> {
    /// Reads the configuration file too, if one is named.
    pub(crate) fn new(
        flags: Vec<(&'static str, String)>,
        config: Option<&Path>,
        environment: Environment<'e>,
    ) -> Result<Self, ProgramError> {
        let named = config.map(Path::to_owned);
        let named =
            named.or_else(|| variable(environment, "FACET_REGISTRY_CONFIG").map(PathBuf::from));
        let file = named.map(|path| ConfigFile::read(&path)).transpose()?;
        Ok(Self { flags, environment, file })
    }

    /// A variable that is not a setting; empty is not set.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        variable(self.environment, name)
    }

    /// The value of a setting, if there is any.
    pub(crate) fn find(&self, name: &'static str) -> Result<Option<GivenValue>, ProgramError> {
        if let Some((_, text)) = self.flags.iter().find(|(flag, _)| *flag == name) {
            return Ok(Some(GivenValue { text: text.clone(), by: GivenBy::Flag }));
        }
        let Some(setting) = Setting::find(name) else { return Ok(None) };
        let variable = setting.variable();
        let is_empty = (self.environment)(&variable).is_some_and(|text| text.is_empty());
        if is_empty && setting.is_switch() {
            return Err(invalid(setting, "nothing", &GivenBy::Environment));
        }
        if let Some(text) = self.variable(&variable) {
            let by = GivenBy::Environment;
            let text = text.into_string().map_err(|_| invalid(setting, "not UTF-8", &by))?;
            return Ok(Some(GivenValue { text, by }));
        }
        if let Some(file) = &self.file
            && let Some(entry) = file.get(name)
        {
            let by = GivenBy::File { path: file.path.clone(), place: entry.place };
            return Ok(Some(GivenValue { text: entry.value.clone(), by }));
        }
        let default = setting.default.map(str::to_owned);
        Ok(default.map(|text| GivenValue { text, by: GivenBy::Default }))
    }

    /// The value of a setting that has a default, understood.
    pub(crate) fn read<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, ProgramError> {
        self.read_optional(name, parse)?.ok_or(ProgramError::Internal)
    }

    /// The value of a setting, understood.
    pub(crate) fn read_optional<T>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ProgramError> {
        let Some(GivenValue { text, by }) = self.find(name)? else { return Ok(None) };
        match (parse(&text), Setting::find(name)) {
            (Some(value), _) => Ok(Some(value)),
            (None, Some(setting)) => Err(invalid(setting, &text, &by)),
            (None, None) => Err(ProgramError::Internal),
        }
    }

    /// Which of two settings that exclude each other is to be used.
    pub(crate) fn find_either(
        &self,
        names: [&'static str; 2],
    ) -> Result<[Option<GivenValue>; 2], ProgramError> {
        let [first, second] = names;
        let (left, right) = (self.find(first)?, self.find(second)?);
        let (Some(left), Some(right)) = (&left, &right) else { return Ok([left, right]) };
        match left.by.rank().cmp(&right.by.rank()) {
            std::cmp::Ordering::Greater => Ok([Some(left.clone()), None]),
            std::cmp::Ordering::Less => Ok([None, Some(right.clone())]),
            std::cmp::Ordering::Equal => Err(ProgramError::SettingsConflict {
                first,
                second,
                reason: "one of the two is enough",
            }),
        }
    }
}

fn variable(environment: Environment<'_>, name: &str) -> Option<OsString> {
    environment(name).filter(|value| !value.is_empty())
}

fn invalid(setting: &Setting, text: &str, by: &GivenBy) -> ProgramError {
    // The address of a database has its password in it.
    let actual = if setting.name == "database" { "something else" } else { text };
    let given_by = match by {
        GivenBy::Flag | GivenBy::Default | GivenBy::File { .. } => format!("--{}", setting.name),
        GivenBy::Environment => setting.variable(),
    };
    let file = match by {
        GivenBy::File { path, place } => Some((path.clone(), *place)),
        _ => None,
    };
    ProgramError::InvalidSetting {
        name: given_by,
        expected: setting.expected.to_owned(),
        actual: actual.to_owned(),
        file,
        command: "serve",
    }
}

#[cfg(test)]
mod tests {
    use facets_failure::Describe as _;

    use super::*;

    fn environment(name: &str) -> Option<OsString> {
        match name {
            "FACET_REGISTRY_LISTEN" => Some("0.0.0.0:2".into()),
            "FACET_REGISTRY_READ_RATE" => Some("2".into()),
            "FACET_REGISTRY_WRITE_RATE" => Some("".into()),
            _ => None,
        }
    }

    fn sources(file: &str) -> Sources<'static> {
        let file = ConfigFile::parse(Path::new("registry.toml"), file).unwrap();
        let flags = vec![("listen", "0.0.0.0:1".to_owned())];
        Sources { flags, environment: &environment, file: Some(file) }
    }

    #[test]
    fn flags_come_before_variables_before_the_file_before_defaults() {
        let sources = sources("listen = \"x\"\nread-rate = 3\nwrite-rate = 4\n");
        let text = |name| sources.find(name).unwrap().map(|given| given.text);
        assert_eq!(text("listen").as_deref(), Some("0.0.0.0:1"));
        assert_eq!(text("read-rate").as_deref(), Some("2"));
        assert_eq!(text("write-rate").as_deref(), Some("4"), "an empty variable is not set");
        assert_eq!(text("connections").as_deref(), Some("4096"));
        assert_eq!(text("blobs"), None);
    }

    #[test]
    fn an_empty_variable_of_a_switch_is_neither_true_nor_false() {
        let environment =
            |name: &str| (name == "FACET_REGISTRY_PRIVATE").then(|| OsString::from(""));
        let sources = Sources { flags: Vec::new(), environment: &environment, file: None };
        let error = sources.find("private").unwrap_err();
        assert_eq!(error.code(), "setting-invalid");
        assert_eq!(error.expected().as_deref(), Some("true or false"));
        assert!(sources.find("trust-proxy").is_ok());
    }

    #[test]
    fn a_value_that_cannot_be_is_refused_with_its_place() {
        let sources = sources("\nconnections = 0\nthreads = \"x\"\n");
        let error = sources.read("connections", super::super::values::parse_count).unwrap_err();
        assert_eq!(error.code(), "setting-invalid");
        assert_eq!(error.place(), Some(LineColumn { line: 2, column: 1 }));
        assert_eq!(error.actual().as_deref(), Some("0"));
    }

    #[test]
    fn the_nearer_of_two_that_exclude_each_other_wins() {
        let none = |_: &str| None::<OsString>;
        let file = ConfigFile::parse(Path::new("f"), "database = \"postgres://a\"\n").unwrap();
        let flags = vec![("database-file", "f".to_owned())];
        let near = Sources { flags, environment: &none, file: Some(file.clone()) };
        let [url, named] = near.find_either(["database", "database-file"]).unwrap();
        assert!(url.is_none() && named.is_some());
        let text = "database = \"postgres://a\"\ndatabase-file = \"f\"\n";
        let file = ConfigFile::parse(Path::new("f"), text).unwrap();
        let both = Sources { flags: Vec::new(), environment: &none, file: Some(file) };
        let error = both.find_either(["database", "database-file"]).unwrap_err();
        assert_eq!(error.code(), "settings-conflict");
    }

    #[test]
    fn the_password_of_a_database_is_not_shown() {
        let flags = vec![("database", "mysql://user:secret@host".to_owned())];
        let none = |_: &str| None::<OsString>;
        let sources = Sources { flags, environment: &none, file: None };
        let error = sources.read_optional("database", |_| None::<()>).unwrap_err();
        assert!(!format!("{error:?} {:?}", error.describe()).contains("secret"));
    }
}
