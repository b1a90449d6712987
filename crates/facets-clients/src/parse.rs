//! Reads the servers of a file.

use std::collections::BTreeMap;

use crate::client::{Client, ClientFile, ClientFormat};
use crate::entry::{self, Entry};
use crate::error::ClientError;
use crate::{MAX_ENTRIES, json_entry, split_mark, toml_entry};
use facets_jsonc::{JsonDocument, MemberSpan, ObjectSpan};

/// The servers that a file names, in its order.
pub fn parse(file: &ClientFile, text: &str) -> Result<Vec<Entry>, ClientError> {
    let (_, body) = split_mark(text)?;
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    if file.client.format() == ClientFormat::Toml {
        return parse_toml(file, body);
    }
    let json = JsonDocument::new(body, file.client.notation());
    let mut entries = Vec::new();
    for container in &file.containers {
        if let Some(object) = json_entry::locate(json, container)? {
            read_all(file.client, json, &object, container, &mut entries)?;
        }
    }
    Ok(entries)
}

fn read_all(
    client: Client,
    json: JsonDocument<'_>,
    container: &ObjectSpan,
    above: &[String],
    entries: &mut Vec<Entry>,
) -> Result<(), ClientError> {
    let group = match container.get("servers") {
        Some(member) if client == Client::OpenCode && above.len() == 1 => is_group(json, member)?,
        _ => false,
    };
    for member in &container.members {
        let mut place = above.to_vec();
        place.push(member.name.clone());
        let Some(object) = json.object(&member.value)? else {
            // Beside a group of servers stand settings.
            if group {
                continue;
            }
            return Err(ClientError::expected(json.text, member.value.start, &place, "an object"));
        };
        if group && member.name == "servers" {
            read_all(client, json, &object, &place, entries)?;
            continue;
        }
        let layout = json_entry::layout(client, json, &object)?;
        push(entries, entry::read(client, json.text, &place, &layout)?)?;
    }
    Ok(())
}

/// `OpenCode`'s second version has its servers one level deeper, under a name that its first
/// version could have given to a server.
pub(crate) fn is_group(json: JsonDocument<'_>, member: &MemberSpan) -> Result<bool, ClientError> {
    let Some(object) = json.object(&member.value)? else { return Ok(false) };
    let all = object.members.iter().all(|member| json.text[member.value.clone()].starts_with('{'));
    Ok(all)
}

fn parse_toml(file: &ClientFile, body: &str) -> Result<Vec<Entry>, ClientError> {
    let mut entries = Vec::new();
    for container in file.containers.iter().filter_map(|container| container.first()) {
        let items = toml_entry::opened(body, container)?;
        let mut names: Vec<&str> = Vec::new();
        let mut own: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let [first, second, ..] = item.path.as_slice() else { continue };
            if first.name != *container {
                continue;
            }
            let name = second.name.as_str();
            if !own.contains_key(name) {
                names.push(name);
            }
            own.entry(name).or_default().push(index);
        }
        for name in names {
            let place = [container.clone(), name.to_owned()];
            let indices = own.get(name).into_iter().flatten();
            let items = indices.map(|index| (*index, &items[*index]));
            let Some(parts) = toml_entry::gather(body, items, &place)? else { continue };
            let layout = toml_entry::layout(body, &parts)?;
            push(&mut entries, entry::read(file.client, body, &place, &layout)?)?;
        }
    }
    Ok(entries)
}

fn push(entries: &mut Vec<Entry>, entry: Entry) -> Result<(), ClientError> {
    if entries.len() >= MAX_ENTRIES {
        return Err(ClientError::TooMany { what: "servers", limit: MAX_ENTRIES });
    }
    entries.push(entry);
    Ok(())
}
