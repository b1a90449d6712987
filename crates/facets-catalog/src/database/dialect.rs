//! Where the two databases differ in what they are told.

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    /// Begins a transaction that writes.
    pub(super) const fn begin(self) -> &'static str {
        match self {
            // Asks for the lock at once: a transaction that reads first could not get it later.
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN ISOLATION LEVEL READ COMMITTED",
        }
    }

    /// Counts tables of a name.
    pub(crate) const fn count_tables(self) -> &'static str {
        match self {
            Self::Sqlite => "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1",
            Self::Postgres => {
                "SELECT COUNT(*) FROM information_schema.tables \
                 WHERE table_schema = current_schema() AND table_name = $1"
            }
        }
    }

    /// A statement of a migration with the words of this database: `{text}` is ordered by bytes,
    /// `{integer}` has 64 bits, `{wide}` is behind a table with large rows, and `{narrow}` behind one whose
    /// rows are stored in its primary key.
    pub(crate) fn translate(self, sql: &str) -> String {
        let [text, integer, wide, narrow] = match self {
            Self::Sqlite => ["TEXT", "INTEGER", "STRICT", "STRICT, WITHOUT ROWID"],
            Self::Postgres => ["TEXT COLLATE \"C\"", "BIGINT", "", ""],
        };
        sql.replace("{text}", text)
            .replace("{integer}", integer)
            .replace("{wide}", wide)
            .replace("{narrow}", narrow)
    }
}
