//! A rule, and a hit of one.

/// A rule: its code, what it looks for, and examples both ways.
///
/// The examples stand in a tool of a server whose other tools are `read_file` and `send_email`.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its code.
    pub code: &'static str,
    /// Which texts it is about.
    pub scope: RuleScope,
    /// What it looks for.
    pub looks_for: &'static str,
    /// Texts that it hits.
    pub hits: &'static [&'static str],
    /// Texts that no rule hits, though they come close to this one.
    pub passes: &'static [&'static str],
}

/// Which texts a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleScope {
    /// Those of servers and of assets: what a model is told.
    EveryText,
    /// Those of skills, agents and commands: what their client does.
    Assets,
}

/// A hit: the rule, and the words of the text that hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marker {
    /// The code of the rule.
    pub rule: &'static str,
    /// The words, at most about 60 characters, invisible ones written as `\u{…}`.
    pub words: String,
}

impl Rule {
    /// What a hit in an asset means, with examples.
    fn of_assets(&self, hits: &str, passes: &str) -> String {
        let first = match self.code {
            "marker-tool-permission" => "In an asset that is new it is moderate.",
            _ => "In an asset that is new it is critical, too: `--yes` does not install it.",
        };
        let text = format!(
            "A marker in a skill, agent or command for {}. No model has to obey for this: the client does it. One that \
             is new since the installed version makes its finding critical. {first}\n\nReported:\n\n{hits}\n\
             Not reported:\n\n{passes}",
            self.looks_for
        );
        text.trim_end().to_owned()
    }

    /// What a hit means, with examples.
    #[must_use]
    pub fn explanation(&self) -> String {
        let shown = |text: &&str| format!("  {}\n", text.escape_debug());
        let hits: String = self.hits.iter().take(2).map(shown).collect();
        let passes: String = self.passes.iter().take(2).map(shown).collect();
        if self.scope == RuleScope::Assets {
            return self.of_assets(&hits, &passes);
        }
        let first = match self.code {
            "marker-email" | "marker-call-first" => "In a server that is new it is moderate.",
            "marker-url" => {
                "In a server that is new a plain address is moderate; one that carries code, data or \
                 credentials is critical."
            }
            "marker-other-tool" => "In a server that is new it is shown, and counts as guidance.",
            _ => "In a server that is new it is critical, too: `--yes` does not pin it.",
        };
        let text = format!(
            "A marker for {}. A text that tells a model what to do, or that shows people something else \
             than it shows a model, has such markers. One that is new since the approval makes its \
             finding critical; one that was approved does not. {first}\n\nReported:\n\n{hits}\n\
             Not reported:\n\n{passes}",
            self.looks_for
        );
        text.trim_end().to_owned()
    }
}
