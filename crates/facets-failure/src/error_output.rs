//! What a server wrote to standard error, as it is shown with an error.

/// Lines that are shown of a beginning and of an end.
const FIRST: usize = 6;
const LAST: usize = 10;

/// Characters that are shown of one line.
const WIDTH: usize = 400;

/// What was written to standard error, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stderr {
    /// Its first lines.
    pub first: Vec<String>,
    /// How many lines follow these, and are not here.
    pub omitted: usize,
    /// Its last lines.
    pub last: Vec<String>,
}

impl Stderr {
    /// Everything that was written. Blank lines say nothing and do not count.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self { first: lines(text), ..Self::default() }
    }

    /// What was written, but for some lines between a beginning and an end.
    #[must_use]
    pub fn with_gap(first: &str, omitted: usize, last: &str) -> Self {
        Self { first: lines(first), omitted, last: lines(last) }
    }

    /// The same without these values, which are nobody else's business.
    #[must_use]
    pub fn without(self, values: &[String]) -> Self {
        let hidden =
            |line: String| values.iter().fold(line, |line, value| line.replace(value, "…"));
        let lines = |all: Vec<String>| all.into_iter().map(hidden).collect();
        Self { first: lines(self.first), omitted: self.omitted, last: lines(self.last) }
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty() && self.omitted == 0 && self.last.is_empty()
    }

    /// Every line that is here.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.first.iter().chain(&self.last).map(String::as_str)
    }

    /// The first and the last lines, and how many are left out.
    #[must_use]
    pub fn shortened(&self) -> Self {
        let all: Vec<&str> = self.lines().collect();
        let cut = |lines: &[&str]| lines.iter().map(|line| shortened_line(line)).collect();
        // A line that says that one line is missing is no shorter than that line.
        if self.omitted == 0 && all.len() <= FIRST + LAST + 1 {
            return Self { first: cut(&all), ..Self::default() };
        }
        let first = &all[..FIRST.min(self.first.len())];
        let known_end = if self.omitted == 0 { all.len() } else { self.last.len() };
        let last = &all[all.len() - LAST.min(known_end)..];
        let omitted = self.omitted + all.len() - first.len() - last.len();
        Self { first: cut(first), omitted, last: cut(last) }
    }
}

fn lines(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(str::to_owned).collect()
}

fn shortened_line(line: &str) -> String {
    let more = line.chars().count().saturating_sub(WIDTH);
    if more == 0 {
        return line.to_owned();
    }
    let start: String = line.chars().take(WIDTH).collect();
    format!("{start} … {more} more characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|number| format!("line {number}\n")).collect()
    }

    #[test]
    fn few_lines_are_shown_as_they_are() {
        let few = Stderr::of("usage: server MODE\n\n  MODE is missing\r\n");
        assert_eq!(few.first, ["usage: server MODE", "  MODE is missing"]);
        assert_eq!(few.shortened(), few);
        let most = Stderr::of(&numbered(17));
        assert_eq!(most.shortened(), most);
        assert!(Stderr::of("\n \n").is_empty());
    }

    #[test]
    fn of_many_lines_the_first_and_the_last_are_shown() {
        let short = Stderr::of(&numbered(50)).shortened();
        assert_eq!((short.first.len(), short.omitted, short.last.len()), (6, 34, 10));
        assert_eq!(short.first[0], "line 1");
        assert_eq!(short.last.last().map(String::as_str), Some("line 50"));
    }

    #[test]
    fn lines_that_were_not_kept_count_as_left_out() {
        let kept = Stderr::with_gap(&numbered(20), 1000, &numbered(30));
        let short = kept.shortened();
        assert_eq!((short.first.len(), short.omitted, short.last.len()), (6, 1034, 10));
        let few = Stderr::with_gap("a\n", 5, "z\n").shortened();
        assert_eq!((few.first.len(), few.omitted, few.last.len()), (1, 5, 1));
    }

    #[test]
    fn a_long_line_is_cut() {
        let short = Stderr::of(&"x".repeat(1000)).shortened();
        assert!(short.first[0].ends_with("x … 600 more characters"), "{short:?}");
    }
}
