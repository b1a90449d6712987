//! Who reads what is printed.

/// Who reads what is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// People, on a terminal or in a log.
    People,
    /// Programs, which expect one JSON document.
    Machines,
}

impl Audience {
    /// The one that the command line of this process asks for. What clap could not parse has to be
    /// looked for by hand.
    #[must_use]
    pub fn typed() -> Self {
        let words: Vec<_> = std::env::args_os().take_while(|word| word != "--").collect();
        let pair = words.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
        let is_json = pair || words.iter().any(|word| word == "--format=json" || word == "--json");
        if is_json { Self::Machines } else { Self::People }
    }
}
