//! Compares two schemas by what they accept.

use std::cell::Cell;

use facets_digest::json::Value;

use crate::arguments::Arguments;
use crate::budget::{Budget, STEPS, STEPS_OF_A_SERVER};
use crate::close;
use crate::compile;
use crate::instance::Instance;
use crate::node::{Id, Node, Table, Types};
use crate::patience::is_cheap;
use crate::solve::{Answer, Literal, Solver};
use crate::validator::{Domain, Validator};
use crate::verdict::{SchemaChange, Verdict};

/// The closed copy of a schema that verdicts are about, as JSON.
#[must_use]
pub fn closed_copy(schema: &Value<'_>) -> String {
    String::from_utf8_lossy(&close::close(schema).schema.to_canonical()).into_owned()
}

/// Compares two schemas by what they accept.
#[must_use]
pub fn compare_schemas(
    before: &Value<'_>,
    after: &Value<'_>,
    domain: Domain,
    validator: &dyn Validator,
) -> SchemaChange {
    let steps = &Cell::new(STEPS_OF_A_SERVER);
    compare_within(before, after, Question { domain, validator, steps })
}

/// What a comparison needs beside two schemas.
#[derive(Clone, Copy)]
pub struct Question<'q> {
    /// Which values count.
    pub domain: Domain,
    /// The second opinion.
    pub validator: &'q dyn Validator,
    /// What is left of the steps of a server.
    pub steps: &'q Cell<usize>,
}

/// The same, and takes its steps from those of a server.
#[must_use]
pub fn compare_within(
    before: &Value<'_>,
    after: &Value<'_>,
    question: Question<'_>,
) -> SchemaChange {
    let (old, new) = (Arguments::of(before), Arguments::of(after));
    let mut meaning = compare_meaning(before, after, question);
    // What was not looked at to the end may declare anything.
    if !old.is_complete || !new.is_complete {
        let keyword = meaning.keyword.take().unwrap_or_else(|| "size".to_owned());
        meaning = SchemaChange { verdict: Verdict::CannotTell, keyword: Some(keyword), ..meaning };
    }
    SchemaChange { new_arguments: new.beyond(&old), other_notes: new.other_notes(&old), ..meaning }
}

fn compare_meaning(before: &Value<'_>, after: &Value<'_>, question: Question<'_>) -> SchemaChange {
    if before.to_canonical() == after.to_canonical() {
        return change(Verdict::Equivalent, None, None, None);
    }
    let (before, after) = (close::close(before), close::close(after));
    let whole = before.is_whole && after.is_whole;
    let (before, after) = (before.schema, after.schema);
    let texts = [&before, &after].map(Value::to_canonical);
    if texts[0] == texts[1] && whole {
        return change(Verdict::Equivalent, None, None, None);
    }
    let mut table = Table::default();
    let budget = Budget::new(STEPS.min(question.steps.get()));
    let old = compile::compile(&mut table, &before, ('<', whole), &budget);
    let new = compile::compile(&mut table, &after, ('>', whole), &budget);
    budget.charge(question.steps);
    let (Some(old), Some(new)) = (old, new) else {
        return change(Verdict::CannotTell, None, None, Some("size".to_owned()));
    };
    if leads_in_circles(&table) {
        return change(Verdict::CannotTell, None, None, Some("$ref".to_owned()));
    }
    let [old_text, new_text] = texts.map(|text| String::from_utf8_lossy(&text).into_owned());
    let old = Side { id: old, closed: &before, text: &old_text };
    let new = Side { id: new, closed: &after, text: &new_text };
    let gained = search(&mut table, new, old, question);
    let lost = search(&mut table, old, new, question);
    verdict(gained, lost)
}

/// What came of one direction.
enum Direction {
    Nothing,
    Example(Instance),
    CannotTell(String),
}

/// A schema in its three forms.
#[derive(Clone, Copy)]
struct Side<'s> {
    id: Id,
    closed: &'s Value<'s>,
    text: &'s str,
}

