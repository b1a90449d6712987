//! What a server that failed wrote about it: a path, a host, a program, a variable that it was refused.
//!
//! These are words of the server. What they name is proposed only if it exists, is not granted, and does
//! not look like a secret; a person decides.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use facets_failure::Stderr;
use facets_launch::{
    CERTIFICATES, Environment, Filesystem, GrantedHost, ProcessLaunch, is_passed_on, value_of,
};

use super::settings::{is_opened, is_without_programs, network_setting};
use crate::program_files::may_hold_secrets;
use crate::start_obstacle::{Need, StartObstacle};

/// How programs say that they may not use a file.
const OF_FILES: &[&str] = &[
    "eacces",
    "enoent",
    "eperm",
    "no such file or directory",
    "operation not permitted",
    "permission denied",
];

/// How they say that they reach nothing.
const OF_NETWORK: &[&str] = &[
    "cannot connect to proxy",
    "connect eacces",
    "connect eperm",
    "could not resolve",
    "dns error",
    "eai_again",
    "econnrefused",
    "enetunreach",
    "enotfound",
    "failed to establish a new connection",
    "getaddrinfo",
    "name or service not known",
    "network is unreachable",
    "proxyerror",
    "temporary failure in name resolution",
];

/// How they say that something was refused.
const NOT_PERMITTED: &[&str] = &["eperm", "operation not permitted", "permissionerror"];

/// What they call another program.
const OF_PROGRAMS: &[&str] = &[
    "child process",
    "child_process",
    "clone",
    "exec",
    "fork",
    "posix_spawn",
    "spawn",
    "subprocess",
];

/// How they say that they may not start it.
const NOT_STARTED: &[&str] = &[
    "eacces",
    "eagain",
    "eperm",
    "not permitted",
    "permission denied",
    "resource temporarily unavailable",
];

/// How they speak of certificates.
const OF_CERTIFICATES: &[&str] = &["certificate", "ssl", "tls"];

/// Paths and hosts beyond this are more of the same.
const MOST: usize = 3;

fn has_one_of(line: &str, words: &[&str]) -> bool {
    words.iter().any(|word| line.contains(word))
}

pub(super) fn obstacles(process: &ProcessLaunch, stderr: &Stderr) -> Vec<StartObstacle> {
    let mut found = Vec::new();
    let lower: Vec<String> = stderr.lines().map(str::to_lowercase).collect();
    let says = |words: &[&str]| lower.iter().any(|line| has_one_of(line, words));
    // A refused socket and what was being done are often said on different lines.
    let is_refused_socket = says(&["socket"]) && says(NOT_PERMITTED);
    if let Some(setting) = network_setting(&process.sandbox)
        && (says(OF_NETWORK) || is_refused_socket)
    {
        found.push(of_network(&setting, stderr));
    }
    let is_program = |line: &String| has_one_of(line, OF_PROGRAMS) && has_one_of(line, NOT_STARTED);
    if is_without_programs(&process.sandbox) && lower.iter().any(is_program) {
        let reason = "subprocess=no: it could not start another program".to_owned();
        found.push(StartObstacle { reason, needs: Need::Subprocess });
    }
    if process.sandbox.filesystem != Filesystem::Open {
        found.extend(refused_paths(process, stderr));
        if says(OF_CERTIFICATES) {
            found.extend(closed_certificates(process));
        }
    }
    found
}

fn of_network(setting: &str, stderr: &Stderr) -> StartObstacle {
    let hosts: BTreeSet<String> = stderr.lines().flat_map(hosts_of).take(MOST).collect();
    let hosts: Vec<String> = hosts.into_iter().collect();
    if hosts.is_empty() {
        let reason = format!("{setting}: it could not reach the network");
        return StartObstacle { reason, needs: Need::Network };
    }
    let reason = format!("{setting}: it could not reach {}", hosts.join(", "));
    StartObstacle { reason, needs: Need::Hosts(hosts) }
}

/// Paths that exist, that the server says it may not use, and that are not opened to it.
fn refused_paths(process: &ProcessLaunch, stderr: &Stderr) -> Vec<StartObstacle> {
    let lines = stderr.lines().filter(|line| has_one_of(&line.to_lowercase(), OF_FILES));
    let start = &process.directory;
    let paths = lines.flat_map(|line| {
        let relative = relative_paths_of(line).into_iter().map(|path| start.join(path));
        paths_of(line).into_iter().map(PathBuf::from).chain(relative).collect::<Vec<_>>()
    });
    let paths = paths.filter_map(|path| std::fs::canonicalize(path).ok());
    let paths = paths.filter(|path| path != Path::new("/"));
    let mut paths: Vec<PathBuf> = paths.filter(|path| !is_opened(&process.sandbox, path)).collect();
    paths.sort();
    paths.dedup();
    paths.truncate(MOST);
    paths.into_iter().map(refused_path).collect()
}

