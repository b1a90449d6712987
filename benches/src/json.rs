//! Reading and canonicalising.

use std::hint::black_box;

use facets_digest::json::{self, Limits, Provenance};

use crate::{Target, ratios, report};

pub(crate) fn measure(runs: usize, tools: &[String], kind: &str) {
    for size in [1 << 20, 4 << 20] {
        let document = tools_list(tools, size);
        let ours = || {
            let value = json::parse(document.as_bytes(), Provenance::Captured, Limits::DOCUMENT);
            black_box(value.expect("the document is JSON").to_canonical());
        };
        let theirs = || {
            let value: serde_json::Value =
                serde_json::from_str(&document).expect("the document is JSON");
            black_box(value);
        };
        let what =
            format!("time of reading and canonicalising a {kind} tools/list of {} MiB", size >> 20);
        let baseline = "`serde_json` parsing it into a `Value`";
        report(&what, baseline, ratios(runs, ours, theirs), &Target::AtMost(1.5));
    }
}

fn tools_list(tools: &[String], size: usize) -> String {
    let mut document = String::from(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":["#);
    for tool in tools.iter().cycle() {
        if document.len() + tool.len() > size {
            break;
        }
        document.push_str(tool);
        document.push(',');
    }
    document.pop();
    document + "]}}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_can_be_read() {
        let document = tools_list(&crate::definitions::made_up(9), 1 << 16);
        assert!(json::parse(document.as_bytes(), Provenance::Captured, Limits::DOCUMENT).is_ok());
    }
}
