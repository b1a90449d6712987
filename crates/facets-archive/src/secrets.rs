//! Files that look like secrets, by their names and by what is in them.
//!
//! A private key in a published archive cannot be taken back. A file that only looks like one costs a flag.

use memchr::memmem;

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

/// Beginnings of tokens, and how many letters and digits follow at least.
const TOKENS: &[(&[u8], usize, &str)] = &[
    (b"ghp_", 36, "a token of GitHub in its content"),
    (b"gho_", 36, "a token of GitHub in its content"),
    (b"ghu_", 36, "a token of GitHub in its content"),
    (b"ghs_", 36, "a token of GitHub in its content"),
    (b"ghr_", 36, "a token of GitHub in its content"),
    (b"github_pat_", 22, "a token of GitHub in its content"),
    (b"npm_", 36, "a token of npm in its content"),
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

/// Settings with a token, in files of npm and of yarn.
const NPM_SETTINGS: &[&[u8]] = &[b"_auth", b"_password"];
const YARN_SETTINGS: &[&[u8]] = &[b"npmAuthToken", b"npmAuthIdent"];

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

/// Looks for keys and tokens in the content of a file that comes in parts.
pub(crate) struct SecretScanner {
    /// What is a token in a file of this name.
    settings: &'static [&'static [u8]],
    /// The end of what came before.
    carry: Vec<u8>,
    found: Option<&'static str>,
}

/// A key begins within so many bytes behind its header, or is none.
const LOOK_AHEAD: usize = 512;
/// What no sentence has: so many base64 digits in a row.
const RUN: usize = 40;
/// Between the beginning of a header and its end.
const LONGEST_HEADER: usize = 40;

impl SecretScanner {
    pub(crate) fn new(path: &str) -> Self {
        let settings = match path.rsplit('/').next() {
            Some(".npmrc") => NPM_SETTINGS,
            Some(".yarnrc.yml") => YARN_SETTINGS,
            _ => &[],
        };
        Self { settings, carry: Vec::new(), found: None }
    }

    /// The next part.
    pub(crate) fn update(&mut self, part: &[u8]) {
        if self.found.is_some() {
            return;
        }
        self.carry.extend_from_slice(part);
        self.found = self.find();
        let keep = LOOK_AHEAD + LONGEST_HEADER + 64;
        let gone = self.carry.len().saturating_sub(keep);
        self.carry.drain(..gone);
    }

    /// Why the file is a secret.
    pub(crate) fn finish(self) -> Option<&'static str> {
        self.found
    }

    fn find(&self) -> Option<&'static str> {
        let text = self.carry.as_slice();
        if has_private_key(text) {
            return Some("a private key in its content");
        }
        if memmem::find(text, b"PuTTY-User-Key-File-").is_some() {
            return Some("a private key of PuTTY in its content");
        }
        if self.settings.iter().any(|one| memmem::find(text, one).is_some()) {
            return Some("a token of npm in its content");
        }
        TOKENS.iter().find(|(start, length, _)| has_token(text, start, *length)).map(|one| one.2)
    }
}

/// A token is a word of its own, of letters and digits; a row of one letter stands for one in a manual.
fn has_token(text: &[u8], start: &[u8], length: usize) -> bool {
    memmem::find_iter(text, start).any(|at| {
        let is_inside =
            at.checked_sub(1).is_some_and(|before| text[before].is_ascii_alphanumeric());
        let behind = &text[at + start.len()..];
        let end = behind.iter().position(|byte| !byte.is_ascii_alphanumeric());
        let run = &behind[..end.unwrap_or(behind.len())];
        let is_mixed =
            run.iter().any(u8::is_ascii_digit) && run.iter().any(u8::is_ascii_alphabetic);
        !is_inside && run.len() >= length && is_mixed
    })
}

/// A header of a private key with a key behind it: a program that only knows the header is no secret.
fn has_private_key(text: &[u8]) -> bool {
    const END: &[u8] = b"PRIVATE KEY-----";
    memmem::find_iter(text, END).any(|at| {
        let before = &text[at.saturating_sub(LONGEST_HEADER)..at];
        let behind = &text[at + END.len()..];
        let behind = &behind[..behind.len().min(LOOK_AHEAD)];
        memmem::find(before, b"-----BEGIN ").is_some() && has_run(behind)
    })
}

fn has_run(text: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    text.split(|byte| !is_digit(byte)).any(|run| run.len() >= RUN)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str =
        "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAxyzxyzxyzxyzxyzxyzxyzxyzxyz\n";

    fn scan(path: &str, content: &str, part: usize) -> Option<&'static str> {
        let mut scanner = SecretScanner::new(path);
        content.as_bytes().chunks(part).for_each(|part| scanner.update(part));
        scanner.finish()
    }

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

    #[test]
    fn a_key_is_found_wherever_the_parts_are_cut() {
        let content = format!("{}{KEY}{}", "x\n".repeat(2000), "y\n".repeat(2000));
        for part in [1, 7, 100, 4096, 100_000] {
            assert!(scan("notes.txt", &content, part).is_some(), "{part}");
        }
        let escaped = KEY.replace('\n', "\\n");
        assert!(scan("a.json", &format!("{{\"private_key\":\"{escaped}\"}}"), 64).is_some());
    }

    #[test]
    fn code_that_only_knows_about_keys_is_no_secret() {
        let code = "if (pem.startsWith('-----BEGIN PRIVATE KEY-----')) { return decode(pem) }";
        assert_eq!(scan("a.ts", code, 4096), None);
        let public = KEY.replace("RSA PRIVATE", "PUBLIC");
        assert_eq!(scan("a.txt", &public, 4096), None);
    }

    #[test]
    fn a_token_counts_only_in_the_configuration_of_npm() {
        let line = "//registry.example.com/:_authToken=abc\n";
        assert!(scan("sub/.npmrc", line, 5).is_some());
        assert_eq!(scan("README.md", line, 5), None);
    }

    #[test]
    fn tokens_are_found_in_all_files_and_in_settings_of_package_managers() {
        let digits = "a1B".repeat(12);
        for token in [format!("ghp_{digits}"), format!("npm_{digits}")] {
            for part in [1, 7, 4096] {
                assert!(scan("src/a.ts", &format!("const t = '{token}'"), part).is_some());
            }
            assert_eq!(scan("src/a.ts", &token[..30], 64), None);
            assert_eq!(scan("src/a.ts", &format!("x{token}"), 64), None);
        }
        assert_eq!(scan("README.md", &format!("ghp_{}", "x".repeat(36)), 64), None);
        assert!(scan(".npmrc", "_auth = x\n", 64).is_some());
        assert_eq!(scan(".npmrc", "always-auth=true\n", 64), None);
        assert!(scan(".yarnrc.yml", "npmAuthToken: x\n", 64).is_some());
    }
}
