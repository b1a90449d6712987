//! An address in a lock entry: `url`, `headers`.

use facets_digest::json::{Value, quoted, write_list, write_string};
use facets_model::AddressOrigin;

use crate::error::LockError;
use crate::members::EntryMembers;

pub(super) fn write(origin: &AddressOrigin) -> Vec<(&'static str, String)> {
    let pairs: Vec<(&String, &String)> = origin.headers.iter().collect();
    let mut out = Vec::new();
    write_list(['{', '}'], &pairs, &mut out, |(name, variable), out| {
        write_string(name, out);
        out.push(b':');
        write_string(variable, out);
    });
    let headers = String::from_utf8_lossy(&out).into_owned();
    vec![("url", quoted(origin.url.as_str())), ("headers", headers)]
}

pub(super) fn read(entry: &EntryMembers<'_>) -> Result<AddressOrigin, LockError> {
    let Value::Object(object) = entry.value("headers")? else {
        return Err(entry.bad("headers", "an object"));
    };
    let headers = object.members().iter().map(|member| match &member.value {
        Value::String(text) => Some((member.name.to_string(), text.to_string())),
        _ => None,
    });
    let headers = headers.collect::<Option<_>>();
    let headers = headers.ok_or_else(|| entry.bad("headers", "names of variables"))?;
    let url = entry.text("url")?.parse();
    let url = url.map_err(|_| entry.bad("url", "a URL that facet supports"))?;
    Ok(AddressOrigin { url, headers })
}
