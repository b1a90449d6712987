//! Who says yes: to texts as a whole, to servers one by one (spec 8.5).

use std::collections::BTreeMap;

use facets_drift::{Finding, Severity};
use facets_lock::{AcceptedFindings, LockedEntry, UncapturedServer};

use super::goal::Goal;
use super::looks::{Look, LookedServer};
use super::task::InstallTask;
use crate::approval::Trust;
use crate::consent::{Answer, ApprovalPage, Consent, InstallPage};
use crate::critical_findings::{accepted_of, worst_of};
use crate::error::{OpsError, SAME_WITH_YES, ServerError};
use crate::install_page::ServerChange;
use crate::install_report::ServerStatus;
use crate::pinning::PinProposal;

/// Whether texts are written, and servers of a registry started to be looked at.
pub(super) enum TextDecision {
    /// By a yes, or by a level that was accepted beforehand.
    Accepted,
    /// Because the lock has them, and its review counts.
    AsLocked,
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

/// What was decided.
#[derive(Default)]
pub(super) struct Decided {
    pub(super) servers: Vec<ServerDecision>,
    /// Critical findings in texts that were accepted, by facet.
    pub(super) texts: BTreeMap<String, AcceptedFindings>,
    /// Why nobody could look at a server.
    pub(super) notes: Vec<String>,
}

impl Decided {
    /// Whether a yes that was given beforehand does not cover everything.
    pub(super) fn is_refused(&self) -> bool {
        self.servers.iter().any(|one| matches!(one.verdict, ServerVerdict::Refused(..)))
    }
}

impl TextDecision {
    /// spec 8.8: what a yes to the texts accepts that has to be seen in the lock, by facet
    pub(super) fn accepted_on(&self, page: &InstallPage) -> BTreeMap<String, AcceptedFindings> {
        let mut texts: BTreeMap<String, AcceptedFindings> = BTreeMap::new();
        if matches!(self, Self::Accepted) {
            for asset in &page.assets {
                let accepted = texts.entry(asset.facet.to_string()).or_default();
                *accepted = accepted.with(&accepted_of(asset.findings.iter()));
            }
        }
        texts
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
            return Ok(TextDecision::AsLocked);
        }
        if !consent.has_answered() {
            return match consent.may_install(page) {
                Answer::Yes => Ok(TextDecision::Accepted),
                Answer::No | Answer::NoTerminal => Err(self.unanswered_error(true)),
            };
        }
        consent.show_install(page);
        let is_accepted = consent.can_answer() && worst <= consent.accepts();
        Ok(if is_accepted {
            TextDecision::Accepted
        } else if is_known && is_trusted {
            TextDecision::AsLocked
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
        let (mut servers, mut notes) = (Vec::new(), Vec::new());
        for LookedServer { change, look, note } in looked {
            notes.extend(note);
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
        Ok(Decided { servers, texts: BTreeMap::new(), notes })
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
            (Answer::No, None) if self.is_uncaptured(&proposal.page.name) => {
                Ok(ServerVerdict::Stay(ServerStatus::Uncaptured))
            }
            (Answer::No, None) if self.before.lock.server(&proposal.page.name).is_none() => {
                let name = proposal.page.name;
                Err(ServerError::NotPinned { name, is_pinned: false, asked: true }.into())
            }
            (Answer::No, None) => Ok(ServerVerdict::Stay(ServerStatus::Declined)),
            (Answer::NoTerminal, _) => Err(self.unanswered_error(false)),
        }
    }
}

impl InstallTask {
    fn is_uncaptured(&self, name: &str) -> bool {
        matches!(self.before.lock.servers().get(name), Some(LockedEntry::Uncaptured(_)))
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
