//! What a policy makes of findings.

use std::collections::BTreeSet;
use std::ops::Deref;

use facets_digest::json::Position;
use facets_drift::{Compat, Finding, FindingType, Severity, SubjectKind};

use crate::policy::{PROTECTED, Policy, PolicyRule, Servers};

/// A finding, and what the policy has to do with it.
#[derive(Clone, Debug)]
pub struct Graded {
    /// The finding, with the severity that counts.
    pub finding: Finding,
    /// What the policy did; none if it did nothing.
    pub mark: Option<Mark>,
}

impl From<Finding> for Graded {
    fn from(finding: Finding) -> Self {
        Self { finding, mark: None }
    }
}

impl Deref for Graded {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        &self.finding
    }
}

impl Graded {
    /// Whether nobody can tell what it counts as.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.mark.as_ref().is_some_and(|mark| matches!(mark.effect, Effect::Undecided(_)))
    }

    /// Whether it is a finding only because the policy asks for something.
    #[must_use]
    pub fn is_demanded(&self) -> bool {
        self.mark.as_ref().is_some_and(|mark| mark.effect == Effect::Demanded)
    }

    /// Whether it is bad enough to say no.
    #[must_use]
    pub fn is_bad(&self, fail_on: Severity) -> bool {
        self.finding.severity >= fail_on && !self.is_undecided()
    }
}

/// What an entry of the policy did to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where the entry stands.
    pub position: Position,
    /// What it did.
    pub effect: Effect,
    /// Why, in the words of the policy.
    pub reason: Option<String>,
}

/// The ways in which a policy has to do with a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It counts as something else than it would.
    Regraded {
        /// What it would count as.
        from: Severity,
    },
    /// It would be lowered, but its type is one that nobody lowers.
    Protected,
    /// It would be lowered, but has a marker that the entry does not accept.
    Marked,
    /// It is a finding because of the policy.
    Demanded,
    /// The condition could not be evaluated.
    Undecided(String),
}

/// What is known of a server beside its findings.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The names of its tools; none if they are not known.
    pub tools: Option<Vec<String>>,
    /// Who has signed, by the lock; nothing outside is none if the lock says nothing.
    pub signer: Option<Option<String>>,
}

/// An entry that had nothing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmatched {
    /// Where it stands.
    pub position: Position,
    /// What about it.
    pub sentence: String,
}

/// Which servers there are, and which were looked at.
#[derive(Clone, Debug, Default)]
pub struct PolicyScope {
    /// All of the project.
    pub known: BTreeSet<String>,
    /// Those that were looked at.
    pub judged: BTreeSet<String>,
}

/// Applies a policy to one server after the other, and remembers what was of use.
#[derive(Debug)]
pub struct Judge<'p> {
    policy: &'p Policy,
    /// Places of entries that matched something.
    used: BTreeSet<usize>,
}

impl<'p> Judge<'p> {
    /// Nothing was of use yet.
    #[must_use]
    pub fn new(policy: &'p Policy) -> Self {
        Self { policy, used: BTreeSet::new() }
    }

    /// Grades the findings of a server, and adds what the policy demands. The worst first.
    pub fn grade(&mut self, server: &str, facts: &Facts, findings: Vec<Finding>) -> Vec<Graded> {
        let mut graded: Vec<Graded> =
            findings.into_iter().map(|finding| self.grade_one(server, finding)).collect();
        graded.extend(self.not_allowed(server, facts));
        graded.extend(self.not_signed(server, facts));
        // Stable: what is equally bad stays in the order it was found.
        graded.sort_by_key(|one| std::cmp::Reverse(one.severity));
        graded
    }

    /// spec 7.8: the first rule that applies decides
    fn grade_one(&mut self, server: &str, mut finding: Finding) -> Graded {
        let mut kept: Option<Mark> = None;
        for rule in &self.policy.rules {
            let mark =
                |effect| Mark { position: rule.position, effect, reason: rule.reason.clone() };
            match applies(rule, server, &finding) {
                Ok(false) => continue,
                Ok(true) => {}
                Err((position, problem)) => {
                    let undecided = Mark { position, ..mark(Effect::Undecided(problem)) };
                    return Graded { finding, mark: Some(undecided) };
                }
            }
            self.used.insert(rule.position.offset);
            if let Some(effect) = refusal(rule, &finding) {
                kept = kept.or(Some(mark(effect)));
                continue;
            }
            let from = finding.severity;
            finding.severity = rule.severity;
            let changed = (from != rule.severity).then(|| mark(Effect::Regraded { from }));
            return Graded { finding, mark: changed };
        }
        Graded { finding, mark: kept }
    }

