//! The one answer of a probe worker: a word, a length, and a text.

use std::io::{self, BufRead, ErrorKind, Read as _, Write};

use facets_digest::json::{self, Limits, Provenance, Value, quoted};

use super::outcome::{ProbeAnswer, ProbeFailure};

/// A longer text is not read, and not written either.
pub(super) const LONGEST: usize = 64 << 20;

/// A word or a length, with the end of its line.
const LONGEST_LINE: u64 = 32;

const SURFACE: &str = "surface";
const REFUSED: &str = "refused";
const BROKEN: &str = "broken";

/// Writes the answer.
pub(super) fn write_outcome(
    out: &mut impl Write,
    outcome: &Result<ProbeAnswer, ProbeFailure>,
) -> io::Result<()> {
    let json;
    let (word, text) = match outcome {
        Ok(ProbeAnswer { surface_file }) => (SURFACE, surface_file.as_str()),
        Err(ProbeFailure::Refused { code, error, printed }) => {
            json = refusal_json(code, error, printed);
            (REFUSED, json.as_str())
        }
        Err(ProbeFailure::Broken(reason)) => (BROKEN, reason.as_str()),
    };
    write!(out, "{word}\n{}\n{text}", text.len())?;
    out.flush()
}

/// Reads the answer. A worker that ends without one is an error.
pub(super) fn read_outcome(
    input: &mut impl BufRead,
) -> io::Result<Result<ProbeAnswer, ProbeFailure>> {
    let word = read_line(input)?;
    let length = read_line(input)?.parse::<usize>().map_err(|_| malformed())?;
    if length > LONGEST {
        return Err(malformed());
    }
    let mut text = Vec::new();
    input.by_ref().take(length as u64).read_to_end(&mut text)?;
    if text.len() < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    let text = String::from_utf8(text).map_err(|_| malformed())?;
    match word.as_str() {
        SURFACE => Ok(Ok(ProbeAnswer { surface_file: text })),
        REFUSED => parse_refusal(&text).map(Err).ok_or_else(malformed),
        BROKEN => Ok(Err(ProbeFailure::Broken(text))),
        _ => Err(malformed()),
    }
}

fn malformed() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "the answer is malformed")
}

fn read_line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    match line.pop() {
        Some(b'\n') => String::from_utf8(line).map_err(|_| malformed()),
        Some(_) => Err(malformed()),
        None => Err(ErrorKind::UnexpectedEof.into()),
    }
}

fn refusal_json(code: &str, error: &str, printed: &str) -> String {
    let [code, error, printed] = [code, error, printed].map(quoted);
    format!("{{\"code\":{code},\"error\":{error},\"printed\":{printed}}}")
}

fn parse_refusal(text: &str) -> Option<ProbeFailure> {
    let document = json::parse(text.as_bytes(), Provenance::Authored, Limits::DOCUMENT).ok()?;
    let member = |name: &str| match document.member(name) {
        Some(Value::String(text)) => Some(text.clone().into_owned()),
        _ => None,
    };
    Some(ProbeFailure::Refused {
        code: member("code")?,
        error: member("error")?,
        printed: member("printed")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(outcome: &Result<ProbeAnswer, ProbeFailure>) -> Vec<u8> {
        let mut bytes = Vec::new();
        write_outcome(&mut bytes, outcome).unwrap();
        bytes
    }

    #[test]
    fn every_answer_arrives_as_it_was_given() {
        let answers = [
            Ok(ProbeAnswer { surface_file: "{\n}\n".to_owned() }),
            Err(ProbeFailure::Refused {
                code: "server-closed".to_owned(),
                error: "it said \"no\"\n".to_owned(),
                printed: "\u{1b}[31mé\0".to_owned(),
            }),
            Err(ProbeFailure::Broken("no space left".to_owned())),
        ];
        for answer in answers {
            let bytes = sent(&answer);
            assert_eq!(read_outcome(&mut bytes.as_slice()).unwrap(), answer);
            for end in 0..bytes.len() {
                assert!(read_outcome(&mut &bytes[..end]).is_err(), "{answer:?} {end}");
            }
        }
    }

    #[test]
    fn a_malformed_answer_is_refused_before_it_is_read() {
        let long = "surface".repeat(100);
        for text in [
            "surface\n99999999999\n",
            "surface\n-1\n",
            "surface\nnine\n",
            "published\n2\n{}",
            "refused\n2\n{}",
            "refused\n0\n",
            long.as_str(),
        ] {
            assert!(read_outcome(&mut text.as_bytes()).is_err(), "{text}");
        }
        assert!(read_outcome(&mut &b"surface\n1\n\xff"[..]).is_err());
    }
}
