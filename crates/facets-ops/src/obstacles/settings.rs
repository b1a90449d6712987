//! What a sandbox keeps a server from, in the words of its settings.

use std::path::Path;

use facets_launch::{Filesystem, Network, Sandbox, Subprocess, is_of_system};

/// How a sandbox is written as a setting, for a reason.
pub(super) fn network_setting(sandbox: &Sandbox) -> Option<String> {
    match &sandbox.network {
        Network::Open => None,
        Network::Closed => Some("network=none".to_owned()),
        Network::Hosts(hosts) => Some(format!("network={}", hosts.join(","))),
    }
}

pub(super) fn is_without_programs(sandbox: &Sandbox) -> bool {
    matches!(sandbox.subprocess, Subprocess::Closed { .. })
}

/// Whether a confined server can read a path; one with all files can.
pub(super) fn is_opened(sandbox: &Sandbox, path: &Path) -> bool {
    // Of these a server reads what everybody may.
    const SHARED: [&str; 3] = ["/dev", "/etc", "/opt"];
    match &sandbox.filesystem {
        Filesystem::Open => true,
        Filesystem::Listed { read, write, .. } => {
            is_of_system(path)
                || SHARED.iter().any(|folder| path.starts_with(folder))
                || read.iter().chain(write).any(|opened| path.starts_with(opened))
        }
    }
}

/// Servers in sandboxes, for the tests of those who look at them.
#[cfg(test)]
pub(super) mod samples {
    use std::path::Path;

    use facets_launch::{Filesystem, ProcessLaunch, Sandbox, Variables};

    /// A command line in a sandbox.
    pub(crate) fn process(words: &[&str], sandbox: Sandbox) -> ProcessLaunch {
        ProcessLaunch {
            program: words[0].into(),
            args: words[1..].iter().map(Into::into).collect(),
            variables: Variables::default(),
            directory: "/".into(),
            sandbox,
            verified: None,
        }
    }

    /// No file but the system's and these.
    pub(crate) fn files(read: &[&Path]) -> Sandbox {
        let read = read.iter().map(|path| path.to_path_buf()).collect();
        let filesystem = Filesystem::Listed { read, names: Vec::new(), write: Vec::new() };
        Sandbox { filesystem, ..Sandbox::default() }
    }
}
