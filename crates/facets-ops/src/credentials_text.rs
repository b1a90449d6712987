//! The text of a file of credentials: sections with a token each, edited in place. Comments, other sections and
//! other members stay as they are.

use facets_registry_client::{RegistryAddress, RegistryToken};

/// The registry of the reference, whose client writes `[default]` without saying which registry it means.
const REFERENCE: &str = "https://api.agentfacets.io";

/// The section of the default registry.
const DEFAULT: &str = "default";

/// A line that is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CredentialsProblem {
    /// From 1.
    pub(crate) line: usize,
    pub(crate) problem: &'static str,
}

/// Which section a new token goes into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewSection {
    /// That of the default registry, unless another registry has it.
    Default,
    /// One with the address of the registry as its name.
    Address,
}

/// The lines of a file of credentials.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CredentialsText {
    lines: Vec<String>,
}

/// One section: where it stands, and what it says.
struct CredentialsSection {
    /// Its first line.
    header: usize,
    /// The line behind its last one.
    end: usize,
    name: String,
    token: Option<(usize, String)>,
    registry: Option<(usize, String)>,
}

impl CredentialsText {
    /// Reads a text, all of which has to be understood.
    pub(crate) fn parse(text: &str) -> Result<Self, CredentialsProblem> {
        let parsed = Self { lines: text.lines().map(str::to_owned).collect() };
        parsed.sections()?;
        Ok(parsed)
    }

    /// The token for a registry, and for no other.
    pub(crate) fn token(
        &self,
        registry: &RegistryAddress,
    ) -> Result<Option<RegistryToken>, CredentialsProblem> {
        let Some((at, token)) = self.section_of(registry)?.and_then(|section| section.token) else {
            return Ok(None);
        };
        let problem = "the token is empty, or not one word";
        let token = token.parse::<RegistryToken>();
        token.map(Some).map_err(|_| CredentialsProblem { line: at + 1, problem })
    }

    /// Stores the token for a registry, in the place of an older one.
    pub(crate) fn set(
        &mut self,
        registry: &RegistryAddress,
        token: &RegistryToken,
        new: NewSection,
    ) -> Result<(), CredentialsProblem> {
        let line = format!("token={}", token.secret());
        if let Some(section) = self.section_of(registry)? {
            match section.token {
                Some((at, _)) => self.lines[at] = line,
                None => self.lines.insert(section.header + 1, line),
            }
            return Ok(());
        }
        let default = self.sections()?.into_iter().find(|section| section.name == DEFAULT);
        let bound = format!("registry={registry}");
        match (new, default) {
            (NewSection::Default, None) => self.append([format!("[{DEFAULT}]"), bound, line]),
            // A section without a token belongs to no registry yet.
            (
                NewSection::Default,
                Some(CredentialsSection { header, token: None, registry, .. }),
            ) => {
                if let Some((at, _)) = registry {
                    self.lines.remove(at);
                }
                self.lines.insert(header + 1, line);
                self.lines.insert(header + 1, bound);
            }
            _ => self.append([format!("[{registry}]"), line]),
        }
        Ok(())
    }

    /// Forgets the token for a registry; whether there was one.
    pub(crate) fn remove(
        &mut self,
        registry: &RegistryAddress,
    ) -> Result<bool, CredentialsProblem> {
        let Some(section) = self.section_of(registry)? else { return Ok(false) };
        let CredentialsSection { header, end, token, registry, .. } = section;
        let was_there = token.is_some();
        let gone = [token, registry].map(|member| member.map(|(at, _)| at));
        let is_kept = |at: &usize| !gone.contains(&Some(*at));
        let rest: Vec<String> =
            (header + 1..end).filter(is_kept).map(|at| self.lines[at].clone()).collect();
        // A heading above nothing says nothing.
        let is_empty = rest.iter().all(|line| line.trim().is_empty());
        let first = if is_empty { header } else { header + 1 };
        drop(self.lines.splice(first..end, if is_empty { Vec::new() } else { rest }));
        Ok(was_there)
    }

    /// The whole text.
    pub(crate) fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Adds a section behind all others, after a blank line.
    fn append<const COUNT: usize>(&mut self, lines: [String; COUNT]) {
        if self.lines.last().is_some_and(|line| !line.trim().is_empty()) {
            self.lines.push(String::new());
        }
        self.lines.extend(lines);
    }

    /// The section of a registry: the one with its address, or that of the default registry if that is bound to it.
    fn section_of(
        &self,
        registry: &RegistryAddress,
    ) -> Result<Option<CredentialsSection>, CredentialsProblem> {
        let is_address =
            |text: &str| text.parse::<RegistryAddress>().is_ok_and(|one| one == *registry);
        let mut sections = self.sections()?;
        let named = sections.iter().position(|section| is_address(&section.name));
        let is_default = |section: &CredentialsSection| {
            let bound = section.registry.as_ref().map_or(REFERENCE, |(_, text)| text.as_str());
            section.name == DEFAULT && is_address(bound)
        };
        let found = named.or_else(|| sections.iter().position(is_default));
        Ok(found.map(|at| sections.swap_remove(at)))
    }

