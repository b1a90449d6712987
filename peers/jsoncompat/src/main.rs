#![doc = include_str!("../README.md")]
//!
//! Reads pairs of schemas, a JSON array a line, and says of each whether every value of the
//! second is one of the first, and the other way round: `yes`, `no` or `unknown`.

use std::io::{BufRead, Write};

use jsoncompat::{CompatibilityResult, Role, SchemaDocument, analyze_compat};
use serde_json::Value;

fn main() {
    // It is recursive, and schemas are deep.
    let worker = std::thread::Builder::new().stack_size(256 << 20).spawn(answer_all);
    worker.expect("a thread").join().expect("an answer to every line");
}

fn answer_all() {
    // Its panics are its own opinion.
    std::panic::set_hook(Box::new(|_| {}));
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let pair: [Value; 2] = serde_json::from_str(&line.expect("a line")).expect("a pair");
        let [old, new] = pair;
        let words = [is_within(&new, &old), is_within(&old, &new)];
        writeln!(output, "{}", words.join(" ")).expect("somebody reads");
    }
}

fn is_within(inner: &Value, outer: &Value) -> &'static str {
    let judge = || {
        let inner = SchemaDocument::from_json(inner).ok()?;
        let outer = SchemaDocument::from_json(outer).ok()?;
        // What a new serializer writes, an old reader accepts.
        analyze_compat(&outer, &inner, Role::Serializer).ok()
    };
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(judge)) {
        Ok(Some(CompatibilityResult::Compatible)) => "yes",
        Ok(Some(CompatibilityResult::Incompatible { .. })) => "no",
        _ => "unknown",
    }
}
