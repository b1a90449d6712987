/// Offsets to lines, for a text that is read once.
pub(super) struct Lines<'a> {
    source: &'a str,
    starts: Vec<u32>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, starts: Vec::new() }
    }

    /// The line of an offset, from 1. Most files are never asked.
    pub(super) fn of(&mut self, offset: u32) -> u32 {
        if self.starts.is_empty() {
            let ends = self.source.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            let starts = ends.filter_map(|(at, _)| u32::try_from(at + 1).ok());
            self.starts = [0].into_iter().chain(starts).collect();
        }
        let line = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(line).unwrap_or(u32::MAX)
    }
}
