//! Why a server cannot start with what it was granted, and which grants it can start with (spec 11.4).

mod fetchers;
mod interpreters;
mod refusals;
mod settings;
mod wrappers;

use facets_failure::Stderr;
use facets_launch::ProcessLaunch;
use facets_lock::{Extent, Grants, READ_ONLY};

use crate::start_obstacle::{Need, StartObstacle};

pub(crate) use fetchers::{installed_instead, is_fetcher};

/// What is known before a server is started: these grants do not let it.
pub(crate) fn known_obstacles(process: &ProcessLaunch) -> Vec<StartObstacle> {
    let mut found = fetchers::obstacles(process);
    found.extend(interpreters::obstacles(process));
    found
}

/// The same, and what the server wrote when it failed.
pub(crate) fn obstacles_of(process: &ProcessLaunch, stderr: &Stderr) -> Vec<StartObstacle> {
    let mut found = known_obstacles(process);
    for obstacle in refusals::obstacles(process, stderr) {
        if !found.iter().any(|known| covers(&known.needs, &obstacle.needs)) {
            found.push(obstacle);
        }
    }
    found
}

/// Variables that the server's standard error names, that are set here, and that it does not get.
pub(crate) fn withheld_variables(process: &ProcessLaunch, stderr: &Stderr) -> Vec<String> {
    refusals::withheld_variables(process, stderr)
}

/// Whether whoever needs one thing gets the other with it.
fn covers(known: &Need, other: &Need) -> bool {
    match (known, other) {
        (Need::Hosts(_) | Need::Network, Need::Hosts(_) | Need::Network) => true,
        (Need::Read(folder), Need::Read(path)) => path.starts_with(folder),
        // One who is told to open a folder is not warned about what lies in it.
        (Need::Read(folder), Need::Decision(path)) => path.starts_with(folder),
        (Need::Files, Need::Read(_)) => true,
        (known, other) => known == other,
    }
}

/// Grants with which none of these obstacles is in the way.
pub(crate) fn widened(grants: &Grants, obstacles: &[StartObstacle]) -> Grants {
    obstacles.iter().fold(grants.clone(), |grants, obstacle| match &obstacle.needs {
        Need::Network => Grants { network: Extent::All, ..grants },
        Need::Files => Grants { filesystem: Extent::All, ..grants },
        Need::Subprocess => Grants { subprocess: true, ..grants },
        Need::Hosts(hosts) => Grants { network: with_items(&grants.network, hosts), ..grants },
        Need::Read(path) => {
            let path = format!("{READ_ONLY}{}", path.display());
            Grants { filesystem: with_items(&grants.filesystem, &[path]), ..grants }
        }
        Need::Decision(_) => grants,
    })
}

fn with_items(extent: &Extent, more: &[String]) -> Extent {
    let mut items = match extent {
        Extent::All => return Extent::All,
        Extent::None => Vec::new(),
        Extent::Listed(items) => items.clone(),
    };
    items.extend_from_slice(more);
    items.sort();
    items.dedup();
    Extent::Listed(items)
}

#[cfg(test)]
mod tests {
    use facets_launch::{Network, Sandbox};

    use super::settings::samples::process;
    use super::*;
    use crate::grant_words::grant_command;

    fn needing(needs: Need) -> StartObstacle {
        StartObstacle { reason: String::new(), needs }
    }

    #[test]
    fn the_command_keeps_what_was_granted_and_adds_what_is_needed() {
        let before = Grants {
            filesystem: Extent::Listed(vec!["/srv/data".to_owned()]),
            network: Extent::None,
            subprocess: false,
            ..Grants::ALL
        };
        let needed = [
            needing(Need::Read("/home/me/.nvm/v20".into())),
            needing(Need::Hosts(vec!["packages.example:443".to_owned()])),
            needing(Need::Subprocess),
            needing(Need::Decision("/home/me/.ssh".into())),
        ];
        let after = widened(&before, &needed);
        assert_eq!(
            grant_command("s", &before, &after).as_deref(),
            Some(
                "facet grant s network=packages.example:443 \
                 filesystem=/srv/data,ro:/home/me/.nvm/v20 subprocess=yes"
            )
        );
        assert_eq!(grant_command("s", &before, &before), None);
        let blank = widened(&before, &[needing(Need::Read("/home/my files".into()))]);
        let command = grant_command("s", &before, &blank).unwrap();
        assert!(command.ends_with("'filesystem=/srv/data,ro:/home/my files'"), "{command}");
    }

    #[test]
    fn a_folder_that_is_proposed_is_not_warned_about() {
        let needed = Need::Read("/home/me/.pyenv".into());
        assert!(covers(&needed, &Need::Decision("/home/me/.pyenv/libexec/pyenv".into())));
        assert!(!covers(&needed, &Need::Decision("/home/me/.ssh/id_rsa".into())));
    }

    #[test]
    fn what_is_granted_completely_stays_so() {
        let needed = [needing(Need::Read("/x".into())), needing(Need::Hosts(vec![]))];
        assert_eq!(widened(&Grants::ALL, &needed), Grants::ALL);
    }

    #[test]
    fn what_the_server_wrote_adds_to_what_is_known() {
        let sandbox = Sandbox { network: Network::Closed, ..Sandbox::default() };
        let npx = process(&["npx", "-y", "x"], sandbox);
        let stderr = Stderr::of("npm error code ENOTFOUND\nnpm error syscall getaddrinfo");
        let found = obstacles_of(&npx, &stderr);
        assert_eq!(found, known_obstacles(&npx), "the network is said once");
        assert_eq!(found.len(), 1);
    }
}
