#![doc = include_str!("../README.md")]

mod answer;
mod http;
mod overdue;
mod pipe;
mod random;
mod record;
mod remote;
mod running_server;
mod session;
mod session_loop;
mod start;
mod status;

pub use answer::{StartRefusal, answer_with_error};
pub use http::{HttpFront, OpenSession};
pub use pipe::ClientEnds;
pub use random::unguessable;
pub use record::{RecordDecisions, Recorder};
pub use remote::Remote;
pub use running_server::{RunningServer, ServerHandle};
pub use session::{Session, SessionEnd, SessionError, SilenceLimits, StartServer};
pub use session_loop::serve;
pub use start::start_server;
pub use status::{Control, Status};
