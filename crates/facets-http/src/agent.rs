//! The one place for TLS, proxies and addresses: every request of facet goes through such an agent.

use std::fmt;
use std::io;

use ureq::config::{Config, ConfigBuilder};
use ureq::http::Uri;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::typestate::AgentScope;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{
    ConnectProxyConnector, Connector as _, NextTimeout, RustlsConnector, TcpConnector,
};
use ureq::{Agent, Proxy, ProxyProtocol};
use url::Url;

use crate::early_answer::EarlyAnswers;
use crate::proxy_choice::ProxyChoice;
use crate::reach::Reach;
use crate::route::Route;

/// A certificate or proxy that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct AgentError {
    /// What was configured.
    pub place: String,
    /// What is wrong, without secrets.
    pub problem: String,
}

/// What every agent of ours has in common: certificates of the system, no redirects that were not checked,
/// no errors made of statuses, and nothing decoded.
#[must_use]
pub fn agent_config() -> ConfigBuilder<AgentScope> {
    let tls = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    Agent::config_builder()
        .tls_config(tls)
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .user_agent(concat!("facet/", env!("CARGO_PKG_VERSION")))
}

/// The agents of a route: an agent has one proxy, and a route may have one for each scheme.
#[derive(Debug)]
pub struct Agents {
    proxy: ProxyChoice,
    first: Agent,
    others: Vec<(ProxyChoice, Agent)>,
}

impl Agents {
    /// Agents that take a route, and reach nothing that they may not. Nothing is sent yet.
    pub fn new(
        config: impl Fn() -> ConfigBuilder<AgentScope>,
        route: &Route,
        reach: &Reach,
    ) -> Result<Self, AgentError> {
        let mut others = Vec::new();
        let mut choices = route.proxy.alternatives().into_iter();
        let first = choices.next().unwrap_or_default();
        for choice in choices {
            let made = agent(config(), route, &choice, reach)?;
            others.push((choice, made));
        }
        let first = agent(config(), route, &first, reach)?;
        Ok(Self { proxy: route.proxy.clone(), first, others })
    }

    /// The one that asks for an address.
    #[must_use]
    pub fn for_url(&self, url: &Url) -> &Agent {
        let choice = self.proxy.for_url(url);
        let other = self.others.iter().find(|(known, _)| *known == choice);
        other.map_or(&self.first, |(_, agent)| agent)
    }
}

fn agent(
    config: ConfigBuilder<AgentScope>,
    route: &Route,
    proxy_choice: &ProxyChoice,
    reach: &Reach,
) -> Result<Agent, AgentError> {
    let mut config = config;
    if let Some(pem) = &route.authorities {
        config = config.tls_config(TlsConfig::builder().root_certs(authorities(pem)?).build());
    }
    config = match (reach, proxy_choice) {
        // A proxy would look names up by itself, and connect to whatever it finds.
        // By scheme there is none left here: each alternative is one proxy.
        (Reach::Public { .. }, _) | (_, ProxyChoice::Direct | ProxyChoice::ByScheme { .. }) => {
            config.proxy(None)
        }
        (_, ProxyChoice::Environment) => config.proxy(Proxy::try_from_env()),
        (_, ProxyChoice::Through { address, except }) => {
            config.proxy(Some(proxy(address, except)?))
        }
    };
    let resolver = CheckedResolver { reach: reach.clone(), names: DefaultResolver::default() };
    // What the default connector does, and answers that come before everything was sent.
    let connector =
        ().chain(ConnectProxyConnector::default())
            .chain(TcpConnector::default())
            .chain(EarlyAnswers)
            .chain(RustlsConnector::default());
    Ok(Agent::with_parts(config.build(), connector, resolver))
}

fn authorities(pem: &[u8]) -> Result<RootCerts, AgentError> {
    let unusable = |problem: String| AgentError { place: "certificates".to_owned(), problem };
    let mut all: Vec<Certificate<'static>> = Vec::new();
    for item in parse_pem(pem) {
        let item = item.map_err(|error| unusable(error.to_string()))?;
        if let PemItem::Certificate(certificate) = item {
            all.push(certificate);
        }
    }
    if all.is_empty() {
        return Err(unusable("the file has no certificate".to_owned()));
    }
    Ok(RootCerts::new_with_certs(&all))
}

fn proxy(address: &str, except: &[String]) -> Result<Proxy, AgentError> {
    let unusable = || AgentError {
        place: "proxy".to_owned(),
        problem: "the address of the proxy cannot be used".to_owned(),
    };
    let with_scheme =
        if address.contains("://") { address.to_owned() } else { format!("http://{address}") };
    let plain = Proxy::new(&with_scheme).map_err(|_| unusable())?;
    // No other one is spoken here; requests would go past it, or nowhere.
    if !matches!(plain.protocol(), ProxyProtocol::Http | ProxyProtocol::Https) {
        return Err(unusable());
    }
    if except.is_empty() {
        return Ok(plain);
    }
    let mut builder = Proxy::builder(plain.protocol()).host(plain.host()).port(plain.port());
    if let Some(user) = plain.username() {
        builder = builder.username(user);
    }
    if let Some(password) = plain.password() {
        builder = builder.password(password);
    }
    for host in except {
        builder = builder.no_proxy(host);
    }
    builder.build().map_err(|_| unusable())
}

/// Looks names up, and gives only addresses back that may be connected to: what was checked is what is
/// connected to, whatever the name leads to a moment later.
struct CheckedResolver<Names> {
    reach: Reach,
    names: Names,
}

impl<Names> fmt::Debug for CheckedResolver<Names> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckedResolver").field("reach", &self.reach).finish_non_exhaustive()
    }
}

