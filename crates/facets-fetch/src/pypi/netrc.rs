//! `.netrc`: who logs in where.

/// Why a text is no such file. No word of it is shown: it may be a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NetrcError {
    /// The line, counted from 1.
    pub(super) line: usize,
    /// What is wrong.
    pub(super) problem: &'static str,
}

/// A name and a password.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Login {
    /// The name; that of the account where there is no other.
    pub(super) user: String,
    /// The password.
    pub(super) password: String,
}

/// A file.
#[derive(Clone, Default)]
pub(super) struct Netrc {
    machines: Vec<(String, Login)>,
    default: Option<Login>,
}

impl Netrc {
    /// Reads a whole text.
    pub(super) fn parse(text: &str) -> Result<Self, NetrcError> {
        let mut words = Words { rest: text, line: 1 };
        let mut netrc = Self::default();
        let mut next = words.keyword();
        while let Some(word) = next {
            next = match word.as_str() {
                "machine" => {
                    let host = words.value()?;
                    let (login, following) = words.login()?;
                    netrc.machines.push((host, login));
                    following
                }
                "default" => {
                    let (login, following) = words.login()?;
                    netrc.default = Some(login);
                    following
                }
                "macdef" => {
                    words.skip_macro();
                    words.keyword()
                }
                _ => return Err(words.error("`machine`, `default` or `macdef` is expected")),
            };
        }
        Ok(netrc)
    }

    /// Who logs in at a host: the last entry for it, else the default.
    pub(super) fn login(&self, host: &str) -> Option<&Login> {
        let named = self.machines.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case(host));
        let login = named.map(|(_, login)| login).or(self.default.as_ref())?;
        (*login != Login::default()).then_some(login)
    }
}

/// What is left of a text.
struct Words<'a> {
    rest: &'a str,
    line: usize,
}

impl Words<'_> {
    fn error(&self, problem: &'static str) -> NetrcError {
        NetrcError { line: self.line, problem }
    }

    /// The settings of an entry, and the keyword after it.
    fn login(&mut self) -> Result<(Login, Option<String>), NetrcError> {
        let (mut login, mut account) = (Login::default(), String::new());
        let following = loop {
            let Some(word) = self.keyword() else { break None };
            match word.as_str() {
                "machine" | "default" | "macdef" => break Some(word),
                "login" | "user" => login.user = self.value()?,
                "account" => account = self.value()?,
                "password" => login.password = self.value()?,
                _ => return Err(self.error("`login`, `password` or `account` is expected")),
            }
        };
        if login.user.is_empty() {
            login.user = account;
        }
        Ok((login, following))
    }

    /// A word that is no comment.
    fn keyword(&mut self) -> Option<String> {
        self.skip_space();
        while self.rest.starts_with('#') {
            self.skip_line();
            self.skip_space();
        }
        self.word()
    }

    fn value(&mut self) -> Result<String, NetrcError> {
        let missing = self.error("a word without its value");
        self.skip_space();
        self.word().ok_or(missing)
    }

    /// A word that begins here, or is written in quotes; nothing at the end of the text.
    fn word(&mut self) -> Option<String> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut word, mut end) = (String::new(), self.rest.len());
        let (mut quoted, mut escaped) = (false, false);
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if escaped => {
                    word.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                '"' if at == 0 => quoted = true,
                '"' if quoted => {
                    end = at + 1;
                    break;
                }
                _ if is_space(c) && !quoted => {
                    end = at;
                    break;
                }
                _ => word.push(c),
            }
        }
        self.advance(end);
        Some(word)
    }

    /// A macro goes up to an empty line.
    fn skip_macro(&mut self) {
        self.skip_line();
        while !self.rest.is_empty() {
            let empty = self.rest.starts_with('\n') || self.rest.starts_with("\r\n");
            self.skip_line();
            if empty {
                break;
            }
        }
    }

    fn skip_space(&mut self) {
        self.advance(self.rest.len() - self.rest.trim_start_matches(is_space).len());
    }

    fn skip_line(&mut self) {
        self.advance(self.rest.find('\n').map_or(self.rest.len(), |at| at + 1));
    }

    fn advance(&mut self, length: usize) {
        let (passed, rest) = self.rest.split_at(length);
        self.line += passed.matches('\n').count();
        self.rest = rest;
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn found(text: &str, host: &str) -> Option<(String, String)> {
        let netrc = Netrc::parse(text).ok().unwrap();
        netrc.login(host).map(|login| (login.user.clone(), login.password.clone()))
    }

    #[expect(clippy::unnecessary_wraps, reason = "compared with what may be absent")]
    fn pair(user: &str, password: &str) -> Option<(String, String)> {
        Some((user.to_owned(), password.to_owned()))
    }

    #[test]
    fn reads_entries_on_one_line_and_on_several() {
        let text = "# mine\nmachine a.example login me password one\nmachine B.example\n\
            \tlogin you # not the password\n\tpassword #two\nmachine c.example account third \
            password 3\nmachine d.example\nmachine a.example user later password four";
        assert_eq!(found(text, "a.example"), pair("later", "four"));
        assert_eq!(found(text, "b.example"), pair("you", "#two"));
        assert_eq!(found(text, "c.example"), pair("third", "3"));
        assert_eq!(found(text, "d.example"), None);
        assert_eq!(found(text, "e.example"), None);
    }

    #[test]
    fn the_default_is_for_every_other_host() {
        let text = "default login any password all\nmachine a.example login me password one\n";
        assert_eq!(found(text, "a.example"), pair("me", "one"));
        assert_eq!(found(text, "b.example"), pair("any", "all"));
        assert_eq!(found("", "b.example"), None);
    }

    #[test]
    fn quotes_and_backslashes_are_undone() {
        let text = r#"machine a.example login "first last" password "a\"b\\c#d" account a\ b"#;
        assert_eq!(found(text, "a.example"), pair("first last", r#"a"b\c#d"#));
        let text = "machine a.example login \"\" account x password \"unclosed\nline";
        assert_eq!(found(text, "a.example"), pair("x", "unclosed\nline"));
    }

    #[test]
    fn macros_are_skipped() {
        let text = "macdef init\nmachine evil.example login x\nquit\n\n\
            machine a.example login me password one\nmacdef last\nmachine evil.example login y\n";
        assert_eq!(found(text, "a.example"), pair("me", "one"));
        assert_eq!(found(text, "evil.example"), None);
    }

    #[test]
    fn errors_name_the_line_and_no_word() {
        for (text, line) in [
            ("hunter2", 1),
            ("machine", 1),
            ("machine a.example\nlogin me\nhunter2 x", 3),
            ("machine a.example\nlogin", 2),
            ("\n# x\nlogin me", 3),
        ] {
            let error = Netrc::parse(text).err().unwrap();
            assert_eq!(error.line, line, "{text:?}");
            assert!(!error.problem.contains("hunter2"));
        }
    }
}
