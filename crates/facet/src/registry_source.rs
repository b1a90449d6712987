//! Whether a word that was typed names a server of a registry.

use facets_ops::install::WishedName;

use crate::local_source::{is_local, is_path};
use crate::typed_words::{is_command, is_host};

/// The name and version that a word is, if it is neither a path, nor an address, nor a well-known command.
pub(crate) fn registry_name(word: &str) -> Option<WishedName> {
    if is_local(word) || is_path(word) || is_host(word) || is_command(word) {
        return None;
    }
    word.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_addresses_paths_and_commands() {
        for word in ["jira", "jira@1.4.0", "@acme/jira", "@acme/jira@1.*", "jira@latest"] {
            assert_eq!(registry_name(word).map(|name| name.to_string()).as_deref(), Some(word));
        }
        for word in [
            "https://mcp.example.com/",
            "mcp.example.com",
            "localhost",
            "localhost:3000",
            "./jira",
            "jira.server.tar.gz",
            "npx",
            "docker",
            "python3 server.py",
            "Jira",
            "jira@^1",
        ] {
            assert_eq!(registry_name(word), None, "{word}");
        }
    }
}
