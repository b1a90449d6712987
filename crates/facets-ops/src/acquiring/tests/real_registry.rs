//! Facets of the real registry program.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use facets_registry_client::{
    ArchiveUpload, NoPublishProgress, PublishedKind, RegistryClient, RegistryClientLimits,
};
use facets_testkit::skip;
use tempfile::TempDir;

use super::world::{Made, World, facet, locked, of_registry, spec, why};

struct Registry {
    url: String,
    program: PathBuf,
    child: Child,
    folder: TempDir,
}

impl Registry {
    fn start() -> Option<Self> {
        let test = std::env::current_exe().unwrap();
        let program = test.ancestors().nth(2).unwrap().join("facet-registry");
        if !program.is_file() {
            skip("`facet-registry` is not built; `cargo build --workspace` builds it");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let log = File::create(folder.path().join("log")).unwrap();
        let mut command = Command::new(&program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(folder.path().join("data"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ").unwrap().to_owned();
        Some(Self { url, program, child, folder })
    }

    /// A client that may publish every name.
    fn author(&self) -> RegistryClient {
        let mut command = Command::new(&self.program);
        command.args(["token", "create", "--scope", "publish:*", "--owner", "author", "--data"]);
        let output = command.arg(self.folder.path().join("data")).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let token = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
        let address = self.url.parse().unwrap();
        RegistryClient::new(address, Some(&token), RegistryClientLimits::default()).unwrap()
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn publish(author: &RegistryClient, made: &Made) {
    let mut content = made.archive.as_slice();
    let mut upload = ArchiveUpload {
        kind: PublishedKind::Facet,
        name: &made.name.parse().unwrap(),
        version: &made.version.parse().unwrap(),
        size: made.archive.len() as u64,
        content: &mut content,
    };
    author.publish(&mut upload, &NoPublishProgress).unwrap();
}

#[test]
fn facets_of_the_real_registry_are_resolved_verified_and_yanked() {
    let Some(registry) = Registry::start() else { return };
    let author = registry.author();
    for version in ["1.0.0", "1.2.0", "1.10.0", "2.0.0"] {
        publish(&author, &facet("@acme/demo", version, "Go.\n"));
    }
    let world = World::new(Some(&registry.url));
    let version = |wanted: &str| {
        let found = world.facet("@acme/demo", spec(wanted)).unwrap();
        found.resolved.version.to_string()
    };
    assert_eq!(["1.2.0", "1.2.*", "1.*", "*"].map(version), ["1.2.0", "1.2.0", "1.10.0", "2.0.0"]);
    let name = "@acme/demo".parse().unwrap();
    author.yank(PublishedKind::Facet, &name, &"2.0.0".parse().unwrap(), "broken").unwrap();
    assert_eq!(version("*"), "1.10.0", "what was seen is yanked: that is no rollback");
    assert_eq!(why(world.facet("@acme/demo", spec("3.*"))), "registry-not-found");
    let made = facet("@acme/demo", "2.0.0", "Go.\n");
    let fresh = World::new(None);
    let found = fresh.facet("@acme/demo", locked(&made, of_registry(&registry.url))).unwrap();
    assert_eq!(found.resolved.integrity, made.integrity, "a locked version stays, also if yanked");
}
