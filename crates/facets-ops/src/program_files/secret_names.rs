//! Names under which people keep secrets (spec 11.4).

/// Hidden entries that programs run from; others are settings, and often secrets.
const HIDDEN_PARTS: &[&str] = &[".venv", ".yarn", ".pnp.cjs", ".pnp.loader.mjs", ".output"];

/// Folders that people keep secrets in, also as `secrets.d`.
const SECRET_FOLDERS: &[&str] = &["credentials", "secret", "secrets"];

/// What a copy of a file is called, behind the name of the file.
const COPY_ENDINGS: &[&str] =
    &[".backup", ".bak", ".bkp", ".copy", ".old", ".orig", ".save", ".tmp", "~"];

/// The same as a word.
const COPY_WORDS: &[&str] = &["backup", "bak", "bkp", "copy", "new", "old", "orig", "tmp"];

/// Files of a program, of its documents and of its looks, whatever they are about.
const PROGRAM_ENDINGS: &[&str] = &[
    "c", "cc", "cjs", "cpp", "cs", "css", "cts", "ex", "gif", "go", "graphql", "h", "hpp", "htm",
    "html", "ico", "java", "jpg", "js", "jsx", "kt", "less", "lua", "map", "md", "mdx", "mjs",
    "mts", "node", "php", "pl", "png", "proto", "py", "pyc", "pyi", "rb", "rs", "rst", "scss",
    "so", "svelte", "svg", "swift", "ts", "tsx", "vue", "wasm", "webp",
];

/// Parts of a name, between its dots, that say what a file holds.
const SECRET_PARTS: &[&str] = &[
    "asc", "env", "gpg", "jks", "kdbx", "key", "keystore", "p12", "p8", "pem", "pfx", "ppk",
    "tfstate", "tfvars",
];

/// Words that say it anywhere in a name.
const SECRET_WORDS: &[&str] = &[
    "adminsdk",
    "apikey",
    "apikeys",
    "credential",
    "credentials",
    "creds",
    "htpasswd",
    "kubeconfig",
    "netrc",
    "passwd",
    "password",
    "passwords",
    "pgpass",
    "privatekey",
    "secret",
    "secrets",
];

/// Words that say it at the end of a part.
const LAST_WORDS: &[&str] = &["key", "keys", "token", "tokens"];

/// Before one of those: what everybody may know.
const HARMLESS_WORDS: &[&str] = &["added", "design", "public", "special"];

