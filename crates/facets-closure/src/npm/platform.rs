//! On which machines a package is installed: `os`, `cpu` and `libc` as npm reads them.

use facets_model::PlatformName;

/// A machine in npm's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpmPlatform<'p> {
    /// `linux`, `darwin`, `win32` …
    pub os: &'p str,
    /// `x64`, `arm64` …
    pub cpu: &'p str,
    /// `glibc` or `musl`; none outside of Linux.
    pub libc: Option<&'p str>,
}

impl<'p> NpmPlatform<'p> {
    /// The machine that facet calls `linux-x64-gnu`, `darwin-arm64` and so on.
    #[must_use]
    pub fn of(platform: &'p PlatformName) -> Self {
        let mut parts = platform.as_str().split('-');
        let (os, cpu) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let libc = parts.next().map(|libc| if libc == "gnu" { "glibc" } else { libc });
        Self { os, cpu, libc }
    }
}

/// The machines that a package names; every list that is empty admits all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlatformRule {
    /// Systems, or with `!` before them those that are excluded.
    pub os: Vec<String>,
    /// Processors, in the same way.
    pub cpu: Vec<String>,
    /// C libraries, in the same way.
    pub libc: Vec<String>,
}

impl PlatformRule {
    /// Whether npm installs the package there.
    #[must_use]
    pub fn admits(&self, platform: NpmPlatform<'_>) -> bool {
        let libc = match platform.libc {
            Some(libc) => admits(&self.libc, libc),
            // npm knows no C library elsewhere: a package that names one is not installed.
            None => self.libc.is_empty(),
        };
        admits(&self.os, platform.os) && admits(&self.cpu, platform.cpu) && libc
    }

    /// Whether it admits every machine.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.os.is_empty() && self.cpu.is_empty() && self.libc.is_empty()
    }
}

fn admits(list: &[String], value: &str) -> bool {
    if let [only] = list
        && only == "any"
    {
        return true;
    }
    let excluded = list.iter().filter_map(|word| word.strip_prefix('!'));
    if excluded.clone().any(|word| word == value) {
        return false;
    }
    excluded.count() == list.len() || list.iter().any(|word| word == value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(os: &[&str], cpu: &[&str], libc: &[&str]) -> PlatformRule {
        let texts = |list: &[&str]| list.iter().map(ToString::to_string).collect();
        PlatformRule { os: texts(os), cpu: texts(cpu), libc: texts(libc) }
    }

    #[test]
    fn lists_admit_as_npm_does() {
        let name: PlatformName = "linux-x64-gnu".parse().unwrap();
        let linux = NpmPlatform::of(&name);
        assert_eq!(linux, NpmPlatform { os: "linux", cpu: "x64", libc: Some("glibc") });
        let name: PlatformName = "darwin-arm64".parse().unwrap();
        let mac = NpmPlatform::of(&name);
        for (rule, on_linux, on_mac) in [
            (rule(&[], &[], &[]), true, true),
            (rule(&["linux"], &["x64"], &["glibc"]), true, false),
            (rule(&["linux"], &["x64"], &["musl"]), false, false),
            (rule(&["darwin", "linux"], &[], &[]), true, true),
            (rule(&["!win32"], &[], &[]), true, true),
            (rule(&["!linux", "!win32"], &[], &[]), false, true),
            (rule(&["any"], &["arm64"], &[]), false, true),
            (rule(&[], &[], &["glibc"]), true, false),
        ] {
            assert_eq!((rule.admits(linux), rule.admits(mac)), (on_linux, on_mac), "{rule:?}");
        }
    }
}
