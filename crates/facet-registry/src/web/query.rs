//! Queries: `?name=value&…`.

use std::borrow::Cow;

use super::percent::{PercentError, Plus, decode};

/// Longer queries are refused.
const LONGEST: usize = 4096;
/// More pairs are refused.
const MOST_PAIRS: usize = 32;

/// The pairs of a query, decoded.
#[derive(Debug, Default)]
pub(crate) struct QueryPairs<'q> {
    pairs: Vec<(Cow<'q, str>, Cow<'q, str>)>,
}

/// Why a query is refused, for a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueryError(pub(crate) String);

impl<'q> QueryPairs<'q> {
    /// Names that are not known are no error: proxies and caches add some.
    pub(crate) fn parse(query: Option<&'q str>) -> Result<Self, QueryError> {
        let Some(query) = query.filter(|query| !query.is_empty()) else {
            return Ok(Self::default());
        };
        if query.len() > LONGEST {
            return Err(QueryError(format!("the query has more than {LONGEST} bytes")));
        }
        let decoded = |text: &'q str| {
            let refused = |error: PercentError| format!("the query has {}", error.reason());
            decode(text, Plus::Blank).map_err(|error| QueryError(refused(error)))
        };
        let mut pairs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            if pairs.len() == MOST_PAIRS {
                return Err(QueryError(format!("the query has more than {MOST_PAIRS} parts")));
            }
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            pairs.push((decoded(name)?, decoded(value)?));
        }
        Ok(Self { pairs })
    }

    /// The value of a name, which may stand once.
    pub(crate) fn get(&self, name: &str) -> Result<Option<&str>, QueryError> {
        let mut values = self.pairs.iter().filter(|(known, _)| known == name);
        let first = values.next().map(|(_, value)| value.as_ref());
        match values.next() {
            Some(_) => Err(QueryError(format!("`{name}` stands twice in the query"))),
            None => Ok(first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name() {
        let query = QueryPairs::parse(Some("q=code+review&cursor=%3D&&utm=x")).unwrap();
        assert_eq!(query.get("q"), Ok(Some("code review")));
        assert_eq!(query.get("cursor"), Ok(Some("=")));
        assert_eq!(query.get("limit"), Ok(None));
        assert_eq!(QueryPairs::parse(None).unwrap().get("q"), Ok(None));
        assert_eq!(QueryPairs::parse(Some("q")).unwrap().get("q"), Ok(Some("")));
    }

    #[test]
    fn what_is_ambiguous_malformed_or_endless_is_refused() {
        assert!(QueryPairs::parse(Some("q=1&q=2")).unwrap().get("q").is_err());
        assert!(QueryPairs::parse(Some("q=%zz")).is_err());
        assert!(QueryPairs::parse(Some(&"a&".repeat(MOST_PAIRS + 1))).is_err());
        assert!(QueryPairs::parse(Some(&"a".repeat(LONGEST + 1))).is_err());
    }
}
