//! Questions of the server to the model or the user, which have to be granted.

use facets_wire::Questions;

use crate::delivery::Delivery;
use crate::event::{Decision, Event, Reason, Subject};
use crate::guard::Guard;
use crate::methods::{is_of_family, meant_method};
use crate::outbox::Outbox;
use crate::words;

/// A question that does not go on: why, and what it asks for, in words that are not the server's.
pub(crate) type RefusedQuestion = (Reason, &'static str);

const SAMPLING: &str = "sampling/createMessage";
pub(crate) const ELICITATION: &str = "elicitation/create";

/// What a method asks for, if that has to be granted.
fn asked_for(method: &str) -> Option<&'static str> {
    let families = [("sampling", SAMPLING), ("elicitation", ELICITATION)];
    let family = families.into_iter().find(|(family, _)| is_of_family(method, family));
    family.map(|(_, name)| name).or_else(|| meant_method(method, &[SAMPLING, ELICITATION]))
}

impl Guard {
    /// Whether something that has to be granted is; none if it does not have to be.
    pub(crate) fn is_granted(&self, method: &str) -> Option<bool> {
        asked_for(method).map(|name| match name {
            SAMPLING => self.rules.sampling,
            _ => self.rules.elicitation,
        })
    }

    fn denies_something(&self) -> bool {
        !(self.rules.sampling && self.rules.elicitation)
    }

    /// Judges a method by which a server asks; one that is granted is recorded.
    pub(crate) fn judge_method(
        &self,
        method: &str,
        out: &mut Outbox,
    ) -> Result<(), RefusedQuestion> {
        let Some(name) = asked_for(method) else { return Ok(()) };
        if self.is_granted(name) == Some(false) {
            return Err((Reason::NotGranted, name));
        }
        record_question(method, out);
        Ok(())
    }

    /// Judges the questions that a message brings along. What is unclear may be any question.
    pub(crate) fn judge_questions(
        &self,
        questions: &Questions,
        out: &mut Outbox,
    ) -> Result<(), RefusedQuestion> {
        if questions.is_empty() {
            return Ok(());
        }
        let mut names = questions.methods.iter().filter_map(|method| asked_for(method));
        if let Some(name) = names.find(|name| self.is_granted(name) == Some(false)) {
            return Err((Reason::NotGranted, name));
        }
        if questions.is_unclear && self.denies_something() {
            let denied = if self.rules.sampling { ELICITATION } else { SAMPLING };
            return Err((Reason::Malformed, denied));
        }
        if questions.is_unclear {
            record_question("something that does not say what it is", out);
        }
        questions.methods.iter().try_for_each(|method| self.judge_method(method, out))
    }

    /// The error that a client gets instead of a reply that asks for what is not granted.
    pub(crate) fn replaced_by_denial(
        &mut self,
        id: &str,
        method: &str,
        out: &mut Outbox,
    ) -> Delivery {
        self.report(Decision::Denied, Subject::Message, Reason::NotGranted, method, out);
        Delivery::Replace(self.not_granted(id, method).into_bytes())
    }

    pub(crate) fn not_granted(&self, id: &str, method: &str) -> String {
        words::refusal(id, &self.rules, &Reason::NotGranted, &words::not_granted(method))
    }
}

/// A question to the model or the user goes its way, and is always recorded.
fn record_question(method: &str, out: &mut Outbox) {
    let sentence = format!("the server asks for {method}");
    let (decision, subject) = (Decision::Asked, Subject::Message);
    let (method, next) = (method.to_owned(), String::new());
    out.events.push(Event { decision, subject, reason: None, method, sentence, next });
}
