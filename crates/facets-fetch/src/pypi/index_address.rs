//! The address of an index, and who logs in there.

use url::Url;

use super::netrc::Netrc;
use super::percent::percent_decoded;
use super::settings::Placed;
use crate::error::FetchError;
use facets_http::{Authorization, Credentials};

/// Longer than any address.
const MAX_ADDRESS: usize = 2000;

/// The address of an index, apart from what was written into it about who asks.
pub(super) struct IndexAddress {
    /// Ends with a slash; without credentials.
    pub(super) url: Url,
    user: Option<String>,
    password: Option<String>,
}

impl IndexAddress {
    /// Reads one of the addresses of a setting.
    pub(super) fn parse(text: &str, setting: &Placed) -> Result<Self, FetchError> {
        // A backslash is a slash for browsers alone.
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || c == '\\';
        if text.len() > MAX_ADDRESS || text.contains(is_odd) {
            return Err(setting.refused("the address of the index is malformed"));
        }
        let malformed = |error: url::ParseError| {
            setting.refused(format!("the address of the index is malformed: {error}"))
        };
        let mut url: Url = text.parse().map_err(malformed)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(
                setting.refused("the address of the index begins with neither https nor http")
            );
        }
        // pip appends the name of the project to the text, so that it would not be in the path.
        if url.query().is_some() || url.fragment().is_some() {
            return Err(setting.refused("the address of the index has a query or a fragment"));
        }
        let user = Some(percent_decoded(url.username())).filter(|user| !user.is_empty());
        let password = url.password().map(percent_decoded);
        let cleared = url.set_username("").and_then(|()| url.set_password(None));
        cleared.map_err(|()| setting.refused("the address of the index is malformed"))?;
        if !url.path().ends_with('/') {
            let path = format!("{}/", url.path());
            url.set_path(&path);
        }
        Ok(Self { url, user, password })
    }

    /// Whether `.netrc` is not needed.
    pub(super) fn has_password(&self) -> bool {
        self.password.is_some()
    }

    fn authorization(&self, netrc: &Netrc) -> Option<Authorization> {
        let login = self.url.host_str().and_then(|host| netrc.login(host));
        let basic = |user: &str, password: &str| {
            Some(Authorization::Basic { user: user.to_owned(), password: password.to_owned() })
        };
        match (&self.user, &self.password, login) {
            (user, Some(password), _) => basic(user.as_deref().unwrap_or_default(), password),
            (Some(user), None, Some(login)) if login.user == *user => basic(user, &login.password),
            // A token alone stands where the name does.
            (Some(user), None, _) => basic(user, ""),
            (None, None, Some(login)) => basic(&login.user, &login.password),
            (None, None, None) => None,
        }
    }
}

/// Who logs in where. Files lie beside the pages of their index, so that as in pip its whole host is told;
/// of two indexes of one host the one that is nearer, else the first.
pub(super) fn credentials(addresses: &[IndexAddress], netrc: &Netrc) -> Credentials {
    let mut credentials = Credentials::default();
    // Of two for the same folder the one that is added last is sent.
    for address in addresses.iter().rev() {
        let Some(authorization) = address.authorization(netrc) else { continue };
        for folder in folders(&address.url) {
            credentials.add(&folder, authorization.clone());
        }
    }
    credentials
}

