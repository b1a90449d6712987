//! Where the catalog is.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

use crate::error::CatalogError;

/// The file of a catalog in a data directory.
pub(crate) const FILE_NAME: &str = "catalog.sqlite";

/// Where the catalog is.
#[derive(Clone, PartialEq, Eq)]
pub enum CatalogUrl {
    /// A file of SQLite, or the directory that has it as `catalog.sqlite`.
    Sqlite(PathBuf),
    /// The address of a database of PostgreSQL. It may have a password in it.
    Postgres(String),
}

impl FromStr for CatalogUrl {
    type Err = CatalogError;

    fn from_str(text: &str) -> Result<Self, CatalogError> {
        let bad = |reason: String| CatalogError::BadUrl { reason };
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            Url::parse(text).map_err(|error| bad(error.to_string()))?;
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:"));
        let path = path.unwrap_or(text);
        if let Some((scheme, _)) = path.split_once("://")
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric())
        {
            return Err(bad(format!("`{scheme}` is not supported")));
        }
        if path.is_empty() || path.contains('\0') {
            return Err(bad("it is empty".to_owned()));
        }
        Ok(Self::Sqlite(PathBuf::from(path)))
    }
}

impl CatalogUrl {
    /// Whether a password is part of the address. An address whose parts are unclear counts as one that has it.
    #[must_use]
    pub fn has_password(&self) -> bool {
        let Self::Postgres(text) = self else { return false };
        let Ok(url) = Url::parse(text) else { return true };
        url.password().is_some()
            || url.path().contains('@')
            || url.query_pairs().any(|(name, _)| name == "password")
    }
}

impl fmt::Display for CatalogUrl {
    /// Never with a password, wherever the address has it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => f.pad(&path.display().to_string()),
            Self::Postgres(text) => f.pad(&without_secrets(text)),
        }
    }
}

impl fmt::Debug for CatalogUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CatalogUrl({self})")
    }
}

/// Host, port and database.
fn without_secrets(text: &str) -> String {
    // Of an address that is wrongly split, any part may be one of the password.
    let Some(url) = Url::parse(text).ok().filter(|url| !url.path().contains('@')) else {
        return "postgres://".to_owned();
    };
    let host = url.host_str().unwrap_or_default();
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("postgres://{host}{port}{}", url.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_path_or_a_database_of_postgres() {
        let parse = |text: &str| text.parse::<CatalogUrl>().unwrap();
        for path in ["data", "/var/lib/registry", "./a b/catalog.sqlite"] {
            assert_eq!(parse(path), CatalogUrl::Sqlite(PathBuf::from(path)));
        }
        for text in ["sqlite:/x", "sqlite:///x"] {
            assert_eq!(parse(text), CatalogUrl::Sqlite(PathBuf::from("/x")));
        }
        for text in ["postgres://u@h/d", "postgresql://u:p@h:5433/d?sslmode=require"] {
            assert_eq!(parse(text), CatalogUrl::Postgres(text.to_owned()));
        }
        for bad in ["", "sqlite:", "mysql://h/d", "postgres://h:99999/d", "https://h"] {
            assert!(bad.parse::<CatalogUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn no_password_is_ever_shown() {
        let texts = [
            "postgres://user:s3cret@host:5433/db",
            "postgres://user:s3cret@host:5433/db?password=s3cret",
            "postgres://host/db?user=x&password=a@s3cret",
            "postgres://user:s3c/ret@host/db",
            "postgres://user:12/s3cret@host/db",
            "not an address with s3cret",
        ];
        for text in texts {
            let url = CatalogUrl::Postgres(text.to_owned());
            for shown in [url.to_string(), format!("{url:?}")] {
                assert!(!shown.contains("s3c") && !shown.contains("ret@"), "{shown}");
            }
        }
        let url = CatalogUrl::Postgres(texts[0].to_owned());
        assert_eq!(url.to_string(), "postgres://host:5433/db");
    }

    #[test]
    fn a_password_is_noticed_wherever_the_address_has_it() {
        let has_password = |text: &str| CatalogUrl::Postgres(text.to_owned()).has_password();
        for text in [
            "postgres://user:secret@host/db",
            "postgres://user@host/db?sslmode=disable&password=secret",
            "postgres://user@host/db?p%61ssword=secret",
            "postgres://user:12/secret@host/db",
        ] {
            assert!(has_password(text), "{text}");
        }
        for text in ["postgres://host/db", "postgres://user@host:5432/db?sslmode=disable"] {
            assert!(!has_password(text), "{text}");
        }
        assert!(!CatalogUrl::Sqlite(PathBuf::from("a:b@c")).has_password());
    }
}
