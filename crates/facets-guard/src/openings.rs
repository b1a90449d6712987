//! What a server says of itself at the opening, delivered as it was approved.

use facets_digest::json::{self, Provenance, RawMember, Value, quoted};
use facets_wire::is_mistaken_for;

use crate::delivery::Delivery;
use crate::event::{Decision, Reason, Subject};
use crate::guard::Guard;
use crate::limits::PAGE;
use crate::lists::{member, rebuilt, split};
use crate::outbox::Outbox;
use crate::pinned_openings::ApprovedPart;
use crate::rules::OnDrift;

/// Where newer drafts of the protocol have what a server says of itself.
const INFO_IN_META: &str = "io.modelcontextprotocol/serverInfo";

impl Guard {
    /// The answer to `initialize` or `server/discover`: what it says is for the model, too.
    pub(crate) fn on_opening_reply(&mut self, id: &str, text: &[u8], out: &mut Outbox) -> Delivery {
        match self.deliver_opening(id, text, out) {
            Ok(delivery) => delivery,
            Err(reason) => self.replaced_by_error(id, &reason, "", out),
        }
    }

    fn deliver_opening(
        &mut self,
        id: &str,
        text: &[u8],
        out: &mut Outbox,
    ) -> Result<Delivery, Reason> {
        let message = split(text)?;
        let result = split(member(&message, "result").unwrap_or("{}").as_bytes())?;
        self.note_announced(&result);
        let mut changes: Vec<(&str, Option<String>)> = Vec::new();
        if !self.has_approved_instructions(&result) {
            self.report_opening(Subject::Instructions, Vec::new(), out);
            changes.push(("instructions", None));
        }
        check_versions(&result)?;
        let openings = &self.pins.openings;
        let info = member(&result, "serverInfo").map(|raw| openings.approved_info(raw));
        let info = info.transpose()?.flatten();
        let info = info.map(|info| ("serverInfo", Subject::ServerInfo, info));
        let meta = member(&result, "_meta").map(|raw| self.approved_meta(raw)).transpose()?;
        let meta = meta.flatten().map(|meta| ("_meta", Subject::ServerInfo, meta));
        let announced = member(&result, "capabilities");
        let capabilities = announced.map(|raw| openings.approved_capabilities(raw)).transpose()?;
        let capabilities =
            capabilities.flatten().map(|one| ("capabilities", Subject::Capabilities, one));
        for (name, subject, approved) in info.into_iter().chain(meta).chain(capabilities) {
            self.report_opening(subject, approved.differs, out);
            changes.push((name, Some(approved.text)));
        }
        if has_twins(&result) && changes.is_empty() {
            self.report_opening(Subject::ServerInfo, Vec::new(), out);
            changes.push(("", None));
        }
        if changes.is_empty() || self.rules.on_drift == OnDrift::Warn {
            return Ok(Delivery::Pass);
        }
        Ok(Delivery::Replace(rebuilt(id, &result, &OPENING, &changes)))
    }

    /// What a server says of itself in `_meta`, as it was approved; nothing if it is as it came.
    pub(crate) fn approved_meta(&self, raw: &str) -> Result<Option<ApprovedPart>, Reason> {
        if raw == "null" {
            return Ok(None);
        }
        let (mut members, mut differs) = (Vec::new(), None);
        for member in split(raw.as_bytes())? {
            let name = &*member.name;
            let mut value = member.value.to_owned();
            if name == INFO_IN_META {
                if let Some(info) = self.pins.openings.approved_info(member.value)? {
                    value = info.text;
                    differs = Some(info.differs);
                }
            } else if is_mistaken_for(name, INFO_IN_META) {
                differs.get_or_insert_default();
                continue;
            }
            members.push(format!("{}:{value}", quoted(name)));
        }
        let text = || format!("{{{}}}", members.join(","));
        Ok(differs.map(|differs| ApprovedPart { text: text(), differs }))
    }

    fn has_approved_instructions(&self, result: &[RawMember<'_>]) -> bool {
        match member(result, "instructions") {
            None | Some("null") => true,
            Some(raw) => match json::parse(raw.as_bytes(), Provenance::Captured, PAGE) {
                Ok(Value::String(text)) => self.pins.has_instructions(&text),
                _ => false,
            },
        }
    }

    fn report_opening(&mut self, subject: Subject, differs: Vec<String>, out: &mut Outbox) {
        let decision = match self.rules.on_drift {
            OnDrift::Warn => Decision::Tolerated,
            OnDrift::Block | OnDrift::Stop => Decision::Withheld,
        };
        self.report(decision, subject, Reason::Changed(differs), "", out);
    }
}

/// Versions of the protocol are words of it, and not for the model.
fn check_versions(result: &[RawMember<'_>]) -> Result<(), Reason> {
    for (name, is_list) in [("protocolVersion", false), ("supportedVersions", true)] {
        let Some(raw) = member(result, name) else { continue };
        let value = json::parse(raw.as_bytes(), Provenance::Captured, PAGE);
        let fits = match value.map_err(|_| Reason::Malformed)? {
            Value::Array(versions) if is_list => versions.iter().all(is_protocol_version),
            version => !is_list && is_protocol_version(&version),
        };
        if !fits {
            return Err(Reason::Malformed);
        }
    }
    Ok(())
}

fn is_protocol_version(value: &Value<'_>) -> bool {
    let Value::String(text) = value else { return false };
    let is_sign = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
    let begins = text.starts_with(|letter: char| letter.is_ascii_digit());
    text.len() <= 32 && (begins || text.starts_with("DRAFT")) && text.bytes().all(is_sign)
}

/// The members of an opening that are judged.
const OPENING: [&str; 6] =
    ["instructions", "serverInfo", "capabilities", "_meta", "protocolVersion", "supportedVersions"];

/// Whether a member may be taken for one that is judged, by readers that do not mind capitals.
fn has_twins(result: &[RawMember<'_>]) -> bool {
    let is_twin =
        |member: &RawMember<'_>| OPENING.iter().any(|name| is_mistaken_for(&member.name, name));
    result.iter().any(is_twin)
}