/// The folder of an address, and every one above it.
fn folders(url: &Url) -> Vec<Url> {
    let path = url.path();
    let ends = path.match_indices('/').map(|(at, _)| at + 1);
    let below = |end: usize| {
        let mut folder = url.clone();
        folder.set_query(None);
        folder.set_path(path.get(..end).unwrap_or("/"));
        folder
    };
    ends.map(below).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn address(text: &str) -> Result<IndexAddress, FetchError> {
        let setting = Placed { text: text.to_owned(), place: "PIP_INDEX_URL".to_owned() };
        IndexAddress::parse(text, &setting)
    }

    fn sent(addresses: &[&str], netrc: &str, url: &str) -> Option<Authorization> {
        let addresses: Vec<_> = addresses.iter().map(|text| address(text).ok().unwrap()).collect();
        let netrc = Netrc::parse(netrc).ok().unwrap();
        credentials(&addresses, &netrc).for_url(&url.parse().unwrap()).cloned()
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what may be absent")]
    fn basic(user: &str, password: &str) -> Option<Authorization> {
        Some(Authorization::Basic { user: user.to_owned(), password: password.to_owned() })
    }

    #[test]
    fn addresses_end_with_a_slash_and_lose_their_credentials() {
        for (text, url) in [
            ("https://a.example", "https://a.example/"),
            ("https://a.example/simple", "https://a.example/simple/"),
            ("http://u:p@a.example:3141/team/+simple/", "http://a.example:3141/team/+simple/"),
            ("https://u%40x@a.example/simple/", "https://a.example/simple/"),
        ] {
            assert_eq!(address(text).ok().unwrap().url.as_str(), url);
        }
    }

    #[test]
    fn malformed_addresses_are_refused_without_showing_them() {
        let long = format!("https://u:hunter2@a.example/{}", "/".repeat(MAX_ADDRESS));
        for text in [
            "hunter2",
            "https://u:hunter2@",
            "https://u:hunter2@a.example:x/",
            "file:///hunter2",
            "https://a.example/ https://u:hunter2@b.example/",
            "https://u:hunter2@a.example/get?p=/simple",
            "https://a.example/simple?",
            "https://a.example/simple/#hunter2",
            "https://a.example/simple#",
            "https://a.example\\simple",
            long.as_str(),
        ] {
            let error = address(text).err().unwrap().to_string();
            assert!(error.starts_with("PIP_INDEX_URL: "), "{error}");
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    #[test]
    fn credentials_are_decoded_and_go_to_the_host_of_the_index_alone() {
        let index = ["https://u%40x:p%3Aq%2F@a.example/repo/simple"];
        let expected = basic("u@x", "p:q/");
        assert_eq!(sent(&index, "", "https://a.example/repo/simple/x/"), expected);
        assert_eq!(sent(&index, "", "https://a.example/repo/packages/x.whl"), expected);
        assert_eq!(sent(&index, "", "https://a.example/elsewhere"), expected);
        assert_eq!(sent(&index, "", "https://b.example/repo/simple/x/"), None);
        assert_eq!(sent(&index, "", "https://a.example:8443/repo/simple/x/"), None);
        assert_eq!(sent(&["https://:p@a.example/"], "", "https://a.example/"), basic("", "p"));
    }

    #[test]
    fn of_two_indexes_of_one_host_the_nearer_one_counts_else_the_first() {
        let both = ["https://a:1@h.example/a/simple/", "https://b:2@h.example/b/simple/"];
        assert_eq!(sent(&both, "", "https://h.example/a/packages/x"), basic("a", "1"));
        assert_eq!(sent(&both, "", "https://h.example/b/packages/x"), basic("b", "2"));
        assert_eq!(sent(&both, "", "https://h.example/c"), basic("a", "1"));
    }

    #[test]
    fn netrc_is_for_indexes_without_a_password_of_their_own() {
        let netrc = "machine a.example login me password secret";
        let at = |index: &str| sent(&[index], netrc, "https://a.example/simple/x/");
        assert_eq!(at("https://a.example/simple/"), basic("me", "secret"));
        assert_eq!(at("https://me@a.example/simple/"), basic("me", "secret"));
        assert_eq!(at("https://token@a.example/simple/"), basic("token", ""));
        assert_eq!(at("https://u:p@a.example/simple/"), basic("u", "p"));
        assert_eq!(sent(&["https://b.example/"], netrc, "https://b.example/"), None);
        let any = "default login any password all";
        assert_eq!(sent(&["https://b.example/"], any, "https://b.example/"), basic("any", "all"));
    }
}
