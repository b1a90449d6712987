//! Moments as RFC 3339 has them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Days from 0000-03-01 to 1970-01-01.
const DAYS_BEFORE: i64 = 719_468;

/// Milliseconds since 1970, now.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Appends a moment in UTC, with milliseconds: always 24 bytes, as long as the year has four digits.
pub(crate) fn write(milliseconds: i64, out: &mut Vec<u8>) {
    let days = milliseconds.div_euclid(86_400_000);
    let of_day = milliseconds.rem_euclid(86_400_000);
    let (year, month, day) = date(days);
    write_digits(year, 4, out);
    out.push(b'-');
    write_digits(month, 2, out);
    out.push(b'-');
    write_digits(day, 2, out);
    out.push(b'T');
    write_digits(of_day / 3_600_000, 2, out);
    out.push(b':');
    write_digits(of_day / 60_000 % 60, 2, out);
    out.push(b':');
    write_digits(of_day / 1000 % 60, 2, out);
    out.push(b'.');
    write_digits(of_day % 1000, 3, out);
    out.push(b'Z');
}

/// A moment as a text.
pub(crate) fn text(milliseconds: i64) -> String {
    let mut out = Vec::with_capacity(24);
    write(milliseconds, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn write_digits(value: i64, width: usize, out: &mut Vec<u8>) {
    let end = out.len() + width;
    out.resize(end, b'0');
    let mut rest = value.unsigned_abs();
    for digit in out[end - width..].iter_mut().rev() {
        // The remainder is below 10.
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
    }
}

/// The date that many days after 1970-01-01. A year begins in March here, so that the day that is not in
/// every year comes last.
fn date(days: i64) -> (i64, i64, i64) {
    let days = days + DAYS_BEFORE;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        assert_eq!(text(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(text(951_782_400_007), "2000-02-29T00:00:00.007Z");
        assert_eq!(text(1_794_787_199_999), "2026-11-15T23:59:59.999Z");
        assert_eq!(text(4_107_542_400_000), "2100-03-01T00:00:00.000Z");
        assert_eq!(text(-1), "1969-12-31T23:59:59.999Z");
    }
}
