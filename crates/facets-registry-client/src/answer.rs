//! Answers of a registry: strict JSON, each member with the type that it must have.

use std::fmt::Display;
use std::str::FromStr;

use facets_digest::json::{self, Limits, Number, Provenance, Value};
use url::Url;

use crate::address::shown;
use crate::error::RegistryClientError;

/// How much of an answer is looked at: no answer of a registry is deeper or has more values.
const LIMITS: Limits = Limits { bytes: 64 << 20, depth: 64, values: 1_000_000 };

/// Reads the body of an answer.
pub(crate) fn parse_json<'b>(url: &Url, body: &'b [u8]) -> Result<Value<'b>, RegistryClientError> {
    json::parse(body, Provenance::Captured, LIMITS).map_err(|error| RegistryClientError::Answer {
        url: shown(url),
        problem: error.to_string(),
    })
}

/// The members of an object. Those that are not asked for may be anything.
#[derive(Clone, Copy)]
pub(crate) struct AnswerMembers<'v, 'a> {
    url: &'v Url,
    value: &'v Value<'a>,
}

impl<'v, 'a> AnswerMembers<'v, 'a> {
    pub(crate) fn new(url: &'v Url, value: &'v Value<'a>) -> Self {
        Self { url, value }
    }

    /// A member that is there and not `null`.
    fn present(&self, name: &str) -> Option<&'v Value<'a>> {
        self.value.member(name).filter(|value| !matches!(value, Value::Null))
    }

    fn required(&self, name: &str) -> Result<&'v Value<'a>, RegistryClientError> {
        self.present(name).ok_or_else(|| self.wrong(format!("the member `{name}` is missing")))
    }

    /// An answer that is not what was asked for.
    pub(crate) fn wrong(&self, problem: String) -> RegistryClientError {
        RegistryClientError::Answer { url: shown(self.url), problem }
    }

    fn wrong_type(&self, name: &str, expected: &str) -> RegistryClientError {
        self.wrong(format!("the member `{name}` is not {expected}"))
    }

    pub(crate) fn text(&self, name: &str) -> Result<&'v str, RegistryClientError> {
        self.as_text(name, self.required(name)?)
    }

    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&'v str>, RegistryClientError> {
        self.present(name).map(|value| self.as_text(name, value)).transpose()
    }

    fn as_text(&self, name: &str, value: &'v Value<'a>) -> Result<&'v str, RegistryClientError> {
        match value {
            Value::String(text) => Ok(text),
            _ => Err(self.wrong_type(name, "a text")),
        }
    }

    /// A text that is more than that.
    pub(crate) fn parsed<T>(&self, name: &str) -> Result<T, RegistryClientError>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.as_parsed(name, self.text(name)?)
    }

    pub(crate) fn optional_parsed<T>(&self, name: &str) -> Result<Option<T>, RegistryClientError>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.optional_text(name)?.map(|text| self.as_parsed(name, text)).transpose()
    }

    fn as_parsed<T>(&self, name: &str, text: &str) -> Result<T, RegistryClientError>
    where
        T: FromStr,
        T::Err: Display,
    {
        text.parse()
            .map_err(|error: T::Err| self.wrong(format!("the member `{name}` is invalid: {error}")))
    }

    pub(crate) fn optional_integer(&self, name: &str) -> Result<Option<u64>, RegistryClientError> {
        match self.present(name) {
            None => Ok(None),
            Some(Value::Number(Number::Integer(digits))) => {
                let number = digits.parse().map_err(|_| self.wrong_type(name, "a count"))?;
                Ok(Some(number))
            }
            Some(_) => Err(self.wrong_type(name, "a count")),
        }
    }

    pub(crate) fn truth(&self, name: &str) -> Result<bool, RegistryClientError> {
        match self.required(name)? {
            Value::Bool(truth) => Ok(*truth),
            _ => Err(self.wrong_type(name, "true or false")),
        }
    }

    pub(crate) fn list(&self, name: &str) -> Result<&'v [Value<'a>], RegistryClientError> {
        match self.required(name)? {
            Value::Array(items) => Ok(items),
            _ => Err(self.wrong_type(name, "a list")),
        }
    }

    /// The texts of a list; none if there is no list.
    pub(crate) fn optional_texts(&self, name: &str) -> Result<Vec<String>, RegistryClientError> {
        let Some(value) = self.present(name) else { return Ok(Vec::new()) };
        let Value::Array(items) = value else { return Err(self.wrong_type(name, "a list")) };
        items.iter().map(|item| self.as_text(name, item).map(str::to_owned)).collect()
    }

    /// An object inside of this one.
    pub(crate) fn optional_object(
        &self,
        name: &str,
    ) -> Result<Option<AnswerMembers<'v, 'a>>, RegistryClientError> {
        match self.present(name) {
            None => Ok(None),
            Some(value @ Value::Object(_)) => Ok(Some(AnswerMembers { url: self.url, value })),
            Some(_) => Err(self.wrong_type(name, "an object")),
        }
    }

    /// The member itself, whatever it is.
    pub(crate) fn value_of(&self, name: &str) -> Option<&'v Value<'a>> {
        self.present(name)
    }
}

#[cfg(test)]
mod tests {
    use facets_digest::Digest;

    use super::*;

    #[test]
    fn each_member_has_its_type_or_the_answer_is_refused() {
        let url: Url = "https://r.example/v0/x?cursor=1".parse().unwrap();
        let body = br#"{"a":"text","n":7,"t":true,"l":["x"],"o":{"b":"c"},"z":null,"f":1.5}"#;
        let value = parse_json(&url, body).unwrap();
        let members = AnswerMembers::new(&url, &value);
        assert_eq!(members.text("a").unwrap(), "text");
        assert_eq!(members.optional_integer("n").unwrap(), Some(7));
        assert!(members.truth("t").unwrap());
        assert_eq!(members.list("l").unwrap().len(), 1);
        assert_eq!(members.optional_texts("l").unwrap(), ["x"]);
        assert_eq!(members.optional_object("o").unwrap().unwrap().text("b").unwrap(), "c");
        assert_eq!(members.optional_text("z").unwrap(), None);
        for problem in [
            members.text("z").err(),
            members.text("n").err(),
            members.optional_integer("f").err(),
            members.optional_integer("a").err(),
            members.truth("a").err(),
            members.list("o").err(),
            members.parsed::<Digest>("a").err(),
        ] {
            let problem = problem.unwrap().to_string();
            assert!(problem.starts_with("https://r.example/v0/x?… sent an invalid answer: "));
        }
    }

    #[test]
    fn what_two_readers_would_read_differently_is_refused() {
        let url: Url = "https://r.example/".parse().unwrap();
        for body in [&br#"{"a":1,"a":2}"#[..], b"{} {}", b"\xff", b"{'a':1}", b""] {
            assert!(parse_json(&url, body).is_err());
        }
    }
}
