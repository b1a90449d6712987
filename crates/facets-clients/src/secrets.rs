//! Which arguments look like secrets.
//!
//! A guess, made to be shown to a person: what is found should not go into a file that others
//! read.

/// Beginnings that issuers give to their secrets, and how many characters follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("AIza", 30),
    ("AKIA", 16),
    ("ASIA", 16),
    ("ATATT", 20),
    ("PMAK-", 20),
    ("SG.", 20),
    ("dckr_pat_", 16),
    ("dop_v1_", 32),
    ("figd_", 16),
    ("ghp_", 16),
    ("gho_", 16),
    ("ghr_", 16),
    ("ghs_", 16),
    ("ghu_", 16),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("gsk_", 20),
    ("hf_", 20),
    ("lin_api_", 16),
    ("npm_", 30),
    ("ntn_", 20),
    ("nvapi-", 20),
    ("pplx-", 20),
    ("pypi-", 40),
    ("r8_", 20),
    ("rk_live_", 10),
    ("rk_test_", 10),
    ("sbp_", 20),
    ("secret_", 20),
    ("shpat_", 16),
    ("shpss_", 16),
    ("sk-", 16),
    ("sk_live_", 10),
    ("sk_test_", 10),
    ("sntrys_", 20),
    ("sntryu_", 20),
    ("tskey-", 16),
    ("tvly-", 16),
    ("whsec_", 16),
    ("xai-", 20),
    ("xapp-", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxs-", 10),
    ("ya29.", 16),
];

/// Last words of names that hold secrets.
const SECRET_WORDS: &[&str] = &[
    "apikey",
    "authorization",
    "bearer",
    "credential",
    "credentials",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "pat",
    "pw",
    "pwd",
    "secret",
    "token",
];

/// What makes a key secret.
const SECRET_KEYS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "app",
    "auth",
    "encryption",
    "master",
    "private",
    "secret",
    "service",
    "signing",
];

/// Last words of names that may also hold something harmless.
const DOUBTFUL_WORDS: &[&str] = &["auth", "cookie", "cookies", "session", "sid"];

/// Names of what is long and random and known to everybody.
const HASH_WORDS: &[&str] = &[
    "archive",
    "blob",
    "checksum",
    "commit",
    "digest",
    "fingerprint",
    "hash",
    "integrity",
    "ref",
    "rev",
    "revision",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "tag",
    "tree",
];

/// The places of arguments that look like secrets.
#[must_use]
pub fn secret_arguments(args: &[String]) -> Vec<usize> {
    let mut found = Vec::new();
    for (index, arg) in args.iter().enumerate() {
        let option = index.checked_sub(1).and_then(|before| option_name(&args[before]));
        let secret = match option {
            Some(name) if is_secret_name(name) && !arg.starts_with('-') => is_secret_value(arg),
            Some(name) if is_hash_name(name) => false,
            Some(name) if is_doubtful_name(name) => is_secret_value(arg) && is_strong(arg),
            // A login, not the numbers of a user and a group.
            Some("u" | "user") => arg.split_once(':').is_some_and(|(_, word)| is_strong(word)),
            _ => looks_like_secret(arg),
        };
        if secret {
            found.push(index);
        }
    }
    found
}

/// Whether an argument, alone, looks like a secret.
#[must_use]
pub fn looks_like_secret(arg: &str) -> bool {
    let arg = arg.trim();
    if arg.contains("PRIVATE KEY-----") {
        return true;
    }
    if arg.len() > 8192 || is_placeholder(arg) {
        return arg.len() > 8192;
    }
    if let Some((name, value)) = named_value(arg) {
        if is_secret_name(name) || is_header(name) {
            return is_secret_value(value);
        }
        return !is_hash_name(name) && (looks_like_secret(value) || has_secret_inside(arg));
    }
    if let Some(token) = arg.strip_prefix("Bearer ").or_else(|| arg.strip_prefix("Basic ")) {
        return is_secret_value(token);
    }
    has_known_prefix(arg)
        || is_web_token(arg)
        || is_secret_url(arg)
        || is_random(arg)
        || has_secret_inside(arg)
}

/// Whether what stands under a name is a secret, by either of them.
pub(crate) fn is_secret(name: &str, value: &str) -> bool {
    looks_like_secret(value) || (is_secret_name(name) && is_secret_value(value))
}

