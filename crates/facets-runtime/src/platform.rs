//! Which platform this machine is. No variable decides over it: a program for another platform would be another
//! program.

use std::path::Path;

/// The C library that programs of a Linux system are linked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Libc {
    Gnu,
    Musl,
}

/// The one that this program was built for.
const OWN: Libc = if cfg!(target_env = "musl") { Libc::Musl } else { Libc::Gnu };

/// Loaders of the GNU C library, where it lies on every distribution that has it.
const GNU_LOADERS: [&str; 4] = [
    "lib64/ld-linux-x86-64.so.2",
    "lib/ld-linux-x86-64.so.2",
    "lib/ld-linux-aarch64.so.1",
    "lib64/ld-linux-aarch64.so.1",
];

const MUSL_LOADERS: [&str; 2] = ["lib/ld-musl-x86_64.so.1", "lib/ld-musl-aarch64.so.1"];

/// A distribution with musl on which programs for the other C library find a loader, too.
const ALPINE: &str = "etc/alpine-release";

/// The name of the platform of this machine, such as `linux-x64-gnu`.
#[must_use]
pub fn this_platform() -> String {
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    if !cfg!(target_os = "linux") {
        return format!("{os}-{processor}");
    }
    let libc = match find_libc(Path::new("/")) {
        Libc::Gnu => "gnu",
        Libc::Musl => "musl",
    };
    format!("{os}-{processor}-{libc}")
}

/// The C library of the system below a directory. This program itself may be linked statically with another.
fn find_libc(root: &Path) -> Libc {
    let has = |files: &[&str]| files.iter().any(|file| root.join(file).exists());
    match (has(&GNU_LOADERS), has(&MUSL_LOADERS)) {
        (true, false) => Libc::Gnu,
        (false, true) => Libc::Musl,
        (true, true) if has(&[ALPINE]) => Libc::Musl,
        (true, true) => Libc::Gnu,
        (false, false) => OWN,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use facets_model::PlatformName;

    use super::*;

    fn system(files: &[&str]) -> Libc {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        find_libc(root.path())
    }

    #[test]
    fn the_loader_tells_the_c_library() {
        let [x64, _, arm64, _] = GNU_LOADERS;
        let [musl_x64, musl_arm64] = MUSL_LOADERS;
        let cases: [(&[&str], Libc); 7] = [
            (&[x64], Libc::Gnu),
            (&[arm64], Libc::Gnu),
            (&[musl_x64], Libc::Musl),
            (&[musl_arm64], Libc::Musl),
            (&[musl_x64, x64], Libc::Gnu),
            (&[musl_x64, x64, ALPINE], Libc::Musl),
            (&[], OWN),
        ];
        for (files, expected) in cases {
            assert_eq!(system(files), expected, "{files:?}");
        }
    }

    #[test]
    fn this_machine_has_a_name() {
        let platform = this_platform();
        assert!(platform.parse::<PlatformName>().is_ok(), "{platform}");
        assert_eq!(platform.starts_with("linux-"), cfg!(target_os = "linux"), "{platform}");
    }
}
