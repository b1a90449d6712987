//! What an install asks of a registry, with the real program: resolved, listed, fetched into a file, verified.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use facets_archive::{ArchiveLimits, SourceTree, pack_facet};
use facets_digest::Digest;
use facets_failure::Describe as _;
use facets_model::tree::ManifestFormat;
use facets_model::{ArtifactName, Version};
use facets_registry_client::{
    ArchiveUpload, NoPublishProgress, PublishedKind, RegistryClient, RegistryClientError,
    RegistryClientLimits, WantedVersion,
};
use facets_testkit::workspace_binary;
use tempfile::TempDir;

const KIND: PublishedKind = PublishedKind::Facet;

/// A registry process with its own data directory, ended when this is dropped.
struct Registry {
    child: Child,
    folder: TempDir,
    url: String,
}

impl Registry {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(&folder);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "off"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim_end().strip_prefix("listening on ").unwrap().to_owned();
        Self { child, folder, url }
    }

    fn client(&self) -> RegistryClient {
        let words = ["token", "create", "--scope", "publish:*", "--owner", "acme"];
        let token = command(&self.folder).args(words).output().unwrap().stdout;
        let token = String::from_utf8(token).unwrap().trim().parse().unwrap();
        let limits = RegistryClientLimits::default();
        RegistryClient::new(self.url.parse().unwrap(), Some(&token), limits).unwrap()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(folder: &TempDir) -> Command {
    let mut command = Command::new(workspace_binary("facet-registry"));
    command.env_clear().arg("--data").arg(folder.path().join("data"));
    command
}

fn name() -> ArtifactName {
    "@acme/demo".parse().unwrap()
}

fn version(text: &str) -> Version {
    text.parse().unwrap()
}

fn facet(version: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let skill = folder.path().join("skills/review");
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), version).unwrap();
    let manifest = format!(
        r#"{{"name":"@acme/demo","version":"{version}","skills":{{"review":{{"description":"d"}}}}}}"#
    );
    fs::write(folder.path().join("facet.json"), manifest).unwrap();
    let tree = SourceTree::open(folder.path()).unwrap();
    let mut bytes = Vec::new();
    pack_facet(&tree, ManifestFormat::Json, &ArchiveLimits::SPEC, &mut bytes).unwrap();
    bytes
}

fn publish(client: &RegistryClient, text: &str) -> Vec<u8> {
    let archive = facet(text);
    let mut upload = ArchiveUpload {
        kind: KIND,
        name: &name(),
        version: &version(text),
        size: archive.len() as u64,
        content: &mut archive.as_slice(),
    };
    client.publish(&mut upload, &NoPublishProgress).unwrap();
    archive
}

fn find(client: &RegistryClient, wanted: &WantedVersion) -> Result<String, RegistryClientError> {
    Ok(client.version(KIND, &name(), wanted)?.version.to_string())
}

#[test]
fn versions_are_resolved_listed_and_fetched_as_an_install_needs_it() {
    let registry = Registry::start();
    let client = registry.client();
    let archives = ["1.0.0", "1.1.0", "2.0.0"].map(|version| publish(&client, version));
    client.yank(KIND, &name(), &version("2.0.0"), "it leaks").unwrap();

    let range = |text: &str| WantedVersion::Within(text.parse().unwrap());
    for (wanted, expected) in [
        (WantedVersion::Latest, "1.1.0"),
        (WantedVersion::AtLeast("1.0.0".parse().unwrap()), "1.1.0"),
        (range("*"), "1.1.0"),
        (range("1.*"), "1.1.0"),
        (range("1.0.*"), "1.0.0"),
    ] {
        assert_eq!(find(&client, &wanted).unwrap(), expected, "{wanted}");
    }
    for wanted in [range("2.*"), WantedVersion::AtLeast("1.2.0".parse().unwrap())] {
        let refused = find(&client, &wanted).unwrap_err();
        assert_eq!(refused.code(), "registry-not-found", "{wanted}");
        let docs_url = format!("{}/openapi.json", registry.url);
        assert!(format!("{refused:?}").contains(&docs_url), "{refused:?}");
    }
    let yanked = WantedVersion::Exact(version("2.0.0"));
    let yanked = client.version(KIND, &name(), &yanked).unwrap();
    assert_eq!(yanked.yanked.as_ref().unwrap().reason, "it leaks");

    let listed = client.all_versions(KIND, &name(), 100).unwrap();
    let listed: Vec<_> =
        listed.iter().map(|one| (one.version.to_string(), one.yanked.is_some())).collect();
    let expected = [("2.0.0", true), ("1.1.0", false), ("1.0.0", false)];
    assert_eq!(listed, expected.map(|(version, yanked)| (version.to_owned(), yanked)));

    for (at, text) in ["1.0.0", "1.1.0", "2.0.0"].into_iter().enumerate() {
        let document = client.version(KIND, &name(), &WantedVersion::Exact(version(text))).unwrap();
        let path = registry.folder.path().join("fetched");
        let mut file = File::create(&path).unwrap();
        let size = client.archive(&document, 1 << 20, &mut file).unwrap();
        file.flush().unwrap();
        let bytes = fs::read(&path).unwrap();
        assert!(bytes == archives[at] && size == bytes.len() as u64, "{text}");
        assert_eq!(document.content_hash, Digest::of(&bytes));
        let refused = client.archive(&document, 10, &mut file).unwrap_err();
        assert_eq!(refused.code(), "registry-too-large");
    }
}