/// `--api-key` of an option that has its value in the next argument.
fn option_name(arg: &str) -> Option<&str> {
    let name = arg.strip_prefix('-')?.trim_start_matches('-');
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (!name.is_empty() && name.bytes().all(word)).then_some(name)
}

/// `--name=value`, `NAME=value`, `Name: value`.
fn named_value(arg: &str) -> Option<(&str, &str)> {
    let at = arg.find(['=', ':'])?;
    let name = arg[..at].trim_start_matches('-');
    let value = match arg.as_bytes()[at] {
        b'=' => &arg[at + 1..],
        // Other colons are those of addresses, drives, and images.
        _ if is_header(name) => arg[at + 1..].trim_start(),
        _ => arg[at + 1..].strip_prefix(' ')?,
    };
    let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let letter = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic());
    // What is left of a base64 text ends in equals signs.
    let value = value.trim();
    (letter && name.bytes().all(word) && !value.trim_matches('=').is_empty())
        .then_some((name, value))
}

/// Headers that carry nothing but secrets.
fn is_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    is_secret_name(&name)
        || matches!(&*name, "cookie" | "set-cookie")
        || name.starts_with("x-auth")
        || name.starts_with("x-api")
}

/// `password=…` or `"apiKey":"…"` somewhere in a longer text.
fn has_secret_inside(arg: &str) -> bool {
    let quotes = ['"', '\'', ' ', ';', '&', ',', '{', '?'];
    let mut parts = arg.split(quotes).filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        if let Some((name, value)) = part.split_once('=')
            && is_secret_name(name)
            && is_secret_value(value)
        {
            return true;
        }
        let is_next_value = parts.peek().is_some_and(|next| next.trim() == ":");
        if is_secret_name(part) && is_next_value {
            parts.next();
            if parts.next().is_some_and(is_secret_value) {
                return true;
            }
        }
    }
    false
}

/// The words of a name: `apiKey`, `API_KEY` and `api-key` are the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut small = false;
    for character in name.chars() {
        let breaks =
            !character.is_ascii_alphanumeric() || (small && character.is_ascii_uppercase());
        if breaks && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if character.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(character.to_ascii_lowercase());
        }
        small = character.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    match words.as_slice() {
        [first, ..] if first == "no" => false,
        [.., kind, last] if last == "key" => SECRET_KEYS.contains(&kind.as_str()),
        [.., last] => SECRET_WORDS.contains(&last.as_str()),
        [] => false,
    }
}

fn is_doubtful_name(name: &str) -> bool {
    words(name).last().is_some_and(|last| DOUBTFUL_WORDS.contains(&last.as_str()))
}

fn is_hash_name(name: &str) -> bool {
    words(name).last().is_some_and(|last| HASH_WORDS.contains(&last.as_str()))
}

/// Whether what a secret's name is given is one: not where it lies, and not what it is called.
fn is_secret_value(value: &str) -> bool {
    let value = value.trim().trim_matches(['"', '\'']);
    let value = value.strip_prefix("Bearer ").or(value.strip_prefix("Basic ")).unwrap_or(value);
    let plain = matches!(value, "true" | "false" | "none" | "null" | "auto" | "env" | "prompt");
    value.len() > 3 && !plain && !is_placeholder(value) && !is_place(value)
}

/// Whether something that has a secret's name is the place of one. A file name alone, or one
/// stroke before letters, may be the secret itself.
fn is_place(value: &str) -> bool {
    let is_deep = |rest: &str| rest.contains('/') && !rest.ends_with('=');
    value.starts_with("./")
        || value.starts_with("../")
        || value.starts_with("~/")
        || value.starts_with("file:")
        || value.strip_prefix('/').is_some_and(is_deep)
}

