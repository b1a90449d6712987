//! Files that a runtime runs, and that so are part of a program.

use std::path::Path;

const ENDINGS: [&str; 9] = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "py"];

pub(super) fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|end| ENDINGS.iter().any(|source| end == *source))
}
