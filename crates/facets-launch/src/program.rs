//! Finding programs: the one search of `PATH`.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::settled::settled_path;

/// Where the system's programs lie, which every server can read.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"];

/// Whether a real path is one of the system's.
#[must_use]
pub fn is_of_system(path: &Path) -> bool {
    SYSTEM.iter().any(|folder| path.starts_with(folder))
}

/// Every file that is executed when a program starts: itself, the interpreters that its first
/// lines name, and what loads them. Where the server can write such a line, or decides which file it
/// stands in, the interpreters are the system's.
#[must_use]
pub fn executables(
    program: &OsStr,
    directory: &Path,
    path: &OsStr,
    writable: &[PathBuf],
) -> Vec<PathBuf> {
    const LOADERS: [&str; 5] = [
        "/lib64/ld-linux-x86-64.so.2",
        "/lib/ld-linux-aarch64.so.1",
        "/lib/ld-musl-x86_64.so.1",
        "/lib/ld-musl-aarch64.so.1",
        "/lib/ld-linux.so.2",
    ];
    let mut found: Vec<PathBuf> =
        LOADERS.iter().map(PathBuf::from).filter(|loader| loader.exists()).collect();
    let mut next = find_program(program, directory, path);
    let of_system = |file: PathBuf| settled_path(&file, writable).filter(|real| is_of_system(real));
    let mut is_trusted = true;
    // A script may name a script; more than a few nobody writes.
    for _ in 0..8 {
        let named = next.take();
        let Some(file) = (if is_trusted { named } else { named.and_then(of_system) }) else {
            break;
        };
        is_trusted &= settled_path(&file, writable).is_some();
        if let Some(line) = first_line(&file) {
            let interpreter = line.split_whitespace().next().map(|word| directory.join(word));
            let interpreter = interpreter.filter(|interpreter| can_interpret(interpreter));
            next = match interpreter {
                Some(env) if ENV.iter().any(|known| env == Path::new(known)) => {
                    found.push(env);
                    program_of_env(&line)
                        .and_then(|program| find_program(OsStr::new(program), directory, path))
                }
                other => other,
            };
        }
        found.push(file);
    }
    found.sort();
    found.dedup();
    found
}

/// Where the system's `env` lies. Any other program of that name may run anything.
const ENV: [&str; 2] = ["/usr/bin/env", "/bin/env"];

/// What stands behind `#!`, if a file begins with that. Linux looks at no more of it.
fn first_line(file: &Path) -> Option<String> {
    const SEEN_BY_LINUX: usize = 256;
    let mut start = [0; SEEN_BY_LINUX];
    let count = std::fs::File::open(file).and_then(|mut file| file.read(&mut start)).ok()?;
    let start = &start[..count];
    let end = start.iter().position(|byte| *byte == b'\n');
    let end = end.or_else(|| (count < SEEN_BY_LINUX).then_some(count))?;
    let line = start[..end].strip_prefix(b"#!")?;
    std::str::from_utf8(line).ok().map(str::to_owned)
}

/// Whether Linux would run a file as an interpreter. What it refuses, the C library gives to a shell,
/// and then the file is not what runs: it is a secret that a script named.
fn can_interpret(file: &Path) -> bool {
    let mut start = [0; 4];
    let begins = std::fs::File::open(file).and_then(|mut file| file.read(&mut start)).is_ok();
    is_executable(file) && begins && (start.starts_with(b"#!") || start == *b"\x7fELF")
}

/// The program that `env` would run: behind variables, and options that take no word of their own.
/// spec 11.4: where anything else stands, none is guessed
fn program_of_env(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace().skip(1).peekable();
    let is_known = |word: &str| {
        let letters = word.strip_prefix('-').unwrap_or_default();
        !letters.is_empty() && letters.chars().all(|letter| "ivS".contains(letter))
    };
    while words.next_if(|word| is_known(word)).is_some() {}
    while words.next_if(|word| is_variable(word)).is_some() {}
    words.next().filter(|word| !word.starts_with('-') && !word.contains(SPECIAL))
}

/// What `env -S` reads as something else than it says.
const SPECIAL: [char; 5] = ['\\', '"', '\'', '$', '#'];

/// Variables decide nothing about which program it is, but for the one.
fn is_variable(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| name != "PATH") && !word.contains(SPECIAL)
}

/// Where our own programs are looked for.
#[must_use]
pub fn search_path() -> OsString {
    std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into())
}

