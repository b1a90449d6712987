//! Who says yes: to texts as a whole, to servers one by one (spec 8.5).

use facets_drift::{Finding, Severity};
use facets_lock::UncapturedServer;

use super::goal::Goal;
use super::looks::{Look, LookedServer};
use super::task::InstallTask;
use crate::approval::Trust;
use crate::consent::{Answer, ApprovalPage, Consent, InstallPage};
use crate::critical_findings::worst_of;
use crate::error::{OpsError, SAME_WITH_YES, ServerError};
use crate::install_page::ServerChange;
use crate::install_report::ServerStatus;
use crate::pinning::PinProposal;

/// Whether texts are written, and servers of a registry started to be looked at.
pub(super) enum TextDecision {
    Install,
    /// What was found is worse than what was accepted beforehand.
    TooBad,
    /// There is no terminal, and nothing was accepted beforehand.
    NoAnswer,
}

/// A server, and what becomes of it.
pub(super) struct ServerDecision {
    pub(super) change: ServerChange,
    pub(super) verdict: ServerVerdict,
}

pub(super) enum ServerVerdict {
    /// It is pinned.
    Pin(Box<PinProposal>),
    /// It is known, and not looked at.
    Uncapture(Box<UncapturedServer>),
    /// It goes.
    Remove,
    /// Its entry stays.
    Stay(ServerStatus),
    /// It is worse than what was accepted.
    Refused(Vec<Finding>, Option<Box<ApprovalPage>>),
}

/// All servers.
pub(super) struct Decided {
    pub(super) servers: Vec<ServerDecision>,
}

impl Decided {
    /// Whether a yes that was given beforehand does not cover everything.
    pub(super) fn is_refused(&self) -> bool {
        self.servers.iter().any(|one| matches!(one.verdict, ServerVerdict::Refused(..)))
    }
}

impl InstallTask {
    pub(super) fn decide_texts(
        &self,
        goal: &Goal,
        page: &InstallPage,
        consent: &dyn Consent,
    ) -> Result<TextDecision, OpsError> {
        let worst = page.worst().unwrap_or(Severity::Info);
        // A repository could have brought these very files along.
        let is_known = goal.is_reproduction() && page.servers.is_empty();
        let is_trusted = worst < Severity::Critical || self.options.trust == Trust::Lock;
        if page.is_empty() {
            return Ok(TextDecision::Install);
        }
        if !consent.has_answered() {
            return match consent.may_install(page) {
                Answer::Yes => Ok(TextDecision::Install),
                Answer::No | Answer::NoTerminal => Err(self.unanswered_error(true)),
            };
        }
        consent.show_install(page);
        let is_accepted = consent.can_answer() && worst <= consent.accepts();
        Ok(if is_accepted || is_known && is_trusted {
            TextDecision::Install
        } else if consent.can_answer() || worst == Severity::Critical {
            TextDecision::TooBad
        } else {
            TextDecision::NoAnswer
        })
    }

    /// Nothing was changed, because somebody said no, or nobody was there.
    pub(super) fn unanswered_error(&self, asked: bool) -> OpsError {
        let undone =
            if self.is_upgrade() { "nothing was upgraded" } else { "nothing was installed" };
        ServerError::Unanswered { undone, next: SAME_WITH_YES.to_owned(), asked }.into()
    }

    /// One question for everything harmless, and one for each of the others; none for what did not change.
    pub(super) fn decide_servers(
        &self,
        looked: Vec<LookedServer>,
        consent: &dyn Consent,
    ) -> Result<Decided, OpsError> {
        let answer = answer_harmless(&looked, consent);
        let mut servers = Vec::new();
        for LookedServer { change, look } in looked {
            let verdict = match look {
                Look::Kept => ServerVerdict::Stay(ServerStatus::Kept),
                Look::NotApproved => ServerVerdict::Stay(ServerStatus::NotApproved),
                Look::Uncaptured(None) => ServerVerdict::Stay(ServerStatus::Uncaptured),
                Look::Uncaptured(Some(entry)) => ServerVerdict::Uncapture(entry),
                Look::TooBad(findings) => ServerVerdict::Refused(findings, None),
                Look::Removed => ServerVerdict::Remove,
                Look::Seen { proposal, otherwise, accepts } => {
                    self.decide_seen(proposal, (otherwise, accepts), answer, consent)?
                }
            };
            servers.push(ServerDecision { change, verdict });
        }
        Ok(Decided { servers })
    }

    fn decide_seen(
        &self,
        proposal: Box<PinProposal>,
        (otherwise, accepts): (Option<Box<UncapturedServer>>, Option<Severity>),
        harmless: Answer,
        consent: &dyn Consent,
    ) -> Result<ServerVerdict, OpsError> {
        let worst = worst_of(&proposal.page);
        if is_unchanged(&proposal.page) || accepts.is_some_and(|accepts| worst <= Some(accepts)) {
            return Ok(ServerVerdict::Pin(proposal));
        }
        let is_critical = worst >= Some(Severity::Critical);
        let answer = if !is_critical {
            harmless
        } else if consent.has_answered() && worst <= Some(consent.accepts()) {
            Answer::Yes
        } else if consent.has_answered() || !consent.can_answer() {
            let findings = proposal.page.changes.clone().unwrap_or_default();
            return Ok(ServerVerdict::Refused(findings, Some(Box::new(proposal.page))));
        } else {
            consent.may_pin(&proposal.page)
        };
        match (answer, otherwise) {
            (Answer::Yes, _) => Ok(ServerVerdict::Pin(proposal)),
            (Answer::No, Some(entry)) => Ok(ServerVerdict::Uncapture(entry)),
            (Answer::No, None) if self.before.lock.server(&proposal.page.name).is_none() => {
                let name = proposal.page.name;
                Err(ServerError::NotPinned { name, is_pinned: false, asked: true }.into())
            }
            (Answer::No, None) => Ok(ServerVerdict::Stay(ServerStatus::Declined)),
            (Answer::NoTerminal, _) => Err(self.unanswered_error(false)),
        }
    }
}

/// One answer for everything that is harmless.
fn answer_harmless(looked: &[LookedServer], consent: &dyn Consent) -> Answer {
    let pages: Vec<&ApprovalPage> = looked.iter().filter_map(asked_page).collect();
    match pages.as_slice() {
        [] => Answer::Yes,
        [page] => consent.may_pin(page),
        pages => consent.may_pin_all(pages),
    }
}

/// The page of a server that somebody has to say yes to, and that is harmless.
fn asked_page(looked: &LookedServer) -> Option<&ApprovalPage> {
    let Look::Seen { proposal, accepts, .. } = &looked.look else { return None };
    let worst = worst_of(&proposal.page);
    let is_asked = !is_unchanged(&proposal.page)
        && worst < Some(Severity::Critical)
        && !accepts.is_some_and(|accepts| worst <= Some(accepts));
    is_asked.then_some(&proposal.page)
}

/// Whether it was approved, and nothing changed since.
fn is_unchanged(page: &ApprovalPage) -> bool {
    page.changes.as_ref().is_some_and(Vec::is_empty)
}
