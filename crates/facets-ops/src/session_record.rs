//! Who hears about a session: a face, its log, and the audit log.

use std::sync::{Arc, Mutex, PoisonError};

use facets_guard::Event;
use facets_launch::Tail;
use facets_run::RecordDecisions;

use crate::audit::AuditLog;
use crate::session_log::SessionLog;

/// Who hears about a session.
pub trait RunListener: Send + Sync {
    /// Something was decided.
    fn on_decision(&self, server: &str, event: &Event);
    /// The server said something beside the protocol.
    fn on_stderr(&self, bytes: &[u8]);
    /// It is about to be started, and kept from this.
    fn on_start(&self, server: &str, enforced: &[String]);
    /// It ended before it said anything, and this may be why.
    fn on_failed_start(&self, server: &str, reasons: &[String]);
    /// It is served here.
    fn on_listen(&self, server: &str, address: std::net::SocketAddr);
}

/// A decision for people: what, why, and what to type.
#[must_use]
pub fn decision_line(event: &Event) -> String {
    let next =
        if event.next.is_empty() { String::new() } else { format!(". Next: {}", event.next) };
    format!("{}: {}{next}", event.decision.word(), event.sentence)
}

/// Where the server's standard error goes.
#[derive(Clone)]
pub(crate) struct StderrSinks {
    pub(crate) log: Arc<Mutex<SessionLog>>,
    pub(crate) kept: Tail,
    pub(crate) listener: Arc<dyn RunListener>,
}

impl StderrSinks {
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).append(bytes);
        self.kept.add(bytes);
        self.listener.on_stderr(bytes);
    }
}

/// Everyone who wants to know what was decided.
pub(crate) struct DecisionRecord {
    pub(crate) name: String,
    pub(crate) audit: Option<Arc<Mutex<AuditLog>>>,
    pub(crate) log: Arc<Mutex<SessionLog>>,
    pub(crate) listener: Arc<dyn RunListener>,
}

impl RecordDecisions for DecisionRecord {
    fn on_decision(&mut self, event: &Event) {
        if let Some(audit) = &self.audit {
            audit.lock().unwrap_or_else(PoisonError::into_inner).write(&self.name, event);
        }
        if !event.sentence.is_empty() {
            let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
            log.say(&decision_line(event));
        }
        self.listener.on_decision(&self.name, event);
    }
}
