//! What of a tree is packed, what is left out, and what stops the build.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;

use facets_archive::{
    ArchiveError, ArchiveLimits, LeftOut, LeftOutReason, PackRequest, PackedServer, SourceTree,
    pack_server,
};
use facets_failure::Describe as _;

use crate::support::{SERVER_YAML, code, write_tree};

fn server(files: &[(&str, &str)]) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    write_tree(place.path(), &[("server.yaml", SERVER_YAML), ("index.ts", "export {}\n")]);
    write_tree(place.path(), files);
    place
}

fn pack(root: &Path) -> Result<PackedServer, ArchiveError> {
    pack_allowing(root, &[])
}

fn pack_allowing(root: &Path, secrets: &[&str]) -> Result<PackedServer, ArchiveError> {
    let tree = SourceTree::open(root)?;
    let allowed_secrets = secrets.iter().map(|&path| path.to_owned()).collect();
    let request = PackRequest { allowed_secrets, ..PackRequest::default() };
    pack_server(&tree, &request, &ArchiveLimits::SPEC, std::io::sink())
}

fn paths(packed: &PackedServer) -> Vec<&str> {
    packed.index.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn results_of_earlier_builds_are_left_out_at_the_root_only() {
    let place = server(&[
        ("demo-0.9.0.server.tar.gz", ""),
        ("other.facet", ""),
        (".facet", ""),
        ("data/kept.facet", ""),
        ("data/kept.server.tar.gz", ""),
    ]);
    let packed = pack(place.path()).unwrap();
    let expected =
        [".facet", "data/kept.facet", "data/kept.server.tar.gz", "index.ts", "server.yaml"];
    assert_eq!(paths(&packed), expected);
    let always = |path: &str| LeftOut { path: path.to_owned(), reason: LeftOutReason::Always };
    assert_eq!(packed.left_out, [always("demo-0.9.0.server.tar.gz"), always("other.facet")]);
}

#[test]
fn what_is_left_out_is_listed_with_the_reason() {
    let place = server(&[
        (".gitignore", "*.log\nbuild/\n"),
        ("a.log", ""),
        ("build/out.js", ""),
        ("src/.gitignore", "!keep.log\n"),
        ("src/keep.log", ""),
        ("src/other.log", ""),
        ("node_modules/x/index.js", ""),
        ("src/node_modules/y.js", ""),
        (".git/config", ""),
    ]);
    let packed = pack(place.path()).unwrap();
    let expected = [".gitignore", "index.ts", "server.yaml", "src/.gitignore", "src/keep.log"];
    assert_eq!(paths(&packed), expected);
    let ignored = |path: &str, line, pattern: &str| LeftOut {
        path: path.to_owned(),
        reason: LeftOutReason::Ignored {
            file: ".gitignore".to_owned(),
            line,
            pattern: pattern.to_owned(),
        },
    };
    let always = |path: &str| LeftOut { path: path.to_owned(), reason: LeftOutReason::Always };
    let expected = [
        always(".git/"),
        ignored("a.log", 1, "*.log"),
        ignored("build/", 2, "build/"),
        always("node_modules/"),
        always("src/node_modules/"),
        ignored("src/other.log", 1, "*.log"),
    ];
    assert_eq!(packed.left_out, expected);
}

#[test]
fn a_facetignore_takes_the_place_of_every_gitignore() {
    let place = server(&[
        (".gitignore", "dist/\n"),
        (".facetignore", "*.test.ts\n"),
        ("dist/bundle.js", ""),
        ("src/a.test.ts", ""),
        ("src/.gitignore", "b.ts\n"),
        ("src/b.ts", ""),
    ]);
    let packed = pack(place.path()).unwrap();
    assert!(paths(&packed).contains(&"dist/bundle.js"));
    assert!(paths(&packed).contains(&"src/b.ts"));
    assert!(!paths(&packed).contains(&"src/a.test.ts"));
}

#[test]
fn a_pattern_above_the_root_does_not_count_and_none_leaves_out_the_manifest() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("inner");
    write_tree(place.path(), &[(".gitignore", "*\n")]);
    write_tree(
        &root,
        &[("server.yaml", SERVER_YAML), ("index.ts", ""), (".gitignore", "*.yaml\n")],
    );
    assert_eq!(paths(&pack(&root).unwrap()), [".gitignore", "index.ts", "server.yaml"]);
}

