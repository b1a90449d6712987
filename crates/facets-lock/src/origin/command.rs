//! A command line in a lock entry: `command`, `args`, `env`.

use facets_digest::json::quoted;
use facets_model::CommandOrigin;

use crate::error::LockError;
use crate::members::{EntryMembers, text_list};

pub(super) fn write(origin: &CommandOrigin) -> Vec<(&'static str, String)> {
    let CommandOrigin { command, args, env } = origin;
    vec![("command", quoted(command)), ("args", text_list(args)), ("env", text_list(env))]
}

pub(super) fn read(entry: &EntryMembers<'_>) -> Result<CommandOrigin, LockError> {
    let (command, args) = (entry.text("command")?, entry.texts("args")?);
    // As written: another order would have another digest.
    Ok(CommandOrigin { command, args, env: entry.texts("env")? })
}
