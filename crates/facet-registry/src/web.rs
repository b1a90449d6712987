//! Requests in, answers out. Handlers parse and answer; the rules are in `facets-registry`.

mod address_share;
mod answer;
mod app;
mod archive_redirect;
mod artifact_route;
mod authorization;
mod client_address;
mod conditional;
mod connection;
mod documents;
mod exchange;
mod findings;
mod framing;
mod handlers;
mod limiter;
mod lingering;
mod listener;
mod log;
mod measured_body;
mod metrics;
mod object_writer;
mod openapi;
mod openapi_schemas;
mod origin;
mod percent;
mod query;
mod range;
mod receive;
mod refusal;
mod request_body;
mod request_head;
mod request_id;
mod route_table;
mod server;
mod tls;
mod watched_stream;

pub use artifact_route::{ArtifactRoute, RouteRefusal, VersionPart};
pub use request_head::{Representation, RequestHead};

pub(crate) use app::{App, AppSetup};
pub(crate) use listener::Bound;
pub(crate) use log::RequestLog;
pub(crate) use origin::ReachedBy;
pub(crate) use server::{EndSignals, Ending, serve};
pub(crate) use tls::acceptor;
