//! Which tarballs are fetched from the configured registry instead: `replace-registry-host`.

use url::Url;

use super::npmrc::Setting;

/// The host that npm replaces unless it is told otherwise.
const PUBLIC_HOST: &str = "registry.npmjs.org";

/// Which tarballs are fetched from the configured registry, wherever a document says that they lie. As npm
/// does when it installs (`registryResolved` in `@npmcli/arborist`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReplacedHost {
    /// None.
    Never,
    /// All.
    Always,
    /// Those of a host, which may have a port.
    Host(String),
    /// Those of a host below a path, which is replaced as well.
    Below {
        /// The host.
        host: String,
        /// Begins with a slash, and does not end with one.
        path: String,
    },
}

impl ReplacedHost {
    /// `npmjs`, `never`, `always`, a host, or an address.
    pub(super) fn read(setting: Option<&Setting>) -> Self {
        let text = setting.and_then(Setting::text).unwrap_or("npmjs");
        match text {
            "npmjs" => Self::Host(PUBLIC_HOST.to_owned()),
            "never" => Self::Never,
            "always" => Self::Always,
            other => Self::of_host(other),
        }
    }

    fn of_host(text: &str) -> Self {
        let address = text.parse::<Url>().ok();
        // `localhost:4873` is read as an address without a host.
        let host = address.as_ref().and_then(|address| Some((address, address.host_str()?)));
        let Some((address, host)) = host else { return Self::Host(text.to_owned()) };
        let (host, path) = (host.to_owned(), address.path().trim_end_matches('/').to_owned());
        if path.is_empty() { Self::Host(host) } else { Self::Below { host, path } }
    }

    /// Where a tarball is fetched: its own address, or that of the same path below the registry. Scheme, host
    /// and port are those of the registry; its path comes first unless it is there already.
    pub(super) fn apply(&self, tarball: &Url, registry: &Url) -> Url {
        let root = registry.path().trim_end_matches('/');
        let path = tarball.path();
        let path = match self {
            Self::Below { host, path: prefix }
                if tarball.host_str() == Some(host.as_str()) && is_below(path, prefix) =>
            {
                format!("{root}{}", path.strip_prefix(prefix.as_str()).unwrap_or(path))
            }
            Self::Host(host) if !is_host(tarball, host) => return tarball.clone(),
            Self::Never | Self::Below { .. } => return tarball.clone(),
            Self::Always | Self::Host(_) if is_below(path, root) => path.to_owned(),
            Self::Always | Self::Host(_) => format!("{root}{path}"),
        };
        let mut moved = registry.clone();
        moved.set_path(&path);
        moved.set_query(tarball.query());
        moved
    }
}

fn is_host(url: &Url, wanted: &str) -> bool {
    let host = url.host_str().unwrap_or_default();
    host == wanted || url.port().is_some_and(|port| format!("{host}:{port}") == wanted)
}

fn is_below(path: &str, root: &str) -> bool {
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    const MIRROR: &str = "https://mirror.example:8443/npm/";

    fn moved(setting: &str, tarball: &str, registry: &str) -> String {
        let setting = Setting { values: vec![setting.to_owned()], place: "/f:1".to_owned() };
        let replaced = ReplacedHost::read(Some(&setting));
        replaced.apply(&tarball.parse().unwrap(), &registry.parse().unwrap()).to_string()
    }

    #[test]
    fn tarballs_of_the_public_registry_are_fetched_from_the_configured_one() {
        let public = "http://registry.npmjs.org/@s/pad/-/pad-1.0.0.tgz?x=y";
        let replaced = "https://mirror.example:8443/npm/@s/pad/-/pad-1.0.0.tgz?x=y";
        for setting in ["", "npmjs", "null", "registry.npmjs.org", "https://registry.npmjs.org/"] {
            assert_eq!(moved(setting, public, MIRROR), replaced, "{setting}");
            let other = "https://cdn.example/pad.tgz";
            assert_eq!(moved(setting, other, MIRROR), other, "{setting}");
        }
        assert_eq!(moved("never", public, MIRROR), public);
        assert_eq!(moved("other.example", public, MIRROR), public);
        let same = "https://registry.npmjs.org/pad/-/pad-1.0.0.tgz";
        assert_eq!(moved("npmjs", same, "https://registry.npmjs.org/"), same);
        let plain = same.replace("https:", "http:");
        assert_eq!(moved("npmjs", &plain, "https://registry.npmjs.org/"), same);
    }

    #[test]
    fn another_host_a_port_or_a_path_can_be_named() {
        for (setting, tarball, expected) in [
            ("always", "https://cdn.example/pad.tgz", "https://mirror.example:8443/npm/pad.tgz"),
            ("always", "http://cdn.example/npm/p.tgz", "https://mirror.example:8443/npm/p.tgz"),
            ("always", "http://cdn.example/npmx", "https://mirror.example:8443/npm/npmx"),
            ("cdn.example", "https://cdn.example:1/p", "https://mirror.example:8443/npm/p"),
            ("localhost:4873", "http://localhost:4873/p", "https://mirror.example:8443/npm/p"),
            ("localhost:4873", "http://localhost:4874/p", "http://localhost:4874/p"),
            ("https://o.example/a", "https://o.example/a/p", "https://mirror.example:8443/npm/p"),
            ("https://o.example/a", "https://o.example/ab/p", "https://o.example/ab/p"),
            ("https://o.example/a", "https://n.example/a/p", "https://n.example/a/p"),
        ] {
            assert_eq!(moved(setting, tarball, MIRROR), expected, "{setting}: {tarball}");
        }
    }
}