impl<Names: Resolver> Resolver for CheckedResolver<Names> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.names.resolve(uri, config, timeout)?;
        // The user chose the proxy, which may be on this machine.
        let is_proxy = |proxy: &Proxy| uri.host() == Some(proxy.host());
        if self.reach == Reach::OtherMachines && config.proxy().is_some_and(is_proxy) {
            return Ok(found);
        }
        match self.reach.refused_address(uri.host().unwrap_or_default(), &found) {
            None => Ok(found),
            Some(problem) => Err(ureq::Error::Io(io::Error::other(RefusedAddress(problem)))),
        }
    }
}

/// A host whose addresses must not be connected to.
#[derive(Debug)]
pub struct RefusedAddress(pub String);

impl fmt::Display for RefusedAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RefusedAddress {}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::net::SocketAddr;
    use std::sync::{Arc, Mutex};

    use ureq::unversioned::transport::{ConnectionDetails, Connector};

    use super::*;

    /// Gives one list of addresses after the other.
    #[derive(Debug)]
    struct ScriptedNames(Mutex<Vec<Vec<SocketAddr>>>);

    impl Resolver for ScriptedNames {
        fn resolve(
            &self,
            _uri: &Uri,
            _config: &Config,
            _timeout: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let mut left = self.0.lock().unwrap();
            if left.is_empty() {
                return Err(ureq::Error::HostNotFound);
            }
            let mut found = self.empty();
            for address in left.remove(0) {
                found.push(address);
            }
            Ok(found)
        }
    }

    /// Where a connection was to lead; there is none.
    #[derive(Clone, Debug, Default)]
    struct RecordedConnections(Arc<Mutex<Vec<Vec<SocketAddr>>>>);

    impl Connector for RecordedConnections {
        type Out = ();

        fn connect(
            &self,
            details: &ConnectionDetails<'_>,
            _chained: Option<()>,
        ) -> Result<Option<()>, ureq::Error> {
            self.0.lock().unwrap().push(details.addrs.to_vec());
            Err(ureq::Error::ConnectionFailed)
        }
    }

    const PUBLIC: &str = "1.1.1.1:443";
    const PRIVATE: &str = "10.0.0.1:443";
    const LOOPBACK: &str = "[::1]:443";

    /// Asks as often as there are answers; whether each was refused, and where connections were to lead.
    fn ask(reach: Reach, answers: &[&[&str]]) -> (Vec<bool>, Vec<Vec<SocketAddr>>) {
        let names = ScriptedNames(Mutex::new(answers.iter().map(|list| addresses(list)).collect()));
        let connections = RecordedConnections::default();
        let config = agent_config().proxy(None).build();
        let resolver = CheckedResolver { reach, names };
        let agent = Agent::with_parts(config, connections.clone(), resolver);
        let is_refused = |_: &&[&str]| match agent.get("https://a.example/").call() {
            Err(ureq::Error::Io(error)) => {
                error.get_ref().and_then(|inner| inner.downcast_ref::<RefusedAddress>()).is_some()
            }
            _ => false,
        };
        let refused = answers.iter().map(is_refused).collect();
        let connected = connections.0.lock().unwrap().clone();
        (refused, connected)
    }

    fn addresses(list: &[&str]) -> Vec<SocketAddr> {
        list.iter().map(|text| text.parse().unwrap()).collect()
    }

    fn public() -> Reach {
        Reach::Public { allowed: Vec::new() }
    }

    #[test]
    fn a_proxy_that_is_not_spoken_to_is_refused() {
        assert!(proxy("http://p.example:1", &[]).is_ok() && proxy("p.example:1", &[]).is_ok());
        for address in
            ["socks4://p.example", "socks5://u:s3cret@p.example", "socks5h://p.example:1"]
        {
            let error = proxy(address, &[]).unwrap_err();
            assert_eq!(error.problem, "the address of the proxy cannot be used", "{address}");
        }
    }

    #[test]
    fn one_private_answer_among_public_ones_connects_nowhere() {
        for other in [PRIVATE, LOOPBACK, "169.254.169.254:443"] {
            let answers: [&[&str]; 2] = [&[PUBLIC, other], &[other, PUBLIC]];
            assert_eq!(ask(public(), &answers), (vec![true, true], vec![]), "{other}");
        }
        let all = addresses(&[PUBLIC, PRIVATE]);
        assert_eq!(ask(Reach::AsUser, &[&[PUBLIC, PRIVATE]]), (vec![false], vec![all]));
    }

    #[test]
    fn a_name_that_changes_its_answer_is_connected_to_where_it_was_checked() {
        let answers: [&[&str]; 3] = [&[PUBLIC], &[LOOPBACK], &[PUBLIC]];
        let checked = addresses(&[PUBLIC]);
        // One lookup for each request: a second one would take the answer of the next.
        let expected = (vec![false, true, false], vec![checked.clone(), checked]);
        assert_eq!(ask(public(), &answers), expected);
    }

    #[test]
    fn a_host_that_is_allowed_may_be_private() {
        let reach = Reach::Public { allowed: vec!["a.example".to_owned()] };
        let expected = (vec![false], vec![addresses(&[PRIVATE])]);
        assert_eq!(ask(reach, &[&[PRIVATE]]), expected);
    }

    #[test]
    fn certificates_that_are_none_are_refused() {
        for pem in ["", "text", "-----BEGIN CERTIFICATE-----\n%\n-----END CERTIFICATE-----\n"] {
            let error = authorities(pem.as_bytes()).err().unwrap();
            assert!(matches!(error, AgentError { .. }), "{pem}: {error}");
        }
    }
}
