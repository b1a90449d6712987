/// Lines of a text, by offsets. Counted block by block, because most offsets are never asked
/// for, and most files not at all.
pub(super) struct Lines<'a> {
    source: &'a str,
    /// Line ends before each block.
    before: Vec<usize>,
}

const BLOCK: usize = 256;

impl<'a> Lines<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, before: Vec::new() }
    }

    /// The line of an offset, from 1.
    pub(super) fn of(&mut self, offset: u32) -> u32 {
        let bytes = self.source.as_bytes();
        let offset = (offset as usize).min(bytes.len());
        let block = offset / BLOCK;
        while self.before.len() <= block {
            let before = match self.before.len() {
                0 => 0,
                next => self.before[next - 1] + ends(&bytes[(next - 1) * BLOCK..next * BLOCK]),
            };
            self.before.push(before);
        }
        let line = self.before[block] + ends(&bytes[block * BLOCK..offset]) + 1;
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}

fn ends(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_offset_has_the_line_that_counting_gives() {
        let text = "ab\n".repeat(4096);
        let mut lines = Lines::new(&text);
        for offset in [0, 2, 3, 4095, 4096, 4097, 12_287, 12_288, 12_289, 8192, 1] {
            let counted = ends(&text.as_bytes()[..text.len().min(offset)]) + 1;
            assert_eq!(lines.of(u32::try_from(offset).unwrap_or(0)) as usize, counted, "{offset}");
        }
    }
}
