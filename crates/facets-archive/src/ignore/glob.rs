//! Patterns with `*`, `**`, `?` and sets, matched byte by byte in time that no pattern can blow up.

use super::class::ByteSet;

/// A step of a pattern. All of them but the last two take exactly one byte.
#[derive(Clone, Debug)]
enum Step {
    Byte(u8),
    /// Any byte but a slash.
    AnyByte,
    Set(Box<ByteSet>),
    /// Any bytes, no slash.
    Star,
    /// Any bytes.
    Everything,
    /// `**/`, first half: whole directories, or none.
    MaybeDirectories,
    /// `**/`, second half: any bytes up to and with a slash.
    Directories,
}

/// A pattern.
#[derive(Clone, Debug)]
pub(super) struct Glob {
    /// Nothing for a pattern that cannot match.
    steps: Option<Vec<Step>>,
}

impl Glob {
    pub(super) fn parse(pattern: &[u8]) -> Self {
        Self { steps: parse_steps(pattern) }
    }

    /// Follows all ways through the pattern at once, as an automaton does.
    pub(super) fn matches(&self, text: &[u8]) -> bool {
        let Some(steps) = &self.steps else { return false };
        let mut active = vec![false; steps.len() + 1];
        active[0] = true;
        skip_optional(steps, &mut active);
        for &byte in text {
            let mut next = vec![false; active.len()];
            for (at, step) in steps.iter().enumerate().filter(|(at, _)| active[*at]) {
                let [stays, goes_on] = step.take(byte);
                next[at] |= stays;
                next[at + 1] |= goes_on;
            }
            skip_optional(steps, &mut next);
            active = next;
        }
        active[steps.len()]
    }
}

impl Step {
    /// Whether it takes a byte and stays, and whether it takes it and is done.
    fn take(&self, byte: u8) -> [bool; 2] {
        match self {
            Self::Byte(own) => [false, *own == byte],
            Self::AnyByte => [false, byte != b'/'],
            Self::Set(set) => [false, set.contains(byte)],
            Self::Star => [byte != b'/', false],
            Self::Everything => [true, false],
            Self::MaybeDirectories => [false, false],
            Self::Directories => [true, byte == b'/'],
        }
    }
}

/// Steps that may take nothing are passed at once.
fn skip_optional(steps: &[Step], active: &mut [bool]) {
    for (at, step) in steps.iter().enumerate() {
        if !active[at] {
            continue;
        }
        match step {
            Step::Star | Step::Everything => active[at + 1] = true,
            Step::MaybeDirectories => {
                active[at + 1] = true;
                active[at + 2] = true;
            }
            Step::Byte(_) | Step::AnyByte | Step::Set(_) | Step::Directories => {}
        }
    }
}

fn parse_steps(pattern: &[u8]) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        at += 1;
        match byte {
            b'\\' => {
                // A backslash at the end makes a pattern that matches nothing.
                steps.push(Step::Byte(*pattern.get(at)?));
                at += 1;
            }
            b'?' => steps.push(Step::AnyByte),
            b'*' => at = parse_stars(pattern, at - 1, &mut steps),
            b'[' => {
                let (set, end) = ByteSet::parse(pattern, at)?;
                steps.push(Step::Set(Box::new(set)));
                at = end;
            }
            _ => steps.push(Step::Byte(byte)),
        }
    }
    Some(steps)
}

/// One star or several; gives back where the pattern goes on.
fn parse_stars(pattern: &[u8], start: usize, steps: &mut Vec<Step>) -> usize {
    let count = pattern[start..].iter().take_while(|&&byte| byte == b'*').count();
    let end = start + count;
    let begins_segment = start == 0 || pattern[start - 1] == b'/';
    let rest = &pattern[end..];
    let ends_segment = rest.is_empty() || rest.starts_with(b"/") || rest.starts_with(b"\\/");
    if count < 2 || !begins_segment || !ends_segment {
        steps.push(Step::Star);
        return end;
    }
    if rest.starts_with(b"/") {
        steps.extend([Step::MaybeDirectories, Step::Directories]);
        return end + 1;
    }
    steps.push(Step::Everything);
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_of_many_stars_is_matched_at_once() {
        let glob = Glob::parse("a*".repeat(200).as_bytes());
        assert!(!glob.matches(&[b'b'; 5000]));
        assert!(glob.matches(&[b'a'; 5000]));
        let glob = Glob::parse("**/".repeat(100).as_bytes());
        assert!(!glob.matches("a/".repeat(500).trim_end_matches('/').as_bytes()));
    }
}
