//! How words are set apart. No meaning is in a colour alone.

use anstyle::{AnsiColor, Style};

use crate::text::visible;

/// A negative verdict.
pub const BAD: Style = AnsiColor::Red.on_default().bold();
/// A positive one.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What is worth a look.
pub const WARN: Style = AnsiColor::Yellow.on_default();
/// What the eye looks for.
pub const STRONG: Style = Style::new().bold();
/// What the eye may skip.
pub const QUIET: Style = Style::new().dimmed();

/// Text from outside, in a style.
#[must_use]
pub fn styled(style: Style, text: &str) -> String {
    format!("{style}{}{style:#}", visible(text))
}
