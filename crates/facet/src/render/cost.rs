//! What a server costs in the context of a model.

use std::fmt::Write as _;

use anstyle::Style;
use facets_face::visible;
use facets_surface::{Economics, InflationRisk, Kind, Surface};
use serde_json::{Value, json};

const STRONG: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();

/// Tools that are shown before the rest is counted.
const SHOWN: usize = 15;
/// Cells of the longest bar.
const BAR: usize = 24;
/// Characters of a name, so that bars stand below each other.
const NAME: usize = 32;

/// The estimate for a server: what every session pays before anything is called.
pub(super) struct Cost<'r> {
    instructions: usize,
    /// Dearest first.
    tools: Vec<(&'r str, Economics)>,
}

impl<'r> Cost<'r> {
    pub(super) fn of(surface: &'r Surface) -> Self {
        let tools = surface.items(Kind::Tool).iter();
        let mut tools: Vec<(&str, Economics)> =
            tools.map(|tool| (tool.name(), tool.economics())).collect();
        tools.sort_by_key(|(name, cost)| (std::cmp::Reverse(cost.declaration_tokens), *name));
        let instructions = surface.instructions.as_ref().map_or(0, |text| text.len().div_ceil(4));
        Self { instructions, tools }
    }

    fn total(&self) -> usize {
        let tools: usize = self.tools.iter().map(|(_, cost)| cost.declaration_tokens).sum();
        tools + self.instructions
    }

    pub(super) fn human(&self, verbose: bool, out: &mut String) {
        if self.total() == 0 {
            return;
        }
        let total = grouped(self.total());
        let _ = writeln!(
            out,
            "\n{STRONG}uses about {total} tokens of context per session{STRONG:#} \
             {QUIET}(estimate: 4 bytes per token){QUIET:#}"
        );
        let most = if verbose { usize::MAX } else { SHOWN };
        let shown = &self.tools[..self.tools.len().min(most)];
        let length = |name: &str| visible(name).chars().count().min(NAME);
        let named = shown.iter().map(|(name, _)| length(name));
        let width = named.chain((self.instructions > 0).then_some("instructions".len())).max();
        let width = width.unwrap_or(0);
        let dearest = shown.first().map_or(0, |(_, cost)| cost.declaration_tokens);
        let dearest = dearest.max(self.instructions).max(1);
        if self.instructions > 0 {
            line("instructions", self.instructions, dearest, width, "", out);
        }
        for (name, cost) in shown {
            let risk = match cost.inflation_risk() {
                InflationRisk::High => "unbounded answers",
                InflationRisk::Critical => "unbounded answers with many fields",
                InflationRisk::Medium => "answers with many fields",
                InflationRisk::Low | InflationRisk::Unknown => "",
            };
            line(name, cost.declaration_tokens, dearest, width, risk, out);
        }
        if self.tools.len() > most {
            let more = self.tools.len() - most;
            let rest: usize =
                self.tools[most..].iter().map(|(_, cost)| cost.declaration_tokens).sum();
            let rest = grouped(rest);
            let _ = writeln!(
                out,
                "  {QUIET}and {more} more, {rest} together; --verbose shows all{QUIET:#}"
            );
        }
    }

    pub(super) fn json(&self) -> Value {
        let tools = self.tools.iter().map(|(name, cost)| {
            json!({
                "name": name,
                "tokens": cost.declaration_tokens,
                "output_fields": cost.output.map(|output| output.fields),
                "unbounded": cost.output.map(|output| output.unbounded),
                "inflation_risk": cost.inflation_risk().name(),
            })
        });
        json!({
            "tokens": self.total(),
            "instructions": self.instructions,
            "tools": tools.collect::<Vec<_>>(),
        })
    }
}

fn line(name: &str, tokens: usize, dearest: usize, width: usize, note: &str, out: &mut String) {
    let name = visible(name);
    let shown: String = if name.chars().count() > NAME {
        name.chars().take(NAME - 1).chain(['…']).collect()
    } else {
        name
    };
    // What costs anything has a bar.
    let cells = (tokens * BAR).div_ceil(dearest);
    let bar = "█".repeat(cells);
    let number = grouped(tokens);
    let bar = if note.is_empty() { bar } else { format!("{bar:<BAR$}  {note}") };
    let _ = writeln!(out, "  {shown:<width$}  {number:>9}  {QUIET}{}{QUIET:#}", bar.trim_end());
}

/// 12345 as 12,345.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