#[test]
fn an_entry_that_a_pattern_leaves_out_is_explained() {
    let place = server(&[(".gitignore", "*.ts\n")]);
    let error = pack(place.path()).unwrap_err();
    assert_eq!(error.code(), "archive-no-entry");
    assert!(error.to_string().contains("line 1 of .gitignore"), "{error}");
}

#[test]
fn all_problems_of_a_tree_come_together() {
    let place = server(&[("con.txt", ""), (".env", "KEY=1"), ("A.ts", ""), ("a.ts", "")]);
    symlink("/etc/passwd", place.path().join("link")).unwrap();
    symlink("/etc", place.path().join("folder")).unwrap();
    let _listener = UnixListener::bind(place.path().join("socket")).unwrap();
    let error = pack(place.path()).unwrap_err();
    let found: Vec<(String, &str)> =
        error.problems().iter().map(|one| (one.file.display().to_string(), one.code)).collect();
    let expected = [
        (".env", "archive-secret"),
        ("a.ts", "archive-collision"),
        ("con.txt", "archive-path-device"),
        ("folder", "archive-symlink"),
        ("link", "archive-symlink"),
        ("socket", "archive-special-file"),
    ];
    assert_eq!(found, expected.map(|(path, code)| (path.to_owned(), code)));
}

#[test]
fn a_native_addon_is_refused_unless_it_is_left_out() {
    let place = server(&[("build/Release/a.node", "x"), ("src/node.ts", "")]);
    let error = pack(place.path()).unwrap_err();
    assert_eq!(error.code(), "archive-native-addon");
    assert_eq!(error.problems().len(), 1);
    fs::write(place.path().join(".facetignore"), "build/\n").unwrap();
    assert_eq!(code(&pack(place.path())), "accepted");
}

#[test]
fn a_link_that_is_left_out_is_no_problem() {
    let place = server(&[(".gitignore", "link\n")]);
    symlink("/etc/passwd", place.path().join("link")).unwrap();
    assert_eq!(code(&pack(place.path())), "accepted");
    fs::remove_file(place.path().join(".gitignore")).unwrap();
    symlink("link", place.path().join(".gitignore")).unwrap();
    let error = pack(place.path()).unwrap_err();
    assert_eq!(error.code(), "archive-ignore-file");
}

#[test]
fn a_secret_stops_the_build_unless_it_is_allowed_by_name() {
    let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ\n";
    let place = server(&[("certs/server.pem", "x"), ("notes.md", key), (".npmrc", "_authToken=x")]);
    let error = pack(place.path()).unwrap_err();
    let found: Vec<String> =
        error.problems().iter().map(|one| one.file.display().to_string()).collect();
    assert_eq!(found, [".npmrc", "certs/server.pem", "notes.md"]);
    let allowed = ["certs/server.pem", "notes.md", ".npmrc"];
    assert_eq!(code(&pack_allowing(place.path(), &allowed)), "accepted");
    assert_eq!(code(&pack_allowing(place.path(), &allowed[..2])), "archive-secret");
}

#[test]
fn a_tree_within_other_limits_is_refused() {
    let place = server(&[("large", "0123456789")]);
    let tree = SourceTree::open(place.path()).unwrap();
    let pack = |limits: &ArchiveLimits| {
        code(&pack_server(&tree, &PackRequest::default(), limits, std::io::sink()))
    };
    let limits = ArchiveLimits::SPEC;
    assert_eq!(pack(&limits), "accepted");
    assert_eq!(pack(&ArchiveLimits { file: 9, ..limits }), "archive-file-too-large");
    assert_eq!(pack(&ArchiveLimits { entries: 2, ..limits }), "archive-too-many-entries");
    assert_eq!(pack(&ArchiveLimits { total: 1000, ..limits }), "archive-too-large");
    assert_eq!(pack(&ArchiveLimits { path_bytes: 10, ..limits }), "archive-too-many-entries");
}
