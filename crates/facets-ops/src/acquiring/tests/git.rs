//! Facets of a real git daemon.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use facets_failure::Describe as _;
use facets_lock::LockedFacetSource;
use facets_model::manifest::FacetSource;
use facets_plan::FacetQuery;
use facets_testkit::skip;
use tempfile::TempDir;

use super::world::{Made, World, facet, locked, why, write_facet};
use crate::acquiring::git_program::GitLimits;
use crate::acquiring::git_repository::{GitPoint, GitRepository};

/// A daemon with one repository.
struct GitDaemon {
    folder: TempDir,
    port: u16,
    child: Child,
}

impl GitDaemon {
    /// None, and a visible skip, where there is no daemon.
    fn start() -> Option<Self> {
        let output = Command::new("git").arg("--exec-path").output().ok()?;
        let programs = PathBuf::from(String::from_utf8(output.stdout).unwrap().trim());
        let program = programs.join("git-daemon");
        if !program.is_file() {
            skip("`git daemon` is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["--export-all", "--listen=127.0.0.1", "--reuseaddr"]);
        command
            .arg(format!("--port={port}"))
            .arg(format!("--base-path={}", folder.path().display()));
        command.arg(folder.path()).stdin(Stdio::null()).stderr(Stdio::null());
        let mut child = command.env("GIT_EXEC_PATH", &programs).spawn().unwrap();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(child.try_wait().unwrap().is_none(), "the daemon ended");
            std::thread::yield_now();
        }
        let daemon = Self { folder, port, child };
        fs::create_dir(daemon.root()).unwrap();
        daemon.git(&["init", "--quiet", "--initial-branch=main", "."]);
        write_facet(&daemon.root(), "viper", "1.0.0", "Go.\n");
        daemon.commit();
        Some(daemon)
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("viper.git")
    }

    fn url(&self) -> String {
        format!("git://127.0.0.1:{}/viper.git", self.port)
    }

    fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]);
        command.args(arguments).current_dir(self.root());
        let output = command.env("HOME", self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn at(&self, reference: Option<&str>) -> FacetQuery {
        let reference = reference.map(str::to_owned);
        FacetQuery::Resolve {
            source: FacetSource::Git { url: self.url(), reference },
            registry: None,
        }
    }

    fn locked(&self, made: &Made, commit: &str) -> FacetQuery {
        locked(made, LockedFacetSource::Git { url: self.url(), commit: commit.to_owned() })
    }
}

impl Drop for GitDaemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn commit_of(source: &LockedFacetSource) -> String {
    let LockedFacetSource::Git { commit, .. } = source else { panic!("{source:?}") };
    commit.clone()
}

#[test]
fn a_branch_a_tag_or_a_commit_is_pinned_to_its_commit() {
    let Some(daemon) = GitDaemon::start() else { return };
    let first = daemon.git(&["rev-parse", "HEAD"]);
    daemon.git(&["tag", "--annotate", "v1", "--message", "one"]);
    write_facet(&daemon.root(), "viper", "1.1.0", "Go on.\n");
    let second = daemon.commit();
    let world = World::new(None);
    for (reference, commit, version) in [
        (None, &second, "1.1.0"),
        (Some("main"), &second, "1.1.0"),
        (Some("v1"), &first, "1.0.0"),
        (Some(first.as_str()), &first, "1.0.0"),
    ] {
        let found = world.facet("viper", daemon.at(reference)).unwrap();
        assert_eq!(commit_of(&found.resolved.source), *commit, "{reference:?}");
        assert_eq!(found.resolved.version.to_string(), version);
        assert_eq!(found.contents[&"data.bin".parse().unwrap()], b"\xff\x00\xfe");
    }
    let made = facet("viper", "1.0.0", "Go.\n");
    let found = world.facet("viper", daemon.at(Some("v1"))).unwrap();
    assert_eq!(found.resolved.integrity, made.integrity);
    assert_eq!(found.resolved.content_hash, Some(made.content_hash));
    assert_eq!(why(world.facet("viper", daemon.at(Some("none")))), "git-fetch");
    assert_eq!(why(world.facet("other", daemon.at(None))), "install-mismatch content");
}

