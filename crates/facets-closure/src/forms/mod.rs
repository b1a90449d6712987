//! Commands that run a package (`npx …`, `uvx …` and their relatives), read as their programs read them, so that the
//! package can be locked instead (spec 10.8).
//!
//! What is not understood to the last word is not guessed: a command that is read wrongly would lock another package
//! than the one that ran.

mod command;
mod javascript;
mod options;
mod python;
mod shell;

pub use command::{CommandForm, PackageCommand};

use command::program_name;

/// Variables that choose another registry, or other code.
const CHOOSING: [&str; 5] = ["npm_config_", "uv_", "pip_", "pipx_", "node_options"];

/// What a command is. `variables` are the names of those that its entry sets.
#[must_use]
pub fn command_form(words: &[String], variables: &[String]) -> CommandForm {
    let form = form_of(words, 0);
    let CommandForm::Package(_) = form else { return form };
    let is_choosing = |name: &&String| {
        let name = name.to_ascii_lowercase();
        CHOOSING.iter().any(|prefix| name.starts_with(prefix))
    };
    match variables.iter().find(is_choosing) {
        Some(name) => CommandForm::NotLockable(format!(
            "the variable {name} can choose another registry or other code"
        )),
        None => form,
    }
}

/// Shells inside of shells: nobody writes more.
const DEEPEST: usize = 3;

fn form_of(words: &[String], depth: usize) -> CommandForm {
    let Some((program, rest)) = words.split_first() else { return CommandForm::Other };
    // A whole command in the place of a program, as some clients accept.
    if rest.is_empty() && program.contains(' ') && depth < DEEPEST {
        return shell::plain_words(program)
            .map_or(CommandForm::Other, |words| form_of(&words, depth + 1));
    }
    match program_name(program).as_str() {
        "npx" => javascript::npx(rest),
        "npm" => javascript::npm(rest),
        "bunx" => javascript::bunx(rest),
        "bun" => javascript::bun(rest),
        "pnpx" => javascript::pnpx(rest),
        "pnpm" => javascript::pnpm(rest),
        "yarn" => javascript::yarn(rest),
        "deno" => javascript::deno(rest),
        "uvx" => python::uvx(rest),
        "uv" => python::uv(rest),
        "pipx" => python::pipx(rest),
        "cmd" if depth < DEEPEST => shell::cmd(rest, |words| form_of(words, depth + 1)),
        "sh" | "bash" | "zsh" | "dash" if depth < DEEPEST => {
            shell::posix(rest, |words| form_of(words, depth + 1))
        }
        "env" if depth < DEEPEST => shell::env(rest, |words| form_of(words, depth + 1)),
        _ => CommandForm::Other,
    }
}

#[cfg(test)]
mod tests;
