//! A log that is read while it is written.

use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

/// What a session writes down, line by line, also when its log begins anew.
#[derive(Debug)]
pub struct FollowedLog {
    path: PathBuf,
    file: Option<File>,
    /// Of a line that has no end yet.
    begun: Vec<u8>,
}

impl FollowedLog {
    /// Begins with the older part, if there is one.
    pub(crate) fn new(path: PathBuf) -> Self {
        let older = path.with_extension("log.1");
        let file = File::open(&older).or_else(|_| File::open(&path)).ok();
        Self { path, file, begun: Vec::new() }
    }

    /// Hands over the lines that are there and were not yet; false if `print` wants no more.
    pub fn lines(&mut self, print: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        loop {
            if !self.read(print) {
                return false;
            }
            if !self.is_replaced() {
                return true;
            }
            // Written between the last reading and the replacement.
            if !self.read(print) {
                return false;
            }
            self.file = File::open(&self.path).ok();
        }
    }

    /// Hands over what is left of a line without an end.
    pub fn rest(&mut self, print: &mut dyn FnMut(&[u8]) -> bool) {
        if self.lines(print) && !self.begun.is_empty() {
            print(&std::mem::take(&mut self.begun));
        }
    }

    fn read(&mut self, print: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        if self.file.is_none() {
            self.file = File::open(&self.path).ok();
        }
        let Some(file) = &mut self.file else { return true };
        let mut new = Vec::new();
        // As much as could be read is shown.
        let _ = file.read_to_end(&mut new);
        self.begun.extend(new);
        while let Some(end) = self.begun.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.begun.drain(..=end).collect();
            if !print(&line[..end]) {
                return false;
            }
        }
        true
    }

    /// Whether the log has begun anew since it was opened.
    fn is_replaced(&self) -> bool {
        let opened = self.file.as_ref().and_then(|file| file.metadata().ok());
        match (opened, self.path.metadata()) {
            (Some(opened), Ok(now)) => opened.ino() != now.ino(),
            (None, Ok(_)) => true,
            (_, Err(_)) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::*;

    fn read(log: &mut FollowedLog) -> Vec<String> {
        let mut lines = Vec::new();
        log.lines(&mut |line| {
            lines.push(String::from_utf8_lossy(line).into_owned());
            true
        });
        lines
    }

    #[test]
    fn lines_come_once_and_whole_also_when_the_log_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("7.log");
        let mut log = FollowedLog::new(path.clone());
        assert!(read(&mut log).is_empty());
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntw").unwrap();
        assert_eq!(read(&mut log), ["one"]);
        file.write_all(b"o\nthree\n").unwrap();
        fs::rename(&path, path.with_extension("log.1")).unwrap();
        fs::write(&path, "four\nfive").unwrap();
        assert_eq!(read(&mut log), ["two", "three", "four"]);
        let mut rest = Vec::new();
        log.rest(&mut |line| {
            rest.extend_from_slice(line);
            true
        });
        assert_eq!(rest, b"five");
    }

    #[test]
    fn it_begins_with_the_older_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("7.log");
        fs::write(path.with_extension("log.1"), "old\n").unwrap();
        fs::write(&path, "new\n").unwrap();
        assert_eq!(read(&mut FollowedLog::new(path)), ["old", "new"]);
    }

    #[test]
    fn a_reader_that_has_enough_ends_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("7.log");
        fs::write(&path, "one\ntwo\n").unwrap();
        assert!(!FollowedLog::new(path).lines(&mut |_| false));
    }
}
