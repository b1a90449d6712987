//! What a host has, how it answers, and what it was asked for.

use super::catalog::Catalog;
use super::misbehaviour::Misbehaviour;

/// How an index of PyPI is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexFormat {
    /// HTML, whatever is asked for, as many mirrors do it.
    #[default]
    Html,
    /// JSON (PEP 691), whatever is asked for.
    Json,
    /// JSON for those who ask for it, otherwise HTML, as PyPI does it.
    Negotiated,
}

/// How the metadata of a wheel can be read without the wheel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WheelMetadata {
    /// By reading a range of the wheel, as behind many mirrors.
    #[default]
    ByRange,
    /// Also as a file beside it (PEP 658).
    Separate,
}

/// What happens to one answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerFault {
    Silent,
    Truncate,
    Endless,
}

#[derive(Debug, Default)]
pub(super) struct HostState {
    published: Catalog,
    misbehaviours: Vec<Misbehaviour>,
    /// What is published, after all misbehaviour.
    pub(super) served: Catalog,
    pub(super) index_format: IndexFormat,
    pub(super) wheel_metadata: WheelMetadata,
    pub(super) requests: Vec<String>,
}

impl HostState {
    /// Changes what is published.
    pub(super) fn publish(&mut self, change: impl FnOnce(&mut Catalog)) {
        change(&mut self.published);
        self.update_served();
    }

    pub(super) fn misbehave(&mut self, misbehaviour: Misbehaviour) {
        misbehaviour.apply(&mut self.served);
        self.misbehaviours.push(misbehaviour);
    }

    pub(super) fn behave(&mut self) {
        self.misbehaviours.clear();
        self.update_served();
    }

    fn update_served(&mut self) {
        self.served = self.published.clone();
        for misbehaviour in &self.misbehaviours {
            misbehaviour.apply(&mut self.served);
        }
    }

    pub(super) fn fault(&self, path: &str) -> Option<AnswerFault> {
        self.misbehaviours.iter().find_map(|misbehaviour| match misbehaviour {
            Misbehaviour::Silent => Some(AnswerFault::Silent),
            Misbehaviour::Truncate { path_contains } if path.contains(path_contains) => {
                Some(AnswerFault::Truncate)
            }
            Misbehaviour::Endless { path_contains } if path.contains(path_contains) => {
                Some(AnswerFault::Endless)
            }
            _ => None,
        })
    }

    /// Whether an index is JSON for someone who accepts this.
    pub(super) fn is_json_index(&self, accept: &str) -> bool {
        let last = self.misbehaviours.iter().rev().find_map(|misbehaviour| match misbehaviour {
            Misbehaviour::HtmlIndexOnly => Some(IndexFormat::Html),
            Misbehaviour::JsonIndexOnly => Some(IndexFormat::Json),
            _ => None,
        });
        match last.unwrap_or(self.index_format) {
            IndexFormat::Html => false,
            IndexFormat::Json => true,
            IndexFormat::Negotiated => accept.contains("application/vnd.pypi.simple.v1+json"),
        }
    }
}
