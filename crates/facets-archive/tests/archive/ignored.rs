//! Patterns mean what they mean to git: random trees, random patterns, and git itself as the judge.

use std::fs;
use std::path::Path;
use std::process::Command;

use facets_archive::{ArchiveLimits, PackRequest, SourceTree, pack_server};
use facets_testkit::{Random, component, long_count};

use crate::support::{SERVER_YAML, write_tree};

const NAMES: &[&str] =
    &["a", "b", "ab", "a.b", "[x]", "b-c", "x y", "foo", "f.o", "!q", "#h", "A1", "1", "d"];

const PIECES: &[&str] = &[
    "*",
    "**",
    "?",
    "/",
    "a",
    "b",
    ".",
    "foo",
    "[a-f]",
    "[!a]",
    "[^b]",
    "[]a]",
    "[[:alpha:]]",
    "[[:digit:]x]",
    "\\",
    "\\a",
    "[",
    "]",
    "**/",
    "/**",
    "/**/",
    " ",
    "x",
    "-",
    "[a",
    "[[:foo:]]",
    "[[:a]",
    "!",
    "#",
    "[a\\]b]",
    "[b-]",
    "***",
];

/// Some patterns, one a line.
fn patterns(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(4) {
        if random.one_in(4) {
            text.push('!');
        }
        for _ in 0..=random.below(4) {
            text.push_str(random.pick(PIECES));
        }
        text.push_str(if random.one_in(5) { "/\n" } else { "\n" });
    }
    text
}

/// A tree with patterns at its root and in some of its directories.
fn plant(random: &mut Random, root: &Path) {
    write_tree(root, &[("server.yaml", SERVER_YAML), ("index.ts", "")]);
    for _ in 0..25 {
        let depth = 1 + random.below(4);
        let path: Vec<&str> = (0..depth).map(|_| random.pick(NAMES)).collect();
        let full = root.join(path.join("/"));
        let is_free = full.ancestors().take(depth).all(|above| !above.is_file()) && !full.is_dir();
        if !is_free {
            continue;
        }
        let folder = full.parent().unwrap();
        fs::create_dir_all(folder).unwrap();
        fs::write(&full, "").unwrap();
        if random.one_in(4) {
            fs::write(folder.join(".gitignore"), patterns(random)).unwrap();
        }
    }
    // The entry stays, so that the archive is one.
    let text = format!("{}\n!/index.ts\n!/server.yaml\n", patterns(random));
    fs::write(root.join(".gitignore"), text).unwrap();
}

fn files_by_git(git: &Path, root: &Path) -> Vec<String> {
    let run = |arguments: &[&str]| {
        let mut command = Command::new(git);
        command.current_dir(root).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = command.env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["init", "--quiet"]);
    let list = run(&["ls-files", "-z", "--others", "--exclude-per-directory=.gitignore"]);
    let mut paths: Vec<String> =
        list.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    paths.sort();
    paths
}

#[test]
fn git_and_facet_select_the_same_files() {
    let Some(git) = component("git") else { return };
    let mut random = Random::seeded(7);
    for round in 0..long_count(1000) {
        let place = tempfile::tempdir().unwrap();
        plant(&mut random, place.path());
        let tree = SourceTree::open(place.path()).unwrap();
        let packed =
            pack_server(&tree, &PackRequest::default(), &ArchiveLimits::SPEC, std::io::sink());
        let packed = packed.unwrap_or_else(|error| panic!("{round}: {error}"));
        let ours: Vec<String> =
            packed.index.files.iter().map(|file| file.path.to_string()).collect();
        let theirs = files_by_git(&git, place.path());
        let patterns = fs::read_to_string(place.path().join(".gitignore")).unwrap();
        assert_eq!(ours, theirs, "round {round}: {patterns:?}");
    }
}
