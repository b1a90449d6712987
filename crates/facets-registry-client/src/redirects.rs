//! Where redirects of reads may lead.

use url::Url;

use crate::address::{host, is_loopback, shown};
use crate::error::RegistryClientError;

/// Where redirects of a read may lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectScope {
    /// What a registry states comes from the registry itself.
    SameOrigin,
    /// Bytes with a hash that is known may come from anywhere: another host over https, or another place of this
    /// machine if the registry is on this machine, too.
    VerifiedBytes,
}

/// One of the addresses that are asked on the way to an answer.
#[derive(Clone, Debug)]
pub(crate) struct RedirectHop {
    pub(crate) url: Url,
    /// Whether the registry was left on the way: from then on nobody is told a token.
    pub(crate) has_left: bool,
}

impl RedirectHop {
    /// The address that is asked first.
    pub(crate) fn first(url: &Url) -> Self {
        Self { url: url.clone(), has_left: false }
    }

    /// Where a redirect leads, if it may be followed.
    pub(crate) fn next(
        &self,
        location: &str,
        scope: RedirectScope,
        is_local: bool,
    ) -> Result<Self, RegistryClientError> {
        let from = &self.url;
        let refuse = |location: String, problem: &'static str| {
            Err(RegistryClientError::Redirect { url: shown(from), location, problem })
        };
        // Nothing at all would lead to the same place again.
        let Some(to) = from.join(location).ok().filter(|_| !location.is_empty()) else {
            return refuse("…".to_owned(), "it is no address");
        };
        if !to.username().is_empty() || to.password().is_some() {
            return refuse(shown(&to), "it has credentials in it");
        }
        if to.origin() == from.origin() {
            return Ok(Self { url: to, has_left: self.has_left });
        }
        let there = format!("{}://{}", to.scheme(), host(&to));
        match refused_host(from, &to, scope, is_local) {
            Some(problem) => refuse(there, problem),
            None => Ok(Self { url: to, has_left: true }),
        }
    }
}

/// Why another host is not asked.
fn refused_host(
    from: &Url,
    to: &Url,
    scope: RedirectScope,
    is_local: bool,
) -> Option<&'static str> {
    if scope == RedirectScope::SameOrigin {
        return Some("it is another host");
    }
    match to.scheme() {
        "https" | "http" if is_loopback(to) && !is_local => Some("it leads to this machine"),
        "https" => None,
        "http" if from.scheme() == "https" => Some("it leads from https to http"),
        "http" if is_loopback(to) => None,
        "http" => Some("only https is followed to another host"),
        _ => Some("it does not lead to the web"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(from: &str, to: &str, is_local: bool) -> Result<bool, String> {
        let hop = RedirectHop::first(&from.parse().unwrap());
        let next = hop.next(to, RedirectScope::VerifiedBytes, is_local);
        next.map(|hop| hop.has_left).map_err(|error| error.to_string())
    }

    #[test]
    fn bytes_with_a_hash_come_from_other_hosts_over_https() {
        let registry = "https://r.example/v0/facets/demo/1.0.0/archive";
        assert_eq!(followed(registry, "/elsewhere", false), Ok(false));
        for to in
            ["https://cdn.example/a?signature=x", "//cdn.example/a", "https://r.example:8443/"]
        {
            assert_eq!(followed(registry, to, false), Ok(true), "{to}");
        }
        for (to, problem) in [
            ("http://cdn.example/a", "it leads from https to http"),
            ("http://r.example/", "it leads from https to http"),
            ("https://127.0.0.1/", "it leads to this machine"),
            ("http://localhost/", "it leads to this machine"),
            ("ftp://cdn.example/", "it does not lead to the web"),
            ("https://u:hunter2@cdn.example/", "it has credentials in it"),
        ] {
            let error = followed(registry, to, false).unwrap_err();
            assert!(error.ends_with(problem) && !error.contains("hunter2"), "{to}: {error}");
        }
    }

    #[test]
    fn a_registry_of_this_machine_may_lead_to_this_machine() {
        let registry = "http://127.0.0.1:8080/archive";
        for to in ["http://127.0.0.1:9000/a", "http://localhost:9000/", "https://cdn.example/"] {
            assert_eq!(followed(registry, to, true), Ok(true), "{to}");
        }
        assert!(followed(registry, "http://cdn.example/", true).is_err());
        assert!(followed("https://localhost/a", "http://localhost/b", true).is_err());
    }

    #[test]
    fn a_registry_that_was_left_is_not_come_back_to_with_a_token() {
        let hop = RedirectHop::first(&"https://r.example/a".parse().unwrap());
        let scope = RedirectScope::VerifiedBytes;
        let away = hop.next("https://cdn.example/a", scope, false).unwrap();
        assert!(away.next("https://r.example/v0/auth/me", scope, false).unwrap().has_left);
        assert!(away.next("/again", scope, false).unwrap().has_left);
    }

    #[test]
    fn what_a_registry_states_comes_from_nowhere_else() {
        let hop = RedirectHop::first(&"https://r.example/a".parse().unwrap());
        let error = hop.next("https://cdn.example/a", RedirectScope::SameOrigin, false);
        assert!(error.unwrap_err().to_string().ends_with("it is another host"));
    }
}
