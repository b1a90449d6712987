//! An undo as text.

use facets_digest::json::{
    self, Limits, Number, Object, Provenance, Value, quoted, write_list, write_string,
};

use crate::error::ClientError;
use crate::segment::{Hole, Segment};
use crate::undo::{Appended, Blank, Change, Inserted, Region, Undo};
use facets_jsonc::Filling;

const LIMITS: Limits = Limits { bytes: 64 << 20, depth: 16, values: 1_000_000 };
const VERSION: &str = "1";

impl Undo {
    /// The record as one line of JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        let change = match &self.change {
            Change::Rewritten(regions) => (
                "rewritten",
                list(regions, |region| {
                    let written = list(&region.written, segment);
                    let original = list(&region.original, segment);
                    object(&[("written", written), ("original", original)])
                }),
            ),
            Change::Inserted(inserted) => ("inserted", inserted_text(inserted)),
            Change::Appended(appended) => {
                let absent = appended.absent.to_string();
                let Appended { lead, text, trail, .. } = appended;
                let members = [("lead", lead), ("text", text), ("trail", trail)];
                let members = members.map(|(name, value)| (name, quoted(value)));
                ("appended", object(&[&members[..], &[("absent", absent)]].concat()))
            }
        };
        object(&[
            ("version", VERSION.to_owned()),
            ("client", quoted(self.client.name())),
            ("place", list(&self.place, |name| quoted(name))),
            change,
        ])
    }

    /// Reads what [`Self::to_text`] wrote.
    pub fn from_text(text: &str) -> Result<Self, ClientError> {
        let value = json::parse(text.as_bytes(), Provenance::Authored, LIMITS)?;
        let record = as_object(&value, "the record")?;
        match record.get("version") {
            Some(Value::Number(number)) if number.as_f64().to_string() == VERSION => {}
            _ => return Err(wrong("version is not 1")),
        }
        let rewritten = record.get("rewritten").map(|regions| {
            let regions = as_list(regions, "rewritten")?.iter().map(read_region);
            Ok(Change::Rewritten(regions.collect::<Result<_, ClientError>>()?))
        });
        let inserted = record.get("inserted").map(|inserted| read_inserted(inserted));
        let appended = record.get("appended").map(|appended| {
            let appended = as_object(appended, "appended")?;
            Ok(Change::Appended(Appended {
                lead: get_text(appended, "lead")?,
                text: get_text(appended, "text")?,
                trail: get_text(appended, "trail")?,
                absent: matches!(appended.get("absent"), Some(Value::Bool(true))),
            }))
        });
        let mut changes = [rewritten, inserted, appended].into_iter().flatten();
        let (Some(change), None) = (changes.next(), changes.next()) else {
            return Err(wrong("it has not just one change"));
        };
        Ok(Self {
            client: get_text(record, "client")?.parse()?,
            place: texts(record.get("place"), "place")?,
            change: change?,
        })
    }
}

fn inserted_text(inserted: &Inserted) -> String {
    let Inserted { existed, value, entry, lead, filling, blank } = inserted;
    let mut members = vec![
        ("existed", existed.to_string()),
        ("value", quoted(value)),
        ("entry", quoted(entry)),
        ("lead", quoted(lead)),
    ];
    if let Some(Filling { lead, trail, was }) = filling {
        members.push(("filling", list(&[lead, trail, was], |text| quoted(text))));
    }
    match blank {
        Some(Blank::Absent) => members.push(("blank", "null".to_owned())),
        Some(Blank::Text(text)) => members.push(("blank", quoted(text))),
        None => {}
    }
    object(&members)
}

