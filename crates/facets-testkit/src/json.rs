use std::fmt::Write as _;

use crate::Random;

/// The text of a random finite double: extreme, ordinary and whole ones.
pub fn double_literal(random: &mut Random) -> String {
    loop {
        let double = match random.below(4) {
            0 => f64::from_bits(random.bits()),
            // Exponents where ECMAScript changes its notation.
            1 => {
                let digits = random.bits() >> random.below(64);
                let exponent = i32::try_from(random.below(60)).unwrap_or_default() - 30;
                #[expect(clippy::cast_precision_loss, reason = "any double will do")]
                let double = digits as f64 * 10f64.powi(exponent);
                double
            }
            // Near 2^53, where integers stop being exact; kept a double by its point.
            2 => f64::from_bits(9_007_199_254_740_992f64.to_bits() + (random.bits() & 0xff)),
            _ => f64::from_bits((random.bits() & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000),
        };
        if double.is_finite() {
            return format!("{double:e}");
        }
    }
}

/// A random document: an object or an array at the top.
pub fn random_document(random: &mut Random) -> String {
    let mut out = String::new();
    if random.one_in(4) {
        array(random, 0, &mut out);
    } else {
        object(random, 0, &mut out);
    }
    out
}

/// Any random value, spelled in one of the ways JSON allows.
pub fn random_json(random: &mut Random, depth: usize, out: &mut String) {
    match random.below(if depth > 6 { 5 } else { 8 }) {
        0 => out.push_str(random.pick(&["null", "true", "false"])),
        1 => out.push_str(&double_literal(random)),
        2 => {
            let _ = write!(out, "{}", random.bits().cast_signed() >> (11 + random.below(50)));
        }
        3 | 4 => string(random, out),
        5 => array(random, depth, out),
        _ => object(random, depth, out),
    }
}

fn array(random: &mut Random, depth: usize, out: &mut String) {
    out.push('[');
    for index in 0..random.below(5) {
        separate(index, random, out);
        random_json(random, depth + 1, out);
    }
    out.push(']');
}

fn object(random: &mut Random, depth: usize, out: &mut String) {
    out.push('{');
    for index in 0..random.below(7) {
        separate(index, random, out);
        // The index makes names unique, its place behind random characters keeps order random.
        let mut name = String::new();
        string(random, &mut name);
        name.pop();
        let _ = write!(out, "{name}{index}\"");
        out.push_str(random.pick(&[":", " :", ": "]));
        random_json(random, depth + 1, out);
    }
    out.push('}');
}

fn separate(index: usize, random: &mut Random, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    out.push_str(random.pick(&["", "", " ", "\n\t", "\r\n"]));
}

fn string(random: &mut Random, out: &mut String) {
    const EDGES: &[char] = &[
        '\u{0}',
        '\u{1f}',
        ' ',
        '"',
        '\\',
        '/',
        '\u{7f}',
        '\u{80}',
        'é',
        '\u{2028}',
        '\u{d7ff}',
        '\u{e000}',
        '\u{feff}',
        '\u{ffff}',
        '\u{10000}',
        '💡',
        '\u{10ffff}',
        'a',
        'A',
        '\n',
        '\u{8}',
    ];
    out.push('"');
    for _ in 0..random.below(6) {
        let character = random.pick(EDGES);
        let must_escape = character < ' ' || character == '"' || character == '\\';
        if must_escape || random.one_in(4) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = match random.below(2) {
                    0 => write!(out, "\\u{unit:04x}"),
                    _ => write!(out, "\\u{unit:04X}"),
                };
            }
        } else {
            out.push(character);
        }
    }
    out.push('"');
}
