//! Approvals that an older facet wrote: without the name of the server, and each with its grants. They
//! are read and ended, never written.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use facets_digest::json::{self, Limits, Provenance, Value, quoted};
use facets_digest::{Digest, Hasher};
use facets_lock::{Grants, LockedServer};

use crate::error::ProjectError;
use crate::files;
use crate::user_directory::UserDirectory;

/// The older ledger: a file for each approval, named after its digest.
#[derive(Clone, Debug)]
pub(crate) struct OldApprovals {
    folder: PathBuf,
}

impl OldApprovals {
    pub(crate) fn of(user: &UserDirectory) -> Result<Self, ProjectError> {
        Ok(Self { folder: user.checked("approvals")? })
    }

    pub(crate) fn is_empty(&self) -> bool {
        std::fs::read_dir(&self.folder).map_or(true, |mut entries| entries.next().is_none())
    }

    /// If this entry was approved just so: the grants that were decided last for its start.
    pub(crate) fn grants_of(
        &self,
        server: &LockedServer,
        project: &Path,
    ) -> Result<Option<Grants>, ProjectError> {
        let form = form(server, project);
        let path = self.path(&form);
        if files::read(&path)?.is_none_or(|bytes| bytes != form.as_bytes()) {
            return Ok(None);
        }
        Ok(Some(self.latest_grants(server, project).unwrap_or_else(|| server.grants.clone())))
    }

    /// The grants of the newest approval of the same start in the same place: a lock that is set back
    /// must not bring back what was taken away.
    fn latest_grants(&self, server: &LockedServer, project: &Path) -> Option<Grants> {
        let wanted = (directory(server, project), server.launch_digest().to_string());
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let of_this_start: Vec<(SystemTime, Grants)> = entries
            .filter_map(|entry| {
                let bytes = files::read(&entry.path()).ok().flatten()?;
                let (directory, launch, grants) = parse(&bytes)?;
                let written = entry.metadata().and_then(|data| data.modified());
                let written = written.unwrap_or(SystemTime::UNIX_EPOCH);
                ((directory, launch) == wanted).then_some((written, grants))
            })
            .collect();
        let latest = of_this_start.iter().map(|(written, _)| *written).max()?;
        // Of a copy all may be equally old: then what all of them allow.
        let latest = of_this_start.into_iter().filter(|(written, _)| *written == latest);
        latest.map(|(_, grants)| grants).reduce(|one, other| one.capped_at(&other))
    }

    /// An address was approved for every project. It counts for the first one that takes it over, under
    /// the name that it has there.
    pub(crate) fn end_address(&self, server: &LockedServer) -> Result<(), ProjectError> {
        if server.origin.is_remote() {
            Self::end(&self.path(&form(server, Path::new(""))))
        } else {
            Ok(())
        }
    }

    /// Ends all of them.
    pub(crate) fn end_all(&self) -> Result<(), ProjectError> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.into_iter().try_for_each(|entry| Self::end(&entry.path()))
    }

    fn end(path: &Path) -> Result<(), ProjectError> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(files::io("remove", path)(error))
            }
            _ => Ok(()),
        }
    }

    fn path(&self, form: &str) -> PathBuf {
        let mut hasher = Hasher::with_domain("approval");
        hasher.update(form.as_bytes());
        self.folder.join(hasher.finish().hex())
    }
}

/// The place of a project as JSON: none for an address.
fn directory(server: &LockedServer, project: &Path) -> String {
    match project.to_str() {
        _ if server.origin.is_remote() => "null".to_owned(),
        Some(place) => quoted(place),
        // A name that is no text is known by its bytes: two of them are never one.
        None => quoted(&Digest::of(project.as_os_str().as_encoded_bytes()).hex()),
    }
}

fn form(server: &LockedServer, project: &Path) -> String {
    format!(
        "{{\"bytes\":null,\"directory\":{},\"grants\":{},\"launch\":\"{}\",\"source\":{},\"surface\":\"{}\",\"surface_file\":\"{}\"}}",
        directory(server, project),
        server.grants.to_json(),
        server.launch_digest(),
        server.source.as_deref().map_or_else(|| "null".to_owned(), quoted),
        server.surface.digest,
        server.surface.file_digest,
    )
}

fn parse(bytes: &[u8]) -> Option<(String, String, Grants)> {
    let value = json::parse(bytes, Provenance::Captured, Limits::DOCUMENT).ok()?;
    let Value::Object(object) = value else { return None };
    let Some(Value::String(launch)) = object.get("launch") else { return None };
    let directory = String::from_utf8(object.get("directory")?.to_canonical()).ok()?;
    Some((directory, launch.to_string(), Grants::parse(object.get("grants")?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ending_what_another_facet_ended_is_no_error_and_failing_to_is_one() {
        let folder = tempfile::tempdir().unwrap();
        OldApprovals::end(&folder.path().join("gone")).unwrap();
        assert!(OldApprovals::end(folder.path()).is_err(), "a folder is no approval");
    }
}
