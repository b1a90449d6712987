//! Names of members, and texts that were noted.

use std::borrow::Cow;

use facets_digest::json::{self, Limits, Provenance, Value};

use super::facts::{EnvelopeError, MessageShape};
use super::letters::{PROTOTYPE, is_same_but_for_case, plain_text};
use super::places::{Place, place_of};
use super::questions::readable_letters;
use super::{Envelope, LONGEST, Noting};

impl Envelope {
    /// Where the value stands whose name was just read.
    pub(super) fn named_place(&mut self, level: usize) -> Result<Place, EnvelopeError> {
        let name = self.noted_name().ok_or(EnvelopeError::Syntax)?;
        let Some(place) = place_of(level, &name) else { return Ok(Place::Elsewhere) };
        let is_duplicate = self.seen.contains(&place) || name != place.name();
        match place {
            // In what is told beside the protocol these two are names like any other.
            Place::Name | Place::Uri if is_duplicate => self.facts.has_duplicate_params = true,
            _ if is_duplicate => return Err(EnvelopeError::Duplicate),
            _ => self.seen.push(place),
        }
        Ok(place)
    }

    /// Names that matter in whatever the message is about.
    pub(super) fn note_inner_name(&mut self, level: usize) -> Result<(), EnvelopeError> {
        if level > 2 || self.facts.shape != MessageShape::Object {
            return Ok(());
        }
        // Some readers drop what makes a name unreadable.
        let name = self.noted_name().unwrap_or_else(|| readable_letters(&self.text).into());
        if name == PROTOTYPE {
            return Err(EnvelopeError::Prototype);
        }
        self.names_inner_error = level == 2 && is_same_but_for_case(&name, "error");
        Ok(())
    }

    /// The name that was just read; nothing if it cannot be read strictly.
    fn noted_name(&self) -> Option<Cow<'_, str>> {
        // Most names are plain.
        match plain_text(&self.text) {
            Some(plain) => Some(Cow::Borrowed(plain)),
            None => self.noted_text().map(Cow::Owned),
        }
    }

    /// What was noted, if it is a text: what that stands for.
    pub(super) fn noted_text(&self) -> Option<String> {
        if let Some(plain) = plain_text(&self.text).filter(|_| self.noting != Noting::TooMuch) {
            return Some(plain.to_owned());
        }
        let limits = Limits { bytes: LONGEST, depth: 1, values: 1 };
        match json::parse(&self.text, Provenance::Captured, limits) {
            Ok(Value::String(text)) if self.noting != Noting::TooMuch => Some(text.into_owned()),
            _ => None,
        }
    }
}
