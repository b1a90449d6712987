//! Files that a processor runs.

/// Programs of every system begin so.
const NATIVE: [&[u8]; 5] =
    [b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];

/// Whether a file is machine code: by its ending, or by how it begins.
pub(crate) fn is_machine_code(path: &str, content: &[u8]) -> bool {
    let ends = [".node", ".so", ".dll", ".dylib", ".exe"];
    ends.iter().any(|end| path.ends_with(end))
        || NATIVE.iter().any(|start| content.starts_with(start) && content.len() > 64)
}