/// The file that would be started for a name, looked up as a shell does in a search path.
#[must_use]
pub fn find_program(program: &OsStr, directory: &Path, path: &OsStr) -> Option<PathBuf> {
    let as_path = Path::new(program);
    let candidates: Vec<PathBuf> = if as_path.components().count() > 1 || as_path.is_absolute() {
        vec![directory.join(as_path)]
    } else {
        std::env::split_paths(path).map(|folder| directory.join(folder).join(program)).collect()
    };
    candidates.into_iter().find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn env_is_followed_only_where_its_words_are_understood() {
        for line in [
            "/usr/bin/env node",
            "/usr/bin/env -S node --flag",
            "/usr/bin/env -vS A=1 node",
            " /usr/bin/env -i -S node",
        ] {
            assert_eq!(program_of_env(line), Some("node"), "{line}");
        }
        for line in [
            "/usr/bin/env -S -u ./t node",
            "/usr/bin/env -S --unset ./t node",
            "/usr/bin/env -C / node",
            "/usr/bin/env -S PATH=. node",
            "/usr/bin/env -S A=1\\_-u ./t node",
            "/usr/bin/env -S \"node\"",
            "/usr/bin/env",
        ] {
            assert_ne!(program_of_env(line), Some("node"), "{line}");
            assert_ne!(program_of_env(line), Some("./t"), "{line}");
        }
    }

    #[test]
    fn an_interpreter_is_a_program_that_can_run() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str, content: &str, mode: u32| {
            let path = place.path().join(name);
            std::fs::write(&path, content).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            path
        };
        let padding = " ".repeat(300);
        let key = put("key", "#!key", 0o600);
        let data = put("data", "SECRET=1", 0o755);
        let script = put("script", "#!/bin/sh\n", 0o755);
        let fake = put("env", "#!/bin/sh\n", 0o755);
        let named = |interpreter: &str| {
            let server = put("server", &format!("#!{interpreter}\n"), 0o755);
            executables(server.as_os_str(), place.path(), OsStr::new("/usr/bin:/bin"), &[])
        };
        for (line, other) in [
            (key.display().to_string(), &key),
            (data.display().to_string(), &data),
            (format!("{padding}{}", script.display()), &script),
            (format!("{} ./script", fake.display()), &script),
            ("/usr/bin/env -S -u ./script sh".to_owned(), &script),
        ] {
            assert!(!named(&line).contains(other), "{line}");
        }
        assert!(named(script.to_str().unwrap()).contains(&script));
        let relative = named("./script");
        assert!(relative.contains(&place.path().join("./script")), "{relative:?}");
        let through = named("/usr/bin/env ./script");
        assert!(through.contains(&place.path().join("./script")), "{through:?}");
    }

    /// It could name whatever it wants to read.
    #[test]
    fn a_program_that_the_server_can_write_names_interpreters_of_the_system_only() {
        let place = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(place.path()).unwrap();
        let put = |name: &str, content: &str| {
            let path = top.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, content).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let other = put("bin/other", "#!/bin/sh\n");
        // A program of the system in another installation, whose parts would be opened.
        std::os::unix::fs::symlink("/bin/sh", top.join("bin/linked")).unwrap();
        let inner = put("data/inner", &format!("#!{}\n", other.display()));
        std::os::unix::fs::symlink("data/server", top.join("link")).unwrap();
        let search = std::env::join_paths([top.join("bin"), "/usr/bin".into()]).unwrap();
        let started = |program: &str, writable: &[PathBuf]| {
            executables(top.join(program).as_os_str(), &top, &search, writable)
        };
        let data = [top.join("data")];
        for line in [other.display().to_string(), "/usr/bin/env other".to_owned()] {
            put("data/server", &format!("#!{line}\n"));
            for program in ["data/server", "link"] {
                assert!(started(program, &[]).contains(&other), "{line} {program}");
                assert!(!started(program, &data).contains(&other), "{line} {program}");
            }
        }
        let shell = std::fs::canonicalize("/usr/bin/sh").unwrap();
        for line in ["/usr/bin/env sh", "/usr/bin/env linked", "bin/linked"] {
            put("data/server", &format!("#!{line}\n"));
            let started = started("data/server", &data);
            assert!(started.contains(&shell), "{line} {started:?}");
            assert!(!started.contains(&top.join("bin/linked")), "{line} {started:?}");
        }
        // Nor through another one.
        put("server", &format!("#!{}\n", inner.display()));
        let through = started("server", &data);
        assert!(through.contains(&inner) && !through.contains(&other), "{through:?}");
    }
}
