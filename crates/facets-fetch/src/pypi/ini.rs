//! The dialect of pip's configuration files: that of Python's `configparser`, without interpolation.

use std::collections::BTreeSet;

/// More than any configuration has.
const MAX_SETTINGS: usize = 10_000;

/// The section whose settings every other section of the file begins with.
const DEFAULT: &str = "DEFAULT";

/// Why a text is no such file. The line is not shown: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IniError {
    /// The line, counted from 1.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) problem: &'static str,
}

/// `key = value`, with the lines that continue it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct IniSetting {
    section: String,
    /// In lower case.
    pub(super) key: String,
    /// Without white space around it; lines are separated by `\n`.
    pub(super) value: String,
    /// The line, counted from 1.
    pub(super) line: usize,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ini {
    sections: BTreeSet<String>,
    settings: Vec<IniSetting>,
}

impl Ini {
    /// Reads a whole text.
    pub(super) fn parse(text: &str) -> Result<Self, IniError> {
        let mut reader = Reader::default();
        // Python ends a line at a carriage return, too.
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            reader.line(line, number).map_err(|problem| IniError { line: number, problem })?;
        }
        let mut ini = reader.ini;
        for setting in &mut ini.settings {
            setting.value.truncate(setting.value.trim_end().len());
        }
        Ok(ini)
    }

    /// The settings of a section, those that win last.
    pub(super) fn section<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a IniSetting> {
        let exists = self.sections.contains(name);
        let inherited = self.settings.iter().filter(move |one| exists && one.section == DEFAULT);
        let own = self.settings.iter().filter(move |one| one.section == name);
        inherited.chain(own)
    }
}

#[derive(Default)]
struct Reader {
    ini: Ini,
    section: Option<String>,
    /// Of the line that a continuation is indented deeper than.
    indent: usize,
    /// Whether the last setting can go on.
    open: bool,
    seen: BTreeSet<(String, String)>,
}

impl Reader {
    fn line(&mut self, line: &str, number: usize) -> Result<(), &'static str> {
        let content = line.trim();
        if content.starts_with(['#', ';']) {
            return Ok(());
        }
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        if let Some(setting) = self.ini.settings.last_mut().filter(|_| self.open)
            && (content.is_empty() || indent > self.indent)
        {
            setting.value.push('\n');
            setting.value.push_str(content);
            return Ok(());
        }
        if content.is_empty() {
            return Ok(());
        }
        self.indent = indent;
        match header(content) {
            Some(name) => self.begin_section(name),
            None => self.begin_setting(content, number),
        }
    }

    fn begin_section(&mut self, name: &str) -> Result<(), &'static str> {
        self.open = false;
        self.section = Some(name.to_owned());
        if !self.ini.sections.insert(name.to_owned()) && name != DEFAULT {
            return Err("the section stands twice");
        }
        Ok(())
    }

    fn begin_setting(&mut self, content: &str, number: usize) -> Result<(), &'static str> {
        let section = self.section.clone().ok_or("a setting before the first `[section]`")?;
        let (key, value) =
            content.split_once(['=', ':']).ok_or("neither a setting nor a section")?;
        let key = key.trim_end().to_lowercase();
        if key.is_empty() {
            return Err("a value without a name");
        }
        if !self.seen.insert((section.clone(), key.clone())) {
            return Err("the setting stands twice in its section");
        }
        if self.ini.settings.len() == MAX_SETTINGS {
            return Err("too many settings");
        }
        let value = value.trim().to_owned();
        self.ini.settings.push(IniSetting { section, key, value, line: number });
        self.open = true;
        Ok(())
    }
}

/// The name in `[name]`.
fn header(content: &str) -> Option<&str> {
    let (name, _) = content.strip_prefix('[')?.rsplit_once(']')?;
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn pairs(text: &str, section: &str) -> Vec<(String, String)> {
        let ini = Ini::parse(text).unwrap();
        ini.section(section).map(|one| (one.key.clone(), one.value.clone())).collect()
    }

    fn pair(key: &str, value: &str) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    #[test]
    fn reads_both_delimiters_comments_and_continuations() {
        let text = "# comment\r\n[global]\nIndex-URL = https://a.example/simple?x=1\n\n\
            ; comment\ntimeout: 60\nextra-index-url =\n    https://b.example/\n  # not this\n\n\
            \thttps://c.example/ ; part of it\n[other]\nkey = value\n";
        let expected = [
            pair("index-url", "https://a.example/simple?x=1"),
            pair("timeout", "60"),
            pair("extra-index-url", "\nhttps://b.example/\n\nhttps://c.example/ ; part of it"),
        ];
        assert_eq!(pairs(text, "global"), expected);
        assert_eq!(pairs(text, "other"), [pair("key", "value")]);
        assert!(pairs(text, "absent").is_empty());
    }

    #[test]
    fn lines_end_as_python_ends_them() {
        let text = "[a]\rx = 1\r\ny = 2\n# comment\rz = 3\r\r\n";
        assert_eq!(pairs(text, "a"), [pair("x", "1"), pair("y", "2"), pair("z", "3")]);
        assert_eq!(Ini::parse("[a]\rx = 1\r\n\rword").map_err(|error| error.line), Err(4));
        // Further signs that end a line elsewhere are part of it.
        assert_eq!(pairs("[a]\nx = 1\u{2028}y = 2\n", "a"), [pair("x", "1\u{2028}y = 2")]);
    }

    #[test]
    fn an_indented_setting_is_no_continuation_of_a_section() {
        assert_eq!(pairs("[a]\n  x = 1\n  y = 2\n", "a"), [pair("x", "1"), pair("y", "2")]);
        assert_eq!(pairs("[a]\nx = 1\n  y = 2\n", "a"), [pair("x", "1\ny = 2")]);
    }

    #[test]
    fn defaults_come_before_the_settings_of_a_section() {
        let text = "[DEFAULT]\nx = 1\n[a]\ny = 2\n[DEFAULT]\nz = 3\n";
        assert_eq!(pairs(text, "a"), [pair("x", "1"), pair("z", "3"), pair("y", "2")]);
        assert!(pairs(text, "b").is_empty());
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line) in [
            ("x = 1\n", 1),
            ("\n[a]\nword\n", 3),
            ("[a]\n= 1\n", 2),
            ("[a]\nx = 1\nX = 2\n", 3),
            ("[a]\n[b]\n[a]\n", 3),
            ("[]\n", 1),
            ("[a\n", 1),
        ] {
            assert_eq!(Ini::parse(text).map_err(|error| error.line), Err(line), "{text:?}");
        }
        let many: String = (0..=MAX_SETTINGS).map(|index| format!("k{index} = v\n")).collect();
        let error = Ini::parse(&format!("[a]\n{many}")).unwrap_err();
        assert_eq!(error.line, MAX_SETTINGS + 2);
    }
}
