//! Files that hold secrets, wherever they are said to be.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::chunks::Chunk;
use crate::fold::Folded;
use crate::found::Found;

const RULE: &str = "marker-secret-path";

/// Names of files and folders, or the last parts of their paths.
const SECRET: &[&str] = &[
    ".aws/credentials",
    ".bash_history",
    ".bitcoin",
    ".boto",
    ".config/gh/hosts.yml",
    "gcloud/credentials.db",
    ".cursor/mcp.json",
    ".docker/config.json",
    ".env",
    ".ethereum",
    ".git-credentials",
    ".gnupg",
    ".htpasswd",
    ".kube/config",
    ".my.cnf",
    ".netrc",
    ".npmrc",
    ".pgpass",
    ".pypirc",
    ".ssh",
    ".vault-token",
    ".zsh_history",
    "_netrc",
    "authorized_keys",
    "claude_desktop_config.json",
    "cookies.sqlite",
    "etc/passwd",
    "etc/shadow",
    "etc/sudoers",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_rsa",
    "key4.db",
    "login.keychain",
    "logins.json",
    "ntds.dit",
    "proc/self/environ",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    "wallet.dat",
];

static LAST: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| SECRET.iter().filter_map(|secret| secret.rsplit('/').next()).collect());

/// Finds paths that name such files.
pub(crate) fn look(folded: &Folded<'_>, chunk: &Chunk<'_>, found: &mut Found) {
    let may_be = chunk.text.split(is_separator).any(may_be_secret);
    if let Some(secret) = may_be.then(|| secret(chunk.text)).flatten() {
        found.add_folded(RULE, folded, &chunk.place, secret);
    }
}

fn is_separator(character: char) -> bool {
    matches!(character, '/' | '\\' | '=' | ':' | '@' | '+') || !character.is_ascii()
}

/// A cheap look at one part: is it the last part of anything in the table?
fn may_be_secret(part: &str) -> bool {
    (4..=40).contains(&part.len()) && LAST.contains(stem(part))
}

/// `.env.local` is an `.env`, `id_rsa.pub` an `id_rsa`.
fn stem(part: &str) -> &str {
    match part {
        _ if part.starts_with(".env.") => ".env",
        _ if part.starts_with(".env*") => ".env",
        _ => part.strip_suffix(".pub").unwrap_or(part),
    }
}

/// Which of the table a path names.
fn secret(path: &str) -> Option<&'static str> {
    let parts: Vec<&str> = path.split(is_separator).filter(|p| !p.is_empty()).map(stem).collect();
    let names = |secret: &str| {
        let wanted: Vec<&str> = secret.split('/').collect();
        parts.windows(wanted.len()).any(|window| window == wanted)
    };
    SECRET.iter().copied().find(|secret| names(secret))
}
