//! Keys and tokens in the content of a file.

use std::ops::Range;

use memchr::memmem;

use super::tokens::find_token;

/// Settings with a token, in files of npm and of yarn.
const NPM_SETTINGS: &[&[u8]] = &[b"_auth", b"_password"];
const YARN_SETTINGS: &[&[u8]] = &[b"npmAuthToken", b"npmAuthIdent"];

/// A key begins within so many bytes behind its header, or is none.
const LOOK_AHEAD: usize = 512;
/// What no sentence has: so many base64 digits in a row.
const RUN: usize = 40;
/// Between the beginning of a header and its end.
const LONGEST_HEADER: usize = 40;

/// What is looked at behind a place: no token is longer, nor is the look ahead of a key.
const BEHIND: usize = 2048;
/// What is looked at before a place: the header of a key.
const BEFORE: usize = 64;
/// Bytes that are done with are dropped in pieces of this size.
const DROPPED: usize = 64 * 1024;

/// Looks for keys and tokens in the content of a file that comes in parts. Each place is judged once, when enough of
/// what follows it is known: how the parts are cut makes no difference.
pub(crate) struct SecretScanner {
    /// What is a token in a file of this name.
    settings: &'static [&'static [u8]],
    /// The bytes that are not judged yet, and some before them.
    window: Vec<u8>,
    /// The first place in it that is not judged yet.
    next: usize,
    found: Option<&'static str>,
}

impl SecretScanner {
    pub(crate) fn new(path: &str) -> Self {
        let settings = match path.rsplit('/').next() {
            Some(".npmrc") => NPM_SETTINGS,
            Some(".yarnrc.yml") => YARN_SETTINGS,
            _ => &[],
        };
        Self { settings, window: Vec::new(), next: 0, found: None }
    }

    /// The next part.
    pub(crate) fn update(&mut self, part: &[u8]) {
        if self.found.is_some() {
            return;
        }
        self.window.extend_from_slice(part);
        self.judge_until(self.window.len().saturating_sub(BEHIND));
        let done = self.next.saturating_sub(BEFORE);
        if done >= DROPPED {
            self.window.drain(..done);
            self.next -= done;
        }
    }

    /// Why the file is a secret.
    pub(crate) fn finish(mut self) -> Option<&'static str> {
        self.judge_until(self.window.len());
        self.found
    }

    fn judge_until(&mut self, end: usize) {
        if self.found.is_none() && self.next < end {
            self.found = self.find(self.next..end);
            self.next = end;
        }
    }

    /// What begins at one of these places.
    fn find(&self, places: Range<usize>) -> Option<&'static str> {
        let text = self.window.as_slice();
        if has_private_key(text, &places) {
            return Some("a private key in its content");
        }
        if starts_of(text, b"PuTTY-User-Key-File-", &places).next().is_some() {
            return Some("a private key of PuTTY in its content");
        }
        if self.settings.iter().any(|one| starts_of(text, one, &places).next().is_some()) {
            return Some("a token of npm in its content");
        }
        find_token(text, places)
    }
}

/// Where a text begins, of these places.
fn starts_of<'t>(
    text: &'t [u8],
    wanted: &'t [u8],
    places: &Range<usize>,
) -> impl Iterator<Item = usize> + 't {
    let end = text.len().min(places.end + wanted.len() - 1);
    let first = places.start;
    memmem::find_iter(&text[first..end], wanted).map(move |at| first + at)
}

/// A header of a private key with a key behind it: a program that only knows the header is no secret.
fn has_private_key(text: &[u8], places: &Range<usize>) -> bool {
    const END: &[u8] = b"PRIVATE KEY-----";
    starts_of(text, END, places).any(|at| {
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
    const TOKEN: &str = "ghp_q7Wm2Xv9Tz4Lc8Rb1Nk6Yd3Hs5Gf0Jp2Aw7e";

    fn scan(path: &str, content: &str, part: usize) -> Option<&'static str> {
        let mut scanner = SecretScanner::new(path);
        content.as_bytes().chunks(part).for_each(|part| scanner.update(part));
        scanner.finish()
    }

    #[test]
    fn a_secret_is_found_wherever_the_parts_are_cut() {
        for secret in [KEY, TOKEN] {
            let content = format!("{}{secret}{}", "x\n".repeat(2000), "y\n".repeat(2000));
            for part in [1, 7, 100, 4096, 100_000] {
                assert!(scan("notes.txt", &content, part).is_some(), "{part}");
            }
            let far = format!("{}{secret}", "x\n".repeat(100_000));
            assert!(scan("notes.txt", &far, 8192).is_some());
        }
        let escaped = KEY.replace('\n', "\\n");
        assert!(scan("a.json", &format!("{{\"private_key\":\"{escaped}\"}}"), 64).is_some());
    }

    #[test]
    fn a_part_of_a_longer_word_is_no_token_wherever_the_parts_are_cut() {
        let content = format!("{}x{TOKEN}{}", "x\n".repeat(70_000), "y\n".repeat(70_000));
        for part in [1000, 4096, 65_536, 100_000] {
            assert_eq!(scan("notes.txt", &content, part), None, "{part}");
        }
    }

    #[test]
    fn code_that_only_knows_about_keys_is_no_secret() {
        let code = "if (pem.startsWith('-----BEGIN PRIVATE KEY-----')) { return decode(pem) }";
        assert_eq!(scan("a.ts", code, 4096), None);
        let public = KEY.replace("RSA PRIVATE", "PUBLIC");
        assert_eq!(scan("a.txt", &public, 4096), None);
    }

    #[test]
    fn a_setting_counts_only_in_the_configuration_of_a_package_manager() {
        let line = "//registry.example.com/:_authToken=abc\n";
        assert!(scan("sub/.npmrc", line, 5).is_some());
        assert_eq!(scan("README.md", line, 5), None);
        assert!(scan(".npmrc", "_auth = x\n", 64).is_some());
        assert_eq!(scan(".npmrc", "always-auth=true\n", 64), None);
        assert!(scan(".yarnrc.yml", "npmAuthToken: x\n", 64).is_some());
    }
}
