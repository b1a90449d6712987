//! How requests are answered.

use clap::Args;

const CONNECTIONS: &str = "Connections";
const LIMITS: &str = "Limits";

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeArguments {
    /// Address to listen on; port 0 picks a free one (default: 127.0.0.1:8080)
    #[arg(long, value_name = "ADDR", help_heading = CONNECTIONS)]
    listen: Option<String>,
    /// Address at which clients find the registry, for links (default: that of each request)
    #[arg(long, value_name = "URL", help_heading = CONNECTIONS)]
    public_url: Option<String>,
    /// Certificate chain (PEM); with --tls-key the registry speaks https
    #[arg(long, value_name = "FILE", help_heading = CONNECTIONS)]
    tls_cert: Option<String>,
    /// Private key (PEM)
    #[arg(long, value_name = "FILE", help_heading = CONNECTIONS)]
    tls_key: Option<String>,
    /// Let only callers with a token read
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", help_heading = CONNECTIONS)]
    private: Option<String>,
    /// Take the client's address from the last entry of X-Forwarded-For
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", help_heading = CONNECTIONS)]
    trust_proxy: Option<String>,
    /// Connections at once (default: 4096)
    #[arg(long, value_name = "NUMBER", help_heading = CONNECTIONS)]
    connections: Option<String>,
    /// Connections of one address at once, 0 for no limit (default: a quarter of --connections)
    #[arg(long, value_name = "NUMBER", help_heading = CONNECTIONS)]
    connections_per_address: Option<String>,
    /// Time for the head of a request (default: 10s)
    #[arg(long, value_name = "DURATION", help_heading = CONNECTIONS)]
    header_timeout: Option<String>,
    /// Time between two requests of a connection (default: 60s)
    #[arg(long, value_name = "DURATION", help_heading = CONNECTIONS)]
    idle_timeout: Option<String>,
    /// Time for the body of a request (default: 10m)
    #[arg(long, value_name = "DURATION", help_heading = CONNECTIONS)]
    body_timeout: Option<String>,
    /// Bytes per second, both ways, below which a client is too slow (default: 8KiB)
    #[arg(long, value_name = "SIZE", help_heading = CONNECTIONS)]
    body_rate: Option<String>,
    /// Time for requests in flight when a signal ends the server (default: 30s)
    #[arg(long, value_name = "DURATION", help_heading = CONNECTIONS)]
    shutdown_wait: Option<String>,
    /// Worker threads, 0 for one per processor (default: 0)
    #[arg(long, value_name = "NUMBER", help_heading = CONNECTIONS)]
    threads: Option<String>,
    /// Log on standard error: human, json or off (default: json)
    #[arg(long, value_name = "FORMAT", help_heading = CONNECTIONS)]
    log: Option<String>,
    /// Requests per minute and address, 0 for no limit (default: 6000)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    read_rate: Option<String>,
    /// Requests of an address at once (default: 2000)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    read_burst: Option<String>,
    /// Changes per minute and token, 0 for no limit (default: 60)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    write_rate: Option<String>,
    /// Changes of a token at once (default: 60)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    write_burst: Option<String>,
    /// Largest archive of a facet (default: 5MiB)
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    facet_size: Option<String>,
    /// Largest archive of a server (default: 64MiB)
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    server_size: Option<String>,
    /// Uploads at once (default: 64)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    uploads_at_once: Option<String>,
    /// Bytes per second that an upload needs to keep its slot while another owner waits, 0 for no limit (default: 128KiB)
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    upload_rate: Option<String>,
    /// How long these bytes are counted, from the beginning of an upload (default: 5s)
    #[arg(long, value_name = "DURATION", help_heading = LIMITS)]
    upload_window: Option<String>,
    /// Archives that are read at once (default: 2)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    archives_at_once: Option<String>,
    /// Servers that are started at once to be looked at (default: 2)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    probes_at_once: Option<String>,
    /// Servers of one owner that wait to be looked at (default: 20)
    #[arg(long, value_name = "NUMBER", help_heading = LIMITS)]
    queued_per_owner: Option<String>,
    /// How long a publisher waits before the answer is 202 (default: 15s)
    #[arg(long, value_name = "DURATION", help_heading = LIMITS)]
    probe_wait: Option<String>,
    /// Memory for small archives (default: 16MiB)
    #[arg(long, value_name = "SIZE", help_heading = LIMITS)]
    cache_size: Option<String>,
}

impl ServeArguments {
    /// What was typed, by the names of settings.
    pub(crate) fn given(&self) -> Vec<(&'static str, String)> {
        let all = [
            ("listen", &self.listen),
            ("public-url", &self.public_url),
            ("tls-cert", &self.tls_cert),
            ("tls-key", &self.tls_key),
            ("private", &self.private),
            ("trust-proxy", &self.trust_proxy),
            ("connections", &self.connections),
            ("connections-per-address", &self.connections_per_address),
            ("header-timeout", &self.header_timeout),
            ("idle-timeout", &self.idle_timeout),
            ("body-timeout", &self.body_timeout),
            ("body-rate", &self.body_rate),
            ("shutdown-wait", &self.shutdown_wait),
            ("threads", &self.threads),
            ("log", &self.log),
            ("read-rate", &self.read_rate),
            ("read-burst", &self.read_burst),
            ("write-rate", &self.write_rate),
            ("write-burst", &self.write_burst),
            ("facet-size", &self.facet_size),
            ("server-size", &self.server_size),
            ("uploads-at-once", &self.uploads_at_once),
            ("upload-rate", &self.upload_rate),
            ("upload-window", &self.upload_window),
            ("archives-at-once", &self.archives_at_once),
            ("probes-at-once", &self.probes_at_once),
            ("queued-per-owner", &self.queued_per_owner),
            ("probe-wait", &self.probe_wait),
            ("cache-size", &self.cache_size),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value.clone()?))).collect()
    }
}