fn read_inserted(value: &Value<'_>) -> Result<Change, ClientError> {
    let object = as_object(value, "inserted")?;
    let Some(Value::Number(existed)) = object.get("existed") else {
        return Err(wrong("existed is not a number"));
    };
    let filling = match object.get("filling") {
        None => None,
        some => match <[String; 3]>::try_from(texts(some, "filling")?) {
            Ok([lead, trail, was]) => Some(Filling { lead, trail, was }),
            Err(_) => return Err(wrong("filling is not three texts")),
        },
    };
    let blank = match object.get("blank") {
        None => None,
        Some(Value::Null) => Some(Blank::Absent),
        Some(_) => Some(Blank::Text(get_text(object, "blank")?)),
    };
    Ok(Change::Inserted(Inserted {
        existed: count(existed)?,
        value: get_text(object, "value")?,
        entry: get_text(object, "entry")?,
        lead: get_text(object, "lead")?,
        filling,
        blank,
    }))
}

fn read_region(value: &Value<'_>) -> Result<Region, ClientError> {
    let object = as_object(value, "a region")?;
    let segments = |name: &str| -> Result<Vec<Segment>, ClientError> {
        let Some(list) = object.get(name) else { return Err(wrong(&format!("{name} is missing"))) };
        as_list(list, name)?.iter().map(read_segment).collect()
    };
    Ok(Region { written: segments("written")?, original: segments("original")? })
}

/// Literal text is a string; a hole is the path of a value, or the number of a comment.
fn segment(segment: &Segment) -> String {
    match segment {
        Segment::Text(text) => quoted(text),
        Segment::Hole(Hole::Value(path)) => list(path, |name| quoted(name)),
        Segment::Hole(Hole::Comment(number)) => number.to_string(),
    }
}

fn read_segment(value: &Value<'_>) -> Result<Segment, ClientError> {
    Ok(match value {
        Value::String(text) => Segment::Text(text.clone().into_owned()),
        Value::Array(_) => Segment::Hole(Hole::Value(texts(Some(value), "a hole")?)),
        Value::Number(number) => Segment::Hole(Hole::Comment(count(number)?)),
        _ => return Err(wrong("a segment is neither a text nor a hole")),
    })
}

fn count(number: &Number<'_>) -> Result<usize, ClientError> {
    number.as_f64().to_string().parse().map_err(|_| wrong("a number counts nothing"))
}

fn wrong(problem: &str) -> ClientError {
    ClientError::Record { problem: problem.to_owned() }
}

fn as_object<'v, 't>(value: &'v Value<'t>, what: &str) -> Result<&'v Object<'t>, ClientError> {
    match value {
        Value::Object(object) => Ok(object),
        _ => Err(wrong(&format!("{what} is not an object"))),
    }
}

fn as_list<'v, 't>(value: &'v Value<'t>, what: &str) -> Result<&'v [Value<'t>], ClientError> {
    match value {
        Value::Array(items) => Ok(items),
        _ => Err(wrong(&format!("{what} is not a list"))),
    }
}

fn get_text(object: &Object<'_>, name: &str) -> Result<String, ClientError> {
    match object.get(name) {
        Some(Value::String(text)) => Ok(text.clone().into_owned()),
        _ => Err(wrong(&format!("{name} is not a text"))),
    }
}

fn texts(value: Option<&Value<'_>>, name: &str) -> Result<Vec<String>, ClientError> {
    let Some(value) = value else { return Err(wrong(&format!("{name} is missing"))) };
    let text = |item: &Value<'_>| match item {
        Value::String(text) => Ok(text.clone().into_owned()),
        _ => Err(wrong(&format!("{name} is not made of texts"))),
    };
    as_list(value, name)?.iter().map(text).collect()
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    let mut out = Vec::new();
    write_list(['[', ']'], items, &mut out, |item, out| out.extend(text(item).bytes()));
    String::from_utf8_lossy(&out).into_owned()
}

fn object(members: &[(&str, String)]) -> String {
    let mut out = Vec::new();
    write_list(['{', '}'], members, &mut out, |(name, value), out| {
        write_string(name, out);
        out.push(b':');
        out.extend(value.bytes());
    });
    String::from_utf8_lossy(&out).into_owned()
}
