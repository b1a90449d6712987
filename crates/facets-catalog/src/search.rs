//! Names by words.

use std::cmp::Reverse;

use crate::catalog::Catalog;
use crate::database::Param;
use crate::error::CatalogError;
use crate::kind::ArtifactKind;
use crate::names::{name_columns, read_name};
use crate::page::{Cursor, Page, cut, key_of, rows_for};
use crate::record::NameSummary;
use crate::words::{MOST_OF_QUERY, query_words};

macro_rules! statement {
    ($tables:literal, $conditions:literal) => {
        concat!(
            "SELECT ",
            name_columns!(),
            " FROM search_words w1",
            $tables,
            " CROSS JOIN latest l CROSS JOIN names n CROSS JOIN versions v \
             WHERE w1.kind = $1 AND w1.word = $4 AND w1.name > $2",
            $conditions,
            " AND l.kind = $1 AND l.name = w1.name AND n.kind = $1 AND n.name = w1.name \
             AND v.kind = $1 AND v.name = w1.name AND v.ordering = l.ordering \
             ORDER BY w1.name LIMIT $3"
        )
    };
}

/// One statement for each number of words.
pub(crate) const STATEMENTS: [&str; MOST_OF_QUERY] = [
    statement!("", ""),
    statement!(
        " CROSS JOIN search_words w2",
        " AND w2.kind = $1 AND w2.word = $5 AND w2.name = w1.name"
    ),
    statement!(
        " CROSS JOIN search_words w2 CROSS JOIN search_words w3",
        " AND w2.kind = $1 AND w2.word = $5 AND w2.name = w1.name \
         AND w3.kind = $1 AND w3.word = $6 AND w3.name = w1.name"
    ),
    statement!(
        " CROSS JOIN search_words w2 CROSS JOIN search_words w3 CROSS JOIN search_words w4",
        " AND w2.kind = $1 AND w2.word = $5 AND w2.name = w1.name \
         AND w3.kind = $1 AND w3.word = $6 AND w3.name = w1.name \
         AND w4.kind = $1 AND w4.word = $7 AND w4.name = w1.name"
    ),
];

/// How many names each word finds. Counting ends early: it only tells rare words from common ones.
const RARITY: &str = "SELECT \
     (SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE kind = $1 AND word = $2 LIMIT 128) a), \
     (SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE kind = $1 AND word = $3 LIMIT 128) b), \
     (SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE kind = $1 AND word = $4 LIMIT 128) c), \
     (SELECT COUNT(*) FROM (SELECT 1 FROM search_words WHERE kind = $1 AND word = $5 LIMIT 128) d)";

impl Catalog {
    /// The names that every word of a query finds, by their bytes. A query without words finds nothing.
    pub async fn search(
        &self,
        kind: ArtifactKind,
        query: &str,
        after: Option<&Cursor>,
        limit: u32,
    ) -> Result<Page<NameSummary>, CatalogError> {
        let words = self.rarest_first(kind, query_words(query)).await?;
        let Some(sql) = words.len().checked_sub(1).and_then(|index| STATEMENTS.get(index).copied())
        else {
            return Ok(Page { items: Vec::new(), next: None });
        };
        let mut params: Vec<Param<'_>> =
            vec![kind.into(), key_of(after, "").into(), rows_for(limit).into()];
        params.extend(words.iter().map(Param::from));
        let rows = self.database.fetch(sql, &params).await?;
        let items: Result<Vec<_>, _> = rows.iter().map(|row| read_name(&mut row.cells())).collect();
        Ok(cut(items?, limit, |item| item.name.to_string()))
    }

    /// The names of the first word are walked through, and the other words are looked for among them. Of words
    /// that are about as common, the longer one tends to find fewer names.
    async fn rarest_first(
        &self,
        kind: ArtifactKind,
        words: Vec<String>,
    ) -> Result<Vec<String>, CatalogError> {
        if words.len() < 2 {
            return Ok(words);
        }
        let row = {
            let mut params: Vec<Param<'_>> = vec![kind.into()];
            params.extend(words.iter().map(Param::from));
            // No word finds nothing, at no cost.
            params.resize(1 + MOST_OF_QUERY, Param::Text(None));
            self.database.fetch_first(RARITY, &params).await?
        };
        let Some(row) = row else { return Ok(words) };
        let mut cells = row.cells();
        let mut counted = Vec::with_capacity(words.len());
        for word in words {
            counted.push((cells.integer()?, word));
        }
        counted.sort_by_key(|(count, word)| (*count, Reverse(word.len())));
        Ok(counted.into_iter().map(|(_, word)| word).collect())
    }
}
