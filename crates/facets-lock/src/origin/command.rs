//! A command line in a lock entry: `command`, `args`, `env`.

use facets_digest::json::{quoted, write_list, write_string};
use facets_model::CommandOrigin;

use crate::error::LockError;
use crate::members::EntryMembers;

pub(super) fn write(origin: &CommandOrigin) -> Vec<(&'static str, String)> {
    let list = |items: &[String]| {
        let mut out = Vec::new();
        write_list(['[', ']'], items, &mut out, |item, out| write_string(item, out));
        String::from_utf8_lossy(&out).into_owned()
    };
    let CommandOrigin { command, args, env } = origin;
    vec![("command", quoted(command)), ("args", list(args)), ("env", list(env))]
}

pub(super) fn read(entry: &EntryMembers<'_>) -> Result<CommandOrigin, LockError> {
    let (command, args) = (entry.text("command")?, entry.texts("args")?);
    // As written: another order would have another digest.
    Ok(CommandOrigin { command, args, env: entry.texts("env")? })
}
