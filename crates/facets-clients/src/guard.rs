//! Rewrites an entry so that it starts facet.

use std::ops::Range;

use facets_digest::json::Position;

use crate::client::Client;
use crate::dialect::SIGN_IN;
use crate::entry::{self, Entry, EntryTransport, EnvValue, HeaderValue, Layout};
use crate::error::{ClientError, shown};
use crate::guarded::{Guarded, Move};
use crate::opened::{EntryParts, Opened};
use crate::secrets::secret_arguments;
use crate::segment::{Hole, cut, holes};
use crate::undo::{Change, Region, Undo, undo};
use crate::{json_entry, split_mark, toml_entry};
use facets_jsonc::{Edit, apply};

/// Rewrites the entry at a place. What it starts is replaced, and headers become variables;
/// every other byte of the file stays.
///
/// Arguments and addresses of the entry go into the [`Undo`] as they are: ask
/// [`crate::secret_arguments`] and [`crate::looks_like_secret`] about them first.
pub fn guard(
    client: Client,
    text: &str,
    place: &[String],
    guarded: &Guarded,
) -> Result<(String, Undo), ClientError> {
    let (mark, body) = split_mark(text)?;
    let opened = Opened::new(client, body, place)?.ok_or_else(|| ClientError::gone(place))?;
    let entry = entry::read(client, body, place, &opened.layout)?;
    let moves = moves(&entry, guarded)?;
    refuse_taken(&entry, guarded)?;
    let edits = match &opened.parts {
        EntryParts::Json(json, object) => {
            json_entry::rewrite(client, *json, object, &entry, guarded, &moves)?
        }
        EntryParts::Toml(parts) => toml_entry::rewrite(body, parts, &entry, guarded, &moves)?,
    };
    let entangled = || ClientError::entangled(place);
    let new = apply(body, &edits).ok_or_else(entangled)?;
    let after = Opened::new(client, &new, place).map_err(|_| entangled())?.ok_or_else(entangled)?;
    let read = entry::read(client, &new, place, &after.layout).map_err(|_| entangled())?;
    if !starts(&read, guarded) || after.layout.regions.len() != opened.layout.regions.len() {
        return Err(entangled());
    }
    let renames = Renames { headers: &moves, variables: &guarded.variables };
    let original = original_holes(client, body, &opened.layout, &edits, &renames, place)?;
    let written = holes(client, &after.layout);
    let regions = opened.layout.regions.iter().zip(&after.layout.regions);
    let regions = regions.map(|(was, is)| Region {
        written: cut(&new, is, &written),
        original: cut(body, was, &original),
    });
    let change = Change::Rewritten(regions.collect());
    let record = Undo { client, place: place.to_vec(), change };
    let new = format!("{mark}{new}");
    // Whatever was overlooked above: nothing is written that cannot be taken back.
    if undo(&new, &record).ok().as_deref() == Some(text) {
        Ok((new, record))
    } else {
        Err(entangled())
    }
}

fn starts(entry: &Entry, guarded: &Guarded) -> bool {
    matches!(&entry.transport, EntryTransport::Command { command, args, .. }
        if *command == guarded.program && *args == guarded.args)
}

/// Which header moves to which variable; the error says what stands in the way.
fn moves(entry: &Entry, guarded: &Guarded) -> Result<Vec<Move>, ClientError> {
    let place = || shown(&entry.place);
    let headers = match &entry.transport {
        EntryTransport::Command { .. } => return Ok(Vec::new()),
        EntryTransport::Unclear { reason } => return Err(entry::unclear(&entry.place, reason)),
        EntryTransport::Url { headers, .. } => headers,
    };
    if let Some(member) = entry.extras.iter().find(|name| SIGN_IN.contains(&name.as_str())) {
        return Err(ClientError::SignsIn { place: place(), member: member.clone() });
    }
    let mut taken: Vec<&str> =
        entry.env.iter().map(|(name, _): &(_, EnvValue)| name.as_str()).collect();
    let mut moves = Vec::new();
    for (header, value) in headers {
        let named = guarded.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(header));
        let Some((_, variable)) = named else {
            return Err(ClientError::HeaderWithoutVariable {
                place: place(),
                header: header.clone(),
            });
        };
        let free = match value {
            HeaderValue::Literal(_) => !taken.contains(&variable.as_str()),
            // The client cannot pass a variable on under another name.
            HeaderValue::Variable(name) | HeaderValue::Bearer(name) => name == variable,
        };
        if !free {
            return Err(ClientError::VariableTaken { place: place(), variable: variable.clone() });
        }
        if let HeaderValue::Literal(_) = value {
            taken.push(variable);
            moves.push((header.clone(), variable.clone()));
        }
    }
    Ok(moves)
}

/// What values are called in the new entry.
struct Renames<'r> {
    headers: &'r [Move],
    variables: &'r [Move],
}

impl Renames<'_> {
    fn apply(&self, client: Client, path: Vec<String>) -> Vec<String> {
        let environment = client.dialect().environment;
        let renames = if path[0] == client.dialect().headers {
            self.headers
        } else if path[0] == environment {
            self.variables
        } else {
            return path;
        };
        match renames.iter().find(|(old, _)| path.get(1) == Some(old)) {
            Some((_, new)) => vec![environment.to_owned(), new.clone()],
            None => path,
        }
    }
}

/// A variable does not get the name of another.
fn refuse_taken(entry: &Entry, guarded: &Guarded) -> Result<(), ClientError> {
    let taken = |new: &String| entry.env.iter().any(|(known, _)| known == new);
    match guarded.variables.iter().find(|(_, new)| taken(new)) {
        None => Ok(()),
        Some((_, variable)) => {
            let (place, variable) = (shown(&entry.place), variable.clone());
            Err(ClientError::VariableTaken { place, variable })
        }
    }
}

/// The holes of the old entry, by what they are called in the new one.
fn original_holes(
    client: Client,
    body: &str,
    layout: &Layout,
    edits: &[Edit],
    renames: &Renames<'_>,
    place: &[String],
) -> Result<Vec<(Hole, Range<usize>)>, ClientError> {
    let mut kept_comments = 0;
    let mut called = Vec::new();
    for (hole, span) in holes(client, layout) {
        let hole = match hole {
            Hole::Value(path) => Hole::Value(renames.apply(client, path)),
            Hole::Comment(_) => {
                // Comments come in the same order before and after.
                let gone =
                    |(edited, _): &Edit| edited.start <= span.start && span.end <= edited.end;
                if edits.iter().any(gone) {
                    refuse_secret(body, &span, place)?;
                    continue;
                }
                kept_comments += 1;
                Hole::Comment(kept_comments - 1)
            }
        };
        called.push((hole, span));
    }
    Ok(called)
}

/// A comment that goes is kept word for word, so it must hold nothing that nobody may see.
fn refuse_secret(body: &str, span: &Range<usize>, place: &[String]) -> Result<(), ClientError> {
    let ends = |character: char| character.is_whitespace() || "\"'`,;()[]{}".contains(character);
    let words = body[span.clone()].split(ends).filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(str::to_owned).collect();
    if secret_arguments(&words).is_empty() {
        return Ok(());
    }
    let position = Position::of(body.as_bytes(), span.start);
    Err(ClientError::SecretInComment { place: shown(place), position })
}
