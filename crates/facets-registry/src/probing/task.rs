//! What a probe worker has to know, on its command line.

use std::ffi::OsString;
use std::path::PathBuf;

use facets_digest::Digest;

/// What a probe worker has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ProbeTask {
    pub(super) archive: PathBuf,
    pub(super) content_hash: Digest,
    pub(super) integrity: Digest,
    /// The program of the runtime.
    pub(super) runtime: PathBuf,
}

impl ProbeTask {
    pub(super) fn arguments(&self) -> [OsString; 4] {
        [
            self.archive.clone().into(),
            self.content_hash.to_string().into(),
            self.integrity.to_string().into(),
            self.runtime.clone().into(),
        ]
    }

    /// The reverse of [`Self::arguments`].
    pub(super) fn parse(arguments: &[OsString]) -> Option<Self> {
        let [archive, content_hash, integrity, runtime] = arguments else { return None };
        let digest = |text: &OsString| text.to_str()?.parse::<Digest>().ok();
        Some(Self {
            archive: archive.into(),
            content_hash: digest(content_hash)?,
            integrity: digest(integrity)?,
            runtime: runtime.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_arrives_as_it_was_given() {
        let task = ProbeTask {
            archive: "/a b".into(),
            content_hash: Digest::of(b"archive"),
            integrity: Digest::of(b"content"),
            runtime: "/bun".into(),
        };
        let arguments = task.arguments();
        assert_eq!(ProbeTask::parse(&arguments), Some(task));
        assert_eq!(ProbeTask::parse(&arguments[..3]), None);
        assert_eq!(
            ProbeTask::parse(&["/a", "sha256:1", "sha256:2", "/b"].map(OsString::from)),
            None
        );
    }
}