fn refused_path(path: PathBuf) -> StartObstacle {
    let shown = path.display();
    if may_hold_secrets(&path) {
        let reason = format!(
            "filesystem: it asks for {shown}, which may hold secrets: grant that only if you know \
             why it needs it"
        );
        return StartObstacle { reason, needs: Need::Decision(path) };
    }
    let reason = format!("filesystem: it asks for {shown}, which is not granted");
    StartObstacle { reason, needs: Need::Read(path) }
}

/// Files of certificates that variables of the server name, and that it cannot read.
fn closed_certificates(process: &ProcessLaunch) -> Vec<StartObstacle> {
    let variables = &process.variables;
    let is_given = |name: &&&str| match variables.environment {
        Environment::Native | Environment::Private { .. } => true,
        Environment::Scratch | Environment::Older => {
            variables.named.iter().any(|one| one == **name)
        }
    };
    let given = CERTIFICATES.iter().filter(is_given);
    let closed = given.filter_map(|name| {
        let path = PathBuf::from(value_of(name, &variables.given)?);
        let real = std::fs::canonicalize(path).ok()?;
        if is_opened(&process.sandbox, &real) {
            return None;
        }
        let reason = format!("filesystem: {name} names {}, which is not granted", real.display());
        Some(StartObstacle { reason, needs: Need::Read(real) })
    });
    closed.collect()
}

/// Absolute paths in a line: in quotes, or up to the next blank.
fn paths_of(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find('/') {
        let before = rest[..start].chars().next_back();
        let tail = &rest[start..];
        let end = match before {
            Some(quote @ ('\'' | '"' | '`')) => tail.find(quote),
            Some(letter) if letter.is_alphanumeric() || "./:~-_".contains(letter) => {
                // Inside of a word: an address, or a path that is not absolute.
                let skipped = tail.find(char::is_whitespace).unwrap_or(tail.len());
                rest = &tail[skipped..];
                continue;
            }
            _ => tail.find(|c: char| c.is_whitespace() || "\"'`,;()[]<>".contains(c)),
        };
        let (path, left) = tail.split_at(end.unwrap_or(tail.len()));
        found.push(path.trim_end_matches([':', '.']));
        rest = left;
    }
    found
}

/// Paths in quotes that are not absolute: such as `'data/notes.md'`.
fn relative_paths_of(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for quote in ['\'', '"', '`'] {
        let quoted = line.split(quote).skip(1).step_by(2);
        found.extend(quoted.filter(|text| !text.is_empty() && !text.starts_with(['/', '~'])));
    }
    found
}

/// Hosts in a line, with their ports.
fn hosts_of(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (scheme, port) in [("https://", 443), ("http://", 80)] {
        for (at, _) in line.match_indices(scheme) {
            let place = &line[at + scheme.len()..];
            let end = place.find(|c: char| !(c.is_ascii_alphanumeric() || ".-:".contains(c)));
            let place = place[..end.unwrap_or(place.len())].trim_end_matches([':', '.']);
            found.push(if place.contains(':') {
                place.to_owned()
            } else {
                format!("{place}:{port}")
            });
        }
    }
    for before in ["ENOTFOUND ", "EAI_AGAIN ", "host='", "resolve host: "] {
        let after = line.split(before).skip(1);
        let words = after.map(|text| {
            let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || ".-".contains(c)));
            &text[..end.unwrap_or(text.len())]
        });
        let names = words.filter(|word| word.contains('.'));
        found.extend(names.map(|name| format!("{}:443", name.trim_end_matches('.'))));
    }
    let found = found.into_iter().map(|host| host.to_ascii_lowercase());
    found.filter(|host| GrantedHost::parse(host).is_some()).collect()
}

pub(super) fn withheld_variables(process: &ProcessLaunch, stderr: &Stderr) -> Vec<String> {
    let is_given = |name: &str| {
        is_passed_on(name) || process.variables.named.iter().any(|named| named == name)
    };
    let names: BTreeSet<&str> = stderr.lines().flat_map(variables_of).collect();
    let withheld = names.into_iter().filter(|name| !is_given(name));
    let set = withheld.filter(|name| value_of(name, &process.variables.given).is_some());
    set.take(MOST).map(str::to_owned).collect()
}

