//! Long runs that only a decoder can read.

use std::ops::Range;

use crate::found::Found;

const RULE: &str = "marker-encoded-blob";

/// Fewest characters of a text in base64, of one in hexadecimal, and of one line of the former.
const BASE64: usize = 80;
const HEX: usize = 64;
const LINE: usize = 32;

/// Fewest escapes in a row.
const ESCAPES: usize = 6;

/// Finds runs in base64 and hexadecimal, and rows of escapes.
pub(crate) fn look(text: &str, found: &mut Found) {
    runs(text, found);
    escapes(text, found);
}

/// Base64 may be broken into lines.
fn runs(text: &str, found: &mut Found) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut lines: Option<Range<usize>> = None;
    while at < bytes.len() {
        let start = at;
        while bytes.get(at).is_some_and(|byte| is_base64(*byte)) {
            at += 1;
        }
        if at - start < LINE {
            at += usize::from(at == start);
            if at > start + 1 || !bytes[start].is_ascii_whitespace() {
                close(text, lines.take(), found);
            }
            continue;
        }
        if is_hex_blob(text, start..at) {
            close(text, lines.take(), found);
            add(text, start..at, found);
        } else if is_mixed(&bytes[start..at]) && !is_checksum(text, start..at) {
            lines = Some(lines.map_or(start, |lines| lines.start)..at);
        } else {
            close(text, lines.take(), found);
        }
    }
    close(text, lines, found);
}

fn close(text: &str, lines: Option<Range<usize>>, found: &mut Found) {
    let digits = |lines: &Range<usize>| {
        let run = text.get(lines.clone()).unwrap_or_default();
        run.bytes().filter(u8::is_ascii_digit).count() * 32 >= run.len()
    };
    if let Some(lines) = lines.filter(|lines| lines.len() >= BASE64 && digits(lines)) {
        add(text, lines, found);
    }
}

fn add(text: &str, place: Range<usize>, found: &mut Found) {
    let key = text.get(place.clone()).unwrap_or_default();
    found.add(RULE, place, key);
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
}

/// Capitals and small letters in numbers that words do not have; digits are counted at the end.
fn is_mixed(run: &[u8]) -> bool {
    let count = |class: fn(&u8) -> bool| run.iter().filter(|byte| class(byte)).count() * 16;
    count(u8::is_ascii_uppercase) >= run.len() && count(u8::is_ascii_lowercase) >= run.len()
}

/// A digest of the usual form is an example of one.
fn is_checksum(text: &str, place: Range<usize>) -> bool {
    let run = text.get(place.clone()).unwrap_or_default();
    ["sha256-", "sha384-", "sha512-"].iter().any(|name| run.starts_with(name)) && run.len() <= 96
}

fn is_hex_blob(text: &str, place: Range<usize>) -> bool {
    let run = text.get(place.clone()).unwrap_or_default();
    let run = run.strip_prefix("0x").unwrap_or(run);
    let mut digits = [false; 16];
    for byte in run.bytes() {
        let Some(digit) = char::from(byte).to_digit(16) else { return false };
        digits[digit as usize] = true;
    }
    let before = text.get(..place.start).unwrap_or_default();
    let length = ["sha256:", "sha384:", "sha512:"].iter().find(|name| before.ends_with(**name));
    let checksum = length.is_some() && matches!(run.len(), 64 | 96 | 128);
    let varied = digits.iter().filter(|seen| **seen).count() >= 6;
    run.len() >= HEX && varied && !checksum
}

/// Rows of `%41`, `\x41`, `\u0041`, `\101` or `&#65;`.
fn escapes(text: &str, found: &mut Found) {
    let bytes = text.as_bytes();
    let (mut at, mut start, mut row) = (0, 0, 0);
    while at < bytes.len() {
        let length = escape(&bytes[at..]);
        if length == 0 {
            if row >= ESCAPES {
                add(text, start..at, found);
            }
            row = 0;
            at += 1;
            continue;
        }
        if row == 0 {
            start = at;
        }
        row += 1;
        at += length;
    }
    if row >= ESCAPES {
        add(text, start..at, found);
    }
}

/// How long the escape is that a text begins with.
fn escape(bytes: &[u8]) -> usize {
    let hex = |from: usize, count: usize| {
        let digits = bytes.get(from..from + count);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    match bytes {
        [b'%', ..] if hex(1, 2) => 3,
        [b'\\', b'x' | b'X', ..] if hex(2, 2) => 4,
        [b'\\', b'u', ..] if hex(2, 4) => 6,
        [b'\\', b'0'..=b'3', b'0'..=b'7', b'0'..=b'7', ..] => 4,
        [b'&', b'#', ..] => {
            let digits = bytes[2..].iter().take(8).take_while(|byte| byte.is_ascii_alphanumeric());
            let digits = digits.count();
            if digits > 0 && bytes.get(2 + digits) == Some(&b';') { digits + 3 } else { 0 }
        }
        _ => 0,
    }
}
