//! Tokens of services in a text, and what only stands for one in a manual.

use std::ops::Range;

use super::shapes::{Alphabet, SHAPES, TokenShape};

/// So many different characters, or a person typed it.
const DISTINCT: usize = 8;
/// A row of one character, or of neighbours as in `12345678`, that no generator gives.
const ROW: usize = 7;

/// What manuals write in place of a token, in lower case.
const PLACEHOLDERS: &[&str] =
    &["example", "placeholder", "redacted", "replace", "dummy", "insert", "your"];

/// How a JSON Web Token begins: an object in base64.
const JWT: &[u8] = b"eyJ";
/// Digits of its signature at least: those of the shortest that is used.
const JWT_SIGNATURE: usize = 43;
const JWT_REASON: &str = "a signed token that does not expire (JWT) in its content";

/// The token that begins at one of these places.
pub(super) fn find_token(text: &[u8], places: Range<usize>) -> Option<&'static str> {
    let mut is_first = [false; 256];
    for shape in SHAPES {
        is_first[usize::from(shape.start.as_bytes()[0])] = true;
    }
    is_first[usize::from(JWT[0])] = true;
    places
        .filter(|at| is_first[usize::from(text[*at])] && !is_inside(text, *at))
        .find_map(|at| token_at(text, at))
}

fn token_at(text: &[u8], at: usize) -> Option<&'static str> {
    let rest = &text[at..];
    let shape = SHAPES.iter().find(|shape| has_shape(rest, shape));
    let shape = shape.map(|shape| shape.reason);
    shape.or_else(|| is_service_jwt(rest).then_some(JWT_REASON))
}

/// A token is a word of its own, also behind a line feed as programs write it.
fn is_inside(text: &[u8], at: usize) -> bool {
    let Some((last, before)) = text[..at].split_last() else { return false };
    let is_escape = matches!(last, b'n' | b'r' | b't') && before.last() == Some(&b'\\');
    last.is_ascii_alphanumeric() && !is_escape
}

fn has_shape(text: &[u8], shape: &TokenShape) -> bool {
    let Some(rest) = text.strip_prefix(shape.start.as_bytes()) else { return false };
    let run = run_of(rest, shape.alphabet);
    let (least, most) = shape.lengths;
    (least..=most).contains(&run.len()) && has_dots(run, shape) && is_random(run, shape.alphabet)
}

/// The longest beginning of a text that has these characters only. A full stop behind it ends a sentence.
fn run_of(text: &[u8], alphabet: Alphabet) -> &[u8] {
    let end = text.iter().position(|byte| !alphabet.has(*byte)).unwrap_or(text.len());
    let run = &text[..end];
    run.strip_suffix(b".").unwrap_or(run)
}

/// Keys that begin with `SG.` have a dot at one place and nowhere else.
fn has_dots(run: &[u8], shape: &TokenShape) -> bool {
    let mut dots = run.iter().enumerate().filter(|(_, byte)| **byte == b'.').map(|(at, _)| at);
    shape.start != "SG." || (dots.next() == Some(22) && dots.next().is_none())
}

/// Whether a generator made this. Manuals have `xxxx`, `1234567890` and `YOUR_TOKEN`.
fn is_random(run: &[u8], alphabet: Alphabet) -> bool {
    let count = |is: fn(&u8) -> bool| run.iter().filter(|byte| is(byte)).count();
    let (digits, upper) = (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase));
    let lower = count(u8::is_ascii_lowercase);
    let has_digits = digits >= 2 && upper + lower >= 2;
    // No name is written like this.
    let has_mixed_case = upper.min(lower) * 6 >= run.len();
    let is_mixed = has_digits || has_mixed_case || alphabet == Alphabet::Base32;
    is_mixed && distinct(run) >= DISTINCT && !has_row(run) && !has_placeholder(run)
}

fn distinct(run: &[u8]) -> usize {
    let mut seen = [false; 256];
    run.iter().filter(|byte| !std::mem::replace(&mut seen[usize::from(**byte)], true)).count()
}