/// What stands for a value that is elsewhere.
fn is_placeholder(value: &str) -> bool {
    let value = value.strip_prefix("Bearer ").unwrap_or(value);
    let is_name = |rest: &str| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    value.strip_prefix('$').is_some_and(is_name)
        || value.contains("${")
        || value.starts_with("{env:")
        || value.starts_with("{file:")
        || value.starts_with("{{")
        || (value.starts_with('<') && value.ends_with('>'))
        || (value.len() > 2 && value.starts_with('%') && value.ends_with('%'))
        || value.to_ascii_lowercase().starts_with("your-")
        || value.to_ascii_lowercase().starts_with("your_")
        || (!value.is_empty()
            && value.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*' | b'.')))
}

fn is_path(value: &str) -> bool {
    let bytes = value.as_bytes();
    let drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    value.starts_with(['/', '.', '~', '\\'])
        || (drive && matches!(bytes[2], b'/' | b'\\'))
        || value.starts_with("file:")
        || is_file_name(value)
}

/// Something with an ending of a few small letters.
fn is_file_name(value: &str) -> bool {
    let Some((stem, ending)) = value.rsplit_once('.') else { return false };
    let short = (1..=5).contains(&ending.len());
    !stem.is_empty() && short && ending.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn has_known_prefix(arg: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    PREFIXES.iter().any(|(prefix, least)| {
        arg.strip_prefix(prefix).is_some_and(|rest| {
            let mixed = rest.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
            rest.len() >= *least && rest.bytes().all(token) && mixed && !is_file_name(rest)
        })
    })
}

/// Three parts of base64, the first of which begins with a brace and a quote.
fn is_web_token(arg: &str) -> bool {
    let parts: Vec<&str> = arg.split('.').collect();
    let base64 = |part: &&str| {
        part.len() >= 6
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    parts.len() == 3 && arg.starts_with("eyJ") && parts.iter().all(base64)
}

/// An address with a password before its host, or with a secret behind its question mark.
fn is_secret_url(arg: &str) -> bool {
    let Some((_, rest)) = arg.split_once("://") else { return false };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if let Some((login, _)) = authority.rsplit_once('@') {
        let password = login.split_once(':').map_or("", |(_, password)| password);
        let known = has_known_prefix(login) || is_random(login);
        if known || (!password.is_empty() && !is_placeholder(password)) {
            return true;
        }
    }
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let query = query.split('#').next().unwrap_or_default();
    let secret = |pair: &str| {
        pair.split_once('=').is_some_and(|(name, value)| {
            (is_secret_name(name) || words(name).last().is_some_and(|word| word == "key"))
                && is_secret_value(value)
        })
    };
    query.split('&').any(secret)
        || path.split(['/', '?', '&', '=']).any(has_known_prefix)
        || has_secret_on_the_way(&path[..path.find(['?', '#']).unwrap_or(path.len())])
}

/// Some services put the secret of a user into the path.
fn has_secret_on_the_way(path: &str) -> bool {
    let mut before = "";
    path.split('/').any(|part| {
        let name = std::mem::replace(&mut before, part);
        !is_hash_name(name)
            && !is_file_name(part)
            && (is_random(part)
                || is_hex(part)
                || (is_secret_name(name) && is_secret_value(part) && is_strong(part)))
    })
}

/// A key or an identifier of 128 bits or more.
fn is_hex(text: &str) -> bool {
    let digits = text.replace('-', "");
    digits.len() >= 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Not a word that somebody chose to be read.
fn is_strong(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.as_bytes().iter().any(kind);
    text.len() >= 8 && has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
}

/// Long and without a word in it.
fn is_random(arg: &str) -> bool {
    let spec = ["://", "sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:"];
    if is_path(arg) || arg.contains(['@', '#', '\\', ' ']) || spec.iter().any(|s| arg.contains(s)) {
        return false;
    }
    // Slashes are those of a path, unless nothing else of a path is there.
    let slashes = arg.contains('/');
    if slashes && (arg.contains(['-', '_', '.']) || arg.len() < 40) {
        return false;
    }
    let parts = |character: char| "-_.:,+=/".contains(character);
    let whole = slashes || arg.contains(['+', '=']);
    let longest = if whole {
        arg.replace(parts, "")
    } else {
        let longest = arg.split(parts).max_by_key(|part| part.len());
        longest.unwrap_or_default().to_owned()
    };
    longest.len() >= 20 && is_mixed(&longest)
}

/// Letters and digits that change places too often for words.
fn is_mixed(text: &str) -> bool {
    if !text.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let changes = text.as_bytes().windows(2).filter(|pair| {
        pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
            || (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    });
    digits >= 2 && digits < text.len() && changes.count() * 5 >= text.len()
}
