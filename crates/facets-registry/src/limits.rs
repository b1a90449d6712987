//! How much a registry takes, and how long it waits.

use std::time::Duration;

use facets_archive::ArchiveLimits;
use facets_catalog::ArtifactKind;

use crate::upload_pace::UploadRate;

/// How much a registry takes, and how long it waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryLimits {
    /// Bytes of the archive of a facet.
    pub facet_bytes: u64,
    /// Bytes of a facet, unpacked.
    pub facet_unpacked: u64,
    /// Bytes of the archive of a server.
    pub server_bytes: u64,
    /// Bytes of a server, unpacked.
    pub server_unpacked: u64,
    /// Bytes of a surface file: it is read into memory.
    pub surface_bytes: u64,
    /// Bytes of the files of a facet that are sent as one document.
    pub contents_bytes: u64,
    /// Archives that are received at once.
    pub uploads_at_once: usize,
    /// How long another archive waits until one of them is done, and for one that is too slow.
    pub wait_for_slot: Duration,
    /// Bytes per second below which an archive loses its slot to an owner that has none; 0 if none is too slow.
    pub upload_bytes_per_second: u64,
    /// How long these bytes are counted, and how long an archive may take before they are.
    pub upload_window: Duration,
    /// Archives that are read at once to be published, one of each owner; and archives and surfaces that are read at
    /// once for readers.
    pub archives_read_at_once: usize,
    /// Servers that are probed at once.
    pub probes_at_once: usize,
    /// Servers of one owner that may wait to be probed.
    pub queued_per_owner: u32,
    /// How long a publish waits for the probe before it is answered with the address of its status.
    pub wait_for_probe: Duration,
    /// How long the blobs of a publish that was not finished are kept.
    pub unfinished_kept: Duration,
    /// How long the status of a finished publish is kept.
    pub jobs_kept: Duration,
}

impl Default for RegistryLimits {
    fn default() -> Self {
        Self {
            facet_bytes: 5 << 20,
            facet_unpacked: 256 << 20,
            server_bytes: 64 << 20,
            server_unpacked: 1 << 30,
            surface_bytes: 16 << 20,
            contents_bytes: 8 << 20,
            uploads_at_once: 64,
            wait_for_slot: Duration::from_secs(5),
            upload_bytes_per_second: 128 << 10,
            upload_window: Duration::from_secs(5),
            archives_read_at_once: 2,
            probes_at_once: 2,
            queued_per_owner: 20,
            wait_for_probe: Duration::from_secs(15),
            unfinished_kept: Duration::from_hours(1),
            jobs_kept: Duration::from_hours(7 * 24),
        }
    }
}

impl RegistryLimits {
    /// Archives of one owner that are received at once: a quarter, so that slow ones do not keep others waiting.
    #[must_use]
    pub fn uploads_per_owner(&self) -> usize {
        (self.uploads_at_once / 4).max(1)
    }

    /// What an archive needs to keep its slot while another owner waits.
    pub(crate) fn upload_rate(&self) -> UploadRate {
        let bytes_per_second = self.upload_bytes_per_second;
        if bytes_per_second == 0 {
            return UploadRate::NONE;
        }
        UploadRate { bytes_per_second, window: self.upload_window }
    }

    /// Bytes of an archive.
    #[must_use]
    pub fn archive_bytes(&self, kind: ArtifactKind) -> u64 {
        match kind {
            ArtifactKind::Facet => self.facet_bytes,
            ArtifactKind::Server => self.server_bytes,
        }
    }

    /// What an archive may ask of its reader: the limits of the specification, and these.
    pub(crate) fn archive(&self, kind: ArtifactKind) -> ArchiveLimits {
        let unpacked = match kind {
            ArtifactKind::Facet => self.facet_unpacked,
            ArtifactKind::Server => self.server_unpacked,
        };
        ArchiveLimits {
            total: unpacked.min(ArchiveLimits::SPEC.total),
            compressed: self.archive_bytes(kind),
            ..ArchiveLimits::SPEC
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_archive_is_read_beyond_the_limits_of_the_specification() {
        let limits = RegistryLimits { server_unpacked: u64::MAX, ..RegistryLimits::default() };
        let server = limits.archive(ArtifactKind::Server);
        assert_eq!((server.total, server.compressed), (2 << 30, 64 << 20));
        let facet = limits.archive(ArtifactKind::Facet);
        assert_eq!((facet.total, facet.compressed), (256 << 20, 5 << 20));
    }

    #[test]
    fn one_owner_gets_a_quarter_of_the_uploads_and_at_least_one() {
        for (all, expected) in [(64, 16), (4, 1), (3, 1), (1, 1), (0, 1)] {
            let limits = RegistryLimits { uploads_at_once: all, ..RegistryLimits::default() };
            assert_eq!(limits.uploads_per_owner(), expected, "{all}");
        }
    }
}
