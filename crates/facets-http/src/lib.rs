#![doc = include_str!("../README.md")]

mod agent;
mod credentials;
mod early_answer;
mod proxy_choice;
mod reach;
mod route;

pub use agent::{AgentError, Agents, RefusedAddress, agent_config};
pub use credentials::{Authorization, Credentials};
pub use proxy_choice::ProxyChoice;
pub use reach::Reach;
pub use route::Route;
