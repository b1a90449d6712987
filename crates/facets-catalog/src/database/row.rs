//! What a statement returns.

use std::fmt;
use std::str::FromStr;

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;

use crate::error::{CatalogError, Cause};
use crate::moment::Moment;

/// A row, as its driver has it: texts are borrowed from it.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    /// The values of the row, from the first column on.
    pub(crate) fn cells(&self) -> Cells<'_> {
        Cells { row: self, next: 0 }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get::<Option<&str>, usize>(column),
            Self::Postgres(row) => row.try_get::<Option<&str>, usize>(column),
        }
    }

    fn integer(&self, column: usize) -> Result<Option<i64>, sqlx::Error> {
        match self {
            Self::Sqlite(row) => row.try_get::<Option<i64>, usize>(column),
            Self::Postgres(row) => row.try_get::<Option<i64>, usize>(column),
        }
    }
}

/// The values of a row, one after the other.
pub(crate) struct Cells<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> Cells<'r> {
    pub(crate) fn optional_text(&mut self) -> Result<Option<&'r str>, CatalogError> {
        let column = self.advance();
        self.row.text(column).map_err(|error| unreadable(column, error))
    }

    pub(crate) fn text(&mut self) -> Result<&'r str, CatalogError> {
        let found = self.optional_text()?;
        found.ok_or_else(|| unreadable(self.next - 1, "no value"))
    }

    pub(crate) fn owned_text(&mut self) -> Result<String, CatalogError> {
        self.text().map(str::to_owned)
    }

    pub(crate) fn optional_owned_text(&mut self) -> Result<Option<String>, CatalogError> {
        Ok(self.optional_text()?.map(str::to_owned))
    }

    /// A text that has a type of its own.
    pub(crate) fn parsed<T>(&mut self) -> Result<T, CatalogError>
    where
        T: FromStr<Err: fmt::Display>,
    {
        let text = self.text()?;
        text.parse().map_err(|error: T::Err| unreadable(self.next - 1, error.to_string()))
    }

    /// A text that has a type of its own, if there is one.
    pub(crate) fn optional_parsed<T>(&mut self) -> Result<Option<T>, CatalogError>
    where
        T: FromStr<Err: fmt::Display>,
    {
        let Some(text) = self.optional_text()? else { return Ok(None) };
        let parsed = text.parse();
        parsed.map(Some).map_err(|error: T::Err| unreadable(self.next - 1, error.to_string()))
    }

    pub(crate) fn optional_integer(&mut self) -> Result<Option<i64>, CatalogError> {
        let column = self.advance();
        self.row.integer(column).map_err(|error| unreadable(column, error))
    }

    pub(crate) fn integer(&mut self) -> Result<i64, CatalogError> {
        let found = self.optional_integer()?;
        found.ok_or_else(|| unreadable(self.next - 1, "no value"))
    }

    /// A number that cannot be negative.
    pub(crate) fn unsigned<T>(&mut self) -> Result<T, CatalogError>
    where
        T: TryFrom<i64, Error: fmt::Display>,
    {
        let number = self.integer()?;
        T::try_from(number).map_err(|error| unreadable(self.next - 1, error.to_string()))
    }

    pub(crate) fn moment(&mut self) -> Result<Moment, CatalogError> {
        self.integer().map(Moment)
    }

    pub(crate) fn optional_moment(&mut self) -> Result<Option<Moment>, CatalogError> {
        Ok(self.optional_integer()?.map(Moment))
    }

    fn advance(&mut self) -> usize {
        let column = self.next;
        self.next += 1;
        column
    }
}

fn unreadable(column: usize, source: impl Into<Cause>) -> CatalogError {
    CatalogError::damaged(format!("column {column} of a row cannot be read"), source)
}
