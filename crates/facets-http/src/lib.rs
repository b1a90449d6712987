#![doc = include_str!("../README.md")]

mod agent;
mod credentials;
mod reach;
mod route;

pub use agent::{AgentError, RefusedAddress, agent, agent_config};
pub use credentials::{Authorization, Credentials};
pub use reach::Reach;
pub use route::{ProxyChoice, Route};
