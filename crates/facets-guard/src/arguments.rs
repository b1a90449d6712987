//! Arguments of calls, where they have to be what was approved (spec 11.4).

use facets_digest::json;
use facets_wire::{is_mistaken_for, params_of};

use crate::event::Reason;
use crate::limits::BATCH;

/// Whether the approved schema of a tool accepts arguments.
pub trait ArgumentCheck: core::fmt::Debug + Send {
    /// Why it does not, in a few words.
    fn refuse(&self, tool: &str, arguments: &str) -> Option<String>;
}

/// Why a call does not go on. What cannot be read strictly is nothing that a schema accepts.
pub(crate) fn refused_arguments(
    check: &dyn ArgumentCheck,
    tool: &str,
    text: &[u8],
) -> Option<Reason> {
    let Some(params) = params_of(text, BATCH) else { return Some(Reason::Ambiguous) };
    let Ok(Some(members)) = json::split_object(params.as_bytes(), BATCH) else {
        return Some(Reason::Ambiguous);
    };
    let mut arguments = "{}";
    for member in &members {
        match &*member.name {
            // Nothing is what many clients write for none.
            "arguments" if member.value == "null" => {}
            "arguments" => arguments = member.value,
            // Some readers do not mind capitals.
            name if is_mistaken_for(name, "arguments") => return Some(Reason::Ambiguous),
            _ => {}
        }
    }
    // The protocol has an object here, also where a schema does not say so.
    if !arguments.starts_with('{') {
        return Some(Reason::Arguments("they are no object".to_owned()));
    }
    check.refuse(tool, arguments).map(Reason::Arguments)
}
