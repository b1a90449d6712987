//! A token, typed on a terminal that does not show it.

use std::io::{self, BufRead, IsTerminal as _, Write as _};

use facets_face::visible;
use facets_ops::login::TokenPrompt;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

/// More than any token has.
const LONGEST: usize = 64 << 10;

/// Asks on the terminal, if there is one.
pub(crate) struct TerminalPrompt;

impl TokenPrompt for TerminalPrompt {
    fn ask(&self, registry: &str) -> Option<String> {
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return None;
        }
        let mut stderr = anstream::stderr();
        let question = format!("Token for {} (it is not shown): ", visible(registry));
        stderr.write_all(question.as_bytes()).and_then(|()| stderr.flush()).ok()?;
        let typed = {
            let _silent = SilentTerminal::begin()?;
            read_line(io::stdin().lock())
        };
        let _ = stderr.write_all(b"\n");
        typed
    }
}

/// A terminal that shows nothing of what is typed, as long as this lives. Keys that would end the program are
/// read as any other, so that no terminal stays silent behind it.
struct SilentTerminal {
    before: Termios,
}

impl SilentTerminal {
    fn begin() -> Option<Self> {
        let before = tcgetattr(io::stdin()).ok()?;
        let mut silent = before.clone();
        silent.local_modes -= LocalModes::ECHO | LocalModes::ICANON | LocalModes::ISIG;
        silent.special_codes[SpecialCodeIndex::VMIN] = 1;
        silent.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(io::stdin(), OptionalActions::Drain, &silent).ok()?;
        Some(Self { before })
    }
}

impl Drop for SilentTerminal {
    fn drop(&mut self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Drain, &self.before);
    }
}

/// Reads to the end of a line, key by key; none if it is given up.
fn read_line(keys: impl BufRead) -> Option<String> {
    const GIVE_UP: [u8; 3] = [0x03, 0x04, 0x1a];
    const ERASE: [u8; 2] = [0x08, 0x7f];
    const ERASE_ALL: u8 = 0x15;
    let mut typed = Vec::new();
    for key in keys.bytes() {
        match key.ok()? {
            b'\n' | b'\r' => return String::from_utf8(typed).ok(),
            key if GIVE_UP.contains(&key) => return None,
            key if ERASE.contains(&key) => {
                typed.pop();
            }
            ERASE_ALL => typed.clear(),
            key if typed.len() < LONGEST => typed.push(key),
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_a_terminal() {
        for (keys, expected) in [
            (&b"fct_pub_x\n"[..], Some("fct_pub_x")),
            (b"fct\r", Some("fct")),
            (b"fcx\x7ft\n", Some("fct")),
            (b"wrong\x15right\n", Some("right")),
            (b"\n", Some("")),
            (b"half\x03\n", None),
            (b"half\x04", None),
            (b"half", None),
            (b"\xff\n", None),
        ] {
            assert_eq!(read_line(keys).as_deref(), expected, "{keys:?}");
        }
    }
}