    /// spec 7.8: a tool that is not in the list is critical, whatever the lock says
    fn not_allowed(&mut self, server: &str, facts: &Facts) -> Vec<Graded> {
        let (Some(tools), Some(list)) =
            (&facts.tools, most_specific(&self.policy.tools, server, |list| &list.servers))
        else {
            return Vec::new();
        };
        self.used.insert(list.position.offset);
        let mut found = Vec::new();
        for tool in tools {
            let allowed = list.allow.iter().find(|(pattern, _)| pattern.matches(tool));
            if let Some((_, position)) = allowed {
                self.used.insert(position.offset);
                continue;
            }
            let finding = Finding::new(
                FindingType::ToolAdded,
                (SubjectKind::Tool, tool),
                (Severity::Critical, Compat::Safe),
                "the policy does not allow this tool",
            );
            found.push(demanded(finding.of_member("policy", None, None), list.position));
        }
        found
    }

    /// spec 7.8: who must have signed
    fn not_signed(&mut self, server: &str, facts: &Facts) -> Option<Graded> {
        let signer = facts.signer.as_ref()?;
        let required = most_specific(&self.policy.signers, server, |one| &one.servers)?;
        self.used.insert(required.position.offset);
        let (kind, sentence) = match signer {
            Some(signer) if *signer == required.signer => return None,
            Some(_) => {
                (FindingType::SignerChanged, "signed by another signer than the policy requires")
            }
            None => (FindingType::SignatureMissing, "the policy requires a signature"),
        };
        let server = (SubjectKind::Server, "");
        let finding = Finding::new(kind, server, (Severity::Critical, Compat::Breaking), sentence);
        let sides = (Some(required.signer.clone()), signer.clone());
        Some(demanded(finding.of_member("signer", sides.0, sides.1), required.position))
    }

    /// Entries that had nothing to do though everything they are about was looked at.
    #[must_use]
    pub fn unmatched(&self, scope: &PolicyScope) -> Vec<Unmatched> {
        let mut found = Vec::new();
        let mut note = |position: Position, servers: &Servers, what: &str| {
            let sentence = match servers {
                _ if self.used.contains(&position.offset) => return,
                Servers::Named(name) if !scope.known.contains(name) => {
                    format!("no server is named {name:?}")
                }
                Servers::Named(name) if !scope.judged.contains(name) => return,
                Servers::All if scope.known != scope.judged => return,
                _ => what.to_owned(),
            };
            found.push(Unmatched { position, sentence });
        };
        for rule in &self.policy.rules {
            note(rule.position, &rule.servers, "no finding matches this entry");
        }
        for list in &self.policy.tools {
            note(list.position, &list.servers, "no server matches this entry");
            for (pattern, position) in &list.allow {
                // Of a list that nobody has, one line is enough.
                if self.used.contains(&list.position.offset) {
                    let what = format!("no tool is named {:?}", pattern.to_string());
                    note(*position, &list.servers, &what);
                }
            }
        }
        for signer in &self.policy.signers {
            note(signer.position, &signer.servers, "no server matches this entry");
        }
        found.sort_by_key(|one| one.position.offset);
        found
    }
}

fn applies(rule: &PolicyRule, server: &str, finding: &Finding) -> Result<bool, (Position, String)> {
    let named = rule.servers.has(server) && rule.kind.is_none_or(|kind| kind == finding.kind);
    if !named || !rule.subject.as_ref().is_none_or(|subject| subject.matches(&finding.subject)) {
        return Ok(false);
    }
    match &rule.when {
        None => Ok(true),
        Some(when) => when.holds(server, finding).map_err(|problem| (when.position, problem)),
    }
}

/// Why a rule that would lower a finding does not.
fn refusal(rule: &PolicyRule, finding: &Finding) -> Option<Effect> {
    if rule.severity >= finding.severity {
        return None;
    }
    if PROTECTED.contains(&finding.kind) {
        return Some(Effect::Protected);
    }
    // Whoever writes "other words are fine here" does not mean poison.
    let accepted = |one: &facets_drift::Evidence| rule.markers.contains(&one.rule);
    (!finding.evidence.iter().all(accepted)).then_some(Effect::Marked)
}

/// The entry that names the server, else the one for all.
fn most_specific<'e, T>(
    entries: &'e [T],
    server: &str,
    servers: impl Fn(&T) -> &Servers,
) -> Option<&'e T> {
    let named =
        entries.iter().find(|one| matches!(servers(one), Servers::Named(name) if name == server));
    named.or_else(|| entries.iter().find(|one| *servers(one) == Servers::All))
}

fn demanded(finding: Finding, position: Position) -> Graded {
    Graded { finding, mark: Some(Mark { position, effect: Effect::Demanded, reason: None }) }
}
