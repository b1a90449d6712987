#![doc = include_str!("../README.md")]

mod answer;
mod http;
mod pipe;
mod pump;
mod random;
mod record;
mod remote;
mod server;
mod session;
mod status;

pub use answer::answer_with_error;
pub use http::{HttpFront, Open};
pub use pipe::ClientEnds;
pub use pump::serve;
pub use random::unguessable;
pub use record::{Record, Recorder};
pub use remote::Remote;
pub use server::{Server, ServerHandle};
pub use session::{Patience, Session, SessionEnd, Start};
pub use status::{Control, Status};