fn has_row(run: &[u8]) -> bool {
    let is_row = |row: &[u8], step: u8| {
        row.iter().zip(&row[1..]).all(|(one, next)| one.checked_add(step) == Some(*next))
    };
    run.windows(ROW).any(|row| is_row(row, 0) || is_row(row, 1))
}

fn has_placeholder(run: &[u8]) -> bool {
    let lower = String::from_utf8_lossy(run).to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|word| lower.contains(word))
}

/// Whether a JSON Web Token begins here that is a key in all but name: it never expires, or is that of a service.
/// Those of a session are worthless before anybody unpacks them.
fn is_service_jwt(text: &[u8]) -> bool {
    if !text.starts_with(JWT) {
        return false;
    }
    let run = run_of(text, Alphabet::Dotted);
    let parts: Vec<&[u8]> = run.split(|byte| *byte == b'.').collect();
    let [_, payload, signature] = parts[..] else { return false };
    if !payload.starts_with(JWT) || signature.len() < JWT_SIGNATURE {
        return false;
    }
    let claims = decode_base64(payload);
    let has = |text: &str| memchr::memmem::find(&claims, text.as_bytes()).is_some();
    // The one of jwt.io, and the one that Supabase gives to every browser.
    let is_public = has("\"1234567890\"") || has("\"anon\"");
    !is_public && (has("\"service_role\"") || !has("\"exp\""))
}

