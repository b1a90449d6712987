use super::JsonErrorKind;
use super::limits::MAX_INTEGER_DIGITS;

/// 2^53−1, the largest integer that a double and all its neighbours hold exactly.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Who wrote a document, which decides what its large integers mean (spec 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// Ours or a user's: integers beyond ±(2^53−1) are refused.
    Authored,
    /// Captured from a server: such integers keep their exact digits.
    Captured,
}

/// A number, in the two shapes that are written differently.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number<'a> {
    /// An integer literal, whose digits are its canonical form already.
    Integer(&'a str),
    /// Any other number, written as ECMAScript writes the double.
    Double(f64),
}

impl<'a> Number<'a> {
    /// Reads a literal that the tokenizer has checked against the grammar.
    pub fn from_literal(literal: &'a str, provenance: Provenance) -> Result<Self, JsonErrorKind> {
        let digits = literal.strip_prefix('-').unwrap_or(literal);
        let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
        if !is_integer {
            return Self::double(literal);
        }
        match (is_safe_integer(digits), provenance) {
            // ECMAScript prints negative zero as `0`.
            (true, _) if literal == "-0" => Ok(Self::Double(0.0)),
            (true, _) => Ok(Self::Integer(literal)),
            (false, Provenance::Authored) => {
                Err(JsonErrorKind::IntegerOutOfRange { literal: shorten(literal) })
            }
            (false, Provenance::Captured) if digits.len() > MAX_INTEGER_DIGITS => {
                Err(JsonErrorKind::IntegerTooLong { digits: digits.len() })
            }
            (false, Provenance::Captured) => Ok(Self::Integer(literal)),
        }
    }

    fn double(literal: &str) -> Result<Self, JsonErrorKind> {
        match literal.parse::<f64>() {
            Ok(double) if double.is_finite() => Ok(Self::Double(double)),
            _ => Err(JsonErrorKind::NumberOverflow { literal: shorten(literal) }),
        }
    }

    /// The nearest double.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        match self {
            Self::Integer(literal) => literal.parse().unwrap_or(f64::NAN),
            Self::Double(double) => *double,
        }
    }

    /// Appends the canonical form.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(literal) => out.extend_from_slice(literal.as_bytes()),
            Self::Double(double) => {
                out.extend_from_slice(ryu_js::Buffer::new().format_finite(*double).as_bytes());
            }
        }
    }
}

fn is_safe_integer(digits: &str) -> bool {
    // Sixteen digits hold 2^53−1, so anything shorter is safe without parsing.
    digits.len() < 16 || digits.parse::<u64>().is_ok_and(|value| value <= MAX_SAFE_INTEGER)
}

fn shorten(literal: &str) -> String {
    const SHOWN: usize = 40;
    match literal.get(..SHOWN) {
        Some(start) if literal.len() > SHOWN + 8 => {
            format!("{start}… ({} characters)", literal.len())
        }
        _ => literal.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(literal: &str) -> Number<'_> {
        Number::from_literal(literal, Provenance::Captured).unwrap()
    }

    #[test]
    fn the_nearest_double_of_every_shape() {
        for (literal, double) in [
            ("7", 7.0),
            ("-12", -12.0),
            ("1.5", 1.5),
            ("9007199254740993", 9_007_199_254_740_992.0),
        ] {
            assert!((captured(literal).as_f64() - double).abs() < f64::EPSILON, "{literal}");
        }
    }

    /// A message stays short, and text that is hardly longer than its short form stays whole.
    #[test]
    fn a_refused_literal_is_shown_shortened() {
        let shown = |digits: usize| {
            let literal = "1".repeat(digits);
            match Number::from_literal(&literal, Provenance::Authored) {
                Err(JsonErrorKind::IntegerOutOfRange { literal }) => literal,
                other => format!("{other:?}"),
            }
        };
        assert_eq!(shown(17), "1".repeat(17));
        assert_eq!(shown(48), "1".repeat(48));
        assert_eq!(shown(49), format!("{}… (49 characters)", "1".repeat(40)));
    }
}
