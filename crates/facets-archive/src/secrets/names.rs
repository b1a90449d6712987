//! Names and paths that secrets have.

/// Names that secrets have, in lower case.
const NAMES: &[(&str, &str)] = &[
    (".envrc", "a file of environment variables"),
    (".netrc", "credentials of a machine"),
    ("_netrc", "credentials of a machine"),
    (".pypirc", "credentials of PyPI"),
    (".git-credentials", "credentials of git"),
    (".htpasswd", "passwords of a web server"),
    (".pgpass", "passwords of a database"),
    ("credentials.json", "credentials of a service"),
    ("service-account.json", "credentials of a service"),
    ("secrets.json", "secrets of a service"),
    (".dev.vars", "a file of environment variables"),
];

/// Ends of paths that secrets have, in lower case.
const PATHS: &[(&str, &str)] = &[
    (".aws/credentials", "credentials of AWS"),
    (".docker/config.json", "credentials of Docker"),
    (".kube/config", "credentials of Kubernetes"),
];

/// Beginnings of names of private keys.
const KEYS: &[&str] = &["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];

/// Endings of names that secrets have, in lower case.
const ENDINGS: &[(&str, &str)] = &[
    (".pem", "a key or a certificate"),
    (".key", "a private key"),
    (".p12", "a store of keys"),
    (".pfx", "a store of keys"),
    (".jks", "a store of keys"),
    (".keystore", "a store of keys"),
    (".ppk", "a private key of PuTTY"),
    (".kdbx", "a store of passwords"),
];

/// What follows the name of an environment file that has no values.
const EXAMPLES: &[&str] = &["example", "sample", "template", "dist"];

/// Why a name is that of a secret.
pub(crate) fn secret_name(path: &str) -> Option<&'static str> {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    if is_environment(name) {
        return Some("a file of environment variables");
    }
    if KEYS.iter().any(|key| name.strip_prefix(key).is_some_and(is_key_variant)) {
        return Some("a private key of SSH");
    }
    let named = NAMES.iter().find(|(known, _)| name == *known);
    let ending = || ENDINGS.iter().find(|(ending, _)| name.ends_with(ending));
    let placed = || PATHS.iter().find(|(end, _)| is_end(&path, end));
    named.or_else(ending).or_else(placed).map(|(_, reason)| *reason)
}

/// Whether the last segments of a path are these.
fn is_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// `.env`, `.env.local` and `prod.env`, but neither `.env.example` nor `example.env`.
fn is_environment(name: &str) -> bool {
    if let Some(stem) = name.strip_suffix(".env") {
        return !EXAMPLES.iter().any(|example| stem.ends_with(example));
    }
    let kind = name.strip_prefix(".env.");
    kind.is_some_and(|kind| !EXAMPLES.iter().any(|example| kind.ends_with(example)))
}

/// `id_rsa`, `id_rsa_work` and `id_rsa.old`, but neither the public half nor a word that goes on.
fn is_key_variant(rest: &str) -> bool {
    (rest.is_empty() || rest.starts_with(['_', '-', '.'])) && !rest.ends_with(".pub")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            ".env",
            "a/.env.local",
            ".env.production",
            "server.pem",
            "tls.KEY",
            "id_rsa",
            "id_rsa_work",
            "id_ed25519.old",
            ".netrc",
            "x/credentials.json",
            "store.p12",
            ".pypirc",
            "prod.env",
            ".dev.vars",
            "config/secrets.json",
            ".aws/credentials",
            "home/.docker/config.json",
            ".kube/config",
        ] {
            assert!(secret_name(name).is_some(), "{name}");
        }
        for name in [
            ".env.example",
            ".environment",
            "id_rsa.pub",
            "id_rsable",
            "keys.ts",
            "pem",
            "env",
            "credentials.ts",
            "monkey",
            ".npmrc",
            "example.env",
            "config.json",
            "x.kube/config",
            "aws/credentials",
        ] {
            assert_eq!(secret_name(name), None, "{name}");
        }
    }
}
