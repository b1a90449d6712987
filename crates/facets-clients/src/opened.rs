//! An entry of a file, found and taken apart.

use crate::client::{Client, ClientFormat};
use crate::entry::Layout;
use crate::error::ClientError;
use crate::{json_entry, toml_entry};
use facets_jsonc::{JsonDocument, ObjectSpan};

/// An entry and what it takes to change it.
pub(crate) struct Opened<'t> {
    pub(crate) layout: Layout,
    pub(crate) parts: EntryParts<'t>,
}

pub(crate) enum EntryParts<'t> {
    Json(JsonDocument<'t>, ObjectSpan),
    Toml(toml_entry::TomlParts),
}

impl<'t> Opened<'t> {
    /// The entry at a place, if it is there.
    pub(crate) fn new(
        client: Client,
        body: &'t str,
        place: &[String],
    ) -> Result<Option<Self>, ClientError> {
        if client.format() == ClientFormat::Toml {
            let [container, _] = place else { return Ok(None) };
            let items = toml_entry::opened(body, container)?;
            let Some(parts) = toml_entry::parts(body, &items, place)? else { return Ok(None) };
            let layout = toml_entry::layout(body, &parts)?;
            return Ok(Some(Self { layout, parts: EntryParts::Toml(parts) }));
        }
        let json = JsonDocument::new(body, client.notation());
        let Some(object) = json_entry::locate(json, place)? else { return Ok(None) };
        let layout = json_entry::layout(client, json, &object)?;
        Ok(Some(Self { layout, parts: EntryParts::Json(json, object) }))
    }
}
