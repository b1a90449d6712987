//! Commands such as `npx -y PACKAGE`: the package can be locked instead (spec 10.8).

use facets_closure::{CommandForm, PackageCommand, command_form};
use facets_model::{CommandOrigin, Origin, PackageOrigin, RuntimeChoice};

/// What a command is, where packages are concerned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockOffer {
    /// It runs a package that can be locked.
    Lockable {
        /// The package.
        package: PackageOrigin,
        /// What is different when it is locked.
        note: Option<&'static str>,
    },
    /// It runs a package that cannot be locked, for this reason.
    NotLockable(String),
    /// It runs something else.
    Other,
}

impl LockOffer {
    /// Of a command.
    #[must_use]
    pub fn of(command: &CommandOrigin) -> Self {
        let words: Vec<String> = command.words().map(str::to_owned).collect();
        match command_form(&words, &command.env) {
            CommandForm::Package(found) => Self::of_package(found, &command.env),
            CommandForm::NotLockable(reason) => Self::NotLockable(reason),
            CommandForm::Other => Self::Other,
        }
    }

    /// Of whatever is started.
    #[must_use]
    pub fn of_origin(origin: &Origin) -> Self {
        match origin {
            Origin::Command(command) => Self::of(command),
            Origin::Address(_) | Origin::SourceMode(_) | Origin::Package(_) => Self::Other,
        }
    }

    fn of_package(found: PackageCommand, env: &[String]) -> Self {
        let PackageCommand { package, with, program, args, python, note } = found;
        let runtime = match python.as_deref().map(python_choice) {
            None => None,
            Some(Some(choice)) => Some(choice),
            Some(None) => {
                let python = python.unwrap_or_default();
                return Self::NotLockable(format!("the Python `{python}` is no version 3.N"));
            }
        };
        let package = PackageOrigin { with, program, runtime, args, ..PackageOrigin::of(package) };
        Self::Lockable { package: package.with_variables(env.to_vec()), note }
    }
}

/// `3.12` and `python3.12` name a minor version.
fn python_choice(text: &str) -> Option<RuntimeChoice> {
    let version = text.strip_prefix("python").unwrap_or(text);
    format!("python{version}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(words: &[&str]) -> LockOffer {
        let args = words[1..].iter().map(ToString::to_string).collect();
        LockOffer::of(&CommandOrigin::new(words[0].to_owned(), args, vec!["KEY".to_owned()]))
    }

    #[test]
    fn a_package_is_offered_with_its_arguments_and_variables() {
        let LockOffer::Lockable { package, .. } = offer(&["npx", "-y", "@s/a@1.0.0", "--x"]) else {
            panic!("it can be locked");
        };
        assert_eq!(package.package.to_string(), "npm:@s/a@1.0.0");
        assert_eq!((package.args, package.env), (vec!["--x".to_owned()], vec!["KEY".to_owned()]));
        let python = offer(&["uvx", "--python", "3.12", "mcp-server-git"]);
        let LockOffer::Lockable { package, .. } = python else { panic!("it can be locked") };
        assert_eq!(package.runtime, Some(RuntimeChoice::Python { minor: 12 }));
        assert_eq!(offer(&["node", "server.js"]), LockOffer::Other);
        assert!(matches!(offer(&["npx", "-c", "a | b"]), LockOffer::NotLockable(_)));
    }
}
