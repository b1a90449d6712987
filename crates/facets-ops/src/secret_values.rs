//! Values that a server was given, and that nobody else has to see.

use std::path::Path;

use facets_clients::looks_like_secret;
use facets_digest::json::quoted;
use facets_launch::{Launchable, ProcessLaunch, RemoteLaunch, value_of};

/// Shorter ones are no secrets, and stand everywhere.
const SHORTEST: usize = 8;

/// Words in names of variables that hold secrets.
const NAMES: &[&str] = &["AUTH", "CREDENTIAL", "KEY", "PASSWD", "PASSWORD", "SECRET", "TOKEN"];

/// A value that is to be hidden, and what it is called.
#[derive(Clone, Debug)]
struct NamedValue {
    /// The variable, or the header.
    name: String,
    value: String,
}

/// Values of the variables and headers of a server, as they may be written by it: whole, line by line, and
/// with the escapes of JSON.
pub(crate) fn spelled_values(server: &Launchable) -> Vec<String> {
    named_values(server).iter().flat_map(|one| spellings(&one.value)).collect()
}

/// The variable or header whose secret value stands in a text.
pub(crate) fn secret_in(server: &Launchable, text: &str) -> Option<String> {
    let is_remote = matches!(server, Launchable::Remote(_));
    let mut named = named_values(server).into_iter();
    let found = named.find(|one| {
        let is_secret = is_remote || is_secret_name(&one.name) || looks_like_secret(&one.value);
        is_secret && spellings(&one.value).iter().any(|spelled| text.contains(spelled))
    });
    found.map(|one| one.name)
}

fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    NAMES.iter().any(|word| name.contains(word))
}

fn named_values(server: &Launchable) -> Vec<NamedValue> {
    match server {
        Launchable::Process(process) => of_process(process),
        Launchable::Remote(remote) => of_remote(remote),
    }
}

fn of_process(process: &ProcessLaunch) -> Vec<NamedValue> {
    let variables = &process.variables;
    let named = variables.named.iter().filter_map(|name| {
        let value = value_of(name, &variables.given)?.into_string().ok()?;
        Some(NamedValue { name: name.clone(), value })
    });
    named.filter(|one| !Path::new(&one.value).exists()).collect()
}

fn of_remote(remote: &RemoteLaunch) -> Vec<NamedValue> {
    let headers = remote.headers.iter();
    let values = headers.map(|header| {
        // The token is the secret; the word before it is not.
        let token = header.value.split_once(' ').map_or(&*header.value, |(_, token)| token);
        NamedValue { name: header.name.clone(), value: token.trim().to_owned() }
    });
    values.collect()
}

fn spellings(value: &str) -> Vec<String> {
    let written = quoted(value);
    let escaped = written.trim_matches('"').to_owned();
    let lines = value.lines().map(|line| line.trim().to_owned());
    let mut all: Vec<String> = lines.chain([value.to_owned(), escaped]).collect();
    all.retain(|one| one.len() >= SHORTEST);
    all.sort_by_key(|one| std::cmp::Reverse(one.len()));
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_known_in_each_of_its_spellings() {
        let key = "-----BEGIN KEY-----\nabcdefgh\nxy\n";
        let all = spellings(key);
        for spelled in
            ["abcdefgh", "-----BEGIN KEY-----", key, r"-----BEGIN KEY-----\nabcdefgh\nxy\n"]
        {
            assert!(all.iter().any(|one| one == spelled), "{spelled:?} {all:?}");
        }
        assert!(!all.iter().any(|one| one == "xy"));
        assert_eq!(spellings("short"), Vec::<String>::new());
        assert!(spellings(r#"s3cr3t-"q"/ab"#).contains(&r#"s3cr3t-\"q\"/ab"#.to_owned()));
    }

    #[test]
    fn names_tell_secrets() {
        assert!(is_secret_name("GITHUB_TOKEN") && is_secret_name("api_key"));
        assert!(!is_secret_name("NODE_ENV") && !is_secret_name("ROOT"));
    }
}
