//! Commands that a client runs itself when it uses a text (spec 7.10).

use crate::power::Power;

/// The rule of such commands.
pub(crate) const EXECUTED: &str = "marker-executed-command";

/// Every command of a text that a client runs before the model sees the text: `` !`command` ``, and blocks that begin
/// with three backticks and `!`.
///
/// Clients look for these without regard to Markdown, so a fenced block or a code span around one keeps nothing from
/// being run; nor does it here.
#[must_use]
pub fn executed_commands(text: &str) -> Vec<Power> {
    let inline = text.match_indices("!`").filter_map(|(at, mark)| {
        let rest = text.get(at + mark.len()..)?;
        let command = rest.split_once('`')?.0;
        (!command.trim().is_empty()).then(|| Power::new(EXECUTED, &format!("!`{command}`")))
    });
    inline.chain(blocks(text)).collect()
}

fn blocks(text: &str) -> impl Iterator<Item = Power> {
    let mut rest = text.lines();
    std::iter::from_fn(move || {
        let line = rest.find(|line| is_executed(line))?;
        let inside: Vec<&str> =
            rest.by_ref().take_while(|line| !line.trim_start().starts_with("```")).collect();
        Some(Power::new(EXECUTED, &format!("{} {}", line.trim(), inside.join("\n"))))
    })
}

/// Whether a line begins a block that is run.
fn is_executed(line: &str) -> bool {
    let line = line.trim_start();
    let inside = line.trim_start_matches('`');
    line.len() - inside.len() >= 3 && inside.trim_start().starts_with('!')
}
