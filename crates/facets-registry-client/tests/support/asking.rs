//! Clients with short limits, and what they ask for.

use std::time::Duration;

use facets_digest::Digest;
use facets_failure::Describe as _;
use facets_model::{ArtifactName, Version};
use facets_registry_client::{
    ArchiveUpload, NoPublishProgress, Publication, PublishedKind, RegistryClient,
    RegistryClientError, RegistryClientLimits, VersionDocument, WantedVersion,
};

use super::server::Server;

pub const TOKEN: &str = "fct_pub_hunter2";

/// What is published in these tests.
pub const ARCHIVE: &[u8] = b"the bytes of an archive";

/// Short, so that nothing takes long. The time until the next bytes is not: a busy machine must not make a
/// test fail that is about something else.
pub fn limits() -> RegistryClientLimits {
    RegistryClientLimits {
        document: 64 << 10,
        surface: 64 << 10,
        connect: Duration::from_secs(20),
        read: Duration::from_secs(20),
        decision: Duration::from_secs(20),
        answer: Duration::from_secs(30),
        slowest: 64 << 10,
        slowest_archive: 256,
        time: Duration::from_secs(40),
        retries: 2,
        backoff: Duration::from_millis(1),
        patience: Duration::from_secs(1),
        redirects: 3,
        first_poll: Duration::from_millis(1),
        longest_poll: Duration::from_millis(5),
        publication: Duration::from_secs(10),
    }
}

pub fn client(server: &Server) -> RegistryClient {
    client_with(server, limits())
}

pub fn client_with(server: &Server, limits: RegistryClientLimits) -> RegistryClient {
    let address = server.url().parse().unwrap();
    RegistryClient::new(address, Some(&TOKEN.parse().unwrap()), limits).unwrap()
}

pub fn name() -> ArtifactName {
    "@acme/demo".parse().unwrap()
}

pub fn version() -> Version {
    "1.0.0".parse().unwrap()
}

/// The document of the server that these tests publish.
pub fn document() -> String {
    let hash = Digest::of(ARCHIVE);
    format!(
        r#"{{"kind":"server","name":"@acme/demo","version":"1.0.0","content_hash":"{hash}",
        "integrity":"{hash}","size_bytes":{size},"manifest_json":"{{}}","owner":"acme",
        "api_surface":"{hash}","surface":"{hash}","behavior":"{hash}","tools":1}}"#,
        size = ARCHIVE.len()
    )
}

pub fn ask_version(client: &RegistryClient) -> Result<VersionDocument, RegistryClientError> {
    client.version(PublishedKind::Server, &name(), &WantedVersion::Exact(version()))
}

/// Publishes the archive, said to have so many bytes.
pub fn publish_sized(
    client: &RegistryClient,
    size: u64,
) -> Result<Publication, RegistryClientError> {
    let mut content = ARCHIVE;
    let mut upload = ArchiveUpload {
        kind: PublishedKind::Server,
        name: &name(),
        version: &version(),
        size,
        content: &mut content,
    };
    client.publish(&mut upload, &NoPublishProgress)
}

pub fn publish(client: &RegistryClient) -> Result<Publication, RegistryClientError> {
    publish_sized(client, ARCHIVE.len() as u64)
}

/// The code of why something failed.
#[track_caller]
pub fn code<T: std::fmt::Debug>(result: Result<T, RegistryClientError>) -> &'static str {
    result.unwrap_err().code()
}
