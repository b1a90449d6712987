//! What a program said, shortened.

/// The end of what a program said: enough to see why.
#[must_use]
pub fn last_lines(text: &str) -> String {
    const LINES: usize = 8;
    const CHARACTERS: usize = 1200;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let tail = lines[lines.len().saturating_sub(LINES)..].join(" | ");
    let skipped = tail.chars().count().saturating_sub(CHARACTERS);
    tail.chars().skip(skipped).collect()
}