/// The bytes of base64 without padding, as far as they are whole.
fn decode_base64(text: &[u8]) -> Vec<u8> {
    let value = |byte: &u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'-' => 62,
        _ => 63,
    };
    let bytes = text.chunks(4).flat_map(|digits| {
        let bits = digits.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(value(digit)));
        let missing = 4 - digits.len();
        let whole = (bits << (6 * missing)).to_be_bytes();
        whole.into_iter().skip(1).take(3 - missing.min(3))
    });
    bytes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<&'static str> {
        find_token(text.as_bytes(), 0..text.len())
    }

    /// Characters of an alphabet as a generator gives them: the same ones at every run of the test.
    fn generated(alphabet: Alphabet, count: usize, seed: u32) -> String {
        let all: Vec<u8> = (b'-'..=b'z').filter(|byte| alphabet.has(*byte)).collect();
        let all: Vec<u8> = all.into_iter().filter(|byte| *byte != b'.').collect();
        let mut state = seed;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(all[(state >> 16) as usize % all.len()])
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    fn token(shape: &TokenShape, seed: u32) -> String {
        let mut rest = generated(shape.alphabet, shape.lengths.0, seed);
        if shape.start == "SG." {
            rest.replace_range(22..23, ".");
        }
        format!("{}{rest}", shape.start)
    }

    #[test]
    fn tokens_of_every_shape_are_found_in_code_settings_and_sentences() {
        for shape in SHAPES {
            for seed in 1..20 {
                let token = token(shape, seed);
                for text in [
                    token.clone(),
                    format!("const key = '{token}';"),
                    format!("API_KEY={token}\n"),
                    format!("{{\"env\":\"A=1\\nB={token}\\n\"}}"),
                    format!("My key is {token}. Keep it."),
                    format!("https://user:{token}@host.example/"),
                ] {
                    assert!(found(&text).is_some(), "{text}");
                }
            }
        }
    }

    #[test]
    fn real_looking_tokens_are_named_after_their_service() {
        for (token, service) in [
            ("sk-proj-Tq8Zf3Lm1Xc7Vb5Nn2Kd9Rw4Ys6Hg0Jp_aQ-eU3iO7tT3BlbkFJb2", "OpenAI"),
            ("sk-ant-api03-Tq8Zf3Lm1Xc7Vb5Nn2Kd9Rw4Ys6Hg0Jp_aQ-eU3iO7tAA", "Anthropic"),
            ("ghs_q7Wm2Xv9Tz4Lc8Rb1Nk6Yd3Hs5Gf0Jp2Aw7e", "GitHub"),
            ("glpat-q7Wm2Xv9Tz4Lc8Rb1Nk6", "GitLab"),
            ("xoxb-2048174930-5739204817-Tq8Zf3Lm1Xc7Vb5Nn2Kd9Rw4", "Slack"),
            ("AKIAQ7WM2XV5TZ4LC3RB", "AWS"),
            ("AKIAQJWMRXVHTZGLCKRB", "AWS"),
            ("AIzaSyD3f9Kq7Wm2Xv9Tz4Lc8Rb1Nk6Yd3Hs5Gf", "Google"),
            ("sk_live_q7Wm2Xv9Tz4Lc8Rb1Nk6Yd3H", "Stripe"),
            ("npm_q7Wm2Xv9Tz4Lc8Rb1Nk6Yd3Hs5Gf0Jp2Aw7e", "npm"),
            ("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", "Hugging Face"),
        ] {
            let reason = found(&format!("KEY={token}")).unwrap_or_default();
            assert!(reason.contains(service), "{token}: {reason}");
        }
    }

    #[test]
    fn a_token_that_is_cut_short_or_inside_a_word_is_none() {
        for shape in SHAPES {
            let token = token(shape, 7);
            assert_eq!(found(&format!("x{token}")), None, "{token}");
            let short = &token[..shape.start.len() + shape.lengths.0.min(22) - 3];
            assert_eq!(found(short), None, "{short}");
        }
        let long = format!("AIza{}", generated(Alphabet::Alphanumeric, 60, 3));
        assert_eq!(found(&long), None);
    }

    #[test]
    fn what_manuals_write_in_place_of_a_token_is_none() {
        for text in [
            "sk-...",
            "sk-proj-...",
            "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-ant-api03-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
            "sk-1234567890abcdef1234567890abcdef1234567890abcdef",
            "sk-0123456789abcdef0123456789abcdef",
            "sk-your-api-key-here-your-api-key-here-1234",
            "ghp_xxxxxxxx",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_0123456789abcdefghijklmnopqrstuvwxyz",
            "ghp_abc123abc123abc123abc123abc123abc123",
            "github_pat_YOUR_PERSONAL_ACCESS_TOKEN_GOES_RIGHT_HERE_0123_AND_NOWHERE_ELSE",
            "glpat-xxxxxxxxxxxxxxxxxxxx",
            "xoxb-your-bot-token-goes-in-here-123",
            "xoxb-000000000000-000000000000-000000000000000000000000",
            "AKIAIOSFODNN7EXAMPLE",
            "AKIAXXXXXXXXXXXXXXXX",
            "AIzaXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
            "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
            "sk_test_q7Wm2Xv9Tz4Lc8Rb1Nk6Yd3H",
            "npm_config_registry_and_other_settings_of_npm",
            "hf_transformersModelForTokenClassify",
            "SG.xxxxxxxxxxxxxxxxxxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "class=\"sk-fading-circle sk-circle12\"",
            "task-q7Wm2Xv9Tz4Lc8Rb1Nk6Yd3Hs5Gf0Jp2Aw7e",
            "<ghp_TOKEN>, ${GITHUB_TOKEN}, sk-<your key>",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn only_signed_tokens_that_serve_as_keys_count() {
        // {"alg":"HS256","typ":"JWT"}
        const HEADER: &str = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";
        const SIGNATURE: &str = "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c";
        for (payload, is_key) in [
            // {"role":"service_role","exp":1983812996}
            ("eyJyb2xlIjoic2VydmljZV9yb2xlIiwiZXhwIjoxOTgzODEyOTk2fQ", true),
            // {"aud":"public-api"}
            ("eyJhdWQiOiJwdWJsaWMtYXBpIn0", true),
            // {"role":"anon","exp":1983812996}
            ("eyJyb2xlIjoiYW5vbiIsImV4cCI6MTk4MzgxMjk5Nn0", false),
            // {"sub":"7","exp":1983812996}
            ("eyJzdWIiOiI3IiwiZXhwIjoxOTgzODEyOTk2fQ", false),
            // {"sub":"1234567890","name":"John Doe","iat":1516239022}
            ("eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ", false),
        ] {
            let token = format!("{HEADER}.{payload}.{SIGNATURE}");
            assert_eq!(found(&token).is_some(), is_key, "{token}");
            assert_eq!(found(&format!("{HEADER}.{payload}")), None);
            assert_eq!(found(&format!("{HEADER}.{payload}.{}", &SIGNATURE[..20])), None);
        }
    }
}
