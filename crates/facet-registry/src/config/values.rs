//! Values as they are typed.

use std::sync::Arc;
use std::time::Duration;

use facets_model::HttpUrl;

/// A number with a unit of time: `500ms`, `30s`, `5m`, `1h`, `2d`; `0` needs none.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let (number, unit) = split(text)?;
    let milliseconds = match unit {
        "" if number == 0 => 0,
        "ms" => 1,
        "s" => 1000,
        "m" => 60 * 1000,
        "h" => 3600 * 1000,
        "d" => 24 * 3600 * 1000,
        _ => return None,
    };
    number.checked_mul(milliseconds).map(Duration::from_millis)
}

/// A number of bytes: `1024`, `5MB`, `64MiB`.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split(text)?;
    let factor: u64 = match unit {
        "" | "B" => 1,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(factor)
}

/// An address without a query, and without the slash at its end.
pub(crate) fn parse_public_url(text: &str) -> Option<Arc<str>> {
    let url: HttpUrl = text.parse().ok()?;
    let base = url.as_str().trim_end_matches('/');
    (!base.contains(['?', '#'])).then(|| base.into())
}

/// A time in which something can happen.
pub(crate) fn parse_some_duration(text: &str) -> Option<Duration> {
    parse_duration(text).filter(|duration| !duration.is_zero())
}

/// A size that something can have.
pub(crate) fn parse_some_size(text: &str) -> Option<u64> {
    parse_size(text).filter(|size| *size > 0)
}

/// A number of threads; 0 leaves the choice to the program.
pub(crate) fn parse_threads(text: &str) -> Option<usize> {
    text.parse().ok().filter(|threads| *threads <= 256)
}

/// `true` or `false`.
pub(crate) fn parse_switch(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// A number of things, of which there is at least one.
pub(crate) fn parse_count(text: &str) -> Option<u32> {
    text.parse().ok().filter(|count| *count > 0)
}

fn split(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    Some((number.parse().ok()?, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        let good =
            [("0", 0), ("500ms", 500), ("30s", 30_000), ("1h", 3_600_000), ("2d", 172_800_000)];
        for (text, milliseconds) in good {
            assert_eq!(parse_duration(text), Some(Duration::from_millis(milliseconds)), "{text}");
        }
        for bad in ["", "5", "h", "-1s", "1.5h", "1 h", "1H", "99999999999999999999s"] {
            assert_eq!(parse_duration(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes_are_decimal_or_binary() {
        let good = [("0", 0), ("17", 17), ("5MB", 5_000_000), ("64MiB", 67_108_864), ("1kB", 1000)];
        for (text, bytes) in good {
            assert_eq!(parse_size(text), Some(bytes), "{text}");
        }
        for bad in ["", "MB", "1.5MB", "-1", "1 MB", "1TB", "99999999999GiB"] {
            assert_eq!(parse_size(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_zero_or_endless_is_refused() {
        assert_eq!(parse_some_duration("1s"), Some(Duration::from_secs(1)));
        assert_eq!((parse_some_duration("0s"), parse_some_duration("0")), (None, None));
        assert_eq!((parse_some_size("1"), parse_some_size("0MB")), (Some(1), None));
        assert_eq!((parse_threads("0"), parse_threads("256")), (Some(0), Some(256)));
        assert_eq!((parse_threads("257"), parse_threads("99999999")), (None, None));
    }

    #[test]
    fn counts_begin_with_one() {
        assert_eq!(parse_count("7"), Some(7));
        assert_eq!((parse_count("0"), parse_count("-1"), parse_count("x")), (None, None, None));
        assert_eq!((parse_switch("true"), parse_switch("yes")), (Some(true), None));
    }

    #[test]
    fn a_public_url_is_an_http_address_without_a_query() {
        let base = parse_public_url("https://r.example/facets/");
        assert_eq!(base.as_deref(), Some("https://r.example/facets"));
        for text in ["", "r.example", "ftp://r.example", "https://u:p@r.example", "https://r/?a=b"]
        {
            assert_eq!(parse_public_url(text), None, "{text}");
        }
    }
}