#[test]
fn a_locked_commit_gives_the_locked_bytes_also_when_the_branch_has_moved() {
    let Some(daemon) = GitDaemon::start() else { return };
    let made = facet("viper", "1.0.0", "Go.\n");
    let first = daemon.git(&["rev-parse", "HEAD"]);
    write_facet(&daemon.root(), "viper", "1.0.0", "Stop.\n");
    let second = daemon.commit();
    let mut world = World::new(None);
    let found = world.facet("viper", daemon.locked(&made, &first)).unwrap();
    assert_eq!(found.resolved.integrity, made.integrity);
    // From the store, without a network.
    world.is_offline = true;
    world.facet("viper", daemon.locked(&made, &first)).unwrap();
    let (world, short) = (World::new(None), &first[..12]);
    let found = world.facet("viper", daemon.locked(&made, short)).unwrap();
    assert_eq!(commit_of(&found.resolved.source), first);
    let world = World::new(None);
    assert_eq!(why(world.facet("viper", daemon.locked(&made, &second))), "install-mismatch git");
    assert_eq!(world.stored(), 0);
    let none = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(why(world.facet("viper", daemon.locked(&made, none))), "git-fetch");
}

#[test]
fn links_submodules_and_other_schemes_are_refused() {
    let Some(daemon) = GitDaemon::start() else { return };
    fs::remove_file(daemon.root().join("data.bin")).unwrap();
    symlink("/etc/hostname", daemon.root().join("data.bin")).unwrap();
    daemon.commit();
    let world = World::new(None);
    let refused = world.facet("viper", daemon.at(None)).unwrap_err();
    assert_eq!(refused.code(), "git-fetch");
    assert!(refused.actual().unwrap().contains("data.bin is a symbolic link"), "{refused:?}");
    let local = format!("file://{}", daemon.root().display());
    for url in
        [local.as_str(), "ext::sh -c true", "--upload-pack=true", daemon.root().to_str().unwrap()]
    {
        let fetched = GitRepository::fetch(url, GitPoint::Head, &GitLimits::default());
        assert!(fetched.is_err(), "{url}");
    }
}

#[test]
fn nothing_that_a_repository_configures_changes_its_files() {
    let Some(daemon) = GitDaemon::start() else { return };
    fs::write(
        daemon.root().join(".gitattributes"),
        "* text eol=crlf\n*.md filter=evil export-ignore\n",
    )
    .unwrap();
    daemon.commit();
    let world = World::new(None);
    let found = world.facet("viper", daemon.at(None)).unwrap();
    assert_eq!(found.contents[&"commands/go.md".parse().unwrap()], b"Go.\n");
    assert_eq!(found.resolved.integrity, facet("viper", "1.0.0", "Go.\n").integrity);
}

#[test]
fn a_repository_that_is_too_large_or_too_slow_is_given_up() {
    let Some(daemon) = GitDaemon::start() else { return };
    let noise: Vec<u8> = (0..4_000_000_u64)
        .map(|number| (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8)
        .collect();
    fs::write(daemon.root().join("noise"), noise).unwrap();
    daemon.commit();
    let fetch = |limits: GitLimits| {
        GitRepository::fetch(&daemon.url(), GitPoint::Head, &limits).err().unwrap()
    };
    let late = fetch(GitLimits { time: std::time::Duration::ZERO, ..GitLimits::default() });
    assert!(late.contains("took longer"), "{late}");
    let large = fetch(GitLimits { bytes: 1, ..GitLimits::default() });
    assert!(large.contains("more than 1 bytes"), "{large}");
}

#[test]
fn a_repository_that_does_not_exist_is_a_clear_error() {
    let Some(daemon) = GitDaemon::start() else { return };
    let url = format!("git://127.0.0.1:{}/none.git", daemon.port);
    let failed = GitRepository::fetch(&url, GitPoint::Head, &GitLimits::default()).err().unwrap();
    assert!(failed.contains("none.git") || failed.contains("not exported"), "{failed}");
    assert!(Path::new(&daemon.root()).is_dir());
}