/// Words that look like variables: capitals, with an underscore among them.
fn variables_of(line: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(move |word| {
        word.len() > 3
            && word.chars().all(is_part)
            && word.trim_matches('_').contains('_')
            && word.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

#[cfg(test)]
mod tests {
    use facets_launch::{Network, Sandbox, Subprocess};

    use super::super::settings::samples::{files, process};
    use super::*;

    fn needs(sandbox: Sandbox, stderr: &str) -> Vec<Need> {
        let process = process(&["server"], sandbox);
        let found = obstacles(&process, &Stderr::of(stderr));
        found.into_iter().map(|found| found.needs).collect()
    }

    #[test]
    fn paths_that_are_not_absolute_are_found_in_quotes() {
        let line = "PermissionError: [Errno 13] Permission denied: 'data/ok.json'";
        assert_eq!(relative_paths_of(line), ["data/ok.json"]);
        assert_eq!(relative_paths_of("open \"a b\", '/etc/x', '' and `c`"), ["a b", "c"]);
    }

    #[test]
    fn paths_are_found_in_quotes_and_without() {
        assert_eq!(
            paths_of("EACCES: permission denied, open '/home/me/a b.txt'"),
            ["/home/me/a b.txt"]
        );
        assert_eq!(paths_of("ls: cannot open /srv/data: Permission denied"), ["/srv/data"]);
        assert_eq!(paths_of("see https://example.com/a and ./b/c or c:/d"), [""; 0]);
        assert_eq!(paths_of("(/a/b) [/c/d]"), ["/a/b", "/c/d"]);
    }

    #[test]
    fn a_refused_path_is_named_if_it_exists_and_is_not_opened() {
        let place = tempfile::Builder::new().prefix("place").tempdir().unwrap();
        let folder = std::fs::canonicalize(place.path()).unwrap();
        let data = folder.join("data");
        std::fs::create_dir(&data).unwrap();
        let says = |path: &Path| {
            format!("PermissionError: [Errno 13] Permission denied: '{}'", path.display())
        };
        assert_eq!(needs(files(&[]), &says(&data)), [Need::Read(data.clone())]);
        assert_eq!(needs(files(&[&folder]), &says(&data)), []);
        assert_eq!(needs(Sandbox::default(), &says(&data)), []);
        assert_eq!(needs(files(&[]), &says(&folder.join("gone"))), []);
        assert_eq!(needs(files(&[]), &format!("reading {}", data.display())), []);
        // A server may name what it wants to be given.
        std::fs::create_dir_all(folder.join(".ssh")).unwrap();
        std::fs::write(folder.join(".ssh/id_rsa"), "").unwrap();
        let key = folder.join(".ssh/id_rsa");
        assert_eq!(needs(files(&[]), &says(&key)), [Need::Decision(key)]);
    }

    #[test]
    fn a_network_that_is_closed_is_named_with_the_host() {
        let closed = || Sandbox { network: Network::Closed, ..Sandbox::default() };
        let host = |name: &str| vec![Need::Hosts(vec![name.to_owned()])];
        for (line, expected) in [
            ("Error: getaddrinfo ENOTFOUND api.example.com", host("api.example.com:443")),
            ("error: dns error for https://api.example.com/v1", host("api.example.com:443")),
            ("connect ECONNREFUSED http://api.example.com:8080/", host("api.example.com:8080")),
            ("curl: (6) Could not resolve host: api.example.com", host("api.example.com:443")),
            ("OSError: [Errno 101] Network is unreachable", vec![Need::Network]),
            (
                "  sock = socket.socket()\nPermissionError: [Errno 1] not allowed",
                vec![Need::Network],
            ),
            ("connecting to https://api.example.com/", vec![]),
        ] {
            assert_eq!(needs(closed(), line), expected, "{line}");
            assert_eq!(needs(Sandbox::default(), line), [], "{line}");
        }
    }

    #[test]
    fn another_program_that_was_refused_is_recognised() {
        let execute = Vec::new();
        let alone = || Sandbox {
            subprocess: Subprocess::Closed { execute: execute.clone() },
            ..Sandbox::default()
        };
        for line in [
            "Error: spawn git EPERM",
            "BlockingIOError: fork: Operation not permitted",
            "sh: 1: exec: python3: Permission denied",
        ] {
            assert_eq!(needs(alone(), line), [Need::Subprocess], "{line}");
            assert_eq!(needs(Sandbox::default(), line), [], "{line}");
        }
        assert_eq!(needs(alone(), "spawned a worker"), []);
    }

    #[test]
    fn only_words_like_variables_are_variables() {
        let found = |line: &str| variables_of(line).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(found("error: API_KEY is not set (see MY_TOKEN_2)"), ["API_KEY", "MY_TOKEN_2"]);
        assert_eq!(found("ERROR in File_Name: HOME PATH X_ _Y 12_3"), [""; 0]);
    }
}
