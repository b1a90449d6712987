//! Versions that are the same though they are written differently (PEP 440).

/// Whether two texts name one version. What is no version by PEP 440 is the same as its own text alone.
#[must_use]
pub fn same_version(left: &str, right: &str) -> bool {
    match (PythonVersion::parse(left), PythonVersion::parse(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.trim() == right.trim(),
        _ => false,
    }
}

/// Whether pip takes a version for `==WANTED` (PEP 440): a local label counts if one is asked for.
pub(super) fn is_wanted(wanted: &str, version: &str) -> bool {
    match (PythonVersion::parse(wanted), PythonVersion::parse(version)) {
        (Some(wanted), Some(mut version)) => {
            if wanted.local.is_empty() {
                version.local.clear();
            }
            wanted == version
        }
        _ => same_version(wanted, version),
    }
}

/// A number of any length, without leading zeros: zero is the empty text.
type Digits = String;

/// A version in its one form.
#[derive(Debug, PartialEq, Eq)]
struct PythonVersion {
    epoch: Digits,
    /// Without trailing zeros.
    release: Vec<Digits>,
    /// `a`, `b` or `rc`, and its number.
    pre: Option<(&'static str, Digits)>,
    post: Option<Digits>,
    dev: Option<Digits>,
    local: Vec<String>,
}

/// Each spelling before those that it begins with.
const PRE: &[(&str, &str)] = &[
    ("alpha", "a"),
    ("a", "a"),
    ("beta", "b"),
    ("b", "b"),
    ("preview", "rc"),
    ("pre", "rc"),
    ("rc", "rc"),
    ("c", "rc"),
];
const POST: &[(&str, &str)] = &[("post", "post"), ("rev", "post"), ("r", "post")];
const DEV: &[(&str, &str)] = &[("dev", "dev")];

impl PythonVersion {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (public, local) = match text.split_once('+') {
            Some((public, local)) => (public, parse_local(local)?),
            None => (text.as_str(), Vec::new()),
        };
        let public = public.strip_prefix('v').unwrap_or(public);
        let (epoch, rest) = public.split_once('!').unwrap_or(("0", public));
        let mut cursor = Cursor { rest };
        let release = cursor.release()?;
        let pre = cursor.phase(PRE);
        let post = cursor.post();
        let dev = cursor.phase(DEV).map(|(_, number)| number);
        if !cursor.rest.is_empty() {
            return None;
        }
        Some(Self { epoch: number(epoch)?, release, pre, post, dev, local })
    }
}

struct Cursor<'a> {
    rest: &'a str,
}

impl Cursor<'_> {
    fn release(&mut self) -> Option<Vec<Digits>> {
        let mut release = vec![self.digits()?];
        while let Some(after) = self.rest.strip_prefix('.')
            && after.starts_with(|c: char| c.is_ascii_digit())
        {
            self.rest = after;
            release.extend(self.digits());
        }
        while release.last().is_some_and(String::is_empty) {
            release.pop();
        }
        Some(release)
    }

    /// `-1`, or a phase.
    fn post(&mut self) -> Option<Digits> {
        if let Some(after) = self.rest.strip_prefix('-')
            && after.starts_with(|c: char| c.is_ascii_digit())
        {
            self.rest = after;
            return self.digits();
        }
        self.phase(POST).map(|(_, number)| number)
    }

    /// A word with its number, each after a separator that may be absent. No number is zero.
    fn phase(&mut self, words: &[(&str, &'static str)]) -> Option<(&'static str, Digits)> {
        let rest = self.rest.strip_prefix(['.', '-', '_']).unwrap_or(self.rest);
        let (after, meaning) = words.iter().find_map(|(word, meaning)| {
            let after = rest.strip_prefix(*word)?;
            Some((after, *meaning))
        })?;
        self.rest = after.strip_prefix(['.', '-', '_']).unwrap_or(after);
        Some((meaning, self.digits().unwrap_or_default()))
    }

    fn digits(&mut self) -> Option<Digits> {
        let length = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, rest) = self.rest.split_at(length);
        let number = number(digits)?;
        self.rest = rest;
        Some(number)
    }
}

fn number(digits: &str) -> Option<Digits> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.trim_start_matches('0').to_owned())
}

fn parse_local(text: &str) -> Option<Vec<String>> {
    let parts = text.split(['.', '-', '_']).map(|part| {
        let is_word = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_word.then(|| number(part).unwrap_or_else(|| part.to_owned()))
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_equal_in_every_spelling() {
        for spellings in [
            &["1", "1.0", "1.0.0", "v1", " 01.00 ", "0!1", "V1.0"][..],
            &["0", "0.0", "00"],
            &["1!2", "01!2.0"],
            &["1.0a1", "1.0alpha1", "1.0.ALPHA.1", "1-a-1", "1_a_01", "1a1"],
            &["1.0b0", "1.0beta", "1.0.b", "1.0-beta_0"],
            &["1.0rc2", "1.0c2", "1.0pre2", "1.0preview2", "1.0-PreView-2", "1.0.rc.2"],
            &["1.0.post4", "1.0post4", "1.0-4", "1.0-r4", "1.0.rev4", "1.post.4", "1.0_post_04"],
            &["1.0.post0", "1.0post", "1.0.r", "1.0-0"],
            &["1.0.dev3", "1.0dev3", "1.0-dev-3", "1dev_3"],
            &["1.0a1.post2.dev3", "1.0-alpha-1-2-dev-3", "1a1post2dev3"],
            &["1.0+ubuntu.1", "1.0+Ubuntu-01", "1+ubuntu_1"],
            &["99999999999999999999999999.0", "099999999999999999999999999"],
            &["2004d", " 2004d"],
        ] {
            for (left, right) in
                spellings.iter().flat_map(|a| spellings.iter().map(move |b| (a, b)))
            {
                assert!(same_version(left, right), "{left} {right}");
            }
        }
    }

    #[test]
    fn local_labels_count_if_one_is_asked_for() {
        for (wanted, version, expected) in [
            ("1.0", "1.0+cu118", true),
            ("1", "1.0+a.b-1", true),
            ("1.0.post1", "1.0-1+x", true),
            ("1.0", "1.0", true),
            ("1.0+cu118", "1.0+CU118", true),
            ("1.0+cu118", "1.0", false),
            ("1.0+cu118", "1.0+cu117", false),
            ("1.0", "1.0.1+cu118", false),
            ("1.0", "1.0+", false),
            ("2004d", "2004d", true),
            ("2004d", "2004d+x", false),
        ] {
            assert_eq!(is_wanted(wanted, version), expected, "{wanted} {version}");
        }
    }

    #[test]
    fn different_versions_are_different() {
        let versions = [
            "0",
            "1",
            "1.1",
            "1.10",
            "1.0.1",
            "1!1",
            "1a0",
            "1a1",
            "1b1",
            "1rc1",
            "1.post1",
            "1.post0",
            "1.dev0",
            "1.dev1",
            "1a1.dev1",
            "1a1.post1",
            "1+local",
            "1+local.1",
            "1+local.0",
            "10",
            "2004d",
            "2004D",
            "1.0-unknown",
            "",
            "1.",
            "1..0",
            "1+",
            "1+a..b",
            "!1",
            "a1",
            "é",
        ];
        for (at, left) in versions.iter().enumerate() {
            for right in &versions[at + 1..] {
                assert!(!same_version(left, right), "{left:?} {right:?}");
            }
        }
    }
}