/// Looks for a value that one schema accepts and the other refuses.
fn search(
    table: &mut Table,
    accepting: Side<'_>,
    refusing: Side<'_>,
    Question { domain, validator, steps }: Question<'_>,
) -> Direction {
    let budget = Budget::new(STEPS.min(steps.get()));
    let mut goal = vec![Literal::yes(accepting.id), Literal::no(refusing.id)];
    if domain == Domain::Arguments {
        goal.push(Literal::yes(table.add(Node::Types(Types::OBJECT))));
    }
    let answer = Solver::new(table, validator, &budget).solve(goal);
    budget.charge(steps);
    let (value, doubt) = match answer {
        Answer::Nothing => return Direction::Nothing,
        Answer::Unknown { keyword, perhaps: None } => return Direction::CannotTell(keyword),
        Answer::Unknown { keyword, perhaps: Some(value) } => (value, Some(keyword)),
        Answer::Found(value) => (value, None),
    };
    if ![accepting.closed, refusing.closed].iter().all(|closed| is_cheap(closed, &value)) {
        return Direction::CannotTell(doubt.unwrap_or_else(|| "size".to_owned()));
    }
    let text = value.to_json();
    let answers = [accepting.text, refusing.text].map(|schema| validator.accepts(schema, &text));
    if answers == [Some(true), Some(false)] {
        return Direction::Example(value);
    }
    // A schema that its validator cannot read has something in it that nobody can.
    let unread = || table.unread_keyword().filter(|_| answers.contains(&None));
    Direction::CannotTell(doubt.or_else(unread).unwrap_or_else(|| "validator".to_owned()))
}

fn verdict(gained: Direction, lost: Direction) -> SchemaChange {
    use Direction::{CannotTell, Example, Nothing};
    match (gained, lost) {
        (Nothing, Nothing) => change(Verdict::Equivalent, None, None, None),
        (Nothing, Example(lost)) => change(Verdict::Narrower, None, Some(lost), None),
        (Example(gained), Nothing) => change(Verdict::Wider, Some(gained), None, None),
        (Example(gained), Example(lost)) => {
            change(Verdict::Incomparable, Some(gained), Some(lost), None)
        }
        (Example(gained), CannotTell(keyword)) => {
            change(Verdict::CannotTell, Some(gained), None, Some(keyword))
        }
        (CannotTell(keyword), Example(lost)) => {
            change(Verdict::CannotTell, None, Some(lost), Some(keyword))
        }
        (CannotTell(keyword), _) | (Nothing, CannotTell(keyword)) => {
            change(Verdict::CannotTell, None, None, Some(keyword))
        }
    }
}

const fn change(
    verdict: Verdict,
    gained: Option<Instance>,
    lost: Option<Instance>,
    keyword: Option<String>,
) -> SchemaChange {
    SchemaChange {
        verdict,
        gained,
        lost,
        keyword,
        new_arguments: Vec::new(),
        other_notes: Vec::new(),
    }
}

/// Whether a definition leads back to itself without looking at anything smaller: such a schema
/// means nothing.
fn leads_in_circles(table: &Table) -> bool {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; table.definitions().len()];
    for start in 0..marks.len() {
        // A definition stands here twice: to go in, and to come out.
        let mut waiting = vec![(start, false)];
        while let Some((index, leaving)) = waiting.pop() {
            if leaving {
                marks[index] = Mark::Done;
                continue;
            }
            match marks[index] {
                Mark::Done => continue,
                Mark::Open => return true,
                Mark::New => marks[index] = Mark::Open,
            }
            waiting.push((index, true));
            let next = references_in_place(table, table.definition(index));
            if next.iter().any(|next| marks[*next] == Mark::Open) {
                return true;
            }
            waiting.extend(next.into_iter().map(|next| (next, false)));
        }
    }
    false
}

/// The definitions that a demand refers to about the same value.
fn references_in_place(table: &Table, from: Id) -> Vec<usize> {
    let mut found = Vec::new();
    let mut seen = vec![false; table.len()];
    let mut waiting = vec![from];
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match table.node(id) {
            Node::All(parts) | Node::Any(parts) => waiting.extend(parts),
            Node::Not(inner) => waiting.push(*inner),
            Node::Ref(index) => found.push(*index),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