/// How names begin.
const SECRET_BEGINNINGS: &[&str] =
    &["credentials", "secret", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

/// Whether a name is one of those under which people keep secrets.
pub(super) fn is_secret(name: &str, is_folder: bool) -> bool {
    if name.starts_with('.') {
        return !HIDDEN_PARTS.contains(&&*name.to_ascii_lowercase());
    }
    let name = without_copy_marks(name);
    let lower = name.to_ascii_lowercase();
    if is_folder {
        return lower.split('.').next().is_some_and(|part| SECRET_FOLDERS.contains(&part));
    }
    // Files of a program that is about secrets are its files all the same.
    if is_of_program(&lower) {
        return false;
    }
    let is_key_file = lower.split('.').skip(1).any(|part| SECRET_PARTS.contains(&part));
    is_key_file
        || lower.starts_with("env.")
        || lower == "env"
        || SECRET_BEGINNINGS.iter().any(|start| lower.starts_with(start))
        || name.split('.').any(is_secret_part)
}

/// Whether the words of a part of a name say that it is about secrets.
fn is_secret_part(part: &str) -> bool {
    let mut words = words(part);
    let is_mark = |word: &String| {
        COPY_WORDS.contains(&&**word) || word.bytes().all(|byte| byte.is_ascii_digit())
    };
    while words.pop_if(|word| is_mark(word)).is_some() {}
    let is_account = words.windows(2).any(|pair| pair == ["service", "account"]);
    let is_last = match words.as_slice() {
        [.., before, _] if HARMLESS_WORDS.contains(&&**before) => false,
        [.., last] => LAST_WORDS.contains(&&**last),
        [] => false,
    };
    is_account || is_last || words.iter().any(|word| SECRET_WORDS.contains(&&**word))
}

/// The words of a part in small letters: `serviceAccountKey` has three, and so has `api-key_2`.
fn words(part: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in part.chars() {
        let begins = !letter.is_alphanumeric() || (letter.is_uppercase() && was_small);
        if begins {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// By its ending, or as the description of a form.
fn is_of_program(name: &str) -> bool {
    let mut parts = name.split('.').skip(1);
    let last = name.rsplit_once('.').map(|(_, last)| last);
    last.is_some_and(|last| PROGRAM_ENDINGS.contains(&last)) || parts.any(|part| part == "schema")
}

/// Without what editors and people put around the name of a file that they keep a copy of.
fn without_copy_marks(name: &str) -> &str {
    let inner = name.strip_prefix('#').and_then(|name| name.strip_suffix('#')).unwrap_or(name);
    let ending = |name: &str| {
        let known = COPY_ENDINGS.iter().copied().find(|end| {
            let start = name.len().checked_sub(end.len());
            start.and_then(|start| name.get(start..)).is_some_and(|e| e.eq_ignore_ascii_case(end))
        });
        let number = name.rsplit_once('.').map(|(_, last)| last);
        let is_number = |last: &&str| last.bytes().all(|byte| byte.is_ascii_digit());
        known.map(str::len).or_else(|| number.filter(is_number).map(|last| last.len() + 1))
    };
    match ending(inner).and_then(|length| inner.get(..inner.len() - length)) {
        Some(shorter) => without_copy_marks(shorter),
        None => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_copies_too() {
        for name in [
            "prod.env",
            "prod.env.local",
            "env",
            "env.production",
            "ENV.bak",
            "token.json",
            "tokens.json",
            "token.txt",
            "Token (1).txt",
            "api_token",
            "access-token",
            "github-token.json",
            "aws-credentials.json",
            "my-creds.txt",
            "service-account.json",
            "serviceAccountKey.json",
            "firebase-adminsdk-x.json",
            "client_secret.json",
            "secrets.yaml",
            "private_key.txt",
            "apikey.txt",
            "api-keys.txt",
            "passwords.txt",
            "kubeconfig",
            "private.asc",
            "key.gpg",
            "putty.ppk",
            "AuthKey.p8",
            "server.key.1",
            "server.key.2024-01-01",
            "x.pem.gz",
            "key.pem.bak",
            "key.pem.bkp",
            "key.pem.bak.old",
            "token copy.txt",
            "id_rsa.orig",
            "server.key~",
            "#server.key#",
            ".env.bak",
        ] {
            assert!(is_secret(name, false), "{name}");
        }
        for name in ["Secret", "secrets", "secrets.bak", "credentials.d", "credentials", ".ssh"] {
            assert!(is_secret(name, true), "{name}");
        }
    }

    #[test]
    fn files_of_a_program_are_not_taken_for_secrets() {
        for name in [
            "added_tokens.json",
            "a.js.bak",
            "design-tokens.json",
            "env.d.ts",
            "env.ts",
            "environment.json",
            "hotkeys.json",
            "keyboard.json",
            "keys.ts",
            "monkey.txt",
            "private_key.py",
            "public-key.txt",
            "secrets.py",
            "special_tokens_map.json",
            "token.js",
            "token.py~",
            "token.schema.json",
            "token.svg",
            "tokenizer.json",
            "tokenizer.py",
            "tokens.css",
            "package-lock.json",
            "README",
            "1",
            "#",
            "~",
            "",
        ] {
            assert!(!is_secret(name, false), "{name}");
        }
        assert!(!is_secret("env", true) && !is_secret("token", true) && !is_secret("keys", true));
    }
}
