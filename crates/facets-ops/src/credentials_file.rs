//! The tokens of this user: `$FACET_DIR/credentials`, readable by this user alone.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use facets_files::{FileError, Placement, read_plain, write_atomically};
use facets_project::UserDirectory;
use facets_registry_client::{RegistryAddress, RegistryToken};

use crate::credentials_text::{CredentialsProblem, CredentialsText, NewSection};
use crate::error::{OpsError, PublishError};

/// The name that the reference gives the file.
const NAME: &str = "credentials";

/// What others than its owner may do with a file.
const OTHERS: u32 = 0o077;

/// More than anyone has registries for.
const MAX_FILE: u64 = 1 << 20;

/// The tokens of this user, as they were read.
#[derive(Debug)]
pub(crate) struct CredentialsFile {
    pub(crate) path: PathBuf,
    text: CredentialsText,
}

impl CredentialsFile {
    /// Reads the file; a file that does not exist has no tokens.
    pub(crate) fn of_person() -> Result<Self, OpsError> {
        Self::read(UserDirectory::of_person()?.file(NAME)?)
    }

    /// The same, in a directory that exists from now on.
    pub(crate) fn of_person_to_write() -> Result<Self, OpsError> {
        Self::read(UserDirectory::of_person()?.file_to_write(NAME)?)
    }

    fn read(path: PathBuf) -> Result<Self, OpsError> {
        require_private(&path)?;
        let Some(bytes) = read_plain(&path, MAX_FILE)? else {
            return Ok(Self { path, text: CredentialsText::default() });
        };
        let Ok(text) = std::str::from_utf8(&bytes) else {
            let problem = CredentialsProblem { line: 1, problem: "it is not UTF-8" };
            return Err(invalid(&path, &problem));
        };
        let text = CredentialsText::parse(text).map_err(|problem| invalid(&path, &problem))?;
        Ok(Self { path, text })
    }

    /// The token for a registry, and for no other.
    pub(crate) fn token(
        &self,
        registry: &RegistryAddress,
    ) -> Result<Option<RegistryToken>, OpsError> {
        self.text.token(registry).map_err(|problem| invalid(&self.path, &problem))
    }

    /// Stores the token for a registry.
    pub(crate) fn store(
        &mut self,
        registry: &RegistryAddress,
        token: &RegistryToken,
        new: NewSection,
    ) -> Result<(), OpsError> {
        let stored = self.text.set(registry, token, new);
        stored.map_err(|problem| invalid(&self.path, &problem))?;
        self.write()
    }

    /// Forgets the token for a registry; whether there was one.
    pub(crate) fn forget(&mut self, registry: &RegistryAddress) -> Result<bool, OpsError> {
        let forgotten = self.text.remove(registry);
        let was_there = forgotten.map_err(|problem| invalid(&self.path, &problem))?;
        if was_there {
            self.write()?;
        }
        Ok(was_there)
    }

    fn write(&self) -> Result<(), OpsError> {
        let placement = Placement::ReplaceFor { mode: Some(0o600) };
        Ok(write_atomically(&self.path, self.text.text().as_bytes(), placement)?)
    }
}

fn invalid(path: &Path, problem: &CredentialsProblem) -> OpsError {
    let CredentialsProblem { line, problem } = *problem;
    PublishError::CredentialsInvalid { path: path.to_owned(), line, problem }.into()
}

/// A token that others can read is theirs, too; one that others can write is sent where they want.
fn require_private(path: &Path) -> Result<(), OpsError> {
    let data = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(source) => {
            return Err(FileError::Unreadable { path: path.to_owned(), source }.into());
        }
        Ok(data) => data,
    };
    if data.is_symlink() {
        return Err(PublishError::CredentialsLink { path: path.to_owned() }.into());
    }
    let is_own = data.uid() == rustix::process::getuid().as_raw();
    if !data.is_file() || (is_own && data.mode() & OTHERS == 0) {
        // A directory is refused when it is read.
        return Ok(());
    }
    Err(PublishError::CredentialsExposed { path: path.to_owned(), mode: data.mode() }.into())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use facets_failure::Describe as _;

    use super::*;

    fn address() -> RegistryAddress {
        "http://127.0.0.1:8080".parse().unwrap()
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_stored_token_is_for_this_user_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        let mut file = CredentialsFile::read(path.clone()).unwrap();
        assert_eq!(file.token(&address()).unwrap(), None);
        file.store(&address(), &"one".parse().unwrap(), NewSection::Address).unwrap();
        assert_eq!(mode(&path), 0o600);
        let file = CredentialsFile::read(path.clone()).unwrap();
        assert_eq!(file.token(&address()).unwrap().unwrap().secret(), "one");
        assert!(CredentialsFile::read(path.clone()).unwrap().forget(&address()).unwrap());
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), mode(&path)), ("", 0o600));
        assert!(!CredentialsFile::read(path).unwrap().forget(&address()).unwrap());
    }

    #[test]
    fn a_file_that_others_can_read_is_refused_with_the_command_that_mends_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        fs::write(&path, "[default]\ntoken=secret\n").unwrap();
        for exposed in [0o640, 0o604, 0o660, 0o620] {
            fs::set_permissions(&path, fs::Permissions::from_mode(exposed)).unwrap();
            let error = CredentialsFile::read(path.clone()).unwrap_err();
            assert_eq!(error.code(), "credentials-exposed");
            assert_eq!(error.next(), format!("chmod 600 {}", path.display()));
            let failure = format!("{:?}", error.describe());
            assert!(!failure.contains("secret") && failure.contains(&format!("{exposed:o}")));
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(CredentialsFile::read(path).is_ok());
    }

    #[test]
    fn a_link_in_the_place_of_the_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join(NAME), folder.path().join("other"));
        fs::write(&other, "[default]\ntoken=secret\n").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        let failure = CredentialsFile::read(path).unwrap_err().describe();
        assert_eq!(failure.code, "file-not-regular");
        let actual = failure.actual.unwrap();
        assert!(actual.starts_with("a symbolic link") && !actual.contains("pipe"), "{actual}");
    }

    #[test]
    fn a_line_that_is_wrong_is_named_without_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(NAME);
        fs::write(&path, "[default]\nsecret\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let failure = CredentialsFile::read(path).unwrap_err().describe();
        assert_eq!((failure.code, failure.place.unwrap().line), ("credentials-invalid", 2));
        assert!(!failure.message.contains("secret"), "{}", failure.message);
    }
}