    fn sections(&self) -> Result<Vec<CredentialsSection>, CredentialsProblem> {
        let mut sections: Vec<CredentialsSection> = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let wrong = |problem| Err(CredentialsProblem { line: at + 1, problem });
            let text = line.trim();
            if text.is_empty() || text.starts_with(['#', ';']) {
                continue;
            }
            if let Some(name) = text.strip_prefix('[') {
                let Some(name) = name.strip_suffix(']') else {
                    return wrong("a section has no `]`");
                };
                if sections.iter().any(|section| section.name == name) {
                    return wrong("a section stands there twice");
                }
                sections.push(CredentialsSection::new(at, self.lines.len(), name));
                continue;
            }
            let Some((member, value)) = text.split_once('=') else {
                return wrong("it is neither a section nor a member");
            };
            let Some(section) = sections.last_mut() else {
                return wrong("a member stands before the first section");
            };
            if !section.add(member.trim(), at, value.trim()) {
                return wrong("a member stands there twice");
            }
        }
        for at in 1..sections.len() {
            sections[at - 1].end = sections[at].header;
        }
        Ok(sections)
    }
}

impl CredentialsSection {
    fn new(header: usize, end: usize, name: &str) -> Self {
        Self { header, end, name: name.to_owned(), token: None, registry: None }
    }

    /// Takes a member over; whether that is the first of its name.
    fn add(&mut self, member: &str, at: usize, value: &str) -> bool {
        let known = match member {
            "token" => &mut self.token,
            "registry" => &mut self.registry,
            _ => return true,
        };
        known.replace((at, value.to_owned())).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# mine\n[default]\ntoken=reference\nother = kept\n\n; two\n[https://r.example]\ntoken = two\n";

    fn address(text: &str) -> RegistryAddress {
        text.parse().unwrap()
    }

    fn token(text: &str, registry: &str) -> Option<String> {
        let credentials = CredentialsText::parse(text).unwrap();
        let token = credentials.token(&address(registry)).unwrap();
        token.map(|token| token.secret().to_owned())
    }

    fn set(text: &str, registry: &str, new: NewSection) -> String {
        let mut credentials = CredentialsText::parse(text).unwrap();
        credentials.set(&address(registry), &"new".parse().unwrap(), new).unwrap();
        assert_eq!(token(&credentials.text(), registry).as_deref(), Some("new"));
        credentials.text()
    }

    fn removed(text: &str, registry: &str) -> (bool, String) {
        let mut credentials = CredentialsText::parse(text).unwrap();
        let was_there = credentials.remove(&address(registry)).unwrap();
        (was_there, credentials.text())
    }

    #[test]
    fn a_token_is_for_one_registry_and_for_no_other() {
        assert_eq!(token(FILE, REFERENCE).as_deref(), Some("reference"));
        assert_eq!(token(FILE, "https://r.example:443/").as_deref(), Some("two"));
        for other in ["https://r.example/below", "https://r.example:8443", "https://s.example"] {
            assert_eq!(token(FILE, other), None, "{other}");
        }
        let bound = "[default]\nregistry=https://own.example\ntoken=own\n";
        assert_eq!(token(bound, "https://own.example").as_deref(), Some("own"));
        assert_eq!(token(bound, REFERENCE), None);
        let not_an_address = "[default]\nregistry=own.example\ntoken=own\n";
        assert_eq!(token(not_an_address, REFERENCE), None);
    }

    #[test]
    fn other_sections_members_and_comments_stay() {
        assert_eq!(
            set(FILE, "https://r.example", NewSection::Address),
            FILE.replace("token = two", "token=new")
        );
        assert_eq!(
            set(FILE, REFERENCE, NewSection::Default),
            FILE.replace("token=reference", "token=new")
        );
        let added = format!("{FILE}\n[https://s.example]\ntoken=new\n");
        assert_eq!(set(FILE, "https://s.example", NewSection::Address), added);
        // Another registry has the section of the default one.
        assert_eq!(set(FILE, "https://s.example", NewSection::Default), added);
    }

    #[test]
    fn a_new_default_says_which_registry_it_is_for() {
        let written = "[default]\nregistry=http://127.0.0.1:8080\ntoken=new\n";
        assert_eq!(set("", "http://127.0.0.1:8080", NewSection::Default), written);
        let empty = "[default]\nregistry=https://old.example\nother=kept\n";
        let expected = "[default]\nregistry=https://s.example\ntoken=new\nother=kept\n";
        assert_eq!(set(empty, "https://s.example", NewSection::Default), expected);
    }

    #[test]
    fn a_token_is_forgotten_with_its_empty_section() {
        let (was_there, text) = removed(FILE, "https://r.example");
        assert!(was_there);
        assert_eq!(text, "# mine\n[default]\ntoken=reference\nother = kept\n\n; two\n");
        let (was_there, text) = removed(FILE, REFERENCE);
        assert!(was_there);
        assert_eq!(text, FILE.replace("token=reference\n", ""));
        assert_eq!(removed(FILE, "https://s.example"), (false, FILE.to_owned()));
    }

    #[test]
    fn what_cannot_be_understood_is_refused_with_its_line() {
        for (text, line) in [
            ("token=x\n", 1),
            ("[default\n", 1),
            ("[default]\nnonsense\n", 2),
            ("[default]\ntoken=x\n\n[default]\n", 4),
            ("[default]\ntoken=x\ntoken=y\n", 3),
        ] {
            let problem = CredentialsText::parse(text).unwrap_err();
            assert_eq!(problem.line, line, "{text}");
        }
        let credentials = CredentialsText::parse("[default]\ntoken=a b\n").unwrap();
        assert_eq!(credentials.token(&address(REFERENCE)).unwrap_err().line, 2);
    }
}
